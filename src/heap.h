/* A binary heap in an array: the least item by LESS is at index 0.
 *
 *     DEFINE_HEAP(queue, struct candidate, candidate_less)
 *
 * defines `static void queue_push(struct candidate *heap, size_t *n, struct candidate item)`, for
 * which the array has room, and `static struct candidate queue_pop(struct candidate *heap, size_t
 * *n)`, for *n > 0. `bool candidate_less(const struct candidate *, const struct candidate *)` is a
 * strict order. O(log n) each. */
#ifndef HEAP_H
#define HEAP_H

#include <stddef.h>

#define DEFINE_HEAP(NAME, T, LESS)                                                                 \
    static void NAME##_push(T *heap, size_t *n, T item)                                            \
    {                                                                                              \
        size_t i = (*n)++;                                                                         \
        for (; i > 0 && LESS(&item, &heap[(i - 1) / 2]); i = (i - 1) / 2)                          \
            heap[i] = heap[(i - 1) / 2];                                                           \
        heap[i] = item;                                                                            \
    }                                                                                              \
    static T NAME##_pop(T *heap, size_t *n)                                                        \
    {                                                                                              \
        T first = heap[0], last = heap[--*n];                                                      \
        size_t i = 0;                                                                              \
        for (size_t child; (child = 2 * i + 1) < *n; i = child) {                                  \
            if (child + 1 < *n && LESS(&heap[child + 1], &heap[child]))                            \
                child++;                                                                           \
            if (!LESS(&heap[child], &last))                                                        \
                break;                                                                             \
            heap[i] = heap[child];                                                                 \
        }                                                                                          \
        heap[i] = last;                                                                            \
        return first;                                                                              \
    }

#endif
