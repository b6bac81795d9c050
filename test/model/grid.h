/* Rules of writable times for tests of the plan: every ns, and a grid as coarse as that of an epoch
 * in us, but near 0. */
#ifndef GRID_H
#define GRID_H

#include <stdint.h>

static inline int64_t grid_same(int64_t ns)
{
    return ns;
}

static inline int64_t grid_ceil(int64_t ns)
{
    return (ns + 255) / 256 * 256;
}

static inline int64_t grid_floor(int64_t ns)
{
    return ns / 256 * 256;
}

#endif
