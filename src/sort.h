/* Sorting large arrays of records where they stand.
 *
 * Why not qsort: the C library's takes as much memory again as the array (glibc), which breaks the
 * promise of 24 bytes a slice. This one is an introsort: quicksort, heapsort where that goes wrong
 * (so O(n log n) on any input), insertion sort for short runs. The caller's `less` is inlined.
 *
 *     DEFINE_SORT(sort_flows, struct flow, flow_less)
 *
 * defines `static void sort_flows(struct flow *a, size_t n)`, with `bool flow_less(const struct
 * flow *, const struct flow *)` a strict order. Not stable: the order should be total.
 */
#ifndef SORT_H
#define SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "crew.h"

enum { SORT_SHORT = 24 };

#define DEFINE_SORT(NAME, T, LESS)                                                                 \
    static void NAME##_sift(T *a, size_t root, size_t n)                                           \
    {                                                                                              \
        T item = a[root];                                                                          \
        for (size_t child; (child = 2 * root + 1) < n; root = child) {                             \
            if (child + 1 < n && LESS(&a[child], &a[child + 1]))                                   \
                child++;                                                                           \
            if (!LESS(&item, &a[child]))                                                           \
                break;                                                                             \
            a[root] = a[child];                                                                    \
        }                                                                                          \
        a[root] = item;                                                                            \
    }                                                                                              \
    static void NAME##_heap(T *a, size_t n)                                                        \
    {                                                                                              \
        for (size_t i = n / 2; i-- > 0;)                                                           \
            NAME##_sift(a, i, n);                                                                  \
        while (n > 1) {                                                                            \
            T last = a[--n];                                                                       \
            a[n] = a[0];                                                                           \
            a[0] = last;                                                                           \
            NAME##_sift(a, 0, n);                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_insertion(T *a, size_t n)                                                   \
    {                                                                                              \
        for (size_t i = 1; i < n; i++) {                                                           \
            T item = a[i];                                                                         \
            size_t j = i;                                                                          \
            for (; j > 0 && LESS(&item, &a[j - 1]); j--)                                           \
                a[j] = a[j - 1];                                                                   \
            a[j] = item;                                                                           \
        }                                                                                          \
    }                                                                                              \
    /* Hoare's partition around the median of three; returns the size of the left part. */         \
    static size_t NAME##_split(T *a, size_t n)                                                     \
    {                                                                                              \
        T x = a[0], y = a[n / 2], z = a[n - 1];                                                    \
        T pivot = LESS(&x, &y) ? (LESS(&y, &z) ? y : (LESS(&x, &z) ? z : x))                       \
                               : (LESS(&x, &z) ? x : (LESS(&y, &z) ? z : y));                      \
        size_t i = 0, j = n - 1;                                                                   \
        for (;; i++, j--) {                                                                        \
            while (LESS(&a[i], &pivot))                                                            \
                i++;                                                                               \
            while (LESS(&pivot, &a[j]))                                                            \
                j--;                                                                               \
            if (i >= j)                                                                            \
                return j + 1;                                                                      \
            T swapped = a[i];                                                                      \
            a[i] = a[j];                                                                           \
            a[j] = swapped;                                                                        \
        }                                                                                          \
    }                                                                                              \
    static void NAME##_parts(T *a, size_t n, int depth)                                            \
    {                                                                                              \
        while (n > SORT_SHORT) {                                                                   \
            if (depth-- == 0) {                                                                    \
                NAME##_heap(a, n);                                                                 \
                return;                                                                            \
            }                                                                                      \
            size_t left = NAME##_split(a, n);                                                      \
            if (left < n - left) { /* the smaller part by recursion: the stack stays small */      \
                NAME##_parts(a, left, depth);                                                      \
                a += left;                                                                         \
                n -= left;                                                                         \
            } else {                                                                               \
                NAME##_parts(a + left, n - left, depth);                                           \
                n = left;                                                                          \
            }                                                                                      \
        }                                                                                          \
        NAME##_insertion(a, n);                                                                    \
    }                                                                                              \
    static void NAME(T *a, size_t n)                                                               \
    {                                                                                              \
        int depth = 0;                                                                             \
        for (size_t i = n; i > 1; i /= 2)                                                          \
            depth += 2;                                                                            \
        for (size_t i = 1; i < n; i++) {                                                           \
            if (LESS(&a[i], &a[i - 1])) {                                                          \
                NAME##_parts(a, n, depth);                                                         \
                return;                                                                            \
            }                                                                                      \
        }                                                                                          \
    }

/* The same by a crew:
 *
 *     DEFINE_SORT_BY_CREW(sort_flows, struct flow)
 *
 * after DEFINE_SORT defines `static void sort_flows_by_crew(struct flow *a, size_t n, struct crew
 * *crew)`. The array is split into a few ranges, one by one and always the longest, which are then
 * jobs. The result is the same, as the order is total. */
enum { SORT_RANGES_MAX = 128, SORT_RANGE_SHORT = 1 << 14 };

#define DEFINE_SORT_BY_CREW(NAME, T)                                                               \
    struct NAME##_range {                                                                          \
        struct job job;                                                                            \
        T *a;                                                                                      \
        size_t n;                                                                                  \
    };                                                                                             \
    static void NAME##_job(struct job *job)                                                        \
    {                                                                                              \
        struct NAME##_range *range = (struct NAME##_range *)job;                                   \
        NAME(range->a, range->n);                                                                  \
    }                                                                                              \
    static void NAME##_by_crew(T *a, size_t n, struct crew *crew)                                  \
    {                                                                                              \
        struct NAME##_range ranges[SORT_RANGES_MAX] = {{{.run = NAME##_job}, a, n}};               \
        size_t count = 1, wanted = crew_threads(crew) == 1 ? 1 : 4 * (size_t)crew_threads(crew);   \
        while (count < wanted) {                                                                   \
            struct NAME##_range *longest = ranges;                                                 \
            for (size_t i = 1; i < count; i++)                                                     \
                longest = ranges[i].n > longest->n ? &ranges[i] : longest;                         \
            if (longest->n <= SORT_RANGE_SHORT)                                                    \
                break;                                                                             \
            size_t left = NAME##_split(longest->a, longest->n);                                    \
            ranges[count++] =                                                                      \
                (struct NAME##_range){{.run = NAME##_job}, longest->a + left, longest->n - left};  \
            longest->n = left;                                                                     \
        }                                                                                          \
        for (size_t i = 0; i < count; i++)                                                         \
            crew_submit(crew, &ranges[i].job, false);                                              \
        for (size_t i = 0; i < count; i++)                                                         \
            crew_wait(crew, &ranges[i].job);                                                       \
    }

#endif
