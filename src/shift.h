/* How far boundaries of slices have gone. Pure. */
#ifndef SHIFT_H
#define SHIFT_H

#include <stdint.h>

/* From one time to another, neither below 0: how far, whichever is the later one. */
static inline int64_t shift_ns_between(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? b_ns - a_ns : a_ns - b_ns;
}

/* The sum of two shifts; INT64_MAX if it is more. What never returned may be trimmed by almost
 * that. */
static inline int64_t shift_ns_sum(int64_t a_ns, int64_t b_ns)
{
    return a_ns > INT64_MAX - b_ns ? INT64_MAX : a_ns + b_ns;
}

#endif
