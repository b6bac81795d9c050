/* What the files of the plan share: plan.c takes the slices in their order, plan_snap.c settles the
 * crossings of one of them. Private to them. */
#ifndef PLAN_PARTS_H
#define PLAN_PARTS_H

#include "stack.h"

/* A slice on its way to lane 0, with its times of the moment. */
struct candidate {
    int64_t start_ns, end_ns;
    bool pair, zero; /* zero: a pair without length in the trace */
    uint64_t place;  /* in the file */
    uint32_t i;      /* index into the slices, where its own times stand */
    uint32_t snaps;  /* crossings settled on the way */
};

struct planner {
    struct slice *s;           /* with their own times, until they are closed on lane 0 */
    size_t n, next;            /* next: the first slice not yet looked at */
    const struct pairs *pairs; /* NULL: there are none */
    uint32_t base;
    const struct plan_rules *rules;
    struct stack stack;
    int64_t group_start_ns;  /* of the last slice that was looked at, */
    int64_t group_end_ns;    /* and the last end of the pairs that start there, -1: none does; */
    uint32_t group_slice;    /* and the pair that has it */
    struct candidate *queue; /* a heap: what was put back at a later start */
    size_t nqueue, queue_cap;
    uint32_t *moved; /* indices of the slices that go to a lane */
    size_t nmoved, moved_cap;
    struct rewrites *out;
    struct plan_stats *stats;
};

/* What each way of settling a crossing would come to. */
struct ways {
    int64_t shift_ns[PLAN_WAYS]; /* as in struct plan_step */
    int64_t trim_end_ns;
    int64_t delay_start_ns, delay_end_ns;
};

/* None but to move. */
static inline struct ways ways_none(void)
{
    struct ways ways = {0};
    for (int i = 0; i < PLAN_WAYS; i++)
        ways.shift_ns[i] = -1;
    ways.shift_ns[WAY_MOVES] = 0;
    return ways;
}

/* Tells the watch, if there is one, what was decided on a crossing. frame: NULL: it lies too deep.
 */
void plan_tell(const struct planner *p, const struct candidate *c, const struct frame *frame,
               const struct ways *ways, enum plan_way way);

/* Spec 4, step 2: walks the open frames from the innermost outward, and snaps the candidate until
 * it crosses none. Returns false if that takes a shift of the threshold or more: it moves. */
bool plan_snap(const struct planner *p, struct candidate *c);

#endif
