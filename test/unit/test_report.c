/* The report's text and JSON, from events that are made up. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanefix.h"
#include "text.h"
#include "units.h"

static struct event_parser *parser;
static struct lanefix_report *report;

static void begin_with(const struct lanefix_options *options, bool check)
{
    if (!parser)
        parser = event_parser_new();
    report = report_new(options, check, "out\n.json");
    ck_assert_ptr_nonnull(report);
}

static void begin(void)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    begin_with(&options, false);
}

/* Adds a change of the slice `number` in the order of the plan; tid is that of a lane or NULL. */
static void add(uint32_t number, const char *text, int64_t delayed, int64_t trimmed,
                const char *tid)
{
    static char pid_text[] = "0", tid_text[] = "7";
    static const struct track track = {.pid_text = pid_text, .tid_text = tid_text};
    struct event event;
    ck_assert_int_eq(event_parse(parser, text, strlen(text), NULL, &event), EVENT_OK);
    struct slice_change change = {.slice = number,
                                  .lane = tid ? 1 : 0,
                                  .track = &track,
                                  .text = text,
                                  .event = &event,
                                  .start_ns = 100000,
                                  .end_ns = 200000,
                                  .new_start_ns = 100000 + delayed,
                                  .new_end_ns = 200000 - trimmed,
                                  .tid_text = tid};
    ck_assert(report_add_slice(report, &change));
}

/* The report's text, owned by the caller; frees the report. */
static char *end(void)
{
    size_t n;
    FILE *file = fopen(scratch("report.txt"), "w");
    ck_assert_int_eq(lanefix_report_text(report, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    lanefix_report_free(report);
    return read_file(scratch("report.txt"), &n);
}

static void check_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "no %s in %s", part, text);
}

START_TEST(words_of_the_reference)
{
    begin();
    add(2, "{\"name\":\"a\\nb\",\"cat\":\"x\"}", 0, 1, NULL);
    add(1, "{\"cat\":5}", 999, 1000, NULL);
    add(0, "{\"name\":\"ProfilerStep#5\"}", 0, 0, "7001");
    report->totals.moved_slices = 1;
    char *text = end();
    check_has(text, "updated 3 slice(s): total |start shift|=999ns, total |end shift|=1.001us, "
                    "total |boundary shift|=2.000us\n");
    check_has(text, "moved slices (1):\n  ProfilerStep#5 pid=0: moved to lane 1 (tid 7 -> 7001)\n");
    check_has(text, "snapped slices (2):\n"
                    "  <unnamed> pid=0 tid=7: start delayed by 999ns, end trimmed by 1.000us\n"
                    "  a\\nb pid=0 tid=7: end trimmed by 1ns\n");
    check_has(text, "\nwrote out\\n.json: ");
    ck_assert_ptr_null(strstr(text, "kernel timing summary"));
    free(text);
}
END_TEST

/* The largest shift first, then more runs, then the name. */
START_TEST(kernels_are_summed_up_by_name)
{
    begin();
    add(0, "{\"name\":\"k_c\",\"cat\":\"kernel\"}", 0, 0, "7001");
    add(1, "{\"name\":\"k_b\",\"cat\":\"kernel\"}", 300, 0, NULL);
    add(2, "{\"name\":\"k_b\",\"cat\":\"kernel\"}", 100, 0, NULL);
    add(3, "{\"name\":\"k_a\",\"cat\":\"kernel\"}", 0, 0, "7001");
    add(4, "{\"name\":\"k_d\",\"cat\":\"kernel\"}", 0, 2500, NULL);
    char *text = end();
    check_has(text, "kernel timing summary (5 run(s) across 4 kernel name(s)):\n"
                    "  k_d: runs=1, total delayed=0.000us, total trimmed=2.500us, total boundary "
                    "shift=2.500us, moved=0, snapped=1\n"
                    "  k_b: runs=2, total delayed=400ns, total trimmed=0.000us, total boundary "
                    "shift=400ns, moved=0, snapped=2\n"
                    "  k_a: runs=1, total delayed=0.000us, total trimmed=0.000us, total boundary "
                    "shift=0.000us, moved=1, snapped=0\n"
                    "  k_c: runs=1,");
    ck_assert_ptr_null(strstr(text, "moved slices"));
    free(text);
}
END_TEST

