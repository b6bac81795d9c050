/* The salvage scan when it repairs: what becomes of the separators, elements and quotes of a trace,
 * and with the events mended as well, that JSON comes of it. */
#include <stdlib.h>
#include <string.h>

#include "../model/strict.h"
#include "cutter.h"
#include "mend.h"
#include "salvage.h"
#include "units.h"

static struct salvage_mends mends;
static uint64_t lost_places, lost_nbytes;
static const char *lost_reason;
static size_t nlosses;

static char *read_source(struct source *src, size_t piece, size_t *n)
{
    struct lanefix_error err;
    struct buf out = {0};
    for (size_t got = 1; got;) {
        ck_assert(buf_reserve(&out, piece));
        ck_assert(source_read(src, out.data + out.len, piece, &got, &err));
        out.len += got;
    }
    *n = out.len;
    buf_add_char(&out, 0);
    return out.data;
}

static void note_losses(const struct losses *losses)
{
    lost_places = lost_nbytes = 0;
    lost_reason = NULL;
    nlosses = losses->n;
    for (size_t i = 0; i < losses->n; i++) {
        if (!losses->items[i].counts)
            continue;
        if (!lost_places++)
            lost_reason = losses->items[i].reason;
        lost_nbytes += losses->items[i].nbytes;
    }
}

/* Scans the text, read in pieces of `chunk` bytes, and gives it with the losses, owned by the
 * caller; NULL if there is nothing. */
static char *repair(const char *text, size_t n, size_t chunk, size_t *out_n)
{
    struct lanefix_error err;
    struct losses losses = {0};
    struct crew *crew = crew_new(1);
    struct event_parser *parser = event_parser_new();
    char *out = NULL;
    write_file(scratch("repair.json"), text, n);
    struct source *src = source_open(scratch("repair.json"), chunk, crew, NULL, &err);
    ck_assert(src && source_salvage(src, &err));
    mends = (struct salvage_mends){0};
    enum salvage_result result = salvage_scan(src, chunk, parser, &losses, &mends, &err);
    ck_assert_int_ne(result, SALVAGE_ERROR);
    note_losses(&losses);
    if (result == SALVAGE_DONE) {
        ck_assert(source_rewind(src, &err));
        source_leave_out(src, &losses);
        out = read_source(src, chunk, out_n);
    }
    losses_free(&losses);
    event_parser_free(parser);
    source_free(src);
    crew_free(crew);
    return out;
}

/* The trace with its events mended, owned by the caller. */
static char *mend_events(const char *text, size_t n, size_t *out_n)
{
    struct cutter c;
    struct cut cut;
    struct mend m = {0};
    struct buf out = {0};
    size_t done = 0;
    finding_set found;
    enum cut_result result;
    cutter_init(&c);
    while ((result = cutter_next(&c, text, n, 0, true, &cut)) == CUT_EVENT) {
        buf_add(&out, text + done, cut.off - done);
        switch (mend_event(&m, text + cut.off, cut.len, &out, &found)) {
        case MEND_DONE:
            break;
        case MEND_SAME:
            buf_add(&out, text + cut.off, cut.len);
            break;
        default:
            ck_abort_msg("cannot be mended: %.*s", (int)cut.len, text + cut.off);
        }
        done = cut.off + cut.len;
    }
    ck_assert_msg(result == CUT_END, "%s: %s", text, c.error.message);
    buf_add(&out, text + done, n - done);
    *out_n = out.len;
    buf_add_char(&out, 0);
    cutter_free(&c);
    mend_free(&m);
    return out.data;
}

/* What comes of both is JSON, and to repair it once more changes nothing. */
static void check_result(const char *text, const char *out, size_t n)
{
    size_t mended_n, again_n;
    char *mended = mend_events(out, n, &mended_n);
    ck_assert_msg(strict_json(mended, mended_n), "%s\nbecomes %s", text, mended);
    char *again = repair(mended, mended_n, 1 << 16, &again_n);
    ck_assert_msg(again && strcmp(again, mended) == 0, "%s\nbecomes %s\nand then %s", text, mended,
                  again);
    ck_assert_uint_eq(nlosses, 0);
    free(again);
    free(mended);
}

