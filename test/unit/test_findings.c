/* What a check finds, kind by kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "lanefix.h"
#include "units.h"

/* A trace, what is found in it, and where the first of that stands: behind the text `before`. */
struct sample {
    const char *id;
    uint64_t count;
    uint64_t event;
    const char *name; /* or NULL */
    const char *before, *after;
};

#define X(TS) "{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":2,\"ts\":" TS ",\"dur\":1}"
#define HEAD "[" X("1") ","

static const struct sample SAMPLES[] = {
    {"bad-number", 1, 1, "n", HEAD,
     "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":.5}]"},
    {"bad-number", 2, 1, "n", HEAD,
     "{\"ph\":\"i\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"v\":NaN}," X("05") "]"},
    {"bad-number", 1, 1, NULL, HEAD, "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":9,\"v\":1e400}]"},
    {"bad-dur", 1, 1, "n", HEAD,
     "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":null}]"},
    {"bad-dur", 1, 1, "n", HEAD,
     "{\"ph\":\"B\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"tdur\":\"long\"}]"},
    {"bad-dur", 1, 1, "n", HEAD,
     "{\"ph\":\"i\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"tts\":{}}]"},
    {"surrogate-escape", 1, 1, "\xF0\x9F\x98\x80", HEAD,
     "{\"ph\":\"X\",\"name\":\"\\ud83d\\ude00\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1}]"},
    {"bad-ts", 1, 1, "n", HEAD, "{\"ph\":\"i\",\"name\":\"n\",\"pid\":1,\"tid\":2}]"},
    {"bad-ts", 1, 1, "n", HEAD,
     "{\"ph\":\"i\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":\"9 s\"}]"},
    {"no-dur", 1, 1, "n", HEAD, "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9}]"},
    {"negative-ts", 1, 1, "x", HEAD, X("-1") "]"},
    {"negative-dur", 1, 1, "n", HEAD,
     "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":-1}]"},
    {"rounded-ts", 2, 1, "x", HEAD, X("4398046511104.001") "," X("1700000000000001.5") "]"},
    {"string-ts", 1, 1, "x", HEAD, X("\"5.5\"") "]"},
    {"bad-escape", 1, 1, "C:\\Users", HEAD,
     "{\"ph\":\"X\",\"name\":\"C:\\Users\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1}]"},
    {"control-character", 1, 1, "a\\tb", HEAD,
     "{\"ph\":\"X\",\"name\":\"a\tb\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1}]"},
    {"bad-utf-8", 1, 1, "\\xff", HEAD,
     "{\"ph\":\"X\",\"name\":\"\xFF\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1}]"},
    {"bad-args", 1, 1, "n", HEAD,
     "{\"ph\":\"X\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1,\"args\":{\"v\":[inf]}}"
     "]"},
    {"bad-args-loop", 1, 1, "n", HEAD,
     "{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":9,\"args\":{\"v\":NaN}}]"},
    {"broken-event", 1, 1, NULL, HEAD, "{\"pid\":1,\"tid\"}]"},
    {"no-object", 3, 1, NULL, HEAD, "5,\"s\",[{}]]"},
    {"stray-comma", 2, 1, NULL, HEAD, ",," X("3") "]"},
    {"last-comma", 1, 1, NULL, HEAD, "]"},
    {"missing-comma", 1, 1, NULL, "[" X("1"), X("3") "]"},
    {"bad-start", 1, 0, NULL, "", "\xEF\xBB\xBF[" X("1") "]"},
    {"no-bracket", 1, 2, NULL, HEAD X("3"), ""},
    {"bad-member", 2, 1, NULL, "{\"k\":[1],\"traceEvents\":[" X("1") "],",
     "\"a\":{\"b\":N/A},\"c\":.5}"},
    {"torn", 1, 1, NULL, HEAD, "{\"ph\":\"X\",\"na"},
    {"id-range", 2, 1, "x", HEAD,
     "{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":-1,\"ts\":9,\"dur\":1},"
     "{\"ph\":\"X\",\"name\":\"y\",\"pid\":4294967296,\"tid\":1,\"ts\":9,\"dur\":1}]"},
    {"merged-threads", 1, 1, "y", HEAD,
     "{\"ph\":\"X\",\"name\":\"y\",\"pid\":1,\"tid\":0,\"ts\":9,\"dur\":1},"
     "{\"ph\":\"X\",\"name\":\"z\",\"pid\":1,\"tid\":1,\"ts\":19,\"dur\":1}]"},
    {"crossing", 1, 1, "x", HEAD, X("1.5") "]"},
    {"flow-twice", 1, 2, "f",
     HEAD "{\"ph\":\"s\",\"id\":5,\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":1.5},",
     "{\"ph\":\"s\",\"id\":5,\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":1.6}]"},
    {"flow-no-slice", 3, 1, "f", HEAD,
     "{\"ph\":\"s\",\"id\":5,\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":0.5},"
     "{\"ph\":\"f\",\"id\":5,\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":2.5},"
     "{\"ph\":\"f\",\"id\":5,\"name\":\"f\",\"pid\":1,\"tid\":3,\"ts\":1.5,\"bp\":\"e\"}]"},
};
enum { NSAMPLES = sizeof SAMPLES / sizeof *SAMPLES };

