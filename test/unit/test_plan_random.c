/* The plan against the oracle of test/model, on random slices; and the plan of a million slices. */
#include <stdlib.h>
#include <string.h>

#include "../model/grid.h"
#include "../model/model.h"
#include "../model/plan_oracle.h"
#include "plan.h"
#include "sort.h"
#include "units.h"
#include "viewer_time.h"

DEFINE_SORT(sort_slices, struct slice, slice_less)

/* Random slices of one of several shapes, sorted; their places are those before that. */
static void random_slices(uint64_t *state, struct slice *s, size_t n, int64_t base_ns)
{
    uint64_t span = 1 + random_below(state, 40000), longest = 1 + random_below(state, 20000);
    uint64_t unit = random_below(state, 3) ? 1 : 1000;
    bool deep = n > 600; /* nested below 512, with some that cross */
    for (size_t i = 0; i < n; i++) {
        int64_t start = (int64_t)(random_below(state, span) / unit * unit);
        int64_t dur = (int64_t)(random_below(state, longest) / unit * unit);
        if (random_below(state, 10) == 0)
            dur = 0;
        if (deep && random_below(state, 10)) {
            start = (int64_t)(i * 10 + random_below(state, 3));
            dur = (int64_t)(n * 30 - 2 * i * 10 + random_below(state, 5));
        }
        s[i] = (struct slice){base_ns + start, base_ns + start + dur, i};
    }
    sort_slices(s, n);
}

/* By the viewer's rule: do the slices of each lane nest, none too deep? */
static void check_nothing_crosses(const struct slice *s, const uint32_t *lane, size_t n)
{
    static struct slice on_lane[4096];
    uint32_t lanes = 0;
    for (size_t i = 0; i < n; i++)
        lanes = lane[i] > lanes ? lane[i] : lanes;
    for (uint32_t k = 0; k <= lanes; k++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (lane[i] == k)
                on_lane[m++] = s[i];
        sort_slices(on_lane, m);
        struct plan_stats stats;
        plan_count(on_lane, m, NULL, &stats);
        ck_assert_uint_eq(stats.crossings, 0);
        ck_assert_uint_eq(stats.too_deep, 0);
    }
}

enum { ORACLE_MAX = 1200 };

/* Plans n random slices both ways. Adds to the counts of what became of them. */
static void compare_with_oracle(uint64_t *state, size_t n, const struct plan_rules *rules,
                                int64_t base_ns, uint64_t *moved, uint64_t *snapped)
{
    static struct slice s[ORACLE_MAX];
    static struct oracle_slice x[ORACLE_MAX];
    static uint32_t lane[ORACLE_MAX];
    struct oracle_rules oracle_rules = {.threshold_ns = rules->threshold_ns,
                                        .start_ceil = rules->start_ceil,
                                        .dur_floor = rules->dur_floor};
    struct rewrites out = {0};
    struct plan_stats stats;
    random_slices(state, s, n, base_ns);
    for (size_t i = 0; i < n; i++)
        x[slice_off(&s[i])] =
            (struct oracle_slice){.start_ns = s[i].start_ns, .end_ns = s[i].end_ns};
    oracle_plan(x, n, &oracle_rules);
    ck_assert(plan_track(s, n, NULL, 0, rules, &out, &stats));
    memset(lane, 0, sizeof lane);
    for (size_t k = 0; k < out.n; k++)
        lane[out.items[k].slice] = out.items[k].lane;
    for (size_t i = 0; i < n; i++) {
        const struct oracle_slice *o = &x[slice_off(&s[i])];
        ck_assert_msg(s[i].start_ns == o->new_start_ns && s[i].end_ns == o->new_end_ns &&
                          lane[i] == o->lane,
                      "slice %zu of %zu differs", i, n);
        *moved += o->lane > 0;
        *snapped += o->new_start_ns != o->start_ns || o->new_end_ns != o->end_ns;
    }
    check_nothing_crosses(s, lane, n);
    rewrites_free(&out);
}

START_TEST(equals_the_oracle)
{
    uint64_t state = 42, moved = 0, snapped = 0;
    for (int round = 0; round < 3000; round++) {
        size_t n = 1 + random_below(&state, round % 300 == 0 ? ORACLE_MAX : 40);
        int64_t threshold = (int64_t)random_below(&state, round % 2 ? 6000 : 300);
        struct plan_rules rules = {
            .threshold_ns = threshold, .start_ceil = grid_same, .dur_floor = grid_same};
        if (round % 3 == 1)
            rules = (struct plan_rules){
                .threshold_ns = threshold, .start_ceil = grid_ceil, .dur_floor = grid_floor};
        compare_with_oracle(&state, n, &rules, 0, &moved, &snapped);
    }
    ck_assert_uint_gt(moved, 1000);
    ck_assert_uint_gt(snapped, 1000);
}
END_TEST

