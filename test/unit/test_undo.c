/* What was fixed, undone by its report: the input again, to the byte, or an error. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../model/strict.h"
#include "../model/trace_random.h"
#include "buf.h"
#include "lanefix.h"
#include "units.h"

static struct lanefix_options options;
static struct lanefix_error error;

static void reset_options(void)
{
    options = (struct lanefix_options)LANEFIX_OPTIONS_DEFAULT;
    options.jobs = 1;
    options.no_sync = true;
}

/* Fixes the file into another, with a report. */
static bool fix(const char *in, const char *out)
{
    struct lanefix_options with_report = options;
    with_report.report_path = scratch("undo.report");
    return lanefix_fix(in, out, &with_report, NULL, &error) == LANEFIX_OK;
}

static enum lanefix_status undo(const char *out, const char *back)
{
    struct lanefix_options plain = LANEFIX_OPTIONS_DEFAULT;
    plain.jobs = options.jobs;
    plain.no_sync = true;
    plain.chunk_nbytes = options.chunk_nbytes;
    return lanefix_undo(scratch("undo.report"), out, back, &plain, &error);
}

static bool holds(const char *path, const char *text, size_t n)
{
    size_t got;
    char *bytes = read_file(path, &got);
    bool same = got == n && memcmp(bytes, text, n) == 0;
    free(bytes);
    return same;
}

/* There and back. Returns false if the trace is refused. */
static bool check_round_trip(const char *text, size_t n, const char *what)
{
    size_t report_n;
    write_file(scratch("undo.in"), text, n);
    remove(scratch("undo.back"));
    if (!fix(scratch("undo.in"), scratch("undo.out")))
        return false;
    char *report = read_file(scratch("undo.report"), &report_n);
    ck_assert_msg(strict_json(report, report_n), "%s: the report is no JSON", what);
    free(report);
    ck_assert_msg(undo(scratch("undo.out"), scratch("undo.back")) == LANEFIX_OK, "%s: %s", what,
                  error.message);
    ck_assert_msg(holds(scratch("undo.back"), text, n), "%s: it is another one", what);
    return true;
}

/* A fix, a salvage, a repair, a rebase, and the last two together. */
enum { WAYS = 5 };
static void choose_way(unsigned way)
{
    reset_options();
    options.salvage = way == 1;
    options.repair = way == 2 || way == 4;
    options.rebase = way >= 3;
}

/* The inputs of the command-line cases, in each way. */
START_TEST(all_cases)
{
    size_t done = 0;
    DIR *cases = opendir("test/cases");
    ck_assert_msg(cases != NULL, "to be run in the folder above test/");
    for (struct dirent *entry; (entry = readdir(cases));) {
        static const char *const inputs[] = {"in.json", "trace.json", "in", "t.json"};
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
            char path[1024];
            size_t n;
            struct stat st;
            snprintf(path, sizeof path, "test/cases/%s/%s", entry->d_name, inputs[i]);
            if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
                continue;
            char *text = read_file(path, &n);
            bool gzip = n > 1 && memcmp(text, "\x1F\x8B", 2) == 0;
            for (unsigned way = 0; !gzip && way < WAYS; way++) {
                choose_way(way);
                done += check_round_trip(text, n, path);
            }
            free(text);
        }
    }
    closedir(cases);
    ck_assert_uint_gt(done, 300);
}
END_TEST

START_TEST(random_traces)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        char what[32];
        size_t n;
        char *text = trace_random(seed, &n);
        snprintf(what, sizeof what, "seed %d", (int)seed);
        choose_way((unsigned)(seed % WAYS));
        options.chunk_nbytes = seed % 7 ? 0 : 1 + seed % 50;
        options.snap_threshold_ns = trace_random_threshold(seed);
        check_round_trip(text, n, what);
        size_t cut = seed * 7919 % n;
        choose_way(1 + (unsigned)(seed % 2));
        check_round_trip(text, cut, what);
        free(text);
    }
}
END_TEST

