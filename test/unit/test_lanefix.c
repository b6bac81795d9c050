/* The library as a whole, through its public functions. */
#define _XOPEN_SOURCE 700
#include "lanefix.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "run.h"
#include "units.h"

static struct lanefix_options options;
static struct lanefix_error error;

static void reset_options(void)
{
    const char *jobs = getenv("JOBS"); /* as for test/run-cases */
    options = (struct lanefix_options)LANEFIX_OPTIONS_DEFAULT;
    options.jobs = jobs ? (unsigned)strtoul(jobs, NULL, 10) : 0;
    options.no_sync = true; /* thousands of files */
}

/* Fixes text[0, n) and gives the output, owned by the caller; NULL on an error, in `error`. */
static char *fix_n(const char *text, size_t n, size_t *out_n)
{
    write_file(scratch("in.json"), text, n);
    remove(scratch("out.json"));
    if (lanefix_fix(scratch("in.json"), scratch("out.json"), &options, NULL, &error) !=
        LANEFIX_OK) {
        ck_assert(!file_exists(scratch("out.json")));
        return NULL;
    }
    return read_file(scratch("out.json"), out_n);
}

static void check_fix(const char *text, const char *expected)
{
    size_t n;
    char *out = fix_n(text, strlen(text), &n);
    ck_assert_msg(out != NULL, "%s", error.message);
    ck_assert_str_eq(out, expected);
    free(out);
}

/* A trace with everything: snaps, moves, flows, lanes, odd elements. */
static const char FULL[] =
    "\xEF\xBB\xBF{\"schemaVersion\": 1, \"deep\": [[{\"traceEvents\": [1]}]],\r\n"
    "\"traceEvents\": [\r\n"
    "  {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": 7, \"args\": {\"name\": "
    "\"stream \\u0037\"}},\r\n"
    "  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k0\", \"pid\": 0, \"tid\": 7, \"ts\": 10, "
    "\"dur\": 6},, 5,\r\n"
    "  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k1\", \"pid\": 0, \"tid\": 7, \"ts\": "
    "15.2, "
    "\"dur\": 6, \"args\": {\"bad\": NaN, \"s\": \"\xFF\"}},\r\n"
    "  {\"ph\": \"X\", \"name\": \"big \\\"one\\\"\", \"pid\": 0, \"tid\": 7, \"ts\": \"18.000\", "
    "\"dur\": 100},\r\n"
    "  {\"ph\": \"f\", \"bp\": \"e\", \"id\": 1, \"pid\": 0, \"tid\": 7, \"ts\": 15.2},\r\n"
    "  {\"ph\": \"f\", \"bp\": \"e\", \"id\": 2, \"pid\": 0, \"tid\": 7, \"ts\": 18}\r\n"
    "], \"traceName\": \"x\"}\r\n";

static const char FULL_FIXED[] =
    "\xEF\xBB\xBF{\"schemaVersion\": 1, \"deep\": [[{\"traceEvents\": [1]}]],\r\n"
    "\"traceEvents\": [\r\n"
    "  {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": 7, \"args\": {\"name\": "
    "\"stream \\u0037\"}},\r\n"
    "  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k0\", \"pid\": 0, \"tid\": 7, \"ts\": 10, "
    "\"dur\": 6},, 5,\r\n"
    "  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k1\", \"pid\": 0, \"tid\": 7, \"ts\": 16, "
    "\"dur\": 5.2, \"args\": {\"bad\": NaN, \"s\": \"\xFF\"}},\r\n"
    "  {\"ph\": \"X\", \"name\": \"big \\\"one\\\"\", \"pid\": 0, \"tid\": 7001, \"ts\": "
    "\"18.000\", "
    "\"dur\": 100},\r\n"
    "  {\"ph\": \"f\", \"bp\": \"e\", \"id\": 1, \"pid\": 0, \"tid\": 7, \"ts\": 16},\r\n"
    "  {\"ph\": \"f\", \"bp\": \"e\", \"id\": 2, \"pid\": 0, \"tid\": 7001, \"ts\": 18},\r\n"
    "  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 0, \"tid\": 7, \"args\": "
    "{\"sort_index\": 0}},\r\n"
    "  {\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 0, \"tid\": 7001, \"args\": {\"name\": "
    "\"stream \\u0037 lane 1\"}},\r\n"
    "  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 0, \"tid\": 7001, \"args\": "
    "{\"sort_index\": 0}}\r\n"
    "], \"traceName\": \"x\"}\r\n";

