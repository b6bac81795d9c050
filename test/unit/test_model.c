/* The model of the viewer that judges other tests, on small traces of which the outcome is known,
 * and the judge itself: a wrong fix has to be noticed. */
#include "../model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/judge.h"
#include "../model/model_rows.h"
#include "../model/plan_oracle.h"
#include "buf.h"
#include "units.h"

static struct model *read_text(const char *text)
{
    struct model *m = model_new(text, strlen(text));
    ck_assert_ptr_nonnull(m);
    return m;
}

static int64_t ns(const char *token)
{
    int64_t value;
    ck_assert_msg(model_ns(token, strlen(token), &value), "%s", token);
    return value;
}

START_TEST(numbers)
{
    static const char *const refused[] = {"1.", ".5", "+5", "05",  "NaN", "Infinity", "1e400",
                                          "",   "-",  "1e", "1e+", "5 ",  " 5",       "0x1"};
    ck_assert_int_eq(ns("1.0005"), 1001);
    ck_assert_int_eq(ns("2.5005"), 2500);
    ck_assert_int_eq(ns("0.150"), 150);
    ck_assert_int_eq(ns("9.9999999999999995e-07"), 0);
    ck_assert_int_eq(ns("1700000000000001.257"), INT64_C(1700000000000001280));
    ck_assert_int_eq(ns("1700000000000001.100"), INT64_C(1700000000000001000));
    ck_assert_int_eq(ns("0.00012345678901234567"), 2);
    ck_assert_int_eq(ns("-1.5"), -1500);
    ck_assert_int_eq(ns("-0"), 0);
    ck_assert_int_eq(ns("2e3"), 2000000);
    ck_assert_int_eq(ns("9223372036854775807"), -1000); /* times 1000, wrapped */
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        int64_t value;
        ck_assert_msg(!model_ns(refused[i], strlen(refused[i]), &value), "%s", refused[i]);
    }
    ck_assert_int_eq(model_ns_ceil(5), 5);
    ck_assert_int_eq(model_ns_ceil(INT64_C(1700000000000001001)), INT64_C(1700000000000001280));
    ck_assert_int_eq(model_ns_floor(INT64_C(1700000000000001279)), INT64_C(1700000000000001000));
    ck_assert_uint_eq(model_decimals("1.250", 5), 3);
    ck_assert_uint_eq(model_decimals("1.25e2", 6), 0);
}
END_TEST

#define X(TID, TS, DUR) "{\"ph\":\"X\",\"pid\":1,\"tid\":" TID ",\"ts\":" TS ",\"dur\":" DUR "}"

START_TEST(crossings)
{
    struct model *m = read_text("[" X("7", "0", "10") "," X("7", "5", "10") "," X(
        "7", "5", "5") "," X("7", "10", "5") "," X("7", "15", "0") "," X("8", "5", "10") "]");
    ck_assert_uint_eq(m->nslices, 6);
    ck_assert_uint_eq(m->crossings, 1);
    ck_assert(m->slices[1].crosses && !m->slices[2].crosses);
    ck_assert_uint_eq(m->spilled, 1);
    ck_assert_uint_eq(m->nthreads, 2);
    model_free(m);
    /* a B that is open hides what lies under it */
    m = read_text("[" X("7", "0", "10") ",{\"ph\":\"B\",\"pid\":1,\"tid\":7,\"ts\":1}," X(
        "7", "5", "10") "]");
    ck_assert_uint_eq(m->crossings, 1);
    ck_assert_uint_eq(m->spilled, 0);
    model_free(m);
}
END_TEST

START_TEST(depth)
{
    struct buf text = {0};
    buf_add_char(&text, '[');
    for (int i = 0; i < 514; i++)
        buf_add_str(&text, X("1", "5", "5"));
    struct model *m = model_new(text.data, text.len);
    ck_assert_uint_eq(m->too_deep, 2);
    ck_assert_uint_eq(m->crossings, 0);
    model_free(m);
    buf_free(&text);
}
END_TEST

