/* The layout of --pretty: by itself, where the tests' own way of it is the oracle, and through the
 * library. */
#define _POSIX_C_SOURCE 200809L
#include "pretty.h"

#include <stdlib.h>
#include <string.h>

#include "../model/layout.h"
#include "../model/strict.h"
#include "../model/trace_random.h"
#include "lanefix.h"
#include "units.h"

/* Where the bytes go: all of them, or so many calls of them. */
struct room {
    char *bytes;
    size_t n, cap, calls, calls_max;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct room *room = context;
    if (room->calls++ == room->calls_max)
        return false;
    if (room->n + n >= room->cap) {
        room->cap = 2 * (room->n + n + 1);
        room->bytes = realloc(room->bytes, room->cap);
    }
    memcpy(room->bytes + room->n, bytes, n);
    room->n += n;
    room->bytes[room->n] = 0;
    return true;
}

/* Lays out text[0, n) in pieces: the first of `first` bytes, all others of `piece`. Owned by the
 * caller, with a final NUL. */
static char *lay_out(const char *text, size_t n, size_t first, size_t piece, size_t *out_n)
{
    struct room room = {.calls_max = SIZE_MAX};
    struct pretty *p = pretty_new(take, &room);
    take(&room, "", 0); /* so that there is a NUL */
    for (size_t done = 0, some = first; done < n; done += some, some = piece) {
        some = some < n - done ? some : n - done;
        char *copy = malloc(some ? some : 1); /* so that reading beyond it is noticed */
        memcpy(copy, text + done, some);
        ck_assert(pretty_write(p, copy, some));
        free(copy);
    }
    ck_assert(pretty_finish(p));
    pretty_free(p);
    *out_n = room.n;
    return room.bytes;
}

static void check_layout(const char *in, const char *expected)
{
    size_t n;
    char *out = lay_out(in, strlen(in), SIZE_MAX, 1, &n);
    ck_assert_str_eq(out, expected);
    free(out);
}

struct sample {
    const char *in, *out;
};

/* What Python's json.dumps(json.loads(in), indent=2, ensure_ascii=False) gives, but for the text of
 * numbers and strings. */
static const struct sample JSON[] = {
    {"", ""},
    {" \r\n\t ", ""},
    {"1", "1\n"},
    {" \"a\" ", "\"a\"\n"},
    {"[]", "[]\n"},
    {" { \n } ", "{}\n"},
    {"[1,\r\n2]", "[\n  1,\n  2\n]\n"},
    {"{\"a\":1,\"b\" : {}}", "{\n  \"a\": 1,\n  \"b\": {}\n}\n"},
    {"[[],[[ ]],{\"a\":[{}]}]",
     "[\n  [],\n  [\n    []\n  ],\n  {\n    \"a\": [\n      {}\n    ]\n  }\n]\n"},
    {"[1.00,1e+05,-0,true,\"\"]", "[\n  1.00,\n  1e+05,\n  -0,\n  true,\n  \"\"\n]\n"},
    {"{\"a\":1,\"a\":2}", "{\n  \"a\": 1,\n  \"a\": 2\n}\n"},
    {"[\"a , b: [1]  {\\\"} \\\\\",\"\\u00e9\xFF\"]",
     "[\n  \"a , b: [1]  {\\\"} \\\\\",\n  \"\\u00e9\xFF\"\n]\n"},
};

/* What is no JSON stays what it is. */
static const struct sample OTHER[] = {
    {"\xEF\xBB\xBF{\"a\" : NaN}\r\n", "\xEF\xBB\xBF{\n  \"a\": NaN\n}\n"},
    {"[1 , 2", "[\n  1,\n  2\n"},
    {"[1,\n", "[\n  1,\n"},
    {"[,1,,2,]", "[,\n  1,,\n  2,\n]\n"},
    {"[{}{} {}]", "[\n  {}\n  {}\n  {}\n]\n"},
    {"[1 {}\"a\"[] \"b\" {}, {\"c\"} ]",
     "[\n  1\n  {}\n  \"a\"[]\n  \"b\"\n  {},\n  {\n    \"c\"\n  }\n]\n"},
    {"[a  b,a\n\"b\" \t\"c\"d \"e\"\"f\"]", "[\n  a b,\n  a \"b\" \"c\"d \"e\"\"f\"\n]\n"},
    {"{\"a\":,\"b\":}", "{\n  \"a\":,\n  \"b\":\n}\n"},
    {"{\"a\":\"{\"x\": \"y\"}: z\"}", "{\n  \"a\": \"{\"x\": \"y\"}: z\"\n}\n"},
    {"{a : b : c}", "{\n  a: b: c\n}\n"},
    {"[\"a\" : 1, \"b\": 2,c:d]", "[\n  \"a\" : 1,\n  \"b\": 2,\n  c:d\n]\n"},
    {"[\\ \"a\" ,'b c']", "[\n  \\ \"a\",\n  'b c'\n]\n"},
    {"]} 1", "\n]\n}\n1\n"},
    {"[\"a ", "[\n  \"a "},
    {"[\"a \\\"", "[\n  \"a \\\""},
};