/* Checks text[0, n) with the number of threads; gives the report. */
static struct lanefix_report *examine(const char *text, unsigned jobs)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_report *report;
    struct lanefix_error error;
    options.examine = true;
    options.jobs = jobs;
    options.chunk_nbytes = jobs; /* small, and not always the same */
    write_file(scratch("in.json"), text, strlen(text));
    enum lanefix_status status = lanefix_check(scratch("in.json"), &options, &report, &error);
    ck_assert_msg(status == LANEFIX_OK, "%s: %s", text, error.message);
    return report;
}

START_TEST(each_kind_is_found_where_it_stands)
{
    const struct sample *s = &SAMPLES[_i / 2];
    char text[1024];
    snprintf(text, sizeof text, "%s%s", s->before, s->after);
    struct lanefix_report *report = examine(text, 1 + 2 * (unsigned)(_i % 2));
    size_t n, kinds = 0;
    const struct lanefix_finding *found = lanefix_report_findings(report, &n);
    for (size_t i = 0; i < n; i++) {
        kinds += found[i].count > 0;
        if (strcmp(found[i].id, s->id) != 0)
            continue;
        ck_assert_msg(found[i].count == s->count, "%s: %llu", text,
                      (unsigned long long)found[i].count);
        ck_assert_msg(found[i].offset == strlen(s->before), "%s: at %llu", text,
                      (unsigned long long)found[i].offset);
        ck_assert_msg(found[i].event == s->event, "%s: event %llu", text,
                      (unsigned long long)found[i].event);
        ck_assert_pstr_eq(found[i].name, s->name);
    }
    ck_assert_msg(kinds == 1, "%s: %zu kinds", text, kinds);
    lanefix_report_free(report);
}
END_TEST

/* A fix sees what costs it nothing: all but what lies in args or raw bytes, and what takes a look
 * at more than one event. */
START_TEST(a_fix_finds_what_it_sees_anyway)
{
    static const char *const unseen[] = {"control-character", "bad-utf-8",  "bad-args",
                                         "bad-member",        "torn",       "merged-threads",
                                         "crossing",          "flow-twice", "flow-no-slice"};
    const struct sample *s = &SAMPLES[_i];
    bool seen = true;
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        seen &= strcmp(unseen[i], s->id) != 0;
    char text[1024];
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_report *report;
    options.salvage = strcmp(s->id, "torn") == 0;
    options.no_sync = true;
    int n = snprintf(text, sizeof text, "%s%s", s->before, s->after);
    write_file(scratch("in.json"), text, (size_t)n);
    ck_assert_int_eq(lanefix_fix(scratch("in.json"), scratch("out.json"), &options, &report, NULL),
                     LANEFIX_OK);
    size_t nkinds;
    const struct lanefix_finding *found = lanefix_report_findings(report, &nkinds);
    for (size_t i = 0; i < nkinds; i++) {
        uint64_t count = seen && strcmp(found[i].id, s->id) == 0 ? s->count : 0;
        ck_assert_msg(found[i].count == count && found[i].left == count, "%s: %s: %llu", text,
                      found[i].id, (unsigned long long)found[i].count);
    }
    lanefix_report_free(report);
}
END_TEST

START_TEST(too_deep_is_found)
{
    enum { DEPTH = 514 };
    char *text = malloc((size_t)DEPTH * 80), *p = text;
    for (int i = 0; i < DEPTH; i++)
        p +=
            sprintf(p, "%c{\"ph\":\"X\",\"name\":\"n%d\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":%d}",
                    i ? ',' : '[', i, i, 2000 - 2 * i);
    sprintf(p, "]");
    struct lanefix_report *report = examine(text, 1);
    size_t n;
    const struct lanefix_finding *found = lanefix_report_findings(report, &n);
    ck_assert_uint_eq(found[FINDING_TOO_DEEP].count, 2);
    ck_assert_uint_eq(found[FINDING_TOO_DEEP].event, 512);
    ck_assert_str_eq(found[FINDING_TOO_DEEP].name, "n512");
    lanefix_report_free(report);
    free(text);
}
END_TEST