START_TEST(threads)
{
    static const struct {
        const char *tid;
        size_t thread;
    } rows[] = {{"7", 0},
                {"7.9", 0},
                {"7e0", 0},
                {"\"7\"", 1},
                {"\"\\u0037\"", 1},
                {"0", 2},
                {"null", 2},
                {"-3", 2},
                {"4294967296", 2},
                {"1", 2}, /* the pid is 1 */
                {"99999999999999999999", 2}};
    struct buf text = {0};
    size_t n = sizeof rows / sizeof *rows;
    buf_add_char(&text, '[');
    for (size_t i = 0; i < n; i++) {
        buf_add_str(&text, "{\"ph\":\"X\",\"pid\":1,\"ts\":0,\"dur\":0,\"tid\":");
        buf_add_str(&text, rows[i].tid);
        buf_add_char(&text, '}');
    }
    struct model *m = model_new(text.data, text.len);
    ck_assert_uint_eq(m->nslices, n);
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(m->slices[i].thread, rows[i].thread);
    model_free(m);
    buf_free(&text);
}
END_TEST

#define FLOW(PH, TS) "{\"ph\":\"" PH "\",\"id\":1,\"pid\":1,\"tid\":7,\"ts\":" TS "}"

START_TEST(arrows)
{
    struct model *m = read_text("[" FLOW("s", "0") "," FLOW("f", "3") "," X("7", "0", "10") "," X(
        "7", "5", "2") "," FLOW("t", "6") "," FLOW("t", "11") "," FLOW("s", "-1") "]");
    static const size_t bound_to[] = {2, 3, 3, 3}; /* the last one to a slice that has ended */
    ck_assert_uint_eq(m->nflows, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(m->flows[i].bound_to, bound_to[i]);
    model_free(m);
}
END_TEST

START_TEST(what_is_a_trace)
{
    static const char *const good[] = {"[]",
                                       "[",
                                       "[{}",
                                       "[,{} {},5,[{]",
                                       "{\"traceEvents\":[]}",
                                       "{\"a\":1,\"trace\\u0045vents\":[{}],}",
                                       "\xEF\xBB\xBF[]"};
    static const char *const bad[] = {"",
                                      "5",
                                      "{}",
                                      "[{",
                                      "[{]",
                                      "[{}]]",
                                      "{\"traceEvents\":[]",
                                      "{\"traceEvents\":[}",
                                      "{\"traceEvents\":{}}",
                                      "[}",
                                      "[\"a"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        bool is_trace = i != 3; /* its inner brackets do not match */
        struct model *m = model_new(good[i], strlen(good[i]));
        ck_assert_msg((m != NULL) == is_trace, "%s", good[i]);
        model_free(m);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!model_new(bad[i], strlen(bad[i])), "%s", bad[i]);
}
END_TEST

START_TEST(events_that_can_be_read)
{
    static const struct {
        const char *text;
        bool readable;
    } rows[] = {{"{}", true},
                {" {\"a\" : [ ] , \"b\":{\"c\":NaN}}", true},
                {"{\"a\":\"\\q\\\"\"}", true},
                {"{\"a\"}", false},
                {"{\"a\":1,}", false},
                {"{\"a\":1 \"b\":2}", false},
                {"{'a':1}", false},
                {"{a:1}", false},
                {"{\"a\":[1,]}", false},
                {"{\"a\":1}x", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_event event;
        model_read_event(rows[i].text, 0, strlen(rows[i].text), &event);
        ck_assert_msg(event.readable == rows[i].readable, "%s", rows[i].text);
    }
}
END_TEST

static int64_t same(int64_t value)
{
    return value;
}

START_TEST(plans)
{
    static const struct oracle_rules rules = {
        .threshold_ns = 5000, .start_ceil = same, .dur_floor = same};
    /* kept; its start pushed; its end pulled; moved, twice to one lane, then to a new one */
    struct oracle_slice s[] = {
        {.start_ns = 0, .end_ns = 20000},     {.start_ns = 19000, .end_ns = 60000},
        {.start_ns = 1000, .end_ns = 21000},  {.start_ns = 30000, .end_ns = 70000},
        {.start_ns = 40000, .end_ns = 70000}, {.start_ns = 50000, .end_ns = 80000}};
    oracle_plan(s, 6, &rules);
    static const int64_t expected[][3] = {{0, 20000, 0},     {20000, 60000, 0}, {1000, 20000, 0},
                                          {30000, 70000, 1}, {40000, 70000, 1}, {50000, 80000, 2}};
    for (size_t i = 0; i < 6; i++) {
        ck_assert_int_eq(s[i].new_start_ns, expected[i][0]);
        ck_assert_int_eq(s[i].new_end_ns, expected[i][1]);
        ck_assert_int_eq((int64_t)s[i].lane, expected[i][2]);
    }
}
END_TEST

/* One that has no length does not close the others at its time, so there is no room for it. */
START_TEST(plans_not_too_deep)
{
    static const struct oracle_rules rules = {
        .threshold_ns = 5000, .start_ceil = same, .dur_floor = same};
    static struct oracle_slice s[600];
    for (size_t i = 0; i < 600; i++)
        s[i] = (struct oracle_slice){.start_ns = 5, .end_ns = 5};
    oracle_plan(s, 600, &rules);
    for (size_t i = 0; i < 600; i++)
        ck_assert_uint_eq(s[i].lane, i >= MODEL_DEPTH_MAX);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------------------ */

#define META(TID, EVENT, ARG)                                                                      \
    "{\"ph\":\"M\",\"pid\":5,\"tid\":" TID ",\"name\":\"" EVENT "\",\"args\":{" ARG "}}"
#define NAME_OF(TID, NAME) META(TID, "thread_name", "\"name\":\"" NAME "\"")
#define INDEX_OF(TID, INDEX) META(TID, "thread_sort_index", "\"sort_index\":" INDEX)
#define SHOW(TID) "{\"ph\":\"i\",\"pid\":5,\"tid\":" TID ",\"ts\":1}"

/* The tids in the order of their rows, as in the trace, with a space behind each. */
static void check_rows(const char *trace, enum model_order order, const char *expected)
{
    char got[200] = "";
    size_t n, len = 0;
    struct model *m = model_new(trace, strlen(trace));
    ck_assert_ptr_nonnull(m);
    struct model_row *rows = model_rows(m, order, &n);
    for (size_t i = 0; i < n; i++) {
        const struct model_value *tid = &m->events[m->threads[rows[i].thread].first_event].tid;
        len += (size_t)snprintf(got + len, sizeof got - len, "%.*s ", (int)tid->len,
                                m->text + tid->off);
    }
    ck_assert_str_eq(got, expected);
    free(rows);
    model_free(m);
}

START_TEST(rows_in_order)
{
    static const char *const trace =
        "[" SHOW("9") "," SHOW("7") "," SHOW("5") "," SHOW("\"s\"") "," SHOW("\"a\"") "," SHOW(
            "3") "," NAME_OF("9", "n") "," NAME_OF("7", "") "," NAME_OF("4", "has no row") "]";
    check_rows(trace, MODEL_V57, "5 9 s a 3 7 ");
    check_rows(trace, MODEL_V56, "5 9 s a 3 7 ");
    static const char *const indexed =
        "[" SHOW("9") "," SHOW("7") "," SHOW("5") "," SHOW("3") "," SHOW("8") "," SHOW(
            "2") "," INDEX_OF("9",
                              "-1.9") "," INDEX_OF("9",
                                                   "4") "," INDEX_OF("5",
                                                                     "1e30") "," INDEX_OF("3",
                                                                                          "\"-2\"") "]";
    check_rows(indexed, MODEL_V57, "5 9 2 3 7 8 ");
    check_rows(indexed, MODEL_V57_STRINGS, "5 3 9 2 7 8 ");
    check_rows(indexed, MODEL_V56, "5 2 3 7 8 9 ");
}
END_TEST

/* ---- the judge ------------------------------------------------------------------------------- */

#define LANE(EVENT, ARG)                                                                           \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":7001,\"name\":\"" EVENT "\",\"args\":{" ARG "}}"
#define ROW(TID, INDEX)                                                                            \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":" TID                                                         \
    ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" INDEX "}}"
#define NAME LANE("thread_name", "\"name\":\"tid 7 lane 1\"")
#define ROWS ROW("7", "0") "," NAME "," ROW("7001", "1")
#define BEFORE                                                                                     \
    "[" X("7", "0", "10") "," X("7", "9", "100") "," X("7", "50", "100") "," FLOW(                 \
        "s", "50") "," FLOW("f", "40") ",5]\n"
#define LATER X("7", "10", "99")
#define MOVED "{\"ph\":\"X\",\"pid\":1,\"tid\":7001,\"ts\":50,\"dur\":100}"
#define FOLLOWS(PH, TS) "{\"ph\":\"" PH "\",\"id\":1,\"pid\":1,\"tid\":7001,\"ts\":" TS "}"
#define AFTER(A, B, C, D, E, ADDED, END) "[" A "," B "," C "," D "," E "," ADDED END

static const char *judge_text_pair(const char *before, const char *after)
{
    struct judge_counts counts = {0};
    size_t event;
    return judge_fix(before, strlen(before), after, strlen(after), 5000, &counts, &event);
}

START_TEST(a_good_fix)
{
    ck_assert_ptr_null(
        judge_text_pair(BEFORE, AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"),
                                      FOLLOWS("f", "40"), ROWS, ",5]\n")));
    ck_assert_ptr_null(judge_text_pair("[" X("7", "0", "1") "]", "[" X("7", "0", "1") "]"));
}
END_TEST

