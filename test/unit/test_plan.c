/* The plan by itself: the cases of the spec, the departures from the Python tool with what that
 * would have done, an oracle that shares no code with it, and size. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "lane_set.h"
#include "sort.h"
#include "units.h"
#include "viewer_time.h"

enum { LANES_MAX = 4096 };

static int64_t same(int64_t ns)
{
    return ns;
}

static const struct plan_rules exact = {5000, same, same};

/* A slice in us, and what is expected of it: new start and end in us, lane. */
struct expected {
    double ts, dur, new_ts, new_dur;
    uint32_t lane;
};

static int64_t to_ns(double us)
{
    return (int64_t)(us * 1000 + 0.5);
}

/* Plans the slices, which must be given in the plan's order, and compares. */
static void check_plan(const struct expected *rows, size_t n, const struct plan_rules *rules,
                       struct plan_stats *stats)
{
    struct slice s[64];
    uint32_t lane[64] = {0};
    struct rewrites out = {0};
    ck_assert_uint_le(n, 64);
    for (size_t i = 0; i < n; i++) {
        s[i] = (struct slice){to_ns(rows[i].ts), to_ns(rows[i].ts + rows[i].dur), 100 + i};
        ck_assert(i == 0 || slice_less(&s[i - 1], &s[i]));
    }
    ck_assert(plan_track(s, n, 7, rules, &out, stats));
    for (size_t k = 0; k < out.n; k++) {
        ck_assert_uint_eq(out.items[k].off, 100 + out.items[k].slice - 7);
        lane[out.items[k].slice - 7] = out.items[k].lane;
    }
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(lane[i] == rows[i].lane, "slice %zu is on lane %u", i, lane[i]);
        ck_assert_int_eq(s[i].start_ns, to_ns(rows[i].new_ts));
        ck_assert_int_eq(s[i].end_ns, to_ns(rows[i].new_ts + rows[i].new_dur));
    }
    rewrites_free(&out);
}

#define CHECK_PLAN(ROWS, RULES, STATS) check_plan(ROWS, sizeof(ROWS) / sizeof *(ROWS), RULES, STATS)