START_TEST(lays_out_json)
{
    for (size_t i = 0; i < sizeof JSON / sizeof *JSON; i++)
        check_layout(JSON[i].in, JSON[i].out);
}
END_TEST

START_TEST(keeps_what_is_no_json)
{
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++)
        check_layout(OTHER[i].in, OTHER[i].out);
}
END_TEST

START_TEST(every_split_gives_the_same)
{
    for (size_t i = 0; i < sizeof JSON / sizeof *JSON + sizeof OTHER / sizeof *OTHER; i++) {
        size_t k = sizeof JSON / sizeof *JSON, n, out_n;
        const struct sample *sample = i < k ? &JSON[i] : &OTHER[i - k];
        n = strlen(sample->in);
        for (size_t first = 0; first <= n; first++)
            for (size_t piece = 1; piece <= n; piece++) {
                char *out = lay_out(sample->in, n, first, piece, &out_n);
                ck_assert_str_eq(out, sample->out);
                free(out);
            }
    }
}
END_TEST

/* A million brackets once came to as many lines of up to two million blanks, on paper. */
START_TEST(lines_of_deep_nests_are_short)
{
    enum { DEEP = 200 };
    char text[2 * DEEP];
    size_t n, line = 0, longest = 0;
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    text[DEEP] = '1'; /* so that one bracket is missing */
    char *out = lay_out(text, sizeof text, SIZE_MAX, 1, &n);
    for (size_t i = 0; i < n; i++) {
        line = out[i] == '\n' ? 0 : line + 1;
        longest = line > longest ? line : longest;
    }
    ck_assert_uint_eq(longest, 2 * PRETTY_LEVELS_MAX + 1);
    free(out);
}
END_TEST

/* The line feed at the end must find room where a string has filled it all, whatever that is (which
 * the address sanitizer sees). */
START_TEST(strings_of_any_length_fit)
{
    enum { MOST = 65600, LEAST = 65500 };
    char *text = malloc(MOST);
    for (size_t n = LEAST; n < MOST; n++) {
        size_t out_n;
        memset(text, 'a', n);
        text[0] = text[n - 1] = '"';
        char *out = lay_out(text, n, SIZE_MAX, 1, &out_n);
        ck_assert(out_n == n + 1 && memcmp(out, text, n) == 0 && out[n] == '\n');
        free(out);
    }
    free(text);
}
END_TEST

START_TEST(ends_where_nothing_is_taken)
{
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE);
    memset(text, ',', SIZE);
    for (size_t calls = 0; calls < 20; calls++) {
        struct room room = {.calls_max = calls};
        struct pretty *p = pretty_new(take, &room);
        ck_assert(!(pretty_write(p, text, SIZE) && pretty_finish(p)) == (room.calls > calls));
        ck_assert_uint_eq(room.calls > calls, calls < 17); /* a megabyte and a line feed */
        pretty_free(p);
        free(room.bytes);
    }
    struct room none = {.calls_max = 0};
    struct pretty *p = pretty_new(take, &none);
    ck_assert(pretty_write(p, "1", 1) && !pretty_finish(p));
    pretty_free(p);
    pretty_free(NULL);
    free(text);
}
END_TEST

/* ---- random texts ------------------------------------------------------------------------------
 */

struct writer {
    uint64_t state;
    FILE *out;
};

