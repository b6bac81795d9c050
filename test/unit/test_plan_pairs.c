/* The plan of pairs, B and E that are one slice, among X. */
#include <stdlib.h>

#include "../model/grid.h"
#include "plan.h"
#include "sort.h"
#include "units.h"

DEFINE_SORT(sort_slices, struct slice, slice_less)

/* A slice, and what is expected of it. A pair has an end_off; its B stands at the row's index. */
struct row {
    int64_t start_ns, end_ns;
    uint64_t end_off; /* 0: an X */
    int64_t new_start_ns, new_end_ns;
    uint32_t lane;
};

enum { ROWS_MAX = 16, NBASE = 7 };

static const struct plan_rules exact = {.threshold_ns = 5000,
                                        .start_ceil = grid_same,
                                        .dur_floor = grid_same},
                               never = {.start_ceil = grid_same, .dur_floor = grid_same};

/* Plans the rows, which must be given in the plan's order, and compares. One of one time is a pair
 * without length. */
static struct plan_stats check_rows(const struct row *rows, size_t n,
                                    const struct plan_rules *rules)
{
    struct slice s[ROWS_MAX];
    uint32_t lane[ROWS_MAX] = {0}, ends[ROWS_MAX] = {0};
    struct rewrites out = {0};
    struct pairs pairs = {0};
    struct plan_stats stats;
    ck_assert_uint_le(n, ROWS_MAX);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        bool zero = r->end_off && r->start_ns == r->end_ns;
        s[i] = (struct slice){r->start_ns, r->end_ns + zero, 1 + i};
        if (r->end_off) {
            s[i].end_ns |= SLICE_PAIR;
            ck_assert(pairs_add(&pairs, (struct pair){1 + i, r->end_off, r->end_ns}));
        }
        ck_assert(i == 0 || slice_less(&s[i - 1], &s[i]));
    }
    ck_assert(plan_track(s, n, &pairs, NBASE, rules, &out, &stats));
    for (size_t k = 0; k < out.n; k++) {
        uint32_t i = out.items[k].slice - NBASE;
        bool end = out.items[k].off & REWRITE_END;
        ck_assert_uint_eq(rewrite_off(&out.items[k]), end ? rows[i].end_off : 1 + i);
        lane[i] = out.items[k].lane;
        ends[i] += end;
    }
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        ck_assert_msg(lane[i] == r->lane, "row %zu is on lane %u", i, lane[i]);
        ck_assert_int_eq(s[i].start_ns, r->new_start_ns);
        ck_assert_int_eq(slice_end_ns(&s[i]), r->new_end_ns);
        ck_assert_uint_eq(ends[i], r->end_off && (r->lane || r->end_ns != r->new_end_ns));
    }
    rewrites_free(&out);
    pairs_free(&pairs);
    return stats;
}

#define CHECK_ROWS(ROWS, RULES) check_rows(ROWS, sizeof(ROWS) / sizeof *(ROWS), RULES)

START_TEST(pairs_that_nest_stay)
{
    static const struct row rows[] = {{0, 100, 0, 0, 100, 0},     {0, 100, 90, 0, 100, 0},
                                      {5, 100, 80, 5, 100, 0},    {20, 20, 0, 20, 20, 0},
                                      {20, 30, 40, 20, 30, 0},    {30, 40, 0, 30, 40, 0},
                                      {100, 120, 95, 100, 120, 0}};
    struct plan_stats stats = CHECK_ROWS(rows, &exact);
    ck_assert_uint_eq(stats.crossings + stats.pair_crossings + stats.too_deep, 0);
}
END_TEST

/* The viewer would open the X first, and cut it short under the open B. */
START_TEST(an_x_that_starts_with_a_pair_goes_within_it)
{
    static const struct row rows[] = {{20000, 21000, 0, 20001, 21000, 0},
                                      {20000, 22000, 9, 20000, 22000, 0}};
    struct plan_stats stats = CHECK_ROWS(rows, &exact);
    ck_assert_uint_eq(stats.crossings, 0);
    ck_assert_uint_eq(stats.pair_crossings, 1);
    ck_assert_uint_eq(stats.snaps, 1);
    /* it is the X that moves, not all that the pair holds */
    static const struct row moved[] = {{20000, 21000, 0, 20000, 21000, 1},
                                       {20000, 22000, 9, 20000, 22000, 0}};
    ck_assert_uint_eq(CHECK_ROWS(moved, &never).moved, 1);
    /* one that is too short for that stays, and the B waits for its end */
    static const struct row shortest[] = {{20000, 20001, 0, 20000, 20001, 0},
                                          {20000, 22000, 9, 20001, 22000, 0}};
    CHECK_ROWS(shortest, &exact);
}
END_TEST