START_TEST(leaves_nested_and_touching_slices)
{
    static const struct expected rows[] = {{0, 10, 0, 10, 0},
                                           {0, 10, 0, 10, 0},
                                           {2, 8, 2, 8, 0},
                                           {10, 5, 10, 5, 0},
                                           {15, 0, 15, 0, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.crossings, 0);
    ck_assert_uint_eq(stats.lanes, 1);
}
END_TEST

START_TEST(snaps_the_start_of_the_next_kernel)
{
    static const struct expected rows[] = {{10, 6, 10, 6, 0}, {15.2, 6, 16, 5.2, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.crossings, 1);
    ck_assert_uint_eq(stats.snaps, 1);
    ck_assert_uint_eq(stats.moved, 0);
}
END_TEST

START_TEST(snaps_the_end_where_that_is_less)
{
    static const struct expected rows[] = {{0, 10, 0, 10, 0}, {3, 8, 3, 7, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.snaps, 1);
}
END_TEST

/* One more of the reference's tests: both frames end, and the annotation starts after the outer. */
START_TEST(start_snap_looks_at_the_outer_frame_too)
{
    static const struct expected rows[] = {
        {0, 3.405, 0, 3.405, 0}, {0.170, 3.205, 0.170, 3.205, 0}, {1.122, 10, 3.405, 7.717, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.snaps, 2);
}
END_TEST

START_TEST(threshold_zero_never_snaps)
{
    static const struct plan_rules never = {0, same, same};
    static const struct expected rows[] = {{10, 6, 10, 6, 0}, {15.999, 6, 15.999, 6, 1}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &never, &stats);
    ck_assert_uint_eq(stats.moved, 1);
    ck_assert_uint_eq(stats.lanes, 2);
}
END_TEST

START_TEST(the_threshold_itself_is_too_much)
{
    static const struct expected rows[] = {
        {0, 10, 0, 10, 0}, {5, 20, 5, 20, 1}, {100, 10, 100, 10, 0}, {105.001, 20, 110, 15.001, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
}
END_TEST

/* train() holds next(); only the step that crosses both moves. */
START_TEST(moves_only_the_annotation)
{
    static const struct expected rows[] = {
        {0, 1000, 0, 1000, 0}, {400, 1000, 400, 1000, 1}, {1100, 100, 1100, 100, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
}
END_TEST

/* Departure: the put-back. The reference judges the third slice against X as it was pushed to 10:
 * it starts before, so it would be squeezed to (10, 0). */
START_TEST(an_innocent_slice_keeps_its_place)
{
    static const struct expected rows[] = {
        {0, 10, 0, 10, 0}, {9.9, 10, 10, 9.9, 0}, {9.95, 0.02, 9.95, 0.02, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.snaps, 1);
}
END_TEST

/* The reference's test of that name: the child crosses `previous` as well, and follows its parent.
 */
START_TEST(child_of_a_snapped_parent_is_rechecked)
{
    static const struct expected rows[] = {
        {0, 10, 0, 10, 0}, {9.9, 10, 10, 9.9, 0}, {9.95, 1, 10, 0.95, 0}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
}
END_TEST

/* Departure: the whole shift is bounded. The reference would push the last slice by 4 us three
 * times to 112, 12 us in all. */
START_TEST(steps_do_not_add_up_beyond_the_threshold)
{
    static const struct expected rows[] = {
        {0, 112, 0, 112, 0}, {1, 107, 1, 107, 0}, {2, 102, 2, 102, 0}, {100, 50, 100, 50, 1}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.snaps, 0);
}
END_TEST

/* Departure: what moves keeps its timing. The reference pushes the start to 104 (off the inner
 * frame), finds the outer one too far away, and moves the slice with ts 104. */
START_TEST(a_moved_slice_is_not_half_snapped)
{
    static const struct expected rows[] = {
        {0, 200, 0, 200, 0}, {1, 103, 1, 103, 0}, {100, 150, 100, 150, 1}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
}
END_TEST

START_TEST(lanes_are_first_fit_and_nest)
{
    static const struct expected rows[] = {{0, 100, 0, 100, 0},    {10, 200, 10, 200, 1},
                                           {20, 400, 20, 400, 2},  {30, 150, 30, 150, 1},
                                           {40, 500, 40, 500, 3},  {220, 300, 220, 300, 0},
                                           {230, 330, 230, 330, 1}};
    struct plan_stats stats;
    CHECK_PLAN(rows, &exact, &stats);
    ck_assert_uint_eq(stats.lanes, 4);
    ck_assert_uint_eq(stats.moved, 5);
}
END_TEST

/* A start can only be written on multiples of 256 here. */
static int64_t grid_ceil(int64_t ns)
{
    return (ns + 255) / 256 * 256;
}

START_TEST(starts_are_such_as_can_be_written)
{
    static const struct plan_rules grid = {5000, grid_ceil, same};
    /* 1000 -> 1024; the third would start at or after its own end, so its end is trimmed */
    struct slice s[] = {{0, 1000, 1}, {900, 3000, 2}, {2990, 3050, 3}};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 3, 0, &grid, &out, &stats));
    ck_assert_int_eq(s[1].start_ns, 1024);
    ck_assert_int_eq(s[1].end_ns, 3000);
    ck_assert_int_eq(s[2].start_ns, 2990);
    ck_assert_int_eq(s[2].end_ns, 3000);
    ck_assert_uint_eq(out.n, 2);
    rewrites_free(&out);
}
END_TEST

/* A slice that was put back and then moves all the same takes its lane in the order of its own
 * start, before one that moved earlier. */
START_TEST(lanes_are_filled_in_the_order_of_the_starts)
{
    static const struct plan_rules grid = {300, grid_ceil, same};
    struct slice s[] = {{0, 1000, 1}, {990, 3000, 2}, {1010, 1500, 3}, {1012, 4000, 4}};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 4, 0, &grid, &out, &stats));
    ck_assert_uint_eq(out.n, 2);
    ck_assert(out.items[0].slice == 1 && out.items[0].lane == 1);
    ck_assert(out.items[1].slice == 3 && out.items[1].lane == 2);
    ck_assert_int_eq(s[1].start_ns, 990);
    ck_assert_uint_eq(stats.snaps, 0);
    rewrites_free(&out);
}
END_TEST

static int64_t grid_floor(int64_t ns)
{
    return ns / 100 * 100;
}

START_TEST(durations_are_such_as_can_be_written)
{
    static const struct plan_rules grid = {5000, same, grid_floor};
    struct slice s[] = {{0, 1000, 1}, {950, 3020, 2}};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 2, 0, &grid, &out, &stats));
    ck_assert_int_eq(s[1].start_ns, 1000);
    ck_assert_int_eq(s[1].end_ns, 3000); /* 2020 cannot be written */
    rewrites_free(&out);
}
END_TEST

/* ---- an oracle, written for clarity alone ---------------------------------------------------- */

struct item {
    int64_t start, end, own_start, own_end;
    size_t place;
    uint32_t lane;
    bool waiting, moved;
};

struct stack {
    struct item *open[4096];
    size_t n;
};

static void close_before(struct stack *stack, const struct item *x, bool own)
{
    int64_t start = own ? x->own_start : x->start, end = own ? x->own_end : x->end;
    while (stack->n) {
        const struct item *top = stack->open[stack->n - 1];
        int64_t top_start = own ? top->own_start : top->start;
        int64_t top_end = own ? top->own_end : top->end;
        bool both_zero = top_start == top_end && start == end;
        if (top_end > start || (top_end == start && both_zero))
            return;
        stack->n--;
    }
}

/* The next one in the order (start, longest, place) that is still waiting. */
static struct item *next_waiting(struct item *x, size_t n)
{
    struct item *best = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!x[i].waiting)
            continue;
        if (!best || x[i].start < best->start ||
            (x[i].start == best->start &&
             (x[i].end > best->end || (x[i].end == best->end && x[i].place < best->place))))
            best = &x[i];
    }
    return best;
}

/* Spec 4, step 2, for exact times. Returns false where no snap does it. */
static bool oracle_snap(const struct stack *stack, struct item *x, int64_t threshold)
{
    int64_t cur = x->start, end = x->end;
    size_t k = stack->n;
    for (; k > 0; k--) {
        int64_t f_end = stack->open[k - 1]->end;
        if (f_end <= cur)
            continue;
        if (end <= f_end)
            break;
        if (end - f_end <= f_end - cur && x->own_end - f_end < threshold) {
            end = f_end;
            break;
        }
        if (f_end - x->own_start >= threshold)
            return false;
        cur = f_end;
    }
    if (k >= PLAN_DEPTH_MAX)
        return false;
    x->start = cur;
    x->end = end;
    return true;
}

static void oracle(struct item *x, size_t n, int64_t threshold)
{
    static struct stack stack, lanes[LANES_MAX];
    stack.n = 0;
    for (struct item *it; (it = next_waiting(x, n));) {
        close_before(&stack, it, false);
        bool held = !stack.n || it->end <= stack.open[stack.n - 1]->end;
        int64_t before = it->start;
        if (!(held && stack.n < PLAN_DEPTH_MAX)) {
            it->moved = !oracle_snap(&stack, it, threshold);
            if (!it->moved && it->start != before)
                continue; /* put back at its new start */
        }
        it->waiting = false;
        if (!it->moved)
            stack.open[stack.n++] = it;
    }
    for (size_t k = 0; k < LANES_MAX; k++)
        lanes[k].n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!x[i].moved)
            continue;
        x[i].start = x[i].own_start;
        x[i].end = x[i].own_end;
        for (x[i].lane = 1;; x[i].lane++) {
            struct stack *lane = &lanes[x[i].lane];
            close_before(lane, &x[i], true);
            if (lane->n < PLAN_DEPTH_MAX &&
                (!lane->n || x[i].own_end <= lane->open[lane->n - 1]->own_end)) {
                lane->open[lane->n++] = &x[i];
                break;
            }
        }
    }
}

DEFINE_SORT(sort_slices, struct slice, slice_less)

/* Random slices of one of several shapes, sorted. */
static void random_slices(uint64_t *state, struct slice *s, size_t n)
{
    uint64_t span = 1 + random_below(state, 40000), longest = 1 + random_below(state, 20000);
    uint64_t unit = random_below(state, 3) ? 1 : 1000;
    for (size_t i = 0; i < n; i++) {
        int64_t start = (int64_t)(random_below(state, span) / unit * unit);
        int64_t dur = (int64_t)(random_below(state, longest) / unit * unit);
        if (random_below(state, 10) == 0)
            dur = 0;
        s[i] = (struct slice){start, start + dur, i};
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
        plan_count(on_lane, m, &stats);
        ck_assert_uint_eq(stats.crossings, 0);
        ck_assert_uint_eq(stats.too_deep, 0);
    }
}

START_TEST(equals_the_oracle)
{
    static struct slice s[1200];
    static struct item x[1200];
    static uint32_t lane[1200];
    uint64_t state = 42, moved = 0, snapped = 0;
    for (int round = 0; round < 3000; round++) {
        size_t n = 1 + random_below(&state, round % 300 == 0 ? 1200 : 40);
        int64_t threshold = (int64_t)random_below(&state, round % 2 ? 6000 : 300);
        struct plan_rules rules = {threshold, same, same};
        struct rewrites out = {0};
        struct plan_stats stats;
        random_slices(&state, s, n);
        for (size_t i = 0; i < n; i++)
            x[i] = (struct item){s[i].start_ns,    s[i].end_ns, s[i].start_ns, s[i].end_ns,
                                 slice_off(&s[i]), 0,           true,          false};
        oracle(x, n, threshold);
        ck_assert(plan_track(s, n, 0, &rules, &out, &stats));
        memset(lane, 0, sizeof lane);
        for (size_t k = 0; k < out.n; k++)
            lane[out.items[k].slice] = out.items[k].lane;
        for (size_t i = 0; i < n; i++) {
            ck_assert_msg(s[i].start_ns == x[i].start && s[i].end_ns == x[i].end &&
                              lane[i] == x[i].lane,
                          "round %d, slice %zu of %zu differs", round, i, n);
            moved += lane[i] > 0;
            snapped +=
                lane[i] == 0 && (s[i].start_ns != x[i].own_start || s[i].end_ns != x[i].own_end);
        }
        check_nothing_crosses(s, lane, n);
        rewrites_free(&out);
    }
    ck_assert_uint_gt(moved, 1000);
    ck_assert_uint_gt(snapped, 1000);
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
    ck_assert(s && lane);
    for (size_t i = 0; i < n; i++)
        s[i] = make(i, n);
    sort_slices(s, n);
    ck_assert(plan_track(s, n, 0, &exact, &out, &stats));
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

START_TEST(counts_as_the_viewer_does)
{
    /* the second crosses and never enters the stack, so the third crosses nothing */
    struct slice s[] = {{0, 100, 1}, {50, 150, 2}, {110, 160, 3}, {120, 120, 4}, {160, 170, 5}};
    struct plan_stats stats;
    plan_count(s, 5, &stats);
    ck_assert_uint_eq(stats.crossings, 1);
    ck_assert_uint_eq(stats.too_deep, 0);
}
END_TEST

Suite *plan_suite(void)
{
    const TTest *const tests[] = {leaves_nested_and_touching_slices,
                                  snaps_the_start_of_the_next_kernel,
                                  snaps_the_end_where_that_is_less,
                                  start_snap_looks_at_the_outer_frame_too,
                                  threshold_zero_never_snaps,
                                  the_threshold_itself_is_too_much,
                                  moves_only_the_annotation,
                                  an_innocent_slice_keeps_its_place,
                                  child_of_a_snapped_parent_is_rechecked,
                                  steps_do_not_add_up_beyond_the_threshold,
                                  a_moved_slice_is_not_half_snapped,
                                  lanes_are_first_fit_and_nest,
                                  starts_are_such_as_can_be_written,
                                  lanes_are_filled_in_the_order_of_the_starts,
                                  durations_are_such_as_can_be_written,
                                  equals_the_oracle,
                                  a_million_mutually_crossing_slices,
                                  a_stack_of_100000,
                                  zero_length_slices_nest,
                                  a_million_in_reverse_order,
                                  counts_as_the_viewer_does};
    return SUITE_OF("plan", tests);
}

/* ---- lane_set -------------------------------------------------------------------------------- */

static uint32_t place(struct lane_set *set, int64_t start, int64_t end)
{
    uint32_t lane = 0;
    ck_assert(lane_set_place(set, start, end, &lane));
    return lane;
}

START_TEST(takes_the_first_lane_that_holds)
{
    struct lane_set *set = lane_set_new(512);
    ck_assert_uint_eq(lane_set_count(set), 0);
    ck_assert_uint_eq(place(set, 0, 100), 1);
    ck_assert_uint_eq(place(set, 10, 50), 1); /* nests */
    ck_assert_uint_eq(place(set, 20, 60), 2); /* crosses (10, 50) */
    ck_assert_uint_eq(place(set, 30, 70), 3);
    ck_assert_uint_eq(place(set, 50, 100), 1);  /* (10, 50) has ended */
    ck_assert_uint_eq(place(set, 70, 1000), 2); /* 2 and 3 are empty again */
    ck_assert_uint_eq(lane_set_count(set), 3);
    lane_set_free(set);
}
END_TEST

START_TEST(a_full_lane_takes_no_more)
{
    struct lane_set *set = lane_set_new(2);
    ck_assert_uint_eq(place(set, 0, 100), 1);
    ck_assert_uint_eq(place(set, 1, 99), 1);
    ck_assert_uint_eq(place(set, 2, 98), 2);
    ck_assert_uint_eq(place(set, 99, 100), 1);
    lane_set_free(set);
    lane_set_free(NULL);
}
END_TEST

Suite *lane_set_suite(void)
{
    const TTest *const tests[] = {takes_the_first_lane_that_holds, a_full_lane_takes_no_more};
    return SUITE_OF("lane_set", tests);
}

/* ---- sort ------------------------------------------------------------------------------------ */

static bool int_less(const int *a, const int *b)
{
    return *a < *b;
}

DEFINE_SORT(sort_ints, int, int_less)

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

START_TEST(sorts_as_qsort_does)
{
    static int a[3000], b[3000];
    uint64_t state = 3;
    for (int round = 0; round < 400; round++) {
        size_t n = random_below(&state, 3000);
        uint64_t range = 1 + random_below(&state, round % 3 ? 100000 : 5);
        for (size_t i = 0; i < n; i++)
            a[i] = round % 5 == 4 ? (int)(i < n / 2 ? i : n - i) : (int)random_below(&state, range);
        memcpy(b, a, sizeof a);
        sort_ints(a, n);
        qsort(b, n, sizeof *b, compare_ints);
        ck_assert_mem_eq(a, b, n * sizeof *a);
        memcpy(a, b, n * sizeof *a);
        sort_ints_heap(a, n); /* the fallback by itself */
        ck_assert_mem_eq(a, b, n * sizeof *a);
    }
}
END_TEST

START_TEST(heap_sorts_what_is_not_sorted)
{
    static int a[1000];
    uint64_t state = 5;
    for (size_t i = 0; i < 1000; i++)
        a[i] = (int)random_below(&state, 500);
    sort_ints_heap(a, 1000);
    for (size_t i = 1; i < 1000; i++)
        ck_assert_int_le(a[i - 1], a[i]);
}
END_TEST

Suite *sort_suite(void)
{
    const TTest *const tests[] = {sorts_as_qsort_does, heap_sorts_what_is_not_sorted};
    return SUITE_OF("sort", tests);
}
