/* Which slice gives way, and how: the rules of plan.h, case by case. */
#include <stdlib.h>

#include "../model/grid.h"
#include "plan.h"
#include "units.h"

enum { ROWS_MAX = 64, KEEP = KIND_KEEP_TIMES };

/* A slice, its kind, and what is expected of it. In the plan's order. */
struct row {
    int64_t start_ns, end_ns;
    int64_t kind;
    int64_t new_start_ns, new_end_ns;
    uint32_t lane;
};

static const struct plan_rules soft = {.threshold_ns = 5000,
                                       .start_ceil = grid_same,
                                       .dur_floor = grid_same,
                                       .snap = PLAN_SOFT},
                               first = {.threshold_ns = 5000,
                                        .start_ceil = grid_same,
                                        .dur_floor = grid_same},
                               least = {.threshold_ns = 5000,
                                        .start_ceil = grid_same,
                                        .dur_floor = grid_same,
                                        .snap = PLAN_LEAST};

static struct plan_stats check_rows(const struct row *rows, size_t n, struct plan_rules rules)
{
    struct slice s[ROWS_MAX];
    uint32_t lane[ROWS_MAX] = {0};
    struct kinds kinds = {0};
    struct rewrites out = {0};
    struct plan_stats stats;
    ck_assert_uint_le(n, ROWS_MAX);
    for (size_t i = 0; i < n; i++) {
        s[i] = (struct slice){rows[i].start_ns, rows[i].end_ns, i};
        ck_assert(kinds_add(&kinds, i, (uint8_t)rows[i].kind));
        ck_assert(i == 0 || slice_less(&s[i - 1], &s[i]));
    }
    rules.kinds = &kinds;
    ck_assert(plan_track(s, n, NULL, 0, &rules, &out, &stats));
    for (size_t k = 0; k < out.n; k++)
        lane[out.items[k].slice] = out.items[k].lane;
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(lane[i] == rows[i].lane, "row %zu is on lane %u", i, lane[i]);
        ck_assert_int_eq(s[i].start_ns, rows[i].new_start_ns);
        ck_assert_int_eq(s[i].end_ns, rows[i].new_end_ns);
    }
    rewrites_free(&out);
    kinds_free(&kinds);
    return stats;
}

#define CHECK_ROWS(ROWS, RULES) check_rows(ROWS, sizeof(ROWS) / sizeof *(ROWS), RULES)

/* ---- soft ------------------------------------------------------------------------------------ */

START_TEST(an_annotation_grows_around_its_kernel)
{
    static const struct row rows[] = {{99000, 150000, KIND_MARK, 99000, 150500, 0},
                                      {100000, 150500, KIND_DEVICE, 100000, 150500, 0}};
    struct plan_stats stats = CHECK_ROWS(rows, soft);
    ck_assert_uint_eq(stats.crossings, 1);
    ck_assert_uint_eq(stats.snaps, 1);
}
END_TEST

START_TEST(an_annotation_ends_before_the_next_kernel)
{
    static const struct row rows[] = {{0, 50700, KIND_MARK, 0, 50000, 0},
                                      {50000, 90000, KIND_DEVICE, 50000, 90000, 0}};
    CHECK_ROWS(rows, soft);
    /* as near either way: it goes on */
    static const struct row as_near[] = {{0, 50700, KIND_MARK, 0, 51400, 0},
                                         {50000, 51400, KIND_DEVICE, 50000, 51400, 0}};
    CHECK_ROWS(as_near, soft);
}
END_TEST

START_TEST(an_annotation_starts_with_its_kernel)
{
    static const struct row rows[] = {{1000, 20000, KIND_DEVICE, 1000, 20000, 0},
                                      {2000, 90000, KIND_MARK, 1000, 90000, 0},
                                      {50000, 60000, KIND_DEVICE, 50000, 60000, 0}};
    CHECK_ROWS(rows, soft);
    /* not beyond the threshold; 8000 from its end is too far as well */
    static const struct row far[] = {{1000, 20000, KIND_DEVICE, 1000, 20000, 0},
                                     {6000, 28000, KIND_MARK, 6000, 28000, 1}};
    CHECK_ROWS(far, soft);
}
END_TEST

/* Of trim, delay and advance the smallest; of equal ones in that order. */
START_TEST(the_softer_one_takes_the_smallest_way)
{
    static const struct row rows[] = {
        {0, 10000, KIND_OP, 0, 10000, 0},         {8000, 11000, KIND_PYTHON, 8000, 10000, 0},
        {20000, 30000, KIND_OP, 20000, 30000, 0}, {28500, 31900, KIND_PYTHON, 30000, 31900, 0},
        {40000, 50000, KIND_OP, 40000, 50000, 0}, {41000, 52000, KIND_PYTHON, 40000, 52000, 0},
        {60000, 64000, KIND_OP, 60000, 64000, 0}, {62000, 66000, KIND_PYTHON, 62000, 64000, 0},
        {70000, 74000, KIND_OP, 70000, 74000, 0}, {72000, 77000, KIND_PYTHON, 74000, 77000, 0}};
    CHECK_ROWS(rows, soft);
}
END_TEST