#define EVENT(NAME) "{\"ph\":\"X\",\"name\":\"" NAME "\",\"ts\":1,\"dur\":2}"
#define A EVENT("a")
#define B EVENT("b")
#define QUOTED EVENT("c\"d\"")
#define ESCAPED EVENT("c\\\"d\\\"")
#define BLANKS16 "                "
#define BLANKS126 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16 "              "
#define BLANKS128 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16 BLANKS16

static const struct {
    const char *text, *expected;
    uint64_t kind; /* of which there are `n`, the first at `off`, behind `events` */
    uint64_t n, off, events;
    uint64_t places, nbytes;
    bool unmendable; /* is the reason of the first loss */
} rows[] = {
    /* nothing is wrong */
    {"[" A "," B "]", "[" A "," B "]", 0, 0, 0, 0, 0, 0, false},
    {"\n{\"k\" :1 , \"traceEvents\":[\n" A " ,\n" B " ]\n}\n",
     "\n{\"k\" :1 , \"traceEvents\":[\n" A " ,\n" B " ]\n}\n", 0, 0, 0, 0, 0, 0, false},
    {"{\"traceEvents\":[]}", "{\"traceEvents\":[]}", 0, 0, 0, 0, 0, 0, false},
    /* commas */
    {"[" A " , ,\n" B ",,]", "[" A " ,\n" B "]", FINDING_COMMAS, 1, 38, 1, 0, 0, false},
    {"[" A ",\n" B ",,]", "[" A ",\n" B "]", FINDING_LAST_COMMA, 2, 75, 2, 0, 0, false},
    {"[,\n" A "\n,\n]", "[\n" A "\n\n]", FINDING_COMMAS, 1, 1, 0, 0, 0, false},
    {"{,\"k\":1,,\"traceEvents\":[" A "],}", "{\"k\":1,\"traceEvents\":[" A "]}", FINDING_COMMAS, 2,
     1, 0, 0, 0, false},
    {"[" A B "\n" A "]", "[" A "," B ",\n" A "]", FINDING_NO_COMMA, 2, 37, 1, 0, 0, false},
    {"{\"k\":1 \"traceEvents\":[" A "]\n\"l\":2}", "{\"k\":1, \"traceEvents\":[" A "],\n\"l\":2}",
     FINDING_NO_COMMA, 2, 6, 0, 0, 0, false},
    /* elements that are no objects */
    {"[1," A ",\n[],\"x\",\n" B ",null]", "[" A ",\n" B "]", FINDING_NO_OBJECT, 4, 1, 0, 0, 0,
     false},
    {"[" A " 1," B "]", "[" A ",\n" B "]", FINDING_NO_OBJECT, 1, 38, 1, 0, 0, false},
    {"[" A ",1 " B "]", "[" A "," B "]", FINDING_NO_OBJECT, 1, 38, 1, 0, 0, false},
    {"{\"traceEvents\":[1]}", "{\"traceEvents\":[]}", FINDING_NO_OBJECT, 1, 16, 0, 0, 0, false},
    {"[" A ",1\n", "[" A "\n]\n", FINDING_NO_OBJECT, 1, 38, 1, 0, 0, false},
    {"[" A ",,1," B "]", "[" A ",\n" B "]", FINDING_COMMAS, 1, 37, 1, 0, 0, false},
    /* the start and the end */
    {"\xEF\xBB\xBF [" A "]", " [" A "]", FINDING_START, 1, 0, 0, 0, 0, false},
    {BLANKS128 "[" A "]", "[" A "]", FINDING_START, 1, 0, 0, 0, 0, false},
    {"\xEF\xBB\xBF" BLANKS128 "[" A "]", "[" A "]", FINDING_START, 1, 0, 0, 0, 0, false},
    {"\n[" BLANKS128 A "]", "[" BLANKS128 A "]", FINDING_START, 1, 0, 0, 0, 0, false},
    {BLANKS126 "{\"traceEvents\":[" A "]}", BLANKS126 "{\"traceEvents\":[" A "]}", 0, 0, 0, 0, 0, 0,
     false},
    {BLANKS126 " {\"traceEvents\":[" A "]}", "{\"traceEvents\":[" A "]}", FINDING_START, 1, 0, 0, 0,
     0, false},
    {"[" A ",\n", "[" A "\n]\n", FINDING_NO_BRACKET, 1, 39, 1, 0, 0, false},
    /* quotes */
    {"[" A "," QUOTED "," B "]", "[" A "," ESCAPED "," B "]", FINDING_UNREAD, 1, 38, 1, 0, 0,
     false},
    {"[" QUOTED " ," QUOTED "]", "[" ESCAPED " ," ESCAPED "]", FINDING_UNREAD, 2, 1, 0, 0, 0,
     false},
    {"[" A QUOTED QUOTED "]", "[" A "," ESCAPED "," ESCAPED "]", FINDING_UNREAD, 2, 37, 1, 0, 0,
     false},
    {"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"{\"device\": \"cpu\"}(12): run\",\"ts\":1},\n" A
     "]}",
     "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"{\\\"device\\\": \\\"cpu\\\"}(12): "
     "run\",\"ts\":1},\n" A "]}",
     FINDING_UNREAD, 1, 16, 0, 0, 0, false},
    {"[" A ",{\"ph\":\"X\",\"name\":\"}]\"}]\",\"ts\":1}," B "]",
     "[" A ",{\"ph\":\"X\",\"name\":\"}]\\\"}]\",\"ts\":1}," B "]", FINDING_UNREAD, 1, 38, 1, 0, 0,
     false},
    {"[{\"ph\":\"X\",\"own\":\"a\",\"ts\":1},{\"ph\":\"X\",\"own\":\"a\"b\",\"ts\":1}]",
     "[{\"ph\":\"X\",\"own\":\"a\",\"ts\":1},{\"ph\":\"X\",\"own\":\"a\\\"b\",\"ts\":1}]",
     FINDING_UNREAD, 1, 29, 1, 0, 0, false},
    {"[" QUOTED ",," A "]", "[" ESCAPED "," A "]", FINDING_COMMAS, 1, 40, 1, 0, 0, false},
    {"[" EVENT("a\"{\"b") "," EVENT("a\"}\"b") "," B "]",
     "[" EVENT("a\\\"{\\\"b") "," EVENT("a\\\"}\\\"b") "," B "]", FINDING_UNREAD, 2, 1, 0, 0, 0,
     false},
    {"[{\"ph\":\"X\",\"name\":\"b" B "," QUOTED ",{\"ph\":1}]", "[" B "," ESCAPED ",{\"ph\":1}]",
     FINDING_UNREAD, 1, 57, 1, 1, 19, true},
    {"[{\"ph\":\"X\",\"name\":\"a\"b\",\"own\":1},{\"ph\":\"X\",\"name\":\"c\",\"own\":1}]",
     "[{\"ph\":\"X\",\"name\":\"a\\\"b\",\"own\":1},{\"ph\":\"X\",\"name\":\"c\",\"own\":1}]",
     FINDING_UNREAD, 1, 1, 0, 0, 0, false},
    /* what is around the events */
    {"{\"a\":[NaN,.5,\"\\q\\ud83d\",], \"b\":null,\"dur\":'x',\"traceEvents\":[" A "],\"c\\d\":2}",
     "{\"a\":[null,0.5,\"\\\\q\\ud83d\"], \"b\":null,\"traceEvents\":[" A "],\"c\\\\d\":2}",
     FINDING_BAD_MEMBER, 2, 1, 0, 1, 10, true},
    /* where they are not certain */
    {"[" A ",{\"ph\":\"X\",\"name\":\"a\",\"new\":\"b\"c\"}," B "]", "[" A "," B "]", 0, 0, 0, 0, 1,
     34, true},
    /* what mend.h mends stays for it, and is no loss */
    {"[{\"ph\":\"X\",\"ts\":.5,\"args\":{\"a\":not available,,}},{\"dur\":},{}]",
     "[{\"ph\":\"X\",\"ts\":.5,\"args\":{\"a\":not available,,}},{\"dur\":},{}]", 0, 0, 0, 0, 0, 0,
     false},
    /* and what it cannot is */
    {"[" A ",{'x':1}," B ",{\"a\":1 \"b\":2}]", "[" A "," B "]", 0, 0, 0, 0, 2, 8 + 13, true},
    {"[" A ",{\"pid\":1,tid\":1}," B "]", "[" A "," B "]", 0, 0, 0, 0, 1, 17, true},
    {"[2,{'x':1}," A ",3,{'y':1}]", "[" A "]", FINDING_NO_OBJECT, 2, 1, 0, 2, 10 + 9, true},
    {"[" A ",{'x':1}," B ",2," A "]", "[" A "," B "," A "]", FINDING_NO_OBJECT, 1, 83, 2, 1, 8,
     true},
    /* torn and cut */
    {"[" A ",{'x':1},{\"ph", "[" A "\n]\n", 0, 0, 0, 0, 1, 8 + 4, true},
    {"[" A ",{\"ph\":\"X\",\"name\":\"b" B ",\n" A "]", "[" A "," B ",\n" A "]", 0, 0, 0, 0, 1, 19,
     true},
    {"[" A ",{\"name\":\"b{\"name\":\"c\",\"ph\":\"X\"}," B "]",
     "[" A ",{\"name\":\"c\",\"ph\":\"X\"}," B "]", 0, 0, 0, 0, 1, 10, true},
    {"[" A ",{\"ph\":\"X\",\"name\":\"a\"b", "[" A "\n]\n", 0, 0, 0, 0, 1, 21, false},
    {"{\"traceEvents\":[" A ",", "{\"traceEvents\":[" A "\n]}\n", 0, 0, 0, 0, 1, 0, false},
    {"[" A "]x", "[" A "]\n", 0, 0, 0, 0, 1, 1, false},
};

static void check_row(size_t i, const char *out)
{
    const char *text = rows[i].text;
    uint64_t kind = rows[i].kind;
    ck_assert_msg(out && strcmp(out, rows[i].expected) == 0, "%s\nbecomes %s\nand not %s", text,
                  out, rows[i].expected);
    ck_assert_msg(lost_places == rows[i].places && lost_nbytes == rows[i].nbytes,
                  "%s: %d places, %d bytes", text, (int)lost_places, (int)lost_nbytes);
    ck_assert_msg((lost_reason != NULL) == rows[i].unmendable, "%s: %s", text, lost_reason);
    ck_assert_msg(mends.n[kind] == rows[i].n && mends.off[kind] == rows[i].off &&
                      mends.events[kind] == rows[i].events,
                  "%s: %d, at %d, behind %d", text, (int)mends.n[kind], (int)mends.off[kind],
                  (int)mends.events[kind]);
}

START_TEST(repairs)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i].text), out_n;
        for (size_t chunk = 1; chunk <= n + 1; chunk += chunk < 4 ? 1 : n / 3) {
            char *out = repair(rows[i].text, n, chunk, &out_n);
            check_row(i, out);
            if (chunk == 1)
                check_result(rows[i].text, out, out_n);
            free(out);
        }
    }
}
END_TEST

