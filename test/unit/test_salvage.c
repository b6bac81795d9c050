/* What is whole in a broken trace: through the public functions, with options.salvage. */
#include "lanefix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "losses.h"
#include "units.h"

static struct lanefix_error error;
static struct lanefix_totals totals;

/* Fixes the file with --salvage, read in pieces of `chunk` bytes; the result is owned by the
 * caller, NULL on an error. Fills `totals` or `error`. */
static char *salvage_file(const char *path, size_t chunk, size_t *n)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_report *report;
    options.salvage = true;
    options.chunk_nbytes = chunk;
    options.gzip = LANEFIX_GZIP_OFF;
    remove(scratch("out.json"));
    if (lanefix_fix(path, scratch("out.json"), &options, &report, &error) != LANEFIX_OK) {
        ck_assert(!file_exists(scratch("out.json")));
        return NULL;
    }
    totals = *lanefix_report_totals(report);
    lanefix_report_free(report);
    return read_file(scratch("out.json"), n);
}

static char *salvage_text(const char *text, size_t n, size_t chunk, size_t *out_n)
{
    write_file(scratch("in.json"), text, n);
    return salvage_file(scratch("in.json"), chunk, out_n);
}

/* The events in a trace that is JSON, by their names, which are one letter each. */
static void names_of(const char *text, char *names)
{
    static const char key[] = "\"name\":\"";
    for (const char *p = text; (p = strstr(p, key)); p += strlen(key))
        *names++ = p[strlen(key)];
    *names = 0;
}

#define EVENT(NAME) "{\"ph\":\"X\",\"name\":\"" NAME "\",\"ts\":1,\"dur\":2}"
#define A EVENT("a")
#define B EVENT("b")
#define C EVENT("c")
#define D EVENT("d")

static const struct {
    const char *text, *expected;
    uint64_t places, nbytes;
    const char *reason; /* how it begins */
} traces[] = {
    /* nothing is lost */
    {"[" A "," B "]", "[" A "," B "]", 0, 0, NULL},
    {"[" A "," B, "[" A "," B "\n]\n", 0, 0, NULL},
    {"[\n" A ",\n" B ",\n", "[\n" A ",\n" B "\n]\n", 0, 0, NULL},
    /* cut */
    {"[\n" A ",\n{\"ph\":\"X\",\"na", "[\n" A "\n]\n", 1, 13, "the input ends inside an event"},
    {"{\"k\":1,\"traceEvents\":[\n" A ",\n" B, "{\"k\":1,\"traceEvents\":[\n" A ",\n" B "\n]}\n", 1,
     0, "the input ends inside the outer object"},
    {"{\"traceEvents\":[" A ",12", "{\"traceEvents\":[" A "\n]}\n", 1, 2, "the input ends inside"},
    {"{\"traceEvents\":[" A "],\"k\":{\"l\":[1", "{\"traceEvents\":[" A "]\n}\n", 1, 11,
     "the input ends inside"},
    {"{\"traceEvents\":[" A "],\"k\":7 ", "{\"traceEvents\":[" A "],\"k\":7\n}\n", 1, 0,
     "the input ends inside"},
    /* more than there should be */
    {"[" A "]}garbage\n", "[" A "]\n", 1, 9, "text after the end"},
    {"{\"traceEvents\":[" A "],oops}", "{\"traceEvents\":[" A "]\n}\n", 1, 5, "expected a key"},
    {"\xEF\xBB\xBF[" A "]\n\n[]", "[" A "]\n", 1, 2, "text after the end"},
    /* torn */
    {"[" A ",\n{\"ph\":\"X\",\"name\":\"b" C ",\n" D "]", "[" A ",\n" C ",\n" D "]", 1, 19,
     "another event begins inside"},
    {"[{\"ph\":\"X\",\"name\":\"b" C ",\n" D "]", "[" C ",\n" D "]", 1, 19, "another event begins"},
    {"[" A ",{\"ph\":\"X\",\"name\":\"b" C "b\",\"ts\":4},\n" D "]", "[" A "," C ",\n" D "]", 2,
     19 + 12, "another event begins"},
    {"[" A ",{\"ph\":\"X\",\"name\":\"b" C "b\",\"ts\":4}\n]", "[" A "," C "]", 2, 19 + 11,
     "another event begins"},
    {"[" A ",{\"ph\":\"X\",\"dur\":" C ",\n" D "]", "[" A "," C ",\n" D "]", 1, 16,
     "another event begins"},
    {"[" A ",{\"ph\":\"X\",\"args\":{\"l\":[1,\n" C ",\n" D "]", "[" A "," C ",\n" D "]", 1, 26,
     "the input ends inside an event"},
    /* brackets, and elements that are none */
    {"[" A ",{\"l\":[1}," C "]", "[" A "," C "]", 1, 9, "this bracket does not match"},
    {"[" A ",{\"l\":[1}}," C ",{]}," D "]", "[" A "," C "," D "]", 2, 14, "this bracket does not"},
    {"[" A ",\"x\"y," C "]", "[" A "," C "]", 1, 5, "expected an element"},
    {"[1," A ",[]," C "x\"y\"]", "[1," A ",[]," C "\n]\n", 1, 5, "expected an element"},
    /* strange args, which are no loss */
    {"[" A ",{\"ph\":\"X\",\"args\":{'x'},\"ts\":1}," B ",{\"ph\":",
     "[" A ",{\"ph\":\"X\",\"args\":{'x'},\"ts\":1}," B "\n]\n", 1, 6, "the input ends inside"},
    {"[{\"ph\":\"X\",\"tid\":2\\u0041},{\"x\"}", "[{\"ph\":\"X\",\"tid\":2\\u0041}\n]\n", 1, 5,
     "an event cannot be"},
    {"[{\"x\"},{\"ph\":\"X\",\"tid\":2\\u0041}]", "[{\"ph\":\"X\",\"tid\":2\\u0041}]", 1, 6,
     "an event cannot be"},
    /* an event that cannot be understood, and commas */
    {"[{\"ph\":\"X\" \"x\":1}," A ",{\"a\"},{\"b\":tru e}," C ",{5:6}]", "[" A "," C "]", 3,
     17 + 18 + 5, "an event cannot be"},
    {"[,," A ",,\n{\"x\"}," C ",,]", "[" A ",\n" C "]", 1, 6, "an event cannot be"},
    {"{,\"k\":1,,\"traceEvents\":[" A ",{\"x\"}],}", "{\"k\":1,\n\"traceEvents\":[" A "]}", 1, 5,
     "an event cannot be"},
};

