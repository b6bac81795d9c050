#include "rows.h"

#include <stdlib.h>

#include "units.h"

#define MAIN(TID)                                                                                  \
    {                                                                                              \
        .rank = ROW_MAIN, .number = true, .tid = (TID)                                             \
    }
#define NAMED(TID)                                                                                 \
    {                                                                                              \
        .rank = ROW_NAMED, .number = true, .tid = (TID)                                            \
    }
#define UNNAMED(TID)                                                                               \
    {                                                                                              \
        .rank = ROW_UNNAMED, .number = true, .tid = (TID)                                          \
    }
#define STRING                                                                                     \
    {                                                                                              \
        .rank = ROW_NAMED                                                                          \
    }
#define LANE(TID)                                                                                  \
    {                                                                                              \
        .rank = ROW_NAMED, .number = true, .tid = (TID), .lane = true                              \
    }
#define STRING_LANE                                                                                \
    {                                                                                              \
        .rank = ROW_NAMED, .lane = true                                                            \
    }
#define AT(INDEX, ROW, TID)                                                                        \
    {                                                                                              \
        .rank = ROW, .number = true, .tid = (TID), .fixed = true, .sort_index = (INDEX)            \
    }

static void check_rows(struct row *rows, size_t n, const int64_t *expected)
{
    ck_assert(rows_arrange(rows, n));
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(rows[i].sort_index == expected[i], "row %zu has %lld, not %lld", i,
                      (long long)rows[i].sort_index, (long long)expected[i]);
}

#define INDEXES(...)                                                                               \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CHECK_ROWS(ROWS, ...) check_rows(ROWS, sizeof(ROWS) / sizeof *(ROWS), INDEXES(__VA_ARGS__))

START_TEST(no_index_in_the_trace)
{
    struct row rows[] = {MAIN(5),    LANE(5001),  NAMED(7),   LANE(7001), LANE(7002),
                         STRING,     STRING_LANE, NAMED(9), /* */
                         LANE(9001), STRING_LANE, UNNAMED(3), UNNAMED(4), LANE(4001)};
    CHECK_ROWS(rows, 0, 0, 1, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8);
}
END_TEST

/* A lane of a thread without a name is above it where both have one index. */
START_TEST(lanes_of_threads_with_an_index)
{
    struct row far[] = {AT(-3, ROW_UNNAMED, 7), LANE(7001), LANE(7002), AT(5, ROW_MAIN, 5),
                        LANE(5001)};
    CHECK_ROWS(far, -3, -2, -2, 5, 5);
    struct row next[] = {AT(1, ROW_UNNAMED, 7), LANE(7001), AT(2, ROW_UNNAMED, 5)};
    CHECK_ROWS(next, 1, 2, 2);
    struct row same[] = {AT(0, ROW_NAMED, 7), LANE(7001), AT(0, ROW_NAMED, 8000), LANE(8000001),
                         AT(0, ROW_UNNAMED, 3)};
    CHECK_ROWS(same, 0, 0, 0, 0, 0);
}
END_TEST

/* Then the lane goes to the next gap below that is wide enough. */
START_TEST(no_room)
{
    struct row between[] = {AT(0, ROW_NAMED, 7), LANE(7001), AT(0, ROW_NAMED, 8), LANE(8001)};
    CHECK_ROWS(between, 0, 1, 0, 0); /* below that of 8, which has to be right below 8 */
    struct row unnamed[] = {AT(0, ROW_UNNAMED, 7), LANE(7001), LANE(7002), AT(0, ROW_UNNAMED, 8)};
    CHECK_ROWS(unnamed, 0, 1, 1, 0);
    struct row main_next[] = {AT(0, ROW_UNNAMED, 7), LANE(7001), AT(1, ROW_MAIN, 5)};
    CHECK_ROWS(main_next, 0, 1, 1);
    struct row partly[] = {AT(0, ROW_MAIN, 5), LANE(5001), STRING_LANE, AT(0, ROW_NAMED, 6000)};
    CHECK_ROWS(partly, 0, 0, 1, 0);
    struct row in_order[] = {AT(0, ROW_MAIN, 5), STRING_LANE, LANE(5002), AT(0, ROW_NAMED, 6000)};
    CHECK_ROWS(in_order, 0, 1, 2, 0);
    struct row string[] = {AT(0, ROW_NAMED, 7), STRING_LANE, AT(1, ROW_NAMED, 8)};
    CHECK_ROWS(string, 0, 2, 1);
}
END_TEST