/* Crosses, is broken, and has to be mended; with all bytes that there are in what is lost. */
static char *broken_trace(size_t *n)
{
    static const char head[] =
        "{\"a\":[1,.5],\"traceEvents\":[\n"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":7,\"ts\":10.5,\"dur\":6},\n"
        "{\"ph\":\"X\",\"name\":\"{\"d\": 1}(2): "
        "x\",\"pid\":1,\"tid\":7,\"ts\":15.500,\"dur\":06},\n"
        "{\"ph\":\"X\",\"name\":\"b\xFF\\ud83d\",\"pid\":1,\"tid\":7,\"ts\":16,\"dur\":90},,\n";
    static const char tail[] =
        "\n{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":7,\"ts\":\"99\",\"dur\":90}\n"
        "{\"ph\":\"X\",\"name\":\"d\",\"pid\":1,\"tid\":-7,\"ts\":99,\"du";
    struct buf text = {0};
    buf_add(&text, head, sizeof head - 1);
    buf_add_str(&text, "{\"ph\":\"X\" \"v\":\"");
    for (int b = 0; b < 256; b++)
        if (b != '"' && b != '\\')
            buf_add_char(&text, (char)b);
    buf_add_str(&text, "\"},");
    buf_add(&text, tail, sizeof tail - 1);
    *n = text.len;
    return text.data;
}

START_TEST(every_chunk_size)
{
    size_t n;
    char *text = broken_trace(&n);
    choose_way(2);
    for (options.chunk_nbytes = 1; options.chunk_nbytes < 700; options.chunk_nbytes += 11)
        ck_assert(check_round_trip(text, n, "broken trace"));
    free(text);
}
END_TEST

/* Losses of more than a piece, and edits of more than is kept in memory. */
START_TEST(much_of_it)
{
    struct buf text = {0};
    uint64_t random = 1;
    choose_way(4);
    buf_add_str(&text, "[");
    for (int i = 0; i < 9000; i++) {
        char event[128];
        int n = snprintf(event, sizeof event,
                         "%s{\"ph\":\"X\",\"tid\":1,\"ts\":\"170000000%07d.500\",\"dur\":3}",
                         i ? ",\n" : "", 2 * i);
        buf_add(&text, event, (size_t)n);
        if (i % 3000 == 1000)
            for (int k = 0; k < 100000; k++)
                buf_add_char(&text, (char)('g' + random_below(&random, 16)));
    }
    for (int jobs = 1; jobs <= 3; jobs += 2) {
        options.jobs = (unsigned)jobs;
        ck_assert(check_round_trip(text.data, text.len, "long trace"));
    }
    buf_free(&text);
}
END_TEST

/* All is by uncompressed content: output and report may be packed and unpacked. */
START_TEST(packed_and_unpacked)
{
    size_t n, packed_n, report_n, got;
    char *text = broken_trace(&n);
    choose_way(2);
    ck_assert(check_round_trip(text, n, "plain"));
    char *out = read_file(scratch("undo.out"), &got);
    char *packed = gzip_bytes(out, got, &packed_n);
    write_file(scratch("undo.out"), packed, packed_n);
    char *report = read_file(scratch("undo.report"), &got);
    char *packed_report = gzip_bytes(report, got, &report_n);
    write_file(scratch("undo.report"), packed_report, report_n);
    ck_assert_int_eq(undo(scratch("undo.out"), scratch("undo.gz")), LANEFIX_OK);
    char *packed_back = read_file(scratch("undo.gz"), &packed_n);
    char *back = gunzip_bytes(packed_back, packed_n, &got);
    ck_assert(back && got == n && memcmp(back, text, n) == 0);
    ck_assert_int_eq(undo(scratch("undo.out"), scratch("undo.out")), LANEFIX_OK); /* in place */
    ck_assert(holds(scratch("undo.out"), text, n));
    free(text);
    free(out);
    free(packed);
    free(report);
    free(packed_report);
    free(packed_back);
    free(back);
}
END_TEST

/* An edit on both sides of quotes that the scan for what is whole has escaped. */
START_TEST(edits_around_losses)
{
    static const char *const traces[] = {
        "[{\"ph\":\"X\",\"ts\":.5,\"name\":\"{\"d\": 1}(2): x\",\"dur\":06,\"tid\":1}]",
        "[{\"ph\":\"X\",\"ts\":.5,\"name\":\"{\"d\": 1}(2): x\",\"dur\":6,\"tid\":1},\n"
        "{\"ph\":\"X\",\"ts\":1,\"name\":\"{\"e\": 1}(2): x\",\"dur\":06,\"tid\":-1}",
    };
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        size_t n;
        choose_way(4);
        ck_assert(check_round_trip(traces[i], strlen(traces[i]), traces[i]));
        char *out = read_file(scratch("undo.out"), &n);
        ck_assert_ptr_nonnull(strstr(out, "{\\\"d\\\": 1}(2): x"));
        free(out);
    }
}
END_TEST