START_TEST(keeps_what_is_whole)
{
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        size_t n = strlen(traces[i].text), out_n;
        for (size_t chunk = 1; chunk <= n + 1; chunk += chunk < 4 ? 1 : n / 4) {
            char *out = salvage_text(traces[i].text, n, chunk, &out_n);
            ck_assert_msg(out != NULL, "%s: %s", traces[i].text, error.message);
            ck_assert_msg(strcmp(out, traces[i].expected) == 0,
                          "%s\nin pieces of %zu gives\n%s\nexpected\n%s", traces[i].text, chunk,
                          out, traces[i].expected);
            ck_assert_msg(
                totals.lost_places == traces[i].places && totals.lost_nbytes == traces[i].nbytes,
                "%s: %llu places, %llu bytes", traces[i].text,
                (unsigned long long)totals.lost_places, (unsigned long long)totals.lost_nbytes);
            if (totals.lost_places)
                ck_assert_msg(
                    strncmp(totals.lost_reason, traces[i].reason, strlen(traces[i].reason)) == 0,
                    "%s: %s", traces[i].text, totals.lost_reason);
            free(out);
        }
    }
}
END_TEST

START_TEST(nothing_to_keep)
{
    static const char *const texts[] = {
        "{\"traceEvents\":[{\"ph\":\"X\",\"na",
        "{\"traceEvents\":[",
        "[{\"a\":[}]",
        "[{}]x{",
        "{\"otherData\":{},\"tra",
        "hello",
        "",
        "{\"traceEvents\":[]",
    };
    size_t n;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool one = strncmp(texts[i], "[{}]", 4) == 0; /* it has an event */
        char *out = salvage_text(texts[i], strlen(texts[i]), 0, &n);
        ck_assert_msg((out != NULL) == one, "%s", texts[i]);
        free(out);
    }
}
END_TEST

/* Of every prefix of a trace, all events that are whole, and valid JSON again. */
START_TEST(every_prefix_is_salvaged)
{
    static const char text[] = "{\"k\": {\"l\": [1, \"}\"]},\n\"traceEvents\": [\n" A ",\n" B
                               ",\n" C "\n],\n\"z\": 12.5, \"y\": \"x\"}\n";
    size_t first = (size_t)(strstr(text, A) - text), all = strlen(text);
    for (size_t n = 0; n <= all; n++) {
        char expected[8] = "", names[8] = "";
        size_t out_n, whole = 0;
        while (whole < 3 && first + whole * (strlen(A) + 2) + strlen(A) <= n)
            whole++;
        memcpy(expected, "abc", whole);
        char *out = salvage_text(text, n, n % 7, &out_n);
        ck_assert_msg((out != NULL) == (whole > 0), "prefix of %zu", n);
        if (!out)
            continue;
        names_of(out, names);
        ck_assert_msg(strcmp(names, expected) == 0, "prefix of %zu: %s", n, out);
        ck_assert_uint_eq(totals.events, whole);
        ck_assert_uint_eq(totals.lost_places, n < all - 1);
        if (n < all - 1) {
            ck_assert_uint_eq(totals.lost_event, whole);
            ck_assert_uint_le(totals.lost_offset + totals.lost_nbytes, n);
        }
        /* a salvaged trace is a sound one */
        char *again = salvage_text(out, out_n, 0, &out_n);
        ck_assert_str_eq(again, out);
        ck_assert_uint_eq(totals.lost_places, 0);
        free(again);
        free(out);
    }
}
END_TEST

