/* The plan by itself: the cases of the spec, and its departures from the Python tool with what that
 * would have done. */
#include "plan.h"

#include "units.h"

static int64_t same(int64_t ns)
{
    return ns;
}

static const struct plan_rules exact = {
    .threshold_ns = 5000, .start_ceil = same, .dur_floor = same};

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
    ck_assert(plan_track(s, n, NULL, 7, rules, &out, stats));
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
    static const struct plan_rules never = {
        .threshold_ns = 0, .start_ceil = same, .dur_floor = same};
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
    static const struct plan_rules grid = {
        .threshold_ns = 5000, .start_ceil = grid_ceil, .dur_floor = same};
    /* 1000 -> 1024; the third would start at or after its own end, so its end is trimmed */
    struct slice s[] = {{0, 1000, 1}, {900, 3000, 2}, {2990, 3050, 3}};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 3, NULL, 0, &grid, &out, &stats));
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
    static const struct plan_rules grid = {
        .threshold_ns = 300, .start_ceil = grid_ceil, .dur_floor = same};
    struct slice s[] = {{0, 1000, 1}, {990, 3000, 2}, {1010, 1500, 3}, {1012, 4000, 4}};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 4, NULL, 0, &grid, &out, &stats));
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
    static const struct plan_rules grid = {
        .threshold_ns = 5000, .start_ceil = same, .dur_floor = grid_floor};
    struct slice s[] = {{0, 1000, 1}, {950, 3020, 2}};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, 2, NULL, 0, &grid, &out, &stats));
    ck_assert_int_eq(s[1].start_ns, 1000);
    ck_assert_int_eq(s[1].end_ns, 3000); /* 2020 cannot be written */
    rewrites_free(&out);
}
END_TEST

START_TEST(counts_as_the_viewer_does)
{
    /* the second crosses and never enters the stack, so the third crosses nothing */
    struct slice s[] = {{0, 100, 1}, {50, 150, 2}, {110, 160, 3}, {120, 120, 4}, {160, 170, 5}};
    struct plan_stats stats;
    plan_count(s, 5, NULL, &stats);
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
                                  counts_as_the_viewer_does};
    return SUITE_OF("plan", tests);
}