START_TEST(nothing_to_keep)
{
    static const char *const texts[] = {"[{\"a\":[}]", "[{'a':1}]", "{\"traceEvents\":[{\"ph\":"};
    size_t n;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_ptr_null(repair(texts[i], strlen(texts[i]), 100, &n));
}
END_TEST

/* Random traces of pieces that are whole, mendable, broken and none. */
START_TEST(random_traces)
{
    static const char a[] = A, b[] = B, quoted[] = QUOTED;
    static const char *const pieces[] = {a,
                                         a,
                                         b,
                                         ",",
                                         ",",
                                         ",",
                                         ",",
                                         " ",
                                         "\n",
                                         "1",
                                         "null",
                                         "[1,{}]",
                                         "\"x\"",
                                         quoted,
                                         quoted,
                                         "{\"ph\":\"X\",\"name\":\"{\"a\": 1}\",\"ts\":NaN}",
                                         "{}",
                                         "{'x'}",
                                         "{\"pid\":1,tid\":1}",
                                         "{\"ph\":\"M\",\"args\":{\"a\":N/A,\"b\":[,]}}",
                                         "{\"ph\":\"X\",\"na",
                                         "]",
                                         "[",
                                         "{\"a\":",
                                         "\"",
                                         "}",
                                         "{\"cat\":\"\\q\x01\xFF\",\"dur\":null}",
                                         "{\"name\":\"a\"b\",\"ph\":\"i\"}"};
    uint64_t state = 7;
    for (int i = 0; i < 1500; i++) {
        struct buf text = {0};
        size_t n;
        bool bare = random_below(&state, 2);
        buf_add_str(&text, bare ? "[" : "{\"traceEvents\":[");
        for (uint64_t k = random_below(&state, 16); k; k--)
            buf_add_str(&text, pieces[random_below(&state, sizeof pieces / sizeof *pieces)]);
        if (random_below(&state, 4))
            buf_add_str(&text, bare ? "]" : "]}");
        buf_add_char(&text, 0);
        char *out = repair(text.data, text.len - 1, 1 + random_below(&state, 50), &n);
        if (out)
            check_result(text.data, out, n);
        free(out);
        buf_free(&text);
    }
}
END_TEST

