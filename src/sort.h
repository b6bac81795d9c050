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

#endif
