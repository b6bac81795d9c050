/* The library's repair as a whole: what goes in, and what comes out. */
#include <stdlib.h>
#include <string.h>

#include "lanefix.h"
#include "units.h"

struct sample {
    const char *in, *out;
    uint64_t lost; /* places */
};

#define E(REST) "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1" REST "}"
#define AT(TS) "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":" TS ",\"dur\":1}"
#define OF(PID, TID) "{\"ph\":\"X\",\"pid\":" PID ",\"tid\":" TID ",\"ts\":1,\"dur\":1}"

static const struct sample SAMPLES[] = {
    /* nothing is wrong */
    {"[" E("") " ,\n\n" E(",\"name\":\"\\u00e9 \\\" \xC3\xA9\"") "]\n", NULL, 0},
    {"{\"traceEvents\" : [ ], \"x\":[1]}", NULL, 0},
    /* within events */
    {"[" E(",\"v\":.5,\"w\":05,\"x\":NaN,\"y\":-.25") "]",
     "[" E(",\"v\":0.5,\"w\":5,\"x\":null,\"y\":-0.25") "]", 0},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":null}]",
     "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":0}]", 0},
    {"[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":NaN,\"dur\":1}]",
     "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":null,\"dur\":1}]", 0},
    {"[" E(",\"name\":\"\\ud83d\\ude00\",\"cat\":\"\\ud83d\"") "]",
     "[" E(",\"name\":\"\xF0\x9F\x98\x80\",\"cat\":\"\xEF\xBF\xBD\"") "]", 0},
    {"[" E(",\"name\":\"C:\\Users\\n\tx\"") "]", "[" E(",\"name\":\"C:\\\\Users\\n\\tx\"") "]", 0},
    {"[" E(",\"args\":{\"a\":NaN,\"b\":[-Infinity,N/A,1],\"c\":\"\\ud83d\"}") "]",
     "[" E(",\"args\":{\"a\":null,\"b\":[null,null,1],\"c\":\"\\ud83d\"}") "]", 0},
    /* between them */
    {"\xEF\xBB\xBF[" E("") "]", "[" E("") "]", 0},
    {"[" E("") E("") "]", "[" E("") "," E("") "]", 0},
    {"[" E("") ",5,\"s\"," E("") ",]", "[" E("") "," E("") "]", 0},
    {"[" E("") "," E(""), "[" E("") "," E("") "\n]\n", 0},
    {"{\"x\":[NaN],\"traceEvents\":[" E("") "],\"y\":\"\t\",}",
     "{\"x\":[null],\"traceEvents\":[" E("") "],\"y\":\"\\t\"}", 0},
    {"[{\"ph\":\"X\",,\"ts\":1,\"dur\":1}", "[{\"ph\":\"X\",\"ts\":1,\"dur\":1}\n]\n", 0},
    /* beside them */
    {"{\"x\":[NaN,.5,1,],\"traceEvents\" : [ ], \"y\": \"\\x\", \"z\" :05}",
     "{\"x\":[null,0.5,1],\"traceEvents\" : [ ], \"y\": \"\\\\x\", \"z\" :5}", 0},
    {"{\"x\":{1:2}, \"y\":[1 2],\"traceEvents\" : [" E("") "], \"z\":{\"a\" 1}}",
     "{\"traceEvents\" : [" E("") "]}", 2},
    /* quotes, and what cannot be mended */
    {"[" E("") ",{\"ph\":\"X\",\"name\":\"{\"device\": \"cpu\"}(12): run\",\"pid\":1,\"tid\":2,"
               "\"ts\":5,\"dur\":1}," E("") "]",
     "[" E("") ",{\"ph\":\"X\",\"name\":\"{\\\"device\\\": \\\"cpu\\\"}(12): run\",\"pid\":1,"
               "\"tid\":2,\"ts\":5,\"dur\":1}," E("") "]",
     0},
    {"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\"b\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1}\n]"
     "}",
     "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\\\"b\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1}"
     "\n]}",
     0},
    {"[" E("") ",{\"pid\":1,tid\":1}," E("") "]", "[" E("") "," E("") "]", 1},
    {"[" E("") ",{\"ph\":\"X\",\"na", "[" E("") "\n]\n", 1},
    /* ids */
    {"[" OF("1", "-1") "," OF("1", "7") "," OF("1", "-2") "," OF("1", "-1") "]",
     "[" OF("1", "8") "," OF("1", "7") "," OF("1", "9") "," OF("1", "8") "]", 0},
    {"[" OF("1", "0") "," OF("1", "1") "]", "[" OF("1", "2") "," OF("1", "1") "]", 0},
    /* times */
    {"[" AT("1700000000000001.257") "," AT("\"1700000000000003\"") "]",
     "[" AT("0.257") "," AT("2") "]", 0},
    {"[" AT("-5.5") "," AT("10") "]", "[" AT("0.5") "," AT("16") "]", 0},
    {"{\"traceEvents\":[" AT("1700000000000001.257") "]}",
     "{\"baseTimeNanoseconds\":1700000000000001000,\"traceEvents\":[" AT("0.257") "]}", 0},
    {"{\"traceEvents\":[" AT("-1.5") "],\"baseTimeNanoseconds\": 5000}",
     "{\"traceEvents\":[" AT("0.5") "],\"baseTimeNanoseconds\": 3000}", 0},
    {"{\"baseTimeNanoseconds\":05,\"traceEvents\":[" AT("-1.5") "]}",
     "{\"baseTimeNanoseconds\":-1995,\"traceEvents\":[" AT("0.5") "]}", 0},
    {"{\"baseTimeNanoseconds\":7, \"traceEvents\":[" AT("1700000000000001.5") "]}",
     "{\"baseTimeNanoseconds\":1700000000000001007, \"traceEvents\":[" AT("0.5") "]}", 0},
};
enum { NSAMPLES = sizeof SAMPLES / sizeof *SAMPLES };

/* Repairs a text into `out`, owned by the caller. */
static struct lanefix_report *repair(const char *text, size_t chunk_nbytes, char **out)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_report *report;
    struct lanefix_error error;
    size_t n;
    options.repair = true;
    options.no_sync = true;
    options.jobs = 1 + (unsigned)chunk_nbytes % 3;
    options.chunk_nbytes = chunk_nbytes;
    write_file(scratch("in.json"), text, strlen(text));
    enum lanefix_status status =
        lanefix_fix(scratch("in.json"), scratch("out.json"), &options, &report, &error);
    ck_assert_msg(status == LANEFIX_OK, "%s: %s", text, error.message);
    *out = read_file(scratch("out.json"), &n);
    return report;
}

START_TEST(what_is_wrong_is_mended)
{
    static const size_t chunks[] = {0, 1, 2, 3, 7, 64};
    const struct sample *s = &SAMPLES[_i];
    const char *expected = s->out ? s->out : s->in;
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        char *out, *again;
        struct lanefix_report *report = repair(s->in, chunks[i], &out);
        ck_assert_str_eq(out, expected);
        ck_assert_uint_eq(lanefix_report_totals(report)->lost_places, s->lost);
        lanefix_report_free(report);
        /* and then nothing is wrong any more */
        report = repair(out, chunks[i], &again);
        ck_assert_str_eq(again, out);
        lanefix_report_free(report);
        free(again);
        free(out);
    }
}
END_TEST

Suite *repair_suite(void)
{
    Suite *suite = suite_create("repair");
    TCase *tc = tcase_create("repair");
    prepare_tests(tc, "repair");
    tcase_add_loop_test(tc, what_is_wrong_is_mended, 0, NSAMPLES);
    suite_add_tcase(suite, tc);
    return suite;
}
