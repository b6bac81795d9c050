#include "share_jobs.h"
#include "units.h"

START_TEST(by_the_part_of_the_bytes)
{
    ck_assert_uint_eq(share_jobs(8, 100, 100), 8); /* it is all there is */
    ck_assert_uint_eq(share_jobs(8, 50, 100), 4);
    ck_assert_uint_eq(share_jobs(8, 1, 1000), 1);
    ck_assert_uint_eq(share_jobs(8, 0, 1000), 1);
    ck_assert_uint_eq(share_jobs(2, 76, 100), 2); /* rounded: one core would be idle for long */
    ck_assert_uint_eq(share_jobs(2, 74, 100), 1);
    ck_assert_uint_eq(share_jobs(1, 100, 100), 1);
}
END_TEST

START_TEST(no_size_is_too_large_or_unknown)
{
    ck_assert_uint_eq(share_jobs(1024, UINT64_MAX, UINT64_MAX), 1024);
    ck_assert_uint_eq(share_jobs(1024, UINT64_MAX / 2, UINT64_MAX), 512);
    ck_assert_uint_eq(share_jobs(4, 0, 0), 4);
    ck_assert_uint_eq(share_jobs(4, 5, 0), 4);
}
END_TEST

/* Whatever the sizes: begun one after the other, the largest first, all threads are given out as
 * long as there is work, and no more than there are. */
START_TEST(none_is_idle_while_there_is_work)
{
    uint64_t state = 1;
    for (int round = 0; round < 2000; round++) {
        uint64_t sizes[40], left = 0, n = 1 + random_below(&state, 40);
        unsigned idle = 1 + (unsigned)random_below(&state, 64);
        for (uint64_t i = 0; i < n; i++) { /* halves, about, so that they fall */
            sizes[i] = (i ? sizes[i - 1] : UINT64_C(1) << 40) - random_below(&state, 1000);
            sizes[i] = random_below(&state, 3) ? sizes[i] : sizes[i] / 2 + 1000;
            left += sizes[i];
        }
        for (uint64_t i = 0; i < n && idle; i++) {
            unsigned share = share_jobs(idle, sizes[i], left);
            ck_assert(share >= 1 && share <= idle);
            idle -= share;
            left -= sizes[i];
        }
        ck_assert_uint_eq(idle, 0);
    }
}
END_TEST

Suite *share_jobs_suite(void)
{
    const TTest *const tests[] = {by_the_part_of_the_bytes, no_size_is_too_large_or_unknown,
                                  none_is_idle_while_there_is_work};
    return SUITE_OF("share_jobs", tests);
}
