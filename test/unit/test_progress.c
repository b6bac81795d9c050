/* The program's line of progress: what it says, and when. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "progress_text.h"
#include "terminal.h"
#include "units.h"

static const int64_t MS = 1000000, S = 1000000000;

static const char *text_of(const char *name, const struct progress_figures *figures, size_t columns)
{
    static char room[400];
    progress_text(name, figures, columns, room, sizeof room);
    return room;
}

static struct lanefix_progress at(enum lanefix_step step, unsigned pass, uint64_t done,
                                  uint64_t total, uint64_t trace)
{
    return (struct lanefix_progress){step, pass, 2, done, total, trace};
}

static const char *text_at(enum lanefix_step step, uint64_t done, uint64_t total, uint64_t trace,
                           int64_t ns)
{
    struct lanefix_progress now = at(step, 1, done, total, trace);
    struct progress_figures figures = progress_of_run(&now, ns);
    return text_of(NULL, &figures, SIZE_MAX);
}

START_TEST(says_what_is_under_way)
{
    const uint64_t MB = 1000000;
    ck_assert_str_eq(text_at(LANEFIX_STEP_READ, 430 * MB, 1000 * MB, 5120 * MB, 10 * S),
                     "pass 1 of 2:  43 %  512 MB/s  0:14 left");
    ck_assert_str_eq(text_at(LANEFIX_STEP_WRITE, 0, 1000 * MB, 0, 0), "pass 1 of 2:   0 %");
    ck_assert_str_eq(text_at(LANEFIX_STEP_WRITE, MB, MB, MB, S), "pass 1 of 2: 100 %  1.0 MB/s");
    ck_assert_str_eq(text_at(LANEFIX_STEP_SPOOL, 12 * MB, 0, 12 * MB, 2 * S),
                     "reading the pipe:  12 MB  6.0 MB/s");
    ck_assert_str_eq(text_at(LANEFIX_STEP_SPOOL, 0, 0, 0, 2 * S), "reading the pipe");
    ck_assert_str_eq(text_at(LANEFIX_STEP_PLAN, 0, 0, 0, 2 * S), "planning");
    ck_assert_str_eq(text_at(LANEFIX_STEP_SYNC, 0, 0, 0, 2 * S), "waiting for the disk");
    struct progress_figures files = progress_of_files(3, 240, 10 * MB, 40 * MB, 2 * S);
    ck_assert_str_eq(text_of("x", &files, 80), "x: 3 of 240 files:  25 %  5.0 MB/s  0:07 left");
}
END_TEST

/* The last figure before the next form, and the first one with it. */
START_TEST(counts_in_units_that_fit)
{
    static const struct {
        double mb;
        const char *text;
    } rows[] = {
        {0.04, "0.0 MB"},     {0.06, "0.1 MB"},    {9.94, "9.9 MB"},         {9.96, "10 MB"},
        {1234.4, "1234 MB"},  {9999.4, "9999 MB"}, {9999.6, "10.0 GB"},      {123456, "123.5 GB"},
        {999940, "999.9 GB"}, {999960, "1000 GB"}, {1e13, "10000000000 GB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[80];
        uint64_t n = (uint64_t)(rows[i].mb * 1e6);
        snprintf(expected, sizeof expected, "reading the pipe:  %s  %s/s", rows[i].text,
                 rows[i].text);
        ck_assert_str_eq(text_at(LANEFIX_STEP_SPOOL, n, 0, n, S), expected);
    }
}
END_TEST

START_TEST(says_how_much_time_is_left)
{
    static const struct {
        uint64_t done, total;
        int64_t ns;
        const char *left;
    } rows[] = {
        {1, 2, 499 * 1000000LL, ""}, /* too early to tell */
        {1, 2, 500 * 1000000LL, "  0:01 left"},
        {1, 3, 29 * 1000000000LL, "  0:59 left"},
        {1, 3, 30 * 1000000000LL, "  1:01 left"},
        {1, 2, 3598 * 1000000000LL, "  59:59 left"},
        {1, 2, 3599 * 1000000000LL, "  1:00:00 left"},
        {1, 100, 36000 * 1000000000LL, "  99:59:59 left"}, /* no more digits */
        {1, UINT64_MAX, INT64_MAX, "  99:59:59 left"},
        {0, 5, 1000000000LL, ""}, /* no speed, no time */
        {5, 5, 1000000000LL, ""},
        {1, 2, -1, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = text_at(LANEFIX_STEP_READ, rows[i].done, rows[i].total, 0, rows[i].ns);
        const char *left = strstr(text, "MB/s");
        ck_assert_str_eq(left ? left + 4 : "", rows[i].left);
        ck_assert_ptr_null(strstr(text, "nan"));
        ck_assert_ptr_null(strstr(text, "inf"));
    }
}
END_TEST

/* At an even speed the end that is foretold stays where it is, to the second. */
START_TEST(the_estimate_does_not_jump)
{
    for (uint64_t ms = 500; ms < 60000; ms += 7) {
        unsigned minutes, seconds;
        const char *text = text_at(LANEFIX_STEP_READ, ms + ms % 3, 60000, ms, (int64_t)ms * MS);
        ck_assert_int_eq(sscanf(strstr(text, "MB/s") + 4, "%u:%u", &minutes, &seconds), 2);
        uint64_t end = ms / 1000 + (uint64_t)60 * minutes + seconds;
        ck_assert_uint_ge(end, 59);
        ck_assert_uint_le(end, 61);
    }
}
END_TEST

START_TEST(one_hundred_per_cent_is_the_whole)
{
    ck_assert_ptr_nonnull(strstr(text_at(LANEFIX_STEP_READ, 999999, 1000000, 0, 0), " 99 %"));
    ck_assert_ptr_nonnull(
        strstr(text_at(LANEFIX_STEP_READ, UINT64_MAX - 1, UINT64_MAX, 0, 0), " 99 %"));
    ck_assert_ptr_nonnull(
        strstr(text_at(LANEFIX_STEP_READ, UINT64_MAX, UINT64_MAX, 0, 0), "100 %"));
}
END_TEST

START_TEST(leaves_the_name_out_where_there_is_no_room)
{
    struct lanefix_progress now = at(LANEFIX_STEP_READ, 1, 1, 2, 0);
    struct progress_figures f = progress_of_run(&now, 0);
    ck_assert_str_eq(text_of("t.json", &f, 26), "t.json: pass 1 of 2:  50 %");
    ck_assert_str_eq(text_of("t.json", &f, 25), "pass 1 of 2:  50 %");
    ck_assert_str_eq(text_of("t.json", &f, 18), "pass 1 of 2:  50 %");
    ck_assert_str_eq(text_of("t.json", &f, 4), "pass");
    ck_assert_str_eq(text_of("t.json", &f, 0), "");
    /* a letter may be two columns wide */
    ck_assert_str_eq(text_of("\xE8\xB7\xA1.json", &f, 27), "\xE8\xB7\xA1.json: pass 1 of 2:  50 %");
    ck_assert_str_eq(text_of("\xE8\xB7\xA1.json", &f, 26), "pass 1 of 2:  50 %");
    char room[8];
    progress_text("t.json", &f, 80, room, sizeof room);
    ck_assert_str_eq(room, "t.json:");
}
END_TEST

/* A stream in memory, which is no terminal and so has 80 columns. */
static char *out_text;
static size_t out_size;
static FILE *out;

static struct progress *begin_progress(bool drawn)
{
    out = open_memstream(&out_text, &out_size);
    ck_assert_ptr_nonnull(out);
    struct progress_options options = {out, drawn, 1000 * MS, 200 * MS};
    struct progress *progress = progress_new(&options, 5 * S);
    ck_assert_ptr_nonnull(progress);
    return progress;
}

/* What was printed since the last call. */
static void check_out(const char *expected)
{
    static size_t seen;
    ck_assert_int_eq(fflush(out), 0);
    if (seen > out_size)
        seen = 0;
    ck_assert_str_eq(out_text + seen, expected);
    seen = out_size;
}

static void hear(struct progress_file *file, enum lanefix_step step, unsigned pass, uint64_t done,
                 int64_t ms)
{
    struct lanefix_progress now = at(step, pass, done, 100, done * 1000000);
    if (step == LANEFIX_STEP_PLAN)
        now.total_nbytes = 0;
    progress_hear_at(file, &now, 5 * S + ms * MS);
}

static void end_progress(struct progress *progress, const char *expected)
{
    progress_free(progress);
    check_out(expected);
    fclose(out);
    free(out_text);
}

START_TEST(nothing_is_drawn_of_a_short_run)
{
    struct progress *progress = begin_progress(true);
    struct progress_file file;
    progress_begin_file(progress, &file, "t", 0);
    progress_tick_at(progress, 7 * S); /* of nothing heard, neither */
    hear(&file, LANEFIX_STEP_READ, 1, 0, 0);
    hear(&file, LANEFIX_STEP_READ, 1, 100, 998);
    hear(&file, LANEFIX_STEP_WRITE, 2, 50, 999);
    progress_tick_at(progress, 5 * S + 999 * MS);
    progress_end_file(&file);
    end_progress(progress, "");
}
END_TEST

START_TEST(a_longer_run_is_drawn_and_erased)
{
    struct progress *progress = begin_progress(true);
    struct progress_file file;
    progress_begin_file(progress, &file, "t", 0);
    hear(&file, LANEFIX_STEP_READ, 1, 0, 0);
    hear(&file, LANEFIX_STEP_READ, 1, 20, 1000);
    check_out("\rt: pass 1 of 2:  20 %  20 MB/s  0:05 left\033[K");
    hear(&file, LANEFIX_STEP_READ, 1, 30, 1199); /* not that often */
    check_out("");
    hear(&file, LANEFIX_STEP_READ, 1, 40, 1250);
    check_out("\rt: pass 1 of 2:  40 %  32 MB/s  0:02 left\033[K");
    hear(&file, LANEFIX_STEP_PLAN, 1, 0, 1300);
    check_out("");
    progress_tick_at(progress,
                     5 * S + 1449 * MS); /* nothing is heard of the plan, but time goes by */
    check_out("");
    progress_tick_at(progress, 5 * S + 1450 * MS);
    check_out("\rt: planning\033[K");
    hear(&file, LANEFIX_STEP_WRITE, 2, 10, 2000); /* its time begins anew */
    check_out("\rt: pass 2 of 2:  10 %\033[K");
    progress_hold(progress); /* another line is to be printed */
    check_out("\r\033[K");
    progress_release(progress);
    progress_hold(progress);
    progress_release(progress);
    check_out("");
    hear(&file, LANEFIX_STEP_WRITE, 2, 60, 3000);
    check_out("\rt: pass 2 of 2:  60 %  60 MB/s  0:01 left\033[K");
    progress_end_file(&file);
    progress_tick_at(progress, 9 * S); /* it has ended: its name may be gone */
    end_progress(progress, "\r\033[K");
}
END_TEST

START_TEST(a_plain_line_now_and_then)
{
    struct progress *progress = begin_progress(false);
    struct progress_file file;
    progress_begin_file(progress, &file, "t", 0);
    hear(&file, LANEFIX_STEP_READ, 1, 0, 0);
    hear(&file, LANEFIX_STEP_READ, 1, 20, 1000);
    check_out("trace-lanefix: t: pass 1 of 2:  20 %  20 MB/s  0:05 left\n");
    hear(&file, LANEFIX_STEP_READ, 1, 20, 1199);
    progress_hold(progress);
    progress_release(progress);
    progress_end_file(&file);
    end_progress(progress, "");
    struct progress_options plain = progress_options(PROGRESS_PLAIN, stderr);
    ck_assert(!plain.drawn && plain.first_ns == 60 * S && plain.interval_ns == 60 * S);
    struct progress_options drawn = progress_options(PROGRESS_DRAWN, stderr);
    ck_assert(drawn.drawn && drawn.first_ns == S && drawn.interval_ns == S / 5);
}
END_TEST

/* All of a file are its passes, and all of the work the files, by their size. */
START_TEST(many_files_are_added_up)
{
    struct progress *progress = begin_progress(true);
    struct progress_file a, b;
    progress_expect(progress, 3, 100000000);
    progress_begin_file(progress, &a, "a", 60000000);
    progress_begin_file(progress, &b, "b", 20000000);
    hear(&a, LANEFIX_STEP_READ, 1, 50, 1000); /* a quarter of it */
    check_out("\r0 of 3 files:  15 %  15 MB/s  0:06 left\033[K");
    hear(&b, LANEFIX_STEP_PLAN, 1, 0, 1500); /* half of it */
    check_out("\r0 of 3 files:  25 %  17 MB/s  0:05 left\033[K");
    hear(&a, LANEFIX_STEP_READ, 1, 40, 2500); /* which does not fall */
    check_out("\r0 of 3 files:  25 %  10 MB/s  0:08 left\033[K");
    progress_end_file(&a); /* before its end: it failed */
    hear(&b, LANEFIX_STEP_WRITE, 2, 100, 4000);
    check_out("\r1 of 3 files:  80 %  20 MB/s  0:02 left\033[K");
    progress_end_file(&b);
    end_progress(progress, "\r\033[K");
}
END_TEST

static void *run_one(void *file)
{
    for (uint64_t i = 0; i <= 100; i++)
        hear(file, LANEFIX_STEP_READ, 1, i, 10);
    progress_end_file(file);
    return NULL;
}

START_TEST(runs_in_threads_share_a_line)
{
    enum { N = 4 };
    struct progress *progress = begin_progress(true);
    struct progress_file files[N + 1];
    pthread_t threads[N];
    progress_start(progress);
    progress_expect(progress, N + 1, (uint64_t)100 * (N + 1));
    for (int i = 0; i < N; i++) {
        progress_begin_file(progress, &files[i], "x", 100);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_one, &files[i]), 0);
    }
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    progress_begin_file(progress, &files[N], "x", 100);
    struct lanefix_progress begin = at(LANEFIX_STEP_READ, 1, 0, 100, 0);
    progress_hear_at(&files[N], &begin, progress_clock() + 1000 * S);
    progress_free(progress);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(out_text, "\r4 of 5 files:  80 %"));
    free(out_text);
}
END_TEST