START_TEST(pairs_snap_by_either_end)
{
    static const struct row rows[] = {{0, 10000, 0, 0, 10000, 0},         /* an X, */
                                      {9000, 10100, 9, 9000, 10000, 0},   /* trimmed to its end, */
                                      {9900, 30000, 10, 10000, 30000, 0}, /* delayed to it; */
                                      {29000, 31000, 0, 29000, 30000, 0}, /* an X across a pair */
                                      {29500, 30900, 0, 30000, 30900, 0}};
    struct plan_stats stats = CHECK_ROWS(rows, &exact);
    ck_assert_uint_eq(stats.pair_crossings, 2); /* one that crosses hides what crosses it */
    ck_assert_uint_eq(stats.crossings, 0);      /* (29500, 30900) lies within (29000, 31000) */
}
END_TEST

START_TEST(pairs_move_with_both_ends)
{
    static const struct row rows[] = {{0, 100000, 50, 0, 100000, 0},
                                      {40000, 140000, 51, 40000, 140000, 1},
                                      {50000, 150000, 0, 50000, 150000, 2},
                                      {50000, 140000, 52, 50000, 140000, 2},
                                      {60000, 130000, 49, 60000, 130000, 1}};
    struct plan_stats stats = CHECK_ROWS(rows, &exact);
    ck_assert_uint_eq(stats.moved, 4);
    ck_assert_uint_eq(stats.lanes, 3);
}
END_TEST

/* Where two end at one time, the first E ends both; the second would end another one. */
START_TEST(the_inner_e_comes_first)
{
    static const struct row wrong[] = {{0, 100, 0, 0, 100, 0}, /* X between do not hide it */
                                       {0, 100, 50, 0, 100, 0},
                                       {5, 100, 0, 5, 100, 0},
                                       {6, 100, 51, 6, 99, 0}};
    ck_assert_uint_eq(CHECK_ROWS(wrong, &exact).pair_crossings, 1);
    static const struct row moved[] = {{0, 100, 50, 0, 100, 0},
                                       {6, 100, 51, 6, 100, 1},
                                       {7, 100, 52, 7, 100, 2}}; /* on a lane as well */
    CHECK_ROWS(moved, &never);
}
END_TEST

START_TEST(pairs_of_one_time_are_drawn_apart)
{
    /* within an X alone: that would end under the open B */
    static const struct row rows[] = {{0, 100, 0, 0, 100, 0},
                                      {50, 50, 20, 50, 51, 0},
                                      {50, 50, 21, 51, 52, 0},
                                      {50, 70, 22, 52, 70, 0},
                                      {80, 80, 0, 80, 80, 0}};
    ck_assert_uint_eq(CHECK_ROWS(rows, &exact).pair_crossings, 2);
    /* the E of a pair around it ends it: no harm, nothing changes (it counts as 1 ns long) */
    struct slice s[] = {{0, 100 | SLICE_PAIR, 1}, {50, 51 | SLICE_PAIR, 2}};
    struct pair items[] = {{1, 30, 100}, {2, 20, 50}};
    struct pairs pairs = {items, 2, 2};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 2, &pairs, 0, &exact, &out, &stats));
    ck_assert_uint_eq(out.n, 0);
    items[1].end_ns |= PAIR_LOST; /* but where that E would end it instead */
    ck_assert(plan_track(s, 2, &pairs, 0, &exact, &out, &stats));
    ck_assert_uint_eq(stats.pair_crossings, 1);
    ck_assert_uint_eq(out.n, 2);
    rewrites_free(&out);
}
END_TEST

/* ---- random ---------------------------------------------------------------------------------- */

enum { RANDOM_MAX = 60 };