/* They go between those that have one, with their lanes, or further down. */
START_TEST(threads_without_an_index)
{
    struct row wide[] = {AT(-5, ROW_MAIN, 5), NAMED(7), LANE(7001), NAMED(8), AT(9, ROW_NAMED, 3)};
    CHECK_ROWS(wide, -5, 0, 0, 1, 9);
    struct row narrow[] = {AT(0, ROW_MAIN, 5), NAMED(7), LANE(7001), UNNAMED(8),
                           AT(1, ROW_UNNAMED, 9)};
    CHECK_ROWS(narrow, 0, 1, 1, 1, 1);
    struct row above[] = {NAMED(7), LANE(7001), UNNAMED(3), AT(0, ROW_UNNAMED, 9), LANE(9001)};
    CHECK_ROWS(above, 0, 0, 0, 0, 1);
    struct row negative[] = {UNNAMED(7), LANE(7001), AT(0, ROW_UNNAMED, 9)};
    CHECK_ROWS(negative, -1, 0, 0);
    struct row down[] = {AT(0, ROW_MAIN, 5), NAMED(7),    LANE(7001),          AT(0, ROW_NAMED, 9),
                         UNNAMED(10),        LANE(10001), AT(1, ROW_MAIN, 11), AT(4, ROW_NAMED, 1)};
    struct row stays[] = {AT(0, ROW_UNNAMED, 7), LANE(7001), AT(0, ROW_UNNAMED, 8), UNNAMED(9),
                          AT(0, ROW_UNNAMED, 20)};
    CHECK_ROWS(stays, 0, 1, 0, 0, 0);
    CHECK_ROWS(down, 0, 2, 2, 0, 2, 3, 1, 4);
}
END_TEST

START_TEST(greatest_indexes)
{
    struct row most[] = {AT(INT64_MAX, ROW_UNNAMED, 7), LANE(7001), AT(INT64_MAX, ROW_UNNAMED, 8)};
    CHECK_ROWS(most, INT64_MAX, INT64_MAX, INT64_MAX);
    struct row least[] = {UNNAMED(5), LANE(5001), AT(INT64_MIN, ROW_UNNAMED, 7), LANE(7001),
                          AT(INT64_MIN + 1, ROW_UNNAMED, 8)};
    CHECK_ROWS(least, 0, 1, INT64_MIN, INT64_MIN + 1, INT64_MIN + 1);
}
END_TEST

/* All lanes wait for the end, and are not looked at again at each thread. */
START_TEST(many_lanes_wait)
{
    const size_t n = 200000;
    struct row *rows = calloc(2 * n, sizeof *rows);
    ck_assert_ptr_nonnull(rows);
    for (size_t i = 0; i < n; i++) {
        rows[2 * i] = (struct row)AT(0, ROW_UNNAMED, (uint32_t)i);
        rows[2 * i + 1] = (struct row)LANE((uint32_t)(1000 * i + 1));
    }
    ck_assert(rows_arrange(rows, 2 * n));
    ck_assert_int_eq(rows[1].sort_index, 2);
    ck_assert_int_eq(rows[2 * n - 3].sort_index, 2);
    ck_assert_int_eq(rows[2 * n - 1].sort_index, 1); /* the last thread has room below it */
    free(rows);
}
END_TEST

Suite *rows_suite(void)
{
    const TTest *const tests[] = {no_index_in_the_trace,
                                  lanes_of_threads_with_an_index,
                                  no_room,
                                  threads_without_an_index,
                                  greatest_indexes,
                                  many_lanes_wait};
    return SUITE_OF("rows", tests);
}
