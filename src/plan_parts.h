/* What the files of the plan share: plan.c takes the slices in their order, plan_snap.c settles the
 * crossings of one of them, plan_soft.c where the softer one gives way. Private to them. */
#ifndef PLAN_PARTS_H
#define PLAN_PARTS_H

#include "stack.h"

/* A slice on its way to lane 0, with its times of the moment. */
struct candidate {
    int64_t start_ns, end_ns;
    bool pair, zero; /* zero: a pair without length in the trace */
    bool any_end;    /* as in struct frame, */
    uint8_t kind;    /* too */
    uint32_t i;      /* index into the slices, where its own times stand */
    uint32_t snaps;  /* crossings settled on the way */
    uint64_t place;  /* in the file */
};

struct planner {
    struct slice *s;           /* with their own times, until they are closed on lane 0 */
    size_t n, next;            /* next: the first slice not yet looked at */
    const struct pairs *pairs; /* NULL: there are none */
    uint32_t base;
    const struct plan_rules *rules;
    const struct plan_watch *watch; /* or NULL */
    int64_t unfinished_ns;          /* the own end of slices that may end anywhere; -1: none may */
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
    uint8_t *fates; /* of each slice; or NULL */
    bool trial;     /* fates get FATE_TOUCHED, and nothing else is kept */
};

/* What a slice is to be, or was in a trial. Further bits are free. */
enum {
    FATE_TOUCHED = 1, /* it gets other times, or moves */
    FATE_FORCED = 2   /* it is to move, whatever it crosses */
};

/* A frame beside the slice that crosses it. */
enum hardness { SOFTER, ALIKE, HARDER };

/* A slice that crosses a frame. */
struct crossing_of {
    const struct candidate *c;
    const struct frame *frame;
    enum hardness hardness; /* of the frame */
    bool may_go_back;       /* a softer frame's end may, by what lies within it, */
    bool may_advance;       /* and the slice's start, by the arrows and the depth */
};

/* What each way of settling a crossing would come to. */
struct ways {
    int64_t shift_ns[PLAN_WAYS]; /* as in struct plan_step */
    int64_t trim_end_ns;
    int64_t delay_start_ns, delay_end_ns;
    bool kept; /* as in struct plan_step */
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

struct ways plan_find_ways(const struct planner *p, const struct crossing_of *x);

/* What the later one of two does that are as hard: the smaller step that is below the threshold in
 * all. */
enum plan_way plan_choose(const struct planner *p, const struct candidate *c, const struct frame *f,
                          const struct ways *ways);

/* May a boundary be shifted so far in all? any: however far. */
static inline bool may_shift(const struct planner *p, int64_t shift_ns, bool any)
{
    return shift_ns >= 0 && (any || shift_ns < p->rules->threshold_ns);
}

/* Tells the watch, if there is one, what was decided on a crossing. frame: NULL: it lies too deep.
 */
void plan_tell(const struct planner *p, const struct candidate *c, const struct frame *frame,
               const struct ways *ways, enum plan_way way);

/* Gives the slice's end a dur that can be written. Returns false if that is too far from its own.
 */
bool plan_round_end(const struct planner *p, struct candidate *c);

/* Spec 4, step 2: walks the open frames from the innermost outward, and snaps the candidate until
 * it crosses none. Returns false if that takes a shift of the threshold or more: it moves. */
bool plan_snap(const struct planner *p, struct candidate *c);

/* What became of a candidate. */
enum outcome { PLACED, PUT_BACK, MOVES, NO_MEMORY };

/* The same by PLAN_SOFT. Where the candidate is placed, that has been done. */
enum outcome plan_soft(struct planner *p, struct candidate *c);

/* Of plan.c. They return false if there is no memory. */

/* Plans all slices from the start, as to what stays on lane 0 and with which times. */
bool plan_lane_0(struct planner *p);

/* Notes that a slice goes to a lane. */
bool plan_move(struct planner *p, uint32_t i);

/* Notes what became of a slice that has changed, once it is closed on lane 0. */
bool plan_close(struct planner *p, const struct frame *frame);

/* The frame of a candidate that is placed as it is now; of an X without the pair. */
static inline struct frame plan_frame(const struct planner *p, const struct candidate *c)
{
    const struct slice *own = &p->s[c->i];
    bool changed = c->zero || own->start_ns != c->start_ns || slice_end_ns(own) != c->end_ns;
    return (struct frame){.start_ns = c->start_ns,
                          .end_ns = c->end_ns,
                          .slice = c->i,
                          .pair = c->pair ? c->i : NO_PAIR,
                          .snaps = c->zero && !c->snaps ? 1 : c->snaps,
                          .changed = changed,
                          .kind = c->kind,
                          .any_end = c->any_end};
}

#endif
