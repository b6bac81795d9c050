/* Random traces through the whole program, judged by a model of the viewer and an oracle of the
 * plan (test/model). RUNS and SEED in the environment say how many and which; a failure names its
 * seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/judge.h"
#include "../model/trace_random.h"
#include "lanefix.h"
#include "units.h"

enum { RUNS = 1200 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

/* One random trace. */
struct trial {
    uint64_t seed;
    char *text;
    size_t n;
    struct lanefix_options options;
    char *fixed;
    size_t fixed_n;
};

#define MUST(TRIAL, CONDITION)                                                                     \
    ck_assert_msg(CONDITION, "not so: " #CONDITION " (make check-random RUNS=1 SEED=%llu)",        \
                  (unsigned long long)(TRIAL)->seed)

/* Fixes one file of the scratch folder into another, and gives that, owned by the caller. */
static char *fix(const struct trial *t, const char *in, const char *out, size_t *n,
                 struct lanefix_totals *totals)
{
    struct lanefix_report *report;
    struct lanefix_error error;
    enum lanefix_status status =
        lanefix_fix(scratch(in), scratch(out), &t->options, &report, &error);
    MUST(t, status == LANEFIX_OK);
    *totals = *lanefix_report_totals(report);
    lanefix_report_free(report);
    return read_file(scratch(out), n);
}

/* By way of gzip, with few bytes at a time and several threads. */
static void check_gzip(struct trial *t)
{
    struct lanefix_totals totals;
    size_t gz_n, out_n, n;
    char *gz = gzip_bytes(t->text, t->n, &gz_n);
    write_file(scratch("random.gz"), gz, gz_n);
    free(gz);
    t->options.chunk_nbytes = 1 + t->seed % 300;
    t->options.jobs = 1 + (unsigned)(t->seed / 4 % 3);
    char *out = fix(t, "random.gz", "fixed.gz", &out_n, &totals);
    char *plain = gunzip_bytes(out, out_n, &n);
    MUST(t, plain && n == t->fixed_n && memcmp(plain, t->fixed, n) == 0);
    free(out);
    free(plain);
}

/* The report counts what the model counts. */
static void check_totals(const struct trial *t, const struct lanefix_totals *totals)
{
    struct model *m = model_new(t->text, t->n);
    MUST(t, totals->events == m->nevents);
    MUST(t, totals->unread_events <= m->nunreadable);
    size_t pairs = 0, forgotten = 0;
    for (size_t i = 0; i < m->nslices; i++) {
        const struct model_slice *s = &m->slices[i];
        bool zero = s->end_event != MODEL_NONE && s->start_ns == s->end_ns;
        pairs += s->end_event != MODEL_NONE;
        forgotten +=
            zero && model_ns_ceil(s->start_ns + 1) - s->start_ns >= t->options.snap_threshold_ns;
    }
    if (!m->nunreadable) {
        MUST(t, totals->slices == m->nslices - forgotten);
        MUST(t, totals->pairs == pairs - forgotten);
        MUST(t, totals->crossings == m->crossings);
        MUST(t, pairs ? totals->too_deep >= m->too_deep : totals->too_deep == m->too_deep);
    }
    model_free(m);
}

static void check_trace(uint64_t seed, struct judge_counts *counts)
{
    struct trial t = {.seed = seed, .options = LANEFIX_OPTIONS_DEFAULT};
    struct lanefix_totals totals, none;
    size_t n, event;
    uint64_t unclear = counts->unclear;
    t.text = trace_random(seed, &t.n);
    t.options.jobs = 1;
    t.options.snap_threshold_ns = trace_random_threshold(seed);
    write_file(scratch("random.json"), t.text, t.n);
    t.fixed = fix(&t, "random.json", "fixed.json", &t.fixed_n, &totals);
    check_totals(&t, &totals);
    const char *wrong =
        judge_fix(t.text, t.n, t.fixed, t.fixed_n, t.options.snap_threshold_ns, counts, &event);
    ck_assert_msg(!wrong, "event %zu: %s (make check-random RUNS=1 SEED=%llu)", event, wrong,
                  (unsigned long long)seed);
    char *again = fix(&t, "fixed.json", "again.json", &n, &none);
    MUST(&t, !none.crossings && !none.too_deep);
    if (counts->unclear == unclear) {
        MUST(&t, n == t.fixed_n && memcmp(again, t.fixed, n) == 0);
        MUST(&t, !none.pair_crossings);
    }
    free(again);
    if (seed % 4 == 0)
        check_gzip(&t);
    free(t.fixed);
    free(t.text);
}

START_TEST(random_traces)
{
    struct judge_counts counts = {0};
    uint64_t runs = from_environment("RUNS", RUNS), seed = from_environment("SEED", 1);
    for (uint64_t i = 0; i < runs; i++)
        check_trace(seed + i, &counts);
    if (getenv("RUNS"))
        printf("%llu traces, %llu slices, %llu crossed, %llu too deep; %llu snapped, %llu moved to "
               "%llu lanes, %llu of them apart; arrows: %llu compared, %llu followed, %llu of "
               "pairs, %llu unsure, %llu "
               "lost; %llu "
               "events unreadable; %llu pairs, %llu snapped, %llu moved, %llu of one time drawn "
               "apart; "
               "%llu misplaced or cut before; %llu traces unclear\n",
               (unsigned long long)counts.traces, (unsigned long long)counts.slices,
               (unsigned long long)counts.crossings, (unsigned long long)counts.too_deep,
               (unsigned long long)counts.snapped, (unsigned long long)counts.moved,
               (unsigned long long)counts.lanes, (unsigned long long)counts.lanes_apart,
               (unsigned long long)counts.arrows, (unsigned long long)counts.arrows_moved,
               (unsigned long long)counts.arrows_of_pairs, (unsigned long long)counts.arrows_unsure,
               (unsigned long long)counts.arrows_lost, (unsigned long long)counts.unreadable,
               (unsigned long long)counts.pairs, (unsigned long long)counts.pairs_snapped,
               (unsigned long long)counts.pairs_moved, (unsigned long long)counts.zero_pairs,
               (unsigned long long)counts.misplaced, (unsigned long long)counts.unclear);
    if (runs >= RUNS) { /* so that it cannot pass by seeing nothing */
        ck_assert_uint_gt(counts.snapped, runs);
        ck_assert_uint_gt(counts.moved, runs);
        ck_assert_uint_gt(counts.too_deep, runs / 400);
        ck_assert_uint_gt(counts.lanes_apart, runs / 200);
        ck_assert_uint_lt(counts.lanes_apart, counts.lanes / 15);
        ck_assert_uint_gt(counts.arrows_moved, runs / 10);
        ck_assert_uint_gt(counts.pairs_snapped, runs / 20);
        ck_assert_uint_gt(counts.pairs_moved, runs / 20);
        ck_assert_uint_gt(counts.zero_pairs, runs / 40);
        ck_assert_uint_gt(counts.misplaced, runs / 20);
        ck_assert_uint_le(counts.unclear, 5 + runs / 20);
        ck_assert_uint_gt(counts.arrows, counts.arrows_unsure / 2);
        ck_assert_uint_ge(counts.arrows_of_pairs, runs / 2000);
        ck_assert_uint_le(counts.arrows_lost, 5 + runs / 200);
    }
}
END_TEST

Suite *random_suite(void)
{
    const TTest *const tests[] = {random_traces};
    return SUITE_OF("random", tests);
}