/* With this threshold the big one moves: it overlaps k1 by 3.2 us. */
enum { FULL_THRESHOLD_NS = 3000 };

START_TEST(every_chunk_size_gives_the_same)
{
    reset_options();
    options.snap_threshold_ns = FULL_THRESHOLD_NS;
    for (options.chunk_nbytes = 1; options.chunk_nbytes <= sizeof FULL; options.chunk_nbytes++)
        check_fix(FULL, FULL_FIXED);
    options.chunk_nbytes = 0;
    check_fix(FULL, FULL_FIXED);
}
END_TEST

START_TEST(gzip_in_and_out_gives_the_same)
{
    reset_options();
    options.snap_threshold_ns = FULL_THRESHOLD_NS;
    size_t n, out_n;
    char *gz = gzip_bytes(FULL, strlen(FULL), &n);
    write_file(scratch("in.gz"), gz, n); /* recognised by its bytes, so any name will do */
    free(gz);
    for (options.chunk_nbytes = 1; options.chunk_nbytes < 1000; options.chunk_nbytes += 13) {
        ck_assert_int_eq(lanefix_fix(scratch("in.gz"), scratch("out.gz"), &options, NULL, &error),
                         0);
        char *out = read_file(scratch("out.gz"), &n), *plain = gunzip_bytes(out, n, &out_n);
        ck_assert_ptr_nonnull(plain);
        ck_assert_uint_eq(out_n, strlen(FULL_FIXED));
        ck_assert_mem_eq(plain, FULL_FIXED, out_n);
        free(out);
        free(plain);
    }
    options.gzip = LANEFIX_GZIP_OFF;
    ck_assert_int_eq(lanefix_fix(scratch("in.gz"), scratch("out.gz"), &options, NULL, &error), 0);
    char *out = read_file(scratch("out.gz"), &n);
    ck_assert_str_eq(out, FULL_FIXED);
    free(out);
}
END_TEST

START_TEST(fixing_the_fixed_changes_nothing)
{
    reset_options();
    options.snap_threshold_ns = FULL_THRESHOLD_NS;
    check_fix(FULL_FIXED, FULL_FIXED);
}
END_TEST