/* Far into a large trace, plain and gzip, the events have the numbers that they should have. */
START_TEST(events_are_counted)
{
    enum { N = 20000, CROSSES = 15000, LOOSE = 19990 };
    size_t cap = (size_t)N * 100, packed_n;
    char *text = malloc(cap), *p = text;
    for (int i = 0; i < N; i++)
        p += snprintf(
            p, 100, "%s{\"ph\":\"%s\",\"name\":\"n%d\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d}",
            i ? ",\n" : "[", i == LOOSE ? "s" : "X", i, i == LOOSE ? 9 : 2, 10 * i,
            i == CROSSES - 1 ? 15 : 9);
    p += sprintf(p, "]");
    for (int gzip = 0; gzip < 2; gzip++) {
        struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
        struct lanefix_report *report;
        char *packed = gzip_bytes(text, (size_t)(p - text), &packed_n);
        options.examine = true;
        if (gzip)
            write_file(scratch("in.json"), packed, packed_n);
        else
            write_file(scratch("in.json"), text, (size_t)(p - text));
        ck_assert_int_eq(lanefix_check(scratch("in.json"), &options, &report, NULL), LANEFIX_OK);
        size_t n;
        const struct lanefix_finding *found = lanefix_report_findings(report, &n);
        ck_assert_uint_eq(found[FINDING_CROSSING].count, 1);
        ck_assert_uint_eq(found[FINDING_CROSSING].event, CROSSES);
        ck_assert_str_eq(found[FINDING_CROSSING].name, "n15000");
        ck_assert_uint_eq(found[FINDING_FLOW_NO_SLICE].event, LOOSE);
        ck_assert_str_eq(found[FINDING_FLOW_NO_SLICE].name, "n19990");
        lanefix_report_free(report);
        free(packed);
    }
    free(text);
}
END_TEST

START_TEST(there_is_a_sample_of_each_kind)
{
    for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
        bool sampled = kind == FINDING_TOO_DEEP;
        for (size_t i = 0; i < NSAMPLES; i++)
            sampled |= strcmp(SAMPLES[i].id, finding_text(kind)->id) == 0;
        ck_assert_msg(sampled, "%s", finding_text(kind)->id);
    }
}
END_TEST

/* What is in order, though it looks odd. */
START_TEST(nothing_is_found_where_nothing_is_wrong)
{
    static const char *const CLEAN[] = {
        "[" X("1") "]",
        "{\"traceEvents\":[" X("0.001") "," X("4398046511103.999") "," X(
            "1700000000000001.000") "]}",
        "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"a\\u0041\\n\"}},"
        "{\"ph\":\"X\",\"name\":\"a \\\"b\\\" "
        "\\\\\",\"pid\":\"Spans\",\"tid\":\"-1\",\"ts\":1,\"dur\":0,"
        "\"tts\":5,\"args\":{\"e\":\"\\ud83d\",\"n\":[1e5,-0.5,null,true]}}]",
        "[{\"ph\":\"X\",\"name\":\"y\",\"pid\":1,\"tid\":0,\"ts\":9,\"dur\":1}]",
        ("[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"p\"}},"
         "{\"ph\":\"X\",\"name\":\"y\",\"pid\":1,\"tid\":1,\"ts\":9,\"dur\":1}]"),
        "[{\"ph\":\"X\",\"pid\":4294967295,\"tid\":4294967295,\"ts\":9,\"dur\":1}]",
        " \n[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":9,\"dur\":1}]",
    };
    struct lanefix_report *report = examine(CLEAN[_i], 2);
    size_t n;
    const struct lanefix_finding *found = lanefix_report_findings(report, &n);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(!found[i].count, "%s: %s", CLEAN[_i], found[i].id);
    lanefix_report_free(report);
}
END_TEST

Suite *findings_suite(void)
{
    Suite *suite = suite_create("findings");
    TCase *tc = tcase_create("findings");
    prepare_tests(tc, "findings");
    tcase_add_loop_test(tc, each_kind_is_found_where_it_stands, 0, 2 * NSAMPLES);
    tcase_add_loop_test(tc, a_fix_finds_what_it_sees_anyway, 0, NSAMPLES);
    tcase_add_test(tc, too_deep_is_found);
    tcase_add_test(tc, events_are_counted);
    tcase_add_test(tc, there_is_a_sample_of_each_kind);
    tcase_add_loop_test(tc, nothing_is_found_where_nothing_is_wrong, 0, 7);
    suite_add_tcase(suite, tc);
    return suite;
}