/* Of gzip that is damaged the original is what could be read of it: in the last case, where but the
 * length at its end is cut, all of it. */
START_TEST(damaged_gzip)
{
    static const size_t cuts[] = {30, 3};
    size_t n, packed_n, got;
    char *text = broken_trace(&n), *packed = gzip_bytes(text, n, &packed_n);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        write_file(scratch("undo.in"), packed, packed_n - cuts[i]);
        choose_way(1);
        ck_assert(fix(scratch("undo.in"), scratch("undo.out")));
        ck_assert_int_eq(undo(scratch("undo.out"), scratch("undo.back")), LANEFIX_OK);
        char *back = read_file(scratch("undo.back"), &got);
        ck_assert(memcmp(back, text, got) == 0);
        ck_assert(i ? got == n : got > n / 2 && got < n);
        free(back);
    }
    free(text);
    free(packed);
}
END_TEST

static const char SMALL[] = "[{\"ph\":\"X\",\"tid\":7,\"ts\":10,\"dur\":6},\n"
                            "{\"ph\":\"X\",\"tid\":7,\"ts\":15.2,\"dur\":6},\n"
                            "{\"ph\":\"X\",\"tid\":7,\"ts\":15.5,\"dur\":90},{\"ph\"";

/* Undoes what is in the files; it has to give the trace, or nothing. Returns whether it gave it. */
static bool undo_or_refuse(const char *what, size_t i)
{
    remove(scratch("undo.back"));
    if (undo(scratch("undo.out"), scratch("undo.back")) != LANEFIX_OK) {
        ck_assert_msg(!file_exists(scratch("undo.back")), "%s %zu: an output is left", what, i);
        ck_assert_ptr_nonnull(error.message);
        return false;
    }
    ck_assert_msg(holds(scratch("undo.back"), SMALL, sizeof SMALL - 1), "%s %zu: another trace",
                  what, i);
    return true;
}

/* One byte of a file changed, all over it, and every prefix. Returns how often the trace came back.
 */
static size_t damage(const char *name, size_t *n)
{
    static const char bytes[] = "\0\"\\{}[],:0123456789-\xFF nX";
    size_t restored = 0;
    char *good = read_file(scratch(name), n), *bad = malloc(*n);
    for (size_t i = 0; i < *n; i++) {
        memcpy(bad, good, *n);
        for (size_t b = i % 3; b < sizeof bytes - 1; b += 3) {
            bad[i] = bytes[b];
            write_file(scratch(name), bad, *n);
            restored += undo_or_refuse("changed byte", i);
        }
        write_file(scratch(name), good, i);
        restored += undo_or_refuse("prefix", i);
    }
    write_file(scratch(name), good, *n);
    ck_assert(undo_or_refuse("whole", 0));
    free(good);
    free(bad);
    return restored;
}

START_TEST(damaged_files)
{
    size_t n;
    choose_way(1);
    ck_assert(check_round_trip(SMALL, sizeof SMALL - 1, "small"));
    ck_assert_uint_lt(damage("undo.out", &n), n);    /* where a byte became what it was */
    ck_assert_uint_gt(damage("undo.report", &n), n); /* names and figures do not matter */
}
END_TEST

/* The error that the report gives for an input that is `out`. */
static void check_refused(const char *report, const char *message, enum lanefix_file file,
                          uint64_t offset)
{
    static const char out[] = "[1,23,4]";
    reset_options();
    write_file(scratch("undo.report"), report, strlen(report));
    write_file(scratch("undo.out"), out, sizeof out - 1);
    remove(scratch("undo.back"));
    enum lanefix_status status = undo(scratch("undo.out"), scratch("undo.back"));
    ck_assert_msg(status != LANEFIX_OK, "taken: %s", report);
    ck_assert_str_eq(error.message, message);
    ck_assert_int_eq(status,
                     file == LANEFIX_FILE_REPORT ? LANEFIX_ERR_REPORT : LANEFIX_ERR_MISMATCH);
    ck_assert_int_eq(error.file, file);
    ck_assert_uint_eq(error.offset, offset);
    ck_assert(!file_exists(scratch("undo.back")));
}