static size_t count_lines(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part))) {
        count++;
        text++;
    }
    return count;
}

/* 100 rows of each list, the first in the order of the plan, however they come. */
/* A million names took 150 MB. Those beyond a bound are added up; none is lost in the sum. */
START_TEST(endless_kernels_are_added_up)
{
    char text[80];
    begin();
    for (uint32_t i = 0; i < REPORT_KERNELS_MAX + 3; i++) {
        snprintf(text, sizeof text, "{\"name\":\"k%u\",\"cat\":\"kernel\"}", i);
        add(i, text, 1000, 0, NULL);
    }
    ck_assert_uint_eq(report->nkernels, REPORT_KERNELS_MAX);
    add(1, "{\"name\":\"k1\",\"cat\":\"kernel\"}", 1000, 0, NULL);
    char *out = end();
    check_has(out, "(65540 run(s) across more than 65536 kernel name(s)):\n  k1: runs=2, ");
    check_has(out, "  ... 65436 more (--report FILE has all)\n  all other kernels: runs=3, total "
                   "delayed=3.000us, ");
    free(out);
}
END_TEST

START_TEST(giant_names_are_cut)
{
    struct buf text = {0};
    buf_add_str(&text, "{\"name\":\"");
    for (int i = 0; i < 200000; i++)
        buf_add_str(&text, "\\u0041");
    buf_add_str(&text, "\"}");
    buf_add_char(&text, 0);
    begin();
    add(1, text.data, 1000, 0, NULL);
    char *out = end();
    check_has(out, "AAAA... pid=0");
    ck_assert_uint_lt(strlen(out), TEXT_SHOWN_MAX + 1000);
    free(out);
    buf_free(&text);
}
END_TEST

START_TEST(long_lists_are_cut)
{
    char event[64];
    begin();
    for (unsigned i = 0; i < 250; i++) {
        unsigned number = i * 77 % 250; /* each of 0 to 249 once */
        snprintf(event, sizeof event, "{\"name\":\"slice %03u.\"}", number);
        add(number, event, 5, 0, NULL);
        snprintf(event, sizeof event, "{\"name\":\"kernel %03u.\",\"cat\":\"kernel\"}", number);
        add(1000 + number, event, 5, 0, NULL);
    }
    char *text = end();
    ck_assert_uint_eq(count_lines(text, "  slice "), 100);
    ck_assert_uint_eq(count_lines(text, "  kernel "), 100);
    check_has(text, "snapped slices (250):\n  slice 000.");
    check_has(text, "  slice 099. pid=0 tid=7: start delayed by 5ns\n"
                    "  ... 150 more (--report FILE has all)\n");
    check_has(text, "  kernel 099.");
    ck_assert_uint_eq(count_lines(text, "... 150 more"), 2);
    free(text);
}
END_TEST

static void check_threshold(int64_t ns, const char *expected)
{
    begin();
    report->threshold_ns = ns;
    char *text = end();
    check_has(text, expected);
    free(text);
}

START_TEST(the_threshold_as_python_prints_it)
{
    check_threshold(5000, "sub-5.0us");
    check_threshold(2500, "sub-2.5us");
    check_threshold(100, "sub-0.1us");
    check_threshold(0, "sub-0.0us");
    check_threshold(1001, "sub-1.001us");
    check_threshold(1010, "sub-1.01us");
}
END_TEST

START_TEST(tracks_without_a_change_are_not_listed)
{
    char a[] = "1", b[] = "\"a\\u0062\"", none[] = "";
    struct track plain = {.pid_text = a, .tid_text = b},
                 nameless = {.pid_text = none, .tid_text = none};
    struct plan_stats nothing = {.lanes = 1}, snaps = {.lanes = 1, .snaps = 5},
                      moves = {.lanes = 3, .moved = 2};
    begin();
    report_add_track(report, &plain, &nothing);
    report_add_track(report, &plain, &snaps);
    report_add_track(report, &nameless, &moves);
    report->totals.tracks = 3;
    char *text = end();
    check_has(text, "processing 3 track(s)\n"
                    "  pid=1 tid=ab: 1 lane(s), 0 slice(s) moved, 5 snapped\n"
                    "  pid=None tid=None: 3 lane(s), 2 slice(s) moved, 0 snapped\n"
                    "snapped 5 sub-5.0us crossing(s)\n");
    free(text);
}
END_TEST

