/* Small traces that have all that --repair mends, with bytes changed, left out and put in, and
 * every prefix of them: what comes out is JSON that needs no repair, and what is said of it is
 * true (judge_repair.h). */
#include <stdlib.h>
#include <string.h>

#include "../model/judge_repair.h"
#include "lanefix.h"
#include "units.h"

static const char OBJECT[] =
    "{\"a\":[1,.5],\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":-1,\"args\":{\"name\":\"t\",\"v\":"
    "NaN}},,\n"
    "{\"ph\":\"X\",\"name\":\"C:\\Us\",\"pid\":1,\"tid\":1,\"ts\":1700000000000001.500,\"dur\":05},"
    "\n"
    "{\"ph\":\"X\",\"name\":\"\\ud83d\xFF\",\"pid\":1,\"tid\":0,\"ts\":\"1700000000000004\","
    "\"dur\":null}\n"
    "5,{\"ph\":\"B\",\"name\":\"{\"d\": 1}(2): x\",\"pid\":1,\"tid\":1,\"ts\":1700000000000002},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":1700000000000009,},\n"
    "],\"baseTimeNanoseconds\": 25}\n";

static const char ARRAY[] = "\xEF\xBB\xBF[ {\"ph\":\"X\",\"tid\":\"a\",\"ts\":-5.25,\"dur\":9},\n"
                            "  {\"ph\":\"X\",\"tid\":\"a\",\"ts\":2,\"dur\":\"9\",\"args\":[1,]},\n"
                            "  {\"ph\":\"s\",\"id\":1,\"tid\":\"a\",\"ts\":3}\n";

/* Once wrong: what a mended event needs in its turn, and zero bytes. */
static const char TID_IS_NULL_THEN[] = "[{\"ph\":\"X\",\"ts\":3,\"dur\":5,\"tid\":1,\"pid\":1},"
                                       "{\"ph\":\"X\",\"ts\":9,\"dur\":5,\"tid\":x,\"pid\":1},{"
                                       "\"ph\":\"X\",\"ts\":9,\"dur\":5,\"tid\":-1,\"pid\":1}]";
static const char TS_IS_NEGATIVE_THEN[] = "[{\"ph\":\"X\",\"ts\":-.5,\"dur\":5,\"pid\":1}]";
static const char READ_ONLY_THEN[] =
    "[{\"ph\":\"X\",\"ts\":3,\"dur\":5,\"tid\":1,\"pid\":1},"
    "{\"ph\":\"X\",\"n\0ame\":\"\0\",\"ts\":\"7\",\"dur\":5,\"tid\":0,\"pid\":1}]";
static const char COMMAS_ALONE[] = "[{\"ph\":\"X\",,\"ts\":1,\"dur\":5,\"pid\":1,}]";

/* Nothing is wrong with it, until something is changed. */
static const char CLEAN[] = "{ \"x\": {\"y\": [1.5, \"\\u00e9\", null]}, \"traceEvents\": [\r\n"
                            "{\"ph\":\"X\", \"pid\":1,\"tid\":1, \"ts\":5.250 ,\"dur\":5e0,"
                            "\"args\":{\"s\":\"\\ud83d\\u00e9\\/\"}}\r\n ], \"z\":-5}";

static const struct {
    const char *text;
    size_t n;
} TRACES[] = {{OBJECT, sizeof OBJECT - 1},
              {ARRAY, sizeof ARRAY - 1},
              {TID_IS_NULL_THEN, sizeof TID_IS_NULL_THEN - 1},
              {TS_IS_NEGATIVE_THEN, sizeof TS_IS_NEGATIVE_THEN - 1},
              {READ_ONLY_THEN, sizeof READ_ONLY_THEN - 1},
              {COMMAS_ALONE, sizeof COMMAS_ALONE - 1},
              {CLEAN, sizeof CLEAN - 1}};
enum { NTRACES = sizeof TRACES / sizeof *TRACES };

static struct repair_counts counts;

static void check(const char *text, size_t n)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct repair_files files = {scratch("damaged.in"), scratch("damaged.out"),
                                 scratch("damaged.again"), scratch("damaged.report")};
    options.repair = true;
    options.no_sync = true;
    options.jobs = 1;
    options.chunk_nbytes = 4096;
    options.gzip = LANEFIX_GZIP_OFF;
    write_file(files.in, text, n);
    const char *wrong = judge_repair(&files, &options, &counts);
    ck_assert_msg(!wrong, "%s:\n%.*s", wrong, (int)n, text);
}

START_TEST(every_prefix)
{
    counts = (struct repair_counts){0};
    for (size_t k = 0; k < NTRACES; k++)
        for (size_t i = 0; i <= TRACES[k].n; i++)
            check(TRACES[k].text, i);
    ck_assert_uint_gt(counts.lost, counts.repaired / 2);
    ck_assert_uint_gt(counts.refused, 0);
}
END_TEST

/* One byte of several, all over the text. */
START_TEST(changed_bytes)
{
    static const char bytes[] = "\0\"\\{}[],:0-\xFFX";
    counts = (struct repair_counts){0};
    for (size_t k = 0; k < NTRACES; k++) {
        char *text = malloc(TRACES[k].n);
        for (size_t i = 0; i < TRACES[k].n; i++) {
            memcpy(text, TRACES[k].text, TRACES[k].n);
            for (size_t b = i % 3; b < sizeof bytes - 1; b += 3) {
                text[i] = bytes[b];
                check(text, TRACES[k].n);
            }
        }
        free(text);
    }
    ck_assert_uint_gt(counts.changed, counts.repaired / 2);
    ck_assert_uint_gt(counts.repaired, counts.refused);
}
END_TEST

START_TEST(bytes_left_out_or_put_in)
{
    static const char bytes[] = "\"{,]\0";
    counts = (struct repair_counts){0};
    for (size_t k = 0; k < NTRACES; k++) {
        size_t n = TRACES[k].n;
        char *text = malloc(n + 1);
        for (size_t i = 0; i < n; i++) {
            memcpy(text, TRACES[k].text, i);
            memcpy(text + i, TRACES[k].text + i + 1, n - i - 1);
            check(text, n - 1);
            memcpy(text + i + 1, TRACES[k].text + i, n - i);
            text[i] = bytes[i % (sizeof bytes - 1)];
            check(text, n + 1);
        }
        free(text);
    }
    ck_assert_uint_gt(counts.repaired, counts.refused);
}
END_TEST

/* Where nothing is wrong nothing changes. */
START_TEST(a_clean_trace)
{
    counts = (struct repair_counts){0};
    check(CLEAN, sizeof CLEAN - 1);
    ck_assert_uint_eq(counts.clean, 1);
    ck_assert_uint_eq(counts.changed, 0);
}
END_TEST

Suite *repair_damage_suite(void)
{
    const TTest *const tests[] = {every_prefix, changed_bytes, bytes_left_out_or_put_in,
                                  a_clean_trace};
    return SUITE_OF("repair_damage", tests);
}