#define HEAD "{\"lanefix_report\":1,\"output\":\"o\","
#define ORIGINAL "\"original\":{\"nbytes\":8,\"crc32\":\"01234567\"},"
#define WRONG_VALUE "a value of the report is not what trace-lanefix writes there"
#define OTHER "this is not the output that the report is about, as it was written"

START_TEST(reports_that_are_refused)
{
    static const struct {
        const char *report, *message;
        uint64_t offset;
    } refused[] = {
        {"", "the report ends too early", 0},
        {"{\"lanefix_report\":1", "the report ends too early", 19},
        {"{\"lanefix_report\":1}}", "the report is no JSON", 20},
        {"{\"lanefix_report\":01}", "the report is no JSON", 20},
        {"7", "this is no report of trace-lanefix", LANEFIX_NOWHERE},
        {"[{\"lanefix_report\":1}]", "this is no report of trace-lanefix", LANEFIX_NOWHERE},
        {"{\"traceEvents\":[]}", "this is no report of trace-lanefix", LANEFIX_NOWHERE},
        {"{\"lanefix_report\":2}", "the report is one of another version of trace-lanefix",
         LANEFIX_NOWHERE},
        {"{\"lanefix_report\":1,\"output\":null,\"edits\":null}",
         "the report is of a check, which changes nothing", LANEFIX_NOWHERE},
        {HEAD "\"a\":1}", "the report has no edits: an older version of trace-lanefix wrote it",
         LANEFIX_NOWHERE},
        {HEAD "\"edits\":null,\"original\":null}",
         "the report has no edits: a dry run, or one that is pretty, cannot be undone",
         LANEFIX_NOWHERE},
        {HEAD "\"edits\":[],\"original\":7}",
         "the report's edits are not what trace-lanefix writes", LANEFIX_NOWHERE},
        {HEAD "\"edits\":[],\"edits\":[]}", "a key of the report is there twice", 53},
        {HEAD "\"original\":{\"nbytes\":8}}", WRONG_VALUE, 56},
        {HEAD "\"original\":{\"nbytes\":-8}}", WRONG_VALUE, 56},
        {HEAD "\"original\":{\"crc32\":\"0123456g\"}}", WRONG_VALUE, 63},
        {HEAD ORIGINAL "\"edits\":[7]}", WRONG_VALUE, 86},
        {HEAD ORIGINAL "\"edits\":[{\"offset\":1,\"new\":\"\"}]}", WRONG_VALUE, 106},
        {HEAD ORIGINAL "\"edits\":[{\"offset\":1,\"offset\":1}]}", WRONG_VALUE, 107},
        {HEAD ORIGINAL "\"edits\":[{\"offset\":1,\"old\":\"\\u0100\"}]}", WRONG_VALUE, 111},
        {HEAD ORIGINAL "\"edits\":[{\"offset\":1.5}]}", WRONG_VALUE, 98},
        {HEAD ORIGINAL "\"edits\":[{\"offset\":2,\"old\":\"\",\"new\":\"\"},"
                       "{\"offset\":1,\"old\":\"\",\"new\":\"\"}]}",
         "the report's edits are not in their order", 146},
        {HEAD ORIGINAL "\"edits\":[{\"offset\":9,\"old\":\"\",\"new\":\"\"}]}",
         "the report's edits are not in their order", 115},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(refused[i].report, refused[i].message, LANEFIX_FILE_REPORT,
                      refused[i].offset);
}
END_TEST

START_TEST(other_files_are_refused)
{
    check_refused(HEAD ORIGINAL "\"edits\":[]}", OTHER, LANEFIX_FILE_INPUT, LANEFIX_NOWHERE);
    check_refused(HEAD ORIGINAL "\"edits\":[{\"offset\":3,\"old\":\"\",\"new\":\"24\"}]}", OTHER,
                  LANEFIX_FILE_INPUT, 4);
    check_refused(HEAD ORIGINAL "\"edits\":[{\"offset\":8,\"old\":\"\",\"new\":\"24\"}]}", OTHER,
                  LANEFIX_FILE_INPUT, 8);
    check_refused(HEAD ORIGINAL "\"edits\":[{\"offset\":7,\"old\":\"]]\",\"new\":\"\"}]}", OTHER,
                  LANEFIX_FILE_INPUT, 7);
    check_refused(HEAD "\"original\":{\"nbytes\":7,\"crc32\":\"01234567\"},\"edits\":[]}", OTHER,
                  LANEFIX_FILE_INPUT, 0);
    check_refused(HEAD "\"original\":{\"nbytes\":99,\"crc32\":\"01234567\"},"
                       "\"edits\":[{\"offset\":9,\"old\":\"\",\"new\":\"\"}]}",
                  OTHER, LANEFIX_FILE_INPUT, 8);
}
END_TEST

/* White space, other keys, another order, other escapes. */
START_TEST(any_layout)
{
    static const char report[] =
        " {\"more\":{\"edits\":[1,{}]},\"edits\":[\n{\"new\" :\"\\u0032\\t\\u00E9\xC3\xA9\\/\" , "
        "\"x\":[[]],\"old\":\"\xC2\x80\\n\", \"offset\":1}],\"output\":\"\",\n\"original\" :"
        "{\"x\":{},\"crc32\":\"334889fc\",\"nbytes\":4}, \"lanefix_report\":1}\r\n";
    static const char out[] = "[2\t\xE9\xE9/]", original[] = "[\x80\n]";
    reset_options();
    write_file(scratch("undo.report"), report, sizeof report - 1);
    write_file(scratch("undo.out"), out, sizeof out - 1);
    ck_assert_msg(undo(scratch("undo.out"), scratch("undo.back")) == LANEFIX_OK, "%s",
                  error.message);
    ck_assert(holds(scratch("undo.back"), original, sizeof original - 1));
}
END_TEST

/* Too deep, and too long a string, where they matter and where they do not. */
START_TEST(hostile_reports)
{
    struct buf report = {0};
    for (int i = 0; i < 100000; i++)
        buf_add_char(&report, '[');
    buf_add_char(&report, 0);
    check_refused(report.data, "the report is no JSON", LANEFIX_FILE_REPORT, 64);
    report.len = 0;
    buf_add_str(&report, HEAD "\"x\":\"");
    for (int i = 0; i < 1 << 21; i++)
        buf_add_char(&report, 'x');
    buf_add_str(&report, "\"," ORIGINAL "\"edits\":[{\"old\":\"");
    for (int i = 0; i < 1 << 21; i++)
        buf_add_char(&report, 'x');
    buf_add_str(&report, "\",\"new\":\"\",\"offset\":0}]}");
    buf_add_char(&report, 0);
    check_refused(report.data, WRONG_VALUE, LANEFIX_FILE_REPORT, report.len - 24);
    buf_free(&report);
}
END_TEST

START_TEST(wrong_usage)
{
    static const char *const names[][3] = {{NULL, "a", "b"}, {"", "a", "b"}, {"r", NULL, "b"},
                                           {"r", "a", NULL}, {"r", "a", ""}, {"-", "-", "b"},
                                           {"r", "a", "r"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_int_eq(lanefix_undo(names[i][0], names[i][1], names[i][2], NULL, &error),
                         LANEFIX_ERR_USAGE);
    reset_options();
    options.report_path = "x";
    ck_assert_int_eq(lanefix_undo("r", "a", "b", &options, &error), LANEFIX_ERR_USAGE);
    reset_options();
    write_file(scratch("undo.in"), SMALL, sizeof SMALL - 1);
    options.salvage = true;
    ck_assert(fix(scratch("undo.in"), scratch("undo.out")));
    options.max_size_nbytes = 50;
    ck_assert_int_eq(lanefix_undo(scratch("undo.report"), scratch("undo.out"), scratch("undo.back"),
                                  &options, &error),
                     LANEFIX_ERR_TOO_LARGE);
    ck_assert_int_eq(
        lanefix_undo(scratch("none"), scratch("undo.out"), scratch("undo.back"), NULL, &error),
        LANEFIX_ERR_OPEN);
    ck_assert_int_eq(error.file, LANEFIX_FILE_REPORT);
}
END_TEST

Suite *undo_suite(void)
{
    const TTest *const tests[] = {all_cases,
                                  random_traces,
                                  every_chunk_size,
                                  much_of_it,
                                  packed_and_unpacked,
                                  edits_around_losses,
                                  damaged_gzip,
                                  damaged_files,
                                  reports_that_are_refused,
                                  other_files_are_refused,
                                  any_layout,
                                  hostile_reports,
                                  wrong_usage};
    return SUITE_OF("undo", tests);
}