START_TEST(a_frame_moves_alone)
{
    /* what lies in it stays */
    static const struct row rows[] = {{0, 50000, KIND_MARK, 0, 50000, 1},
                                      {10000, 20000, KIND_OP, 10000, 20000, 0},
                                      {30000, 90000, KIND_DEVICE, 30000, 90000, 0},
                                      {40000, 45000, KIND_OP, 40000, 45000, 0}};
    ck_assert_uint_eq(CHECK_ROWS(rows, soft).moved, 1);
    /* one that had grown has its own times again */
    static const struct row grown[] = {{0, 50000, KIND_MARK, 0, 50000, 1},
                                       {40000, 51000, KIND_OP, 40000, 51000, 2},
                                       {45000, 90000, KIND_DEVICE, 45000, 90000, 0}};
    CHECK_ROWS(grown, soft);
}
END_TEST

/* The first has grown around the second, which grows around the fourth: it may not end before it.
 */
START_TEST(frames_stay_nested)
{
    static const struct row rows[] = {{0, 50200, KIND_MARK, 0, 50700, 0},
                                      {1000, 50400, KIND_PYTHON, 1000, 50700, 0},
                                      {2000, 50100, KIND_MARK, 2000, 50000, 0},
                                      {50000, 50700, KIND_DEVICE, 50000, 50700, 0}};
    ck_assert_uint_eq(CHECK_ROWS(rows, soft).snaps, 4);
}
END_TEST

/* It moves for the first, so the second need not give way. */
START_TEST(no_frame_gives_way_for_nothing)
{
    static const struct row rows[] = {{0, 60000, KIND_DEVICE, 0, 60000, 0},
                                      {30000, 40000, KIND_MARK, 30000, 40000, 0},
                                      {39000, 99000, KIND_OP, 39000, 99000, 1}};
    CHECK_ROWS(rows, soft);
}
END_TEST

START_TEST(of_two_alike_the_later_one_gives_way)
{
    static const struct row rows[] = {{10000, 16000, KIND_MARK, 10000, 16000, 0},
                                      {15200, 21200, KIND_MARK, 16000, 21200, 0},
                                      {30000, 40000, KIND_DEVICE, 30000, 40000, 0},
                                      {33000, 41000, KIND_DEVICE, 33000, 40000, 0}};
    CHECK_ROWS(rows, soft);
}
END_TEST

/* The arrow would end at the kernel. */
START_TEST(what_owns_an_arrow_does_not_advance)
{
    static const uint8_t mark_owns[] = {0, PLAN_ARROW}, kernel_owns[] = {PLAN_ARROW, 0},
                         kernel_is_next[] = {PLAN_ARROW | PLAN_ARROW_NEXT, 0};
    static const struct row moves[] = {{1000, 20000, KIND_DEVICE, 1000, 20000, 0},
                                       {2000, 90000, KIND_MARK, 2000, 90000, 1}},
                            advances[] = {{1000, 20000, KIND_DEVICE, 1000, 20000, 0},
                                          {2000, 90000, KIND_MARK, 1000, 90000, 0}};
    struct plan_rules rules = soft;
    rules.arrows = mark_owns;
    CHECK_ROWS(moves, rules);
    rules.arrows = kernel_is_next;
    CHECK_ROWS(moves, rules);
    rules.arrows = kernel_owns;
    CHECK_ROWS(advances, rules);
}
END_TEST

/* With one more around, 512 would be 513, also where the deepest of them have ended. */
START_TEST(no_advance_makes_the_stack_too_deep)
{
    static struct slice s[PLAN_DEPTH_MAX + 1];
    struct kinds kinds = {0};
    for (size_t depth = PLAN_DEPTH_MAX - 1; depth <= PLAN_DEPTH_MAX; depth++) {
        struct rewrites out = {0};
        struct plan_stats stats;
        struct plan_rules rules = soft;
        for (size_t i = 0; i < depth; i++)
            s[i] = (struct slice){1000 + (int64_t)i, i ? 1800 : 20000, i};
        s[depth] = (struct slice){2000, 90000, depth};
        kinds.n = 0;
        ck_assert(kinds_add(&kinds, depth, KIND_MARK));
        rules.kinds = &kinds;
        ck_assert(plan_track(s, depth + 1, NULL, 0, &rules, &out, &stats));
        ck_assert_uint_eq(stats.moved, depth == PLAN_DEPTH_MAX);
        ck_assert_int_eq(s[depth].start_ns, depth == PLAN_DEPTH_MAX ? 2000 : 1000);
        rewrites_free(&out);
    }
    kinds_free(&kinds);
}
END_TEST

/* ---- no-snap, unfinished --------------------------------------------------------------------- */

START_TEST(times_that_are_to_be_kept_are)
{
    static const struct row rows[] = {{10000, 16000, KIND_DEVICE | KEEP, 10000, 16000, 0},
                                      {15200, 21200, KIND_DEVICE | KEEP, 15200, 21200, 1},
                                      {15300, 21200, KIND_DEVICE, 16000, 21200, 0}};
    CHECK_ROWS(rows, first);
    CHECK_ROWS(rows, soft);
    static const struct row frame[] = {{99000, 150000, KIND_MARK | KEEP, 99000, 150000, 1},
                                       {100000, 150500, KIND_DEVICE, 100000, 150500, 0}};
    CHECK_ROWS(frame, soft);
}
END_TEST