static const char *pick(struct writer *w, const char *const *list, size_t n)
{
    return list[random_below(&w->state, n)];
}
#define PICK(W, ...)                                                                               \
    pick(W, (const char *const[]){__VA_ARGS__},                                                    \
         sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

static void put_blank(struct writer *w)
{
    fputs(PICK(w, "", "", "", " ", "\n", "\r\n\t", "                    "), w->out);
}

/* A string; once in a while one that is as long as what the layout has in hand. */
static void put_string(struct writer *w)
{
    bool giant = random_below(&w->state, 2000) == 0;
    size_t n = random_below(&w->state, 6) + (giant ? random_below(&w->state, 200000) : 0);
    fputc('"', w->out);
    for (size_t i = 0; i < n; i++)
        fputs(
            PICK(w, "\\\"", "\\\\", "\\u12aB", "a", " ", "{", "]", ",", ":", "long enough for two"),
            w->out);
    fputc('"', w->out);
}

static void put_value(struct writer *w, unsigned level);

static void put_scalar(struct writer *w)
{
    if (random_below(&w->state, 2))
        put_string(w);
    else
        fputs(PICK(w, "0", "-1.50", "12345678901234567890123456789", "true", "null"), w->out);
}

static void put_nest(struct writer *w, unsigned level, bool object)
{
    bool wide = level < 3 && random_below(&w->state, 300) == 0;
    size_t n = random_below(&w->state, 4) + (wide ? 400 : 0);
    fputc(object ? '{' : '[', w->out);
    put_blank(w);
    for (size_t i = 0; i < n; i++) {
        if (i)
            fputc(',', w->out);
        put_blank(w);
        if (object) {
            put_string(w);
            put_blank(w);
            fputc(':', w->out);
        }
        put_value(w, level + 1);
    }
    fputc(object ? '}' : ']', w->out);
}

/* Once in a while in many brackets more. */
static void put_value(struct writer *w, unsigned level)
{
    int deep = random_below(&w->state, 300) == 0 ? 80 : 0;
    for (int i = 0; i < deep; i++)
        fputs(i % 2 ? "{\"a\": " : "[", w->out);
    put_blank(w);
    if (level && (level > 9 || random_below(&w->state, 2)))
        put_scalar(w);
    else
        put_nest(w, level, random_below(&w->state, 2));
    put_blank(w);
    for (int i = deep; i-- > 0;)
        fputc(i % 2 ? '}' : ']', w->out);
}

/* Whatever it is, laid out again it stays, and nothing is lost. */
static void check_any(const char *text, size_t n, const char *out, size_t out_n)
{
    size_t again_n, was_n, is_n;
    char *again = lay_out(out, out_n, SIZE_MAX, 1, &again_n);
    ck_assert(again_n == out_n && memcmp(again, out, out_n) == 0);
    char *was = layout_bare(text, n, &was_n), *is = layout_bare(out, out_n, &is_n);
    ck_assert_uint_eq(was_n, is_n);
    ck_assert_mem_eq(was, is, is_n);
    free(again);
    free(was);
    free(is);
}

START_TEST(random_json_is_laid_out_as_the_oracle_does)
{
    struct writer w = {.state = 11};
    uint64_t large = 0, nbytes = 0;
    for (int i = 0; i < 2000; i++) {
        char *text = NULL;
        size_t n, out_n, expected_n;
        w.out = open_memstream(&text, &n);
        put_value(&w, 0);
        fclose(w.out);
        ck_assert(strict_json(text, n));
        char *expected = layout_json(text, n, &expected_n);
        char *out = lay_out(text, n, random_below(&w.state, 100),
                            1 + random_below(&w.state, n < 1000 ? 40 : n), &out_n);
        ck_assert_uint_eq(out_n, expected_n);
        ck_assert_mem_eq(out, expected, out_n);
        check_any(text, n, out, out_n);
        large += n > 200000;
        nbytes += n;
        free(text);
        free(expected);
        free(out);
    }
    ck_assert_uint_gt(large, 1);
    ck_assert_uint_gt(nbytes, 1000000);
}
END_TEST

START_TEST(random_garbage_stays)
{
    struct writer w = {.state = 12};
    for (int i = 0; i < 8000; i++) {
        char *text = NULL;
        size_t n, out_n, whole_n, pieces = random_below(&w.state, 60);
        w.out = open_memstream(&text, &n);
        while (pieces--)
            fputs(PICK(&w, "{", "}", "[", "]", ",", ":", "\"", "\"a b\"", "\\", " ", "\n", "x", "1",
                       "\x01", "\xFF", "'", "\"k\": ", "[[[[[[[[[[[[[[[[[[", "{\"a\":[{"),
                  w.out);
        if (random_below(&w.state, 10) == 0)
            fputc(0, w.out);
        fclose(w.out);
        char *out = lay_out(text, n, 0, 1 + random_below(&w.state, 9), &out_n);
        char *whole = lay_out(text, n, SIZE_MAX, 1, &whole_n);
        ck_assert(out_n == whole_n && memcmp(out, whole, out_n) == 0);
        ck_assert_uint_le(out_n, (size_t)(2 + 2 * PRETTY_LEVELS_MAX) * n + 1);
        check_any(text, n, out, out_n);
        free(text);
        free(out);
        free(whole);
    }
}
END_TEST

/* ---- through the library -----------------------------------------------------------------------
 */

/* Fixes the file `in`; NULL, with the code, if that is refused. Of gzip the plain text. Owned by
 * the caller. */
static char *fix(const char *in, struct lanefix_options options, bool pretty, size_t *n,
                 enum lanefix_status *status)
{
    struct lanefix_error error;
    options.pretty = pretty;
    *status = lanefix_fix(scratch(in), scratch("laid-out"), &options, NULL, &error);
    if (*status != LANEFIX_OK)
        return NULL;
    char *out = read_file(scratch("laid-out"), n);
    if (options.gzip != LANEFIX_GZIP_ON)
        return out;
    char *plain = gunzip_bytes(out, *n, n);
    ck_assert_ptr_nonnull(plain);
    free(out);
    return plain;
}

/* The figures of a trace. */
static struct lanefix_totals figures(const char *text, size_t n)
{
    struct lanefix_report *report;
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    options.jobs = 1;
    options.salvage = true;
    write_file(scratch("figures"), text, n);
    ck_assert_int_eq(lanefix_check(scratch("figures"), &options, &report, NULL), LANEFIX_OK);
    struct lanefix_totals totals = *lanefix_report_totals(report);
    lanefix_report_free(report);
    return totals;
}

/* It is the trace that it would be without, but for white space. Returns whether it was JSON, so
 * that it could be compared byte for byte. */
static bool check_trace(const char *plain, size_t n, const char *out, size_t out_n)
{
    size_t expected_n;
    bool json = strict_json(plain, n);
    struct lanefix_totals a = figures(plain, n), b = figures(out, out_n);
    check_any(plain, n, out, out_n);
    ck_assert(a.events == b.events && a.slices == b.slices && a.tracks == b.tracks);
    ck_assert(a.crossings == b.crossings && a.too_deep == b.too_deep && a.pairs == b.pairs);
    ck_assert(a.unread_events == b.unread_events && a.lost_places == b.lost_places);
    if (json) {
        char *expected = layout_json(plain, n, &expected_n);
        ck_assert_uint_eq(out_n, expected_n);
        ck_assert_mem_eq(out, expected, out_n);
        free(expected);
    }
    return json;
}

START_TEST(traces_are_laid_out_whatever_else_is_done)
{
    enum { SEEDS = 200 };
    uint64_t json = 0, refused = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        enum lanefix_status status, pretty_status;
        struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
        size_t n, plain_n = 0, out_n = 0, gz_n;
        char *text = trace_random(seed, &n);
        options.no_sync = true;
        options.jobs = 1 + (unsigned)(seed % 3);
        options.chunk_nbytes = 1 + seed % 500;
        options.snap_threshold_ns = trace_random_threshold(seed);
        options.repair = seed % 4 == 1;
        options.rebase = seed % 4 == 2;
        options.salvage = seed % 4 == 3;
        if (options.salvage) /* of one that is cut */
            n -= seed % (n / 2);
        char *gz = gzip_bytes(text, n, &gz_n);
        if (seed % 5 == 0)
            options.gzip = LANEFIX_GZIP_ON; /* keeps what it can, if it need not lay out */
        if (options.gzip)
            write_file(scratch("not-laid-out"), gz, gz_n);
        else
            write_file(scratch("not-laid-out"), text, n);
        char *plain = fix("not-laid-out", options, false, &plain_n, &status);
        char *out = fix("not-laid-out", options, true, &out_n, &pretty_status);
        ck_assert_int_eq(status, pretty_status);
        if (plain)
            json += check_trace(plain, plain_n, out, out_n);
        refused += !plain;
        free(text);
        free(gz);
        free(plain);
        free(out);
    }
    ck_assert_uint_gt(json, SEEDS / 4);
    ck_assert_uint_lt(refused, SEEDS / 4);
}
END_TEST

START_TEST(a_check_cannot_be_pretty)
{
    struct lanefix_error error;
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    write_file(scratch("not-laid-out"), "[]", 2);
    ck_assert_int_eq(lanefix_check(scratch("not-laid-out"), &options, NULL, &error), LANEFIX_OK);
    options.pretty = true;
    ck_assert_int_eq(lanefix_check(scratch("not-laid-out"), &options, NULL, &error),
                     LANEFIX_ERR_USAGE);
}
END_TEST

Suite *pretty_suite(void)
{
    const TTest *const tests[] = {lays_out_json,
                                  keeps_what_is_no_json,
                                  every_split_gives_the_same,
                                  lines_of_deep_nests_are_short,
                                  strings_of_any_length_fit,
                                  ends_where_nothing_is_taken,
                                  random_json_is_laid_out_as_the_oracle_does,
                                  random_garbage_stays,
                                  traces_are_laid_out_whatever_else_is_done,
                                  a_check_cannot_be_pretty};
    return SUITE_OF("pretty", tests);
}