START_TEST(none_is_fine)
{
    struct progress_file file;
    struct lanefix_progress now = {0};
    progress_expect(NULL, 1, 1);
    progress_start(NULL);
    progress_begin_file(NULL, &file, NULL, 1);
    progress_hear(&file, &now);
    progress_tick_at(NULL, 1);
    progress_hold(NULL);
    progress_release(NULL);
    progress_end_file(&file);
    progress_free(NULL);
}
END_TEST

START_TEST(is_shown_where_it_is_wanted)
{
    static const struct {
        enum progress_wish wish;
        bool quiet, can_draw;
        enum progress_style style;
    } rows[] = {
        {PROGRESS_AUTO, false, false, PROGRESS_NONE}, {PROGRESS_AUTO, false, true, PROGRESS_DRAWN},
        {PROGRESS_AUTO, true, true, PROGRESS_NONE},   {PROGRESS_ON, false, false, PROGRESS_PLAIN},
        {PROGRESS_ON, true, false, PROGRESS_PLAIN},   {PROGRESS_ON, true, true, PROGRESS_DRAWN},
        {PROGRESS_OFF, false, true, PROGRESS_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_int_eq(progress_style(rows[i].wish, rows[i].quiet, rows[i].can_draw),
                         rows[i].style);
}
END_TEST

START_TEST(colours_are_for_terminals)
{
    ck_assert(terminal_draws(true, "xterm"));
    ck_assert(!terminal_draws(false, "xterm"));
    ck_assert(!terminal_draws(true, "dumb"));
    ck_assert(!terminal_draws(true, ""));
    ck_assert(!terminal_draws(true, NULL));
    ck_assert(terminal_colours(true, "xterm", NULL));
    ck_assert(terminal_colours(true, "xterm", ""));
    ck_assert(!terminal_colours(true, "xterm", "0"));
    ck_assert(!terminal_colours(true, "dumb", NULL));
    ck_assert(!terminal_colours(false, "xterm", NULL));
}
END_TEST

Suite *progress_suite(void)
{
    const TTest *const tests[] = {
        says_what_is_under_way,
        counts_in_units_that_fit,
        says_how_much_time_is_left,
        the_estimate_does_not_jump,
        one_hundred_per_cent_is_the_whole,
        leaves_the_name_out_where_there_is_no_room,
        nothing_is_drawn_of_a_short_run,
        a_longer_run_is_drawn_and_erased,
        a_plain_line_now_and_then,
        many_files_are_added_up,
        runs_in_threads_share_a_line,
        none_is_fine,
        is_shown_where_it_is_wanted,
        colours_are_for_terminals,
    };
    return SUITE_OF("progress", tests);
}