START_TEST(unfinished_slices_end_with_what_is_around)
{
    static const struct row rows[] = {{0, 500000, KIND_MARK, 0, 500000, 0},
                                      {10000, 900000, KIND_PYTHON, 10000, 500000, 0},
                                      {20000, 900000, KIND_PYTHON, 20000, 500000, 0},
                                      {30000, 900000, KIND_PYTHON | KEEP, 30000, 900000, 1}};
    static const struct row moved[] = {{0, 500000, KIND_MARK, 0, 500000, 0},
                                       {10000, 900000, KIND_PYTHON, 10000, 900000, 1},
                                       {20000, 900000, KIND_PYTHON, 20000, 900000, 1},
                                       {30000, 900000, KIND_PYTHON | KEEP, 30000, 900000, 1}};
    struct plan_rules rules = first;
    rules.trim_unfinished = true;
    ck_assert_uint_eq(CHECK_ROWS(moved, rules).unfinished, 0); /* not known when it ends */
    rules.trace_end_ns = 900000;
    ck_assert_uint_eq(CHECK_ROWS(rows, rules).unfinished, 3);
    rules.snap = PLAN_SOFT;
    CHECK_ROWS(rows, rules);
    rules = first;
    rules.trace_end_ns = 900000;
    ck_assert_uint_eq(CHECK_ROWS(moved, rules).unfinished, 3);
    /* one alone may well have ended then */
    static const struct row alone[] = {{0, 500000, KIND_OP, 0, 500000, 0},
                                       {10000, 900000, KIND_OP, 10000, 900000, 1}};
    rules.trim_unfinished = true;
    ck_assert_uint_eq(CHECK_ROWS(alone, rules).unfinished, 0);
}
END_TEST

/* ---- least ----------------------------------------------------------------------------------- */

/* An annotation is delayed by 4.9 us, so that its end makes six frames be trimmed. */
START_TEST(one_moves_so_that_six_need_not_be_trimmed)
{
    static const struct row rows[] = {
        {0, 10000, KIND_OP, 0, 10000, 0},           {5100, 100000, KIND_OP, 5100, 100000, 1},
        {96000, 101600, KIND_OP, 96000, 101600, 0}, {96100, 101500, KIND_OP, 96100, 101500, 0},
        {96200, 101400, KIND_OP, 96200, 101400, 0}, {96300, 101300, KIND_OP, 96300, 101300, 0}};
    ck_assert_uint_eq(CHECK_ROWS(rows, least).moved, 1);
    /* where it makes only one be trimmed, that is as good as a move */
    static const struct row one[] = {{5100, 100000, KIND_OP, 5100, 100000, 0},
                                     {97000, 101600, KIND_OP, 97000, 100000, 0}};
    CHECK_ROWS(one, least);
}
END_TEST

/* ---- size ------------------------------------------------------------------------------------ */

static void plan_a_million(enum plan_snap snap, int64_t apart_ns)
{
    enum { N = 1000000 };
    struct slice *s = malloc(N * sizeof *s);
    struct kinds kinds = {0};
    struct rewrites out = {0};
    struct plan_stats stats;
    struct plan_rules rules = soft;
    rules.snap = snap;
    rules.kinds = &kinds;
    ck_assert(s);
    for (size_t i = 0; i < N; i++) {
        int64_t start = (int64_t)i * apart_ns;
        s[i] = (struct slice){start, start + N * INT64_C(10000), i};
        ck_assert(kinds_add(&kinds, i, (uint8_t)(i * 7 % 5)));
    }
    ck_assert(plan_track(s, N, NULL, 0, &rules, &out, &stats));
    ck_assert_uint_gt(out.n, N / 2);
    rewrites_free(&out);
    kinds_free(&kinds);
    free(s);
}

START_TEST(a_million_that_all_cross)
{
    plan_a_million(PLAN_SOFT, 10); /* so that the stack is full of frames that give way */
    plan_a_million(PLAN_LEAST, 10000);
}
END_TEST

Suite *plan_ways_suite(void)
{
    const TTest *const tests[] = {an_annotation_grows_around_its_kernel,
                                  an_annotation_ends_before_the_next_kernel,
                                  an_annotation_starts_with_its_kernel,
                                  the_softer_one_takes_the_smallest_way,
                                  a_frame_moves_alone,
                                  frames_stay_nested,
                                  no_frame_gives_way_for_nothing,
                                  of_two_alike_the_later_one_gives_way,
                                  what_owns_an_arrow_does_not_advance,
                                  no_advance_makes_the_stack_too_deep,
                                  times_that_are_to_be_kept_are,
                                  unfinished_slices_end_with_what_is_around,
                                  one_moves_so_that_six_need_not_be_trimmed,
                                  a_million_that_all_cross};
    return SUITE_OF("plan, ways", tests);
}