/* Where times are written in us since 1970: both ways with their own idea of what can be written.
 */
START_TEST(equals_the_oracle_at_epoch)
{
    static const int64_t bases_ns[] = {INT64_C(1712195496004644000), INT64_C(4398046511104) * 1000,
                                       INT64_C(8388607) * 1000000000000, INT64_C(0)};
    uint64_t state = 43, moved = 0, snapped = 0;
    for (int round = 0; round < 200; round++) {
        struct plan_rules rules = {.threshold_ns = (int64_t)random_below(&state, 6000),
                                   .start_ceil = viewer_ns_ceil,
                                   .dur_floor = viewer_ns_floor};
        compare_with_oracle(&state, 1 + random_below(&state, 40), &rules, bases_ns[round % 4],
                            &moved, &snapped);
    }
    ck_assert_uint_gt(moved, 100);
    ck_assert_uint_gt(snapped, 100);
}
END_TEST

START_TEST(writable_times_are_those_of_the_model)
{
    static const int64_t bases_ns[] = {0,
                                       INT64_C(4398046511104) * 1000 - 2000,
                                       INT64_C(1712195496004644000),
                                       (INT64_C(1) << 51) * 1000 - 2000,
                                       (INT64_C(1) << 53) * 1000 - 2000,
                                       INT64_MAX - 20000};
    for (size_t i = 0; i < sizeof bases_ns / sizeof *bases_ns; i++) {
        for (int64_t ns = bases_ns[i]; ns < bases_ns[i] + 4000; ns += 13) {
            ck_assert_int_eq(viewer_ns_ceil(ns), model_ns_ceil(ns));
            ck_assert_int_eq(viewer_ns_floor(ns), model_ns_floor(ns));
        }
    }
}
END_TEST

/* ---- depth and size -------------------------------------------------------------------------- */

/* Plans n slices made by `make` and gives the number of lanes. */
static uint32_t plan_many(size_t n, struct slice (*make)(size_t i, size_t n))
{
    struct slice *s = malloc(n * sizeof *s);
    uint32_t *lane = calloc(n, sizeof *lane);
    struct rewrites out = {0};
    struct plan_stats stats;
    static const struct plan_rules rules = {
        .threshold_ns = 5000, .start_ceil = grid_same, .dur_floor = grid_same};
    ck_assert(s && lane);
    for (size_t i = 0; i < n; i++)
        s[i] = make(i, n);
    sort_slices(s, n);
    ck_assert(plan_track(s, n, NULL, 0, &rules, &out, &stats));
    rewrites_free(&out);
    free(lane);
    free(s);
    return stats.lanes;
}

static struct slice all_cross(size_t i, size_t n)
{
    int64_t start = (int64_t)i * 10000;
    return (struct slice){start, start + (int64_t)n * 10000, i};
}

static struct slice nest_deeply(size_t i, size_t n)
{
    return (struct slice){(int64_t)i, (int64_t)(4 * n - i), i};
}

static struct slice all_at_one_time(size_t i, size_t n)
{
    (void)n;
    return (struct slice){5, 5, i};
}

static struct slice reversed_pairs(size_t i, size_t n)
{
    int64_t start = (int64_t)((n - i) / 2) * 7000;
    return (struct slice){start, start + 9000 + (int64_t)(i % 2) * 6000, i};
}

START_TEST(a_million_mutually_crossing_slices)
{
    ck_assert_uint_eq(plan_many(1000000, all_cross), 1000000);
}
END_TEST

START_TEST(a_stack_of_100000)
{
    /* 512 on each lane, the thread's own among them */
    ck_assert_uint_eq(plan_many(100000, nest_deeply), (100000 + 511) / 512);
}
END_TEST

/* The viewer nests zero-length slices of one time, so they count for the depth. */
START_TEST(zero_length_slices_nest)
{
    ck_assert_uint_eq(plan_many(1100, all_at_one_time), 3);
}
END_TEST

START_TEST(a_million_in_reverse_order)
{
    ck_assert_uint_ge(plan_many(1000000, reversed_pairs), 2);
}
END_TEST

Suite *plan_random_suite(void)
{
    const TTest *const tests[] = {equals_the_oracle,
                                  equals_the_oracle_at_epoch,
                                  writable_times_are_those_of_the_model,
                                  a_million_mutually_crossing_slices,
                                  a_stack_of_100000,
                                  zero_length_slices_nest,
                                  a_million_in_reverse_order};
    return SUITE_OF("plan, random and large", tests);
}