/* A line for what is not as in the reference. */
START_TEST(says_which_slice_gives_way)
{
    static const char *const soft[] = {"a\nb", "c"}, *const kept[] = {"kernel"};
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    begin_with(&options, false);
    char *text = end();
    ck_assert_ptr_null(strstr(text, "gives way"));
    free(text);
    options.no_snap = kept;
    options.no_snap_count = 1;
    begin_with(&options, false);
    text = end();
    check_has(text, "0 track(s)\nwhich slice gives way: first; times kept: kernel\nsnapped");
    free(text);
    options.snap = LANEFIX_SNAP_SOFT;
    options.soft = soft;
    options.soft_count = 2;
    options.trim_unfinished = true;
    begin_with(&options, true);
    text = end();
    check_has(text, "\nwhich slice gives way: soft; soft as well: a\\nb, c; times kept: kernel; "
                    "unfinished slices trimmed\n");
    free(text);
}
END_TEST

START_TEST(words_for_what_goes_outward)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    options.snap = LANEFIX_SNAP_SOFT;
    begin_with(&options, false);
    add(0, "{\"name\":\"a\",\"cat\":\"x\"}", -5, -2000, NULL);
    add(1, "{\"name\":\"b\",\"cat\":\"x\"}", -7, 0, NULL);
    add(2, "{\"name\":\"k\",\"cat\":\"kernel\"}", 0, -30, NULL);
    add(3, "{\"name\":\"k\",\"cat\":\"kernel\"}", -100, 20, NULL);
    char *text = end();
    check_has(text, "updated 4 slice(s): total |start shift|=112ns, total |end shift|=2.050us, ");
    check_has(text, "  a pid=0 tid=7: start advanced by 5ns, end delayed by 2.000us\n"
                    "  b pid=0 tid=7: start advanced by 7ns\n");
    check_has(text, "  k: runs=2, total start shift=100ns, total end shift=50ns, total boundary "
                    "shift=150ns, moved=0, snapped=2\n");
    free(text);
}
END_TEST

/* Adds three of them on two tracks, `moved` of which go to lanes. */
static char *end_with_unfinished(uint64_t moved)
{
    char id[] = "1";
    struct track track = {.pid_text = id, .tid_text = id};
    struct plan_stats none = {.lanes = 1}, two = {.lanes = 1, .unfinished = 2},
                      three = {.lanes = 1, .unfinished = 3};
    report_add_track(report, &track, &two);
    report_add_track(report, &track, &none);
    report_add_track(report, &track, &three);
    report_add_unfinished(report, moved);
    report_add_unfinished(report, 0);
    return end();
}

START_TEST(tells_of_what_never_returned)
{
    static const char line[] = "\n5 slice(s) of 2 thread(s) end exactly where the trace ends: "
                               "frames that never returned\n";
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    begin();
    char *text = end_with_unfinished(0);
    check_has(text, line);
    ck_assert_ptr_null(strstr(text, "--trim"));
    free(text);
    begin();
    text = end_with_unfinished(4);
    check_has(text, line);
    check_has(text, "returned\n  4 of them need lanes; --trim-unfinished ends them with what is "
                    "around them instead\n");
    free(text);
    options.trim_unfinished = true;
    begin_with(&options, false);
    text = end_with_unfinished(4);
    check_has(text, line);
    check_has(text, "\nsnapped 0 crossing(s) that were sub-5.0us or of unfinished slices\n");
    ck_assert_ptr_null(strstr(text, "--trim"));
    free(text);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
    begin();
    FILE *file = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(file);
    setvbuf(file, NULL, _IONBF, 0);
    ck_assert_int_eq(lanefix_report_text(report, file), -1);
    fclose(file);
    lanefix_report_free(report);
}
END_TEST

Suite *report_suite(void)
{
    const TTest *const tests[] = {words_of_the_reference,
                                  kernels_are_summed_up_by_name,
                                  endless_kernels_are_added_up,
                                  giant_names_are_cut,
                                  long_lists_are_cut,
                                  the_threshold_as_python_prints_it,
                                  tracks_without_a_change_are_not_listed,
                                  says_which_slice_gives_way,
                                  words_for_what_goes_outward,
                                  tells_of_what_never_returned,
                                  a_full_disk_is_an_error};
    return SUITE_OF("report", tests);
}
