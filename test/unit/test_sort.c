#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "units.h"

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

DEFINE_SORT_BY_CREW(sort_ints, int)

START_TEST(a_crew_sorts_the_same)
{
    static int a[300000], b[300000];
    uint64_t state = 8;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct crew *crew = crew_new(threads);
        for (int round = 0; round < 4; round++) {
            size_t n = 300000 - (size_t)random_below(&state, 250000);
            for (size_t i = 0; i < n; i++)
                a[i] =
                    round % 2 ? (int)random_below(&state, 100000000) : (int)(i < n / 2 ? i : n - i);
            memcpy(b, a, sizeof a);
            sort_ints_by_crew(a, n, crew);
            qsort(b, n, sizeof *b, compare_ints);
            ck_assert(memcmp(a, b, n * sizeof *a) == 0);
        }
        sort_ints_by_crew(a, 0, crew);
        crew_free(crew);
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

DEFINE_HEAP(ints, int, int_less)

START_TEST(a_heap_gives_the_least)
{
    static int heap[1000], sorted[1000];
    size_t n = 0;
    uint64_t state = 11;
    for (size_t i = 0; i < 1000; i++) {
        sorted[i] = (int)random_below(&state, 300);
        ints_push(heap, &n, sorted[i]);
    }
    sort_ints(sorted, 1000);
    for (size_t i = 0; i < 1000; i++)
        ck_assert_int_eq(ints_pop(heap, &n), sorted[i]);
    ck_assert_uint_eq(n, 0);
}
END_TEST

Suite *sort_suite(void)
{
    const TTest *const tests[] = {sorts_as_qsort_does, a_crew_sorts_the_same,
                                  heap_sorts_what_is_not_sorted, a_heap_gives_the_least};
    return SUITE_OF("sort", tests);
}
