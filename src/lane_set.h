/* The lanes of one track: first fit in O(log n).
 *
 * A lane is a stack of open slices. A slice goes to the first lane whose innermost open slice holds
 * it, or that has none open (spec 4, step 4). Slices must come in the order of slice_less. */
#ifndef LANE_SET_H
#define LANE_SET_H

#include <stdbool.h>
#include <stdint.h>

struct lane_set;

/* An empty set whose lanes are at most `depth_max` deep. NULL if there is no memory. */
struct lane_set *lane_set_new(uint32_t depth_max);
void lane_set_free(struct lane_set *set);

/* Places a slice and gives its lane, counted from 1. end_off: where the E of a pair stands; 0 for
 * an X. Of pairs that end at one time on a lane, the inner one's E has to come first; one for which
 * that is not so goes to the first lane that is free for longer. Returns false if there is no
 * memory. */
bool lane_set_place(struct lane_set *set, int64_t start_ns, int64_t end_ns, uint64_t end_off,
                    uint32_t *lane);

/* The number of lanes that were ever used. */
uint32_t lane_set_count(const struct lane_set *set);

#endif