START_TEST(wrong_fixes)
{
    static const char *const wrong[] = {
        BEFORE,
        "",
        AFTER(X("7", "0", "10"), X("7", "10", "98"), MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), X("7", "10", "99.000"), MOVED, FOLLOWS("s", "50"),
              FOLLOWS("f", "40"), ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), X("7", "10", "100"), MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), X("7", "\"10\"", "99"), MOVED, FOLLOWS("s", "50"),
              FOLLOWS("f", "40"), ROWS, ",5]\n"),
        AFTER(X("7", "0", "9"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"), ROWS,
              ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FLOW("s", "50"), FOLLOWS("f", "40"), ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FLOW("f", "40"), ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROW("7", "0") "," NAME "," ROW("7001", "0"), ",5]\n"), /* a name goes first */
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROW("7", "0") "," NAME, ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROW("7", "2") "," NAME "," ROW("7001", "1"), ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROW("7", "0") "," ROW("7001", "1"), ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"), ROWS,
              ", 5]\n"),
        AFTER(X("7", "0", "10"), LATER, X("7002", "50", "100"), FOLLOWS("s", "50"),
              FOLLOWS("f", "40"), ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, X("1", "50", "100"), FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROWS, ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, "{}", FOLLOWS("s", "50"), FOLLOWS("f", "40"), ROWS,
              ",5]\n"),
        AFTER(X("7", "0", "10"), LATER, MOVED, FOLLOWS("s", "50"), FOLLOWS("f", "40"),
              ROWS "," X("9", "0", "0"), ",5]\n"),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(judge_text_pair(BEFORE, wrong[i]), "wrong fix %zu passed", i);
    ck_assert_ptr_nonnull(judge_text_pair("[" X("7", "0", "1") "]", "[" X("7", "0", "1") " ]"));
    ck_assert_ptr_nonnull(
        judge_text_pair("[" X("7", "0", "1") "]", "[" X("7", "0", "1") "," NAME "]"));
}
END_TEST

Suite *model_suite(void)
{
    const TTest *const tests[] = {
        numbers,       crossings,       depth,       threads,
        arrows,        what_is_a_trace, plans,       plans_not_too_deep,
        rows_in_order, a_good_fix,      wrong_fixes, events_that_can_be_read};
    return SUITE_OF("model", tests);
}