/* An event with more keys than are learnt. */
static void add_many_keys(struct buf *text)
{
    buf_add_str(text, "{\"ph\":\"X\"");
    for (int key = 'A'; key <= 'z'; key++) {
        buf_add_str(text, ",\"k");
        buf_add_char(text, (char)key);
        buf_add_str(text, key == '\\' ? "\\\":1" : "\":1");
    }
    buf_add_str(text, "},");
}

/* A hundred thousand strings that do not end, or end far away, take no quadratic time. */
START_TEST(quotes_all_over)
{
    static const struct {
        const char *piece;
        bool good;
    } cases[] = {
        {"{\"ph\":\"X\",\"name\":\"b\"c", false},
        {"{\"ph\":\"X\",\"name\":\"b\"c\",\"args\":{", false},
        {"{\"ph\":\"X\",\"name\":\"b\"c\",\"args\":{\"", false},
        {"{\"ph\":\"X\",\"name\":\"\"{\"", false},
        {QUOTED ",", true},
        /* events whose first key is not known, so that nothing tells that one begins */
        {"{\"z\":1,\"name\":\"b\"c,{\"z\":1,\"ph\":\"X\"},{\"z\":1,\"ph\":\"X\"},", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = {0};
        size_t n;
        buf_add_str(&text, "[");
        add_many_keys(&text);
        for (size_t k = 0; k < 100000; k++)
            buf_add_str(&text, cases[i].piece);
        buf_add_str(&text, "{\"ph\":\"X\"}]");
        char *out = repair(text.data, text.len, 1 << 18, &n);
        ck_assert_ptr_nonnull(out);
        ck_assert_uint_eq(mends.n[FINDING_UNREAD], cases[i].good ? 100000 : 0);
        free(out);
        buf_free(&text);
    }
}
END_TEST

Suite *repair_scan_suite(void)
{
    const TTest *const tests[] = {repairs, nothing_to_keep, random_traces, quotes_all_over};
    return SUITE_OF("repair_scan", tests);
}
