/* What the plan tells a watch of its decisions. */
#include "../model/grid.h"
#include "plan.h"
#include "units.h"

enum { STEPS_MAX = 16 };

struct heard {
    struct plan_step steps[STEPS_MAX];
    size_t n, begun;
};

static void hear_begin(void *data)
{
    struct heard *heard = data;
    heard->n = 0;
    heard->begun++;
}

static void hear_step(void *data, const struct plan_step *step)
{
    struct heard *heard = data;
    ck_assert_uint_lt(heard->n, STEPS_MAX);
    heard->steps[heard->n++] = *step;
}

/* Plans sorted slices by the default rule with a threshold of 5 us, and listens. */
static struct heard listen(struct slice *s, size_t n, const struct pairs *pairs)
{
    struct heard heard = {.n = 0};
    struct plan_watch watch = {hear_begin, hear_step, &heard};
    struct plan_rules rules = {
        .threshold_ns = 5000, .start_ceil = grid_same, .dur_floor = grid_same, .watch = &watch};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert(plan_track(s, n, pairs, 100, &rules, &out, &stats));
    rewrites_free(&out);
    return heard;
}

/* A decision of the default rule: what the ways cost, -1 where there is no such. */
static void check_step(const struct plan_step *step, uint32_t slice, uint32_t frame,
                       enum plan_way way, int64_t trim_ns, int64_t delay_ns)
{
    ck_assert_uint_eq(step->slice, slice);
    ck_assert_uint_eq(step->frame, frame);
    ck_assert_int_eq(step->way, way);
    ck_assert_int_eq(step->shift_ns[WAY_TRIM], trim_ns);
    ck_assert_int_eq(step->shift_ns[WAY_DELAY], delay_ns);
    ck_assert_int_eq(step->shift_ns[WAY_ADVANCE], -1);
    ck_assert_int_eq(step->shift_ns[WAY_FRAME_GROWS], -1);
    ck_assert_int_eq(step->shift_ns[WAY_FRAME_TRIMS], -1);
    ck_assert_int_eq(step->shift_ns[WAY_FRAME_MOVES], -1);
    ck_assert_int_eq(step->shift_ns[WAY_MOVES], 0);
}

START_TEST(each_crossing_is_a_step)
{
    struct slice s[] = {{0, 10000, 1}, {3000, 11000, 2}, {9000, 30000, 3}, {50000, 60000, 4}};
    struct heard heard = listen(s, 4, NULL);
    ck_assert_uint_eq(heard.begun, 1);
    ck_assert_uint_eq(heard.n, 2); /* at 10000 the outer one has ended as well */
    check_step(&heard.steps[0], 1, 0, WAY_TRIM, 1000, 7000);
    check_step(&heard.steps[1], 2, 1, WAY_DELAY, 20000, 1000);
    /* the times are those of the moment: the first has been trimmed by then */
    ck_assert_int_eq(heard.steps[1].frame_start_ns, 3000);
    ck_assert_int_eq(heard.steps[1].frame_end_ns, 10000);
    ck_assert_int_eq(heard.steps[1].start_ns, 9000);
    ck_assert_int_eq(heard.steps[1].end_ns, 30000);
}
END_TEST

START_TEST(a_move_is_the_last_step)
{
    /* off the inner frame it could go, but not off the outer one */
    struct slice s[] = {{0, 200000, 1}, {1000, 103000, 2}, {100000, 250000, 3}};
    struct heard heard = listen(s, 3, NULL);
    ck_assert_uint_eq(heard.n, 2);
    check_step(&heard.steps[0], 2, 1, WAY_DELAY, 147000, 3000);
    check_step(&heard.steps[1], 2, 0, WAY_MOVES, 50000, 100000);
}
END_TEST

START_TEST(too_deep_is_without_a_frame)
{
    struct slice s[PLAN_DEPTH_MAX + 1];
    for (size_t i = 0; i <= PLAN_DEPTH_MAX; i++)
        s[i] = (struct slice){(int64_t)i, 10000, i};
    struct heard heard = listen(s, PLAN_DEPTH_MAX + 1, NULL);
    ck_assert_uint_eq(heard.n, 1);
    check_step(&heard.steps[0], PLAN_DEPTH_MAX, PLAN_NO_FRAME, WAY_MOVES, -1, -1);
}
END_TEST

/* Its frame is a pair that comes after it. */
START_TEST(an_x_that_starts_with_a_pair_hears_of_it)
{
    struct slice s[] = {{20000, 21000, 1}, {20000, 22000 | SLICE_PAIR, 2}};
    struct pair items[] = {{2, 9, 22000}};
    struct pairs pairs = {items, 1, 1};
    struct heard heard = listen(s, 2, &pairs);
    ck_assert_uint_eq(heard.n, 1);
    check_step(&heard.steps[0], 0, 1, WAY_DELAY, -1, 1);
    ck_assert_int_eq(heard.steps[0].frame_end_ns, 22000);
}
END_TEST

START_TEST(a_track_begins_even_if_nothing_crosses)
{
    struct slice s[] = {{0, 10, 1}, {2, 8, 2}};
    struct heard heard = listen(s, 2, NULL);
    ck_assert_uint_eq(heard.begun, 1);
    ck_assert_uint_eq(heard.n, 0);
}
END_TEST

Suite *plan_watch_suite(void)
{
    const TTest *const tests[] = {
        each_crossing_is_a_step, a_move_is_the_last_step, too_deep_is_without_a_frame,
        an_x_that_starts_with_a_pair_hears_of_it, a_track_begins_even_if_nothing_crosses};
    return SUITE_OF("plan, watch", tests);
}