START_TEST(input_and_output_may_be_one_file)
{
    reset_options();
    options.snap_threshold_ns = FULL_THRESHOLD_NS;
    size_t n;
    struct stat st;
    write_file(scratch("same.json"), FULL, strlen(FULL));
    chmod(scratch("same.json"), 0640);
    ck_assert_int_eq(
        lanefix_fix(scratch("same.json"), scratch("same.json"), &options, NULL, &error), 0);
    char *out = read_file(scratch("same.json"), &n);
    ck_assert_str_eq(out, FULL_FIXED);
    free(out);
    ck_assert_int_eq(stat(scratch("same.json"), &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
}
END_TEST

/* Where lanes go: behind the last event, in the style around it. */
START_TEST(lanes_stand_behind_the_last_event)
{
    reset_options();
#define CROSS(SPACE)                                                                               \
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":10}," SPACE                                \
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2001,\"ts\":5,\"dur\":10}"
#define TWO(SPACE)                                                                                 \
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,\"dur\":10}," SPACE                                \
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":10}"
#define LANES(SPACE)                                                                               \
    "," SPACE "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":2,\"args\":"         \
    "{\"sort_index\":0}}," SPACE                                                                   \
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":2001,\"args\":"                      \
    "{\"name\":\"tid 2 lane 1\"}}," SPACE                                                          \
    "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":2001,\"args\":"                \
    "{\"sort_index\":1}}"
    check_fix("[" TWO("") "]", "[" CROSS("") LANES("") "]");
    check_fix("[\n" TWO("\n") "\n]\n", "[\n" CROSS("\n") LANES("\n") "\n]\n");
    check_fix("[\n" TWO("\n") ",\n", "[\n" CROSS("\n") LANES("\n") ",\n"); /* no ], stray comma */
    check_fix("[" TWO("") ",1,[]]", "[" CROSS("") LANES("") ",1,[]]");
    check_fix("{\"traceEvents\":[" TWO(" ") "],\"traceEvents\":[]}",
              "{\"traceEvents\":[" CROSS(" ") LANES(" ") "],\"traceEvents\":[]}");
    check_fix("{\"traceEvents\":[{}],\"b\":2,\"traceEvents\":[" TWO("") "]}",
              "{\"traceEvents\":[{}],\"b\":2,\"traceEvents\":[" CROSS("") LANES("") "]}");
}
END_TEST

static void check_error(const char *text, enum lanefix_status code)
{
    size_t n;
    ck_assert_ptr_null(fix_n(text, strlen(text), &n));
    ck_assert_int_eq(error.code, code);
    ck_assert_int_eq(error.file, LANEFIX_FILE_INPUT);
}

/* Each code of lanefix.h but the ones for a lack of memory and for a disk that fails. */
START_TEST(errors)
{
    reset_options();
    check_error("", LANEFIX_ERR_EMPTY);
    check_error("PK\3\4", LANEFIX_ERR_FORMAT);
    check_error("hello", LANEFIX_ERR_FORMAT);
    check_error("{\"a\":}", LANEFIX_ERR_SYNTAX);
    check_error("[{]", LANEFIX_ERR_BRACKET);
    check_error("[{", LANEFIX_ERR_CUT_EVENT);
    check_error("{\"traceEvents\":[{}", LANEFIX_ERR_CUT_OBJECT);
    check_error("{}", LANEFIX_ERR_NO_EVENTS);
    check_error("[{}]]", LANEFIX_ERR_TRAILING);
    size_t n, out_n;
    char *gz = gzip_bytes("[{}]", 4, &n);
    ck_assert_ptr_null(fix_n(gz, n - 1, &out_n));
    ck_assert_int_eq(error.code, LANEFIX_ERR_GZIP_CUT);
    ck_assert_uint_eq(error.offset, 4);
    ck_assert_uint_eq(error.event, 1);
    gz[n - 5] ^= 1;
    ck_assert_ptr_null(fix_n(gz, n, &out_n));
    ck_assert_int_eq(error.code, LANEFIX_ERR_GZIP_DATA);
    free(gz);
    const char *in = scratch("good.json");
    write_file(in, "[{}]", 4);
    ck_assert_int_eq(lanefix_fix(scratch("absent"), scratch("o"), NULL, NULL, &error),
                     LANEFIX_ERR_OPEN);
    ck_assert_int_eq(lanefix_fix(in, scratch("no/folder"), NULL, NULL, &error), LANEFIX_ERR_WRITE);
    ck_assert_int_eq(error.file, LANEFIX_FILE_OUTPUT);
    ck_assert_int_eq(lanefix_fix(in, "/dev/full", NULL, NULL, &error), LANEFIX_ERR_WRITE);
    options.report_path = "/dev/full";
    ck_assert_int_eq(lanefix_fix(in, scratch("o"), &options, NULL, &error), LANEFIX_ERR_WRITE);
    ck_assert_int_eq(error.file, LANEFIX_FILE_REPORT);
}
END_TEST

/* Of options of another version the library looks at the size alone: all else may not be there. */
START_TEST(options_are_not_read_beyond_their_size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int zero = open("/dev/zero", O_RDONLY);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
    ck_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    close(zero);
    struct lanefix_options *old = (void *)(pages + page - sizeof old->options_nbytes);
    old->options_nbytes = sizeof old->options_nbytes;
    ck_assert_int_eq(lanefix_fix("a", "b", old, NULL, &error), LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_check("a", old, NULL, &error), LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_undo("a", "b", "c", old, &error), LANEFIX_ERR_USAGE);
    ck_assert_str_eq(error.message, "options of another version of the library");
    munmap(pages, 2 * page);
}
END_TEST

START_TEST(wrong_usage)
{
    struct lanefix_report *report = (struct lanefix_report *)&report;
    const char *in = scratch("good.json"), *out = scratch("out.json");
    write_file(in, "[{}]", 4);
    reset_options();
    ck_assert_int_eq(lanefix_fix(NULL, out, NULL, &report, &error), LANEFIX_ERR_USAGE);
    ck_assert_ptr_null(report);
    ck_assert_int_eq(lanefix_fix(in, NULL, NULL, NULL, NULL), LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_check("", NULL, NULL, &error), LANEFIX_ERR_USAGE);
    options.level = 10;
    ck_assert_int_eq(lanefix_fix(in, out, &options, NULL, &error), LANEFIX_ERR_USAGE);
    reset_options();
    options.snap_threshold_ns = -1;
    ck_assert_int_eq(lanefix_fix(in, out, &options, NULL, &error), LANEFIX_ERR_USAGE);
    reset_options();
    options.options_nbytes--;
    ck_assert_int_eq(lanefix_fix(in, out, &options, NULL, &error), LANEFIX_ERR_USAGE);
    reset_options();
    options.jobs = LANEFIX_JOBS_MAX + 1;
    ck_assert_int_eq(lanefix_fix(in, out, &options, NULL, &error), LANEFIX_ERR_USAGE);
    reset_options();
    options.report_path = "";
    ck_assert_int_eq(lanefix_fix(in, out, &options, NULL, &error), LANEFIX_ERR_USAGE);
    options.report_path = in;
    ck_assert_int_eq(lanefix_check(in, &options, NULL, &error), LANEFIX_ERR_USAGE);
    options.report_path = out;
    ck_assert_int_eq(lanefix_fix(in, out, &options, NULL, &error), LANEFIX_ERR_USAGE);
    reset_options();
    options.repair = true;
    ck_assert_int_eq(lanefix_check(in, &options, NULL, &error), LANEFIX_ERR_USAGE);
    reset_options();
    options.rebase = true;
    ck_assert_int_eq(lanefix_check(in, &options, NULL, &error), LANEFIX_ERR_USAGE);
}
END_TEST

START_TEST(a_cancelled_run_leaves_nothing)
{
    static volatile sig_atomic_t cancel = 1;
    reset_options();
    options.cancel = &cancel;
    options.report_path = scratch("report.json");
    check_error(FULL, LANEFIX_ERR_CANCELLED);
    ck_assert(!file_exists(options.report_path));
}
END_TEST

START_TEST(errors_are_one_line)
{
    char line[200];
    struct lanefix_error e = {LANEFIX_ERR_CUT_EVENT, LANEFIX_FILE_INPUT, "cut", 12, 3, 0};
    lanefix_error_text(&e, "a\nb.json", line, sizeof line);
    ck_assert_str_eq(line, "a\\nb.json: cut (byte 12, event 3)");
    e.event = LANEFIX_NOWHERE;
    lanefix_error_text(&e, "x", line, sizeof line);
    ck_assert_str_eq(line, "x: cut (byte 12)");
    e.offset = LANEFIX_NOWHERE;
    e.sys_errno = 2;
    int length = lanefix_error_text(&e, "x", line, 6);
    ck_assert_int_eq(length, (int)strlen("x: cut: No such file or directory"));
    ck_assert_str_eq(line, "x: cu");
}
END_TEST

/* The input is written over with `after` between the passes; its time of change is as before, or
 * `later`. */
static void check_changed_at(const char *after, bool later)
{
    struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct run run = {.options = &options, .err = &error, .chunk_nbytes = 64};
    struct sink_options sink_options = {.gzip = false};
    const char *path = scratch("in.json");
    write_file(path, FULL, strlen(FULL));
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    tracks_init(&run.tracks);
    run.crew = crew_new(2);
    run.parser = event_parser_new();
    run.report = report_new(&options, false, "out");
    run.source = source_open(path, run.chunk_nbytes, run.crew, NULL, &error);
    run.sink = sink_open(scratch("out.json"), &sink_options, &error);
    ck_assert(pass_one(&run) && make_plan(&run));
    write_file(path, after, strlen(after));
    times[1].tv_nsec = later;
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    ck_assert(!pass_two(&run));
    ck_assert_int_eq(error.code, LANEFIX_ERR_CHANGED);
    run_free(&run);
}

static void check_changed(const char *after)
{
    check_changed_at(after, false);
}

START_TEST(a_changed_input_is_noticed)
{
    reset_options();
    options.snap_threshold_ns = FULL_THRESHOLD_NS;
    char *text = strdup(FULL);
    check_changed("");
    check_changed("[{}]");
    text[strlen(text) - 2] = 0; /* shorter at its end */
    check_changed(text);
    strstr(text, "15.2")[1] = '6'; /* another ts in an event that is patched */
    check_changed(text);
    memset(text, ' ', strlen(text));
    check_changed(text);
    free(text);
    check_changed_at(FULL, true); /* nothing tells what has changed, but for the time */
    struct buf longer = {0};
    buf_add_str(&longer, FULL);
    buf_add_char(&longer, '\n');
    buf_add_char(&longer, 0);
    check_changed(longer.data);
    buf_free(&longer);
}
END_TEST

START_TEST(totals)
{
    struct lanefix_report *report;
    reset_options();
    options.snap_threshold_ns = FULL_THRESHOLD_NS;
    write_file(scratch("in.json"), FULL, strlen(FULL));
    for (int check = 0; check < 2; check++) {
        enum lanefix_status status =
            check ? lanefix_check(scratch("in.json"), &options, &report, &error)
                  : lanefix_fix(scratch("in.json"), scratch("out.json"), &options, &report, &error);
        ck_assert_int_eq(status, LANEFIX_OK);
        const struct lanefix_totals *t = lanefix_report_totals(report);
        ck_assert_uint_eq(t->events, 6);
        ck_assert_uint_eq(t->slices, 3);
        ck_assert_uint_eq(t->tracks, 1);
        /* k1 crosses k0 and is dropped, so that the big one crosses nothing for the viewer */
        ck_assert_uint_eq(t->crossings, 1);
        ck_assert_uint_eq(t->snaps, 1);
        ck_assert_uint_eq(t->snapped_slices, 1);
        ck_assert_uint_eq(t->moved_slices, 1);
        ck_assert_uint_eq(t->lanes, 1);
        ck_assert_uint_eq(t->flow_endpoints, 2);
        ck_assert_int_eq(t->start_shift_ns, 800);
        ck_assert_int_eq(t->end_shift_ns, 0);
        ck_assert_uint_eq(t->unread_events, 0);
        lanefix_report_free(report);
    }
    lanefix_report_free(NULL);
}
END_TEST

START_TEST(warns_of_what_it_did_not_understand)
{
    static const char text[] = "[{\"ph\":\"X\",\"ts\":0,\"dur\":1},{\"a\"},{\"a\":1 \"b\":2}]";
    struct lanefix_report *report;
    reset_options();
    write_file(scratch("odd.json"), text, strlen(text));
    ck_assert_int_eq(lanefix_fix(scratch("odd.json"), scratch("out.json"), NULL, &report, &error),
                     0);
    const struct lanefix_totals *t = lanefix_report_totals(report);
    ck_assert_uint_eq(t->unread_events, 2);
    ck_assert_uint_eq(t->unread_event, 1);
    ck_assert_uint_eq(t->unread_offset, 27);
    lanefix_report_free(report);
    check_fix(text, text);
}
END_TEST

/* jsmn takes quadratic time on deep brackets, so it must not be let into them. */
START_TEST(deep_events_are_copied)
{
    reset_options();
    struct buf text = {0};
    buf_add_str(&text, "[{\"args\":");
    for (int i = 0; i < 500000; i++)
        buf_add_char(&text, '[');
    for (int i = 0; i < 500000; i++)
        buf_add_char(&text, ']');
    buf_add_str(&text, "},{}]");
    size_t n;
    char *out = fix_n(text.data, text.len, &n);
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(n, text.len);
    ck_assert_mem_eq(out, text.data, n);
    free(out);
    buf_free(&text);
}
END_TEST

Suite *lanefix_suite(void)
{
    const TTest *const tests[] = {every_chunk_size_gives_the_same,
                                  gzip_in_and_out_gives_the_same,
                                  fixing_the_fixed_changes_nothing,
                                  input_and_output_may_be_one_file,
                                  lanes_stand_behind_the_last_event,
                                  errors,
                                  options_are_not_read_beyond_their_size,
                                  wrong_usage,
                                  a_cancelled_run_leaves_nothing,
                                  errors_are_one_line,
                                  a_changed_input_is_noticed,
                                  totals,
                                  warns_of_what_it_did_not_understand,
                                  deep_events_are_copied};
    return SUITE_OF("lanefix", tests);
}