/* On each lane, nothing is left to find. */
static void check_lanes(const struct slice *s, const uint32_t *lane, size_t n,
                        const struct pairs *pairs)
{
    for (uint32_t k = 0; k <= n; k++) {
        struct slice on_lane[RANDOM_MAX];
        struct plan_stats stats;
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (lane[i] == k)
                on_lane[m++] = s[i];
        sort_slices(on_lane, m);
        plan_count(on_lane, m, pairs, &stats);
        ck_assert_uint_eq(stats.crossings + stats.pair_crossings + stats.too_deep, 0);
    }
}

/* What may become of a slice. */
static void check_times(const struct slice *was, const struct slice *is, bool moves, uint8_t kind,
                        const struct plan_rules *rules)
{
    int64_t delay = is->start_ns - was->start_ns, trim = slice_end_ns(was) - slice_end_ns(is);
    bool outward = delay < 0 || trim < 0;
    ck_assert((!moves && !(kind & KIND_KEEP_TIMES)) || (!delay && !trim));
    ck_assert((!delay || llabs(delay) < rules->threshold_ns) &&
              (!trim || llabs(trim) < rules->threshold_ns));
    ck_assert(!outward || (rules->snap == PLAN_SOFT && !slice_is_pair(is)));
    ck_assert(grid_ceil(is->start_ns) == is->start_ns);
    ck_assert(!slice_is_pair(is) || grid_ceil(slice_end_ns(is)) == slice_end_ns(is));
}

static void plan_random(uint64_t *state, struct plan_rules *rules, uint64_t *moved)
{
    struct kinds kinds = {0};
    struct slice s[RANDOM_MAX], before[RANDOM_MAX];
    uint32_t lane[RANDOM_MAX] = {0};
    struct pairs pairs = {0};
    struct rewrites out = {0};
    struct plan_stats stats;
    size_t n = 1 + random_below(state, RANDOM_MAX);
    uint64_t span = 1 + random_below(state, 3000);
    for (size_t i = 0; i < n; i++) {
        int64_t start = grid_ceil((int64_t)random_below(state, span));
        int64_t end = start + (int64_t)random_below(state, span);
        s[i] = (struct slice){start, end, 1 + i};
        ck_assert(kinds_add(&kinds, 1 + i, (uint8_t)random_below(state, 12)));
        if (random_below(state, 2))
            continue;
        end = grid_ceil(end + 1);
        s[i].end_ns = end | SLICE_PAIR;
        ck_assert(pairs_add(&pairs, (struct pair){1 + i, 100 + random_below(state, 1000), end}));
    }
    pairs_sort(&pairs);
    sort_slices(s, n);
    for (size_t i = 0; i < n; i++)
        before[i] = s[i];
    rules->kinds = rules->snap == PLAN_FIRST ? NULL : &kinds;
    ck_assert(plan_track(s, n, &pairs, 0, rules, &out, &stats));
    for (size_t k = 0; k < out.n; k++)
        lane[out.items[k].slice] = out.items[k].lane;
    for (size_t i = 0; i < n; i++) {
        check_times(&before[i], &s[i], lane[i],
                    rules->kinds ? kinds_get(&kinds, slice_off(&s[i])) : KIND_OP, rules);
        *moved += lane[i] > 0;
    }
    check_lanes(s, lane, n, &pairs);
    rewrites_free(&out);
    pairs_free(&pairs);
    kinds_free(&kinds);
}

START_TEST(nothing_is_left_on_random_tracks)
{
    static const enum plan_snap snaps[] = {PLAN_FIRST, PLAN_SOFT, PLAN_LEAST};
    uint64_t state = 3, moved = 0;
    for (int round = 0; round < 6000; round++) {
        struct plan_rules rules = {.threshold_ns = (int64_t)random_below(&state, 400),
                                   .start_ceil = grid_ceil,
                                   .dur_floor = grid_floor,
                                   .snap = snaps[round % 3]};
        plan_random(&state, &rules, &moved);
    }
    ck_assert_uint_gt(moved, 10000);
}
END_TEST

Suite *plan_pairs_suite(void)
{
    const TTest *const tests[] = {pairs_that_nest_stay,
                                  an_x_that_starts_with_a_pair_goes_within_it,
                                  pairs_snap_by_either_end,
                                  pairs_move_with_both_ends,
                                  the_inner_e_comes_first,
                                  pairs_of_one_time_are_drawn_apart,
                                  nothing_is_left_on_random_tracks};
    return SUITE_OF("plan, pairs", tests);
}