/* gzip data that ends too early, or is wrong in one byte: what it gives up to there. */
START_TEST(broken_gzip_gives_what_it_holds)
{
    struct buf text = {0};
    size_t n, gz_n;
    buf_add_str(&text, "{\"traceEvents\":[\n");
    for (unsigned i = 0; i < 3000; i++) {
        char event[128];
        snprintf(event, sizeof event, "%s{\"ph\":\"X\",\"name\":\"%x\",\"ts\":%u,\"dur\":1}",
                 i ? ",\n" : "", i * 2654435761U, 10 * i);
        buf_add_str(&text, event);
    }
    buf_add_str(&text, "\n]}\n");
    char *gz = gzip_bytes(text.data, text.len, &gz_n);
    for (size_t i = 1; i < 40; i++) {
        bool cut = i % 2;
        size_t at = cut ? gz_n * i / 40 : gz_n - 8 + i / 5; /* the trailer */
        if (!cut)
            gz[at] ^= 4;
        write_file(scratch("in.json.gz"), gz, cut ? at : gz_n);
        char *out = salvage_file(scratch("in.json.gz"), i % 3 * 1000, &n);
        if (!cut)
            gz[at] ^= 4;
        ck_assert(out || i < 3);
        if (!out)
            continue;
        ck_assert_uint_gt(totals.lost_places, 0);
        ck_assert(strncmp(totals.lost_reason, "the gzip stream is", 18) == 0);
        /* all but the end is as it was */
        size_t same = n - strlen("\n]}\n");
        ck_assert_int_eq(memcmp(out, text.data, same), 0);
        ck_assert_str_eq(out + same, "\n]}\n");
        ck_assert(totals.events > 3000 * i / 50 || !cut || i < 9);
        free(out);
    }
    free(gz);
    buf_free(&text);
}
END_TEST

/* An event that is too deep for jsmn is copied; it is JSON, so it is no loss. */
START_TEST(a_deep_event_is_whole)
{
    struct buf text = {0};
    size_t n;
    buf_add_str(&text, "[{\"ph\":\"X\",\"args\":");
    for (int i = 0; i < 100; i++)
        buf_add_str(&text, "{\"a\":");
    buf_add_str(&text, "\"x\"");
    for (int i = 0; i < 100; i++)
        buf_add_str(&text, "}");
    for (char key[] = "a"; *key < 'z'; ++*key) { /* too many for an outline */
        buf_add_str(&text, ",\"");
        buf_add_str(&text, key);
        buf_add_str(&text, "\":[]");
    }
    buf_add_str(&text, "},\n");
    size_t end = text.len - 2;
    buf_add_str(&text, A ",{\"ph\":");
    char *out = salvage_text(text.data, text.len, 0, &n);
    ck_assert_msg(out != NULL, "%s", error.message);
    ck_assert_int_eq(memcmp(out, text.data, end), 0);
    ck_assert_uint_eq(totals.events, 2);
    ck_assert_uint_eq(totals.unread_events, 1);
    ck_assert_uint_eq(totals.lost_places, 1);
    free(out);
    buf_free(&text);
}
END_TEST

/* Offsets are told as they are in the trace as it is. */
START_TEST(places_behind_losses)
{
    struct losses losses = {0};
    struct loss first = {.begin = 10, .end = 20, .instead = ",\n"};
    struct loss second = {.begin = 30, .end = UINT64_MAX, .instead = "]"};
    ck_assert_uint_eq(losses_place(&losses, 7), 7);
    ck_assert(losses_add(&losses, &first) && losses_add(&losses, &second));
    static const uint64_t places[][2] = {{0, 0},   {9, 9},   {10, 10}, {11, 10}, {12, 20},
                                         {13, 21}, {21, 29}, {22, 30}, {23, 30}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        ck_assert_uint_eq(losses_place(&losses, places[i][0]), places[i][1]);
    losses_free(&losses);
}
END_TEST

/* Events torn a hundred thousand times, or nested in each other as often, take no quadratic time.
 */
START_TEST(torn_all_over)
{
    static const char *const pieces[] = {"{\"ph\":\"X\",\"name\":\"b", "{\"a\":[{\"ph\":\"X\"},",
                                         "{\"a\":{\"ph\":\"X\"},\"b\":", "{\"ph\":\"X\" "};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct buf text = {0};
        size_t n;
        buf_add_str(&text, "[" A ",");
        for (size_t k = 0; k < 100000; k++)
            buf_add_str(&text, pieces[i]);
        char *out = salvage_text(text.data, text.len, 0, &n);
        ck_assert_msg(out != NULL, "%s: %s", pieces[i], error.message);
        ck_assert_uint_ge(totals.events, i == 1 || i == 2 ? 100000 : 1);
        free(out);
        buf_free(&text);
    }
}
END_TEST

Suite *salvage_suite(void)
{
    const TTest *const tests[] = {keeps_what_is_whole,
                                  nothing_to_keep,
                                  every_prefix_is_salvaged,
                                  a_deep_event_is_whole,
                                  broken_gzip_gives_what_it_holds,
                                  places_behind_losses,
                                  torn_all_over};
    return SUITE_OF("salvage", tests);
}
