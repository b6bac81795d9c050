#include "lane_set.h"

#include "units.h"

static uint32_t place(struct lane_set *set, int64_t start, int64_t end)
{
    uint32_t lane = 0;
    ck_assert(lane_set_place(set, start, end, 0, &lane));
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

/* Of pairs that end at one time on a lane, the inner one's E has to stand first. */
START_TEST(the_inner_e_comes_first)
{
    struct lane_set *set = lane_set_new(512);
    uint32_t lane = 0;
    ck_assert(lane_set_place(set, 0, 100, 50, &lane) && lane == 1);
    ck_assert(lane_set_place(set, 1, 100, 40, &lane) && lane == 1);
    ck_assert(lane_set_place(set, 2, 100, 0, &lane) && lane == 1); /* an X does not hide it */
    ck_assert(lane_set_place(set, 3, 100, 45, &lane) && lane == 2);
    ck_assert(lane_set_place(set, 4, 99, 46, &lane) && lane == 1);
    ck_assert(lane_set_place(set, 100, 200, 60, &lane) && lane == 1);
    ck_assert(lane_set_place(set, 101, INT64_MAX, 61, &lane) && lane == 2);
    ck_assert(lane_set_place(set, 102, INT64_MAX, 62, &lane) && lane == 3);
    lane_set_free(set);
}
END_TEST

Suite *lane_set_suite(void)
{
    const TTest *const tests[] = {takes_the_first_lane_that_holds, a_full_lane_takes_no_more,
                                  the_inner_e_comes_first};
    return SUITE_OF("lane_set", tests);
}
