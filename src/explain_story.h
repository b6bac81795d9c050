/* What happens to a slice, and why: what it crosses, each decision of the plan about it, and what
 * the other rules would do. Pure: integers in, integers out. */
#ifndef EXPLAIN_STORY_H
#define EXPLAIN_STORY_H

#include "stack.h"

/* Of each story; what is more is counted. */
enum { STORY_OTHERS_MAX = 4, STORY_STEPS_MAX = 12, STORY_FRAME_STEPS_MAX = 4 };

/* Another slice, with its times at a moment. */
struct other {
    uint64_t off;
    int64_t start_ns, end_ns;
};

/* The first of them, and how many there are. */
struct others {
    struct other items[STORY_OTHERS_MAX];
    uint64_t total;
};

/* A decision. `other` is the frame; or, if it is about another slice, for which this one was the
 * frame, that. */
struct told {
    bool as_frame;
    bool too_deep; /* then, or if it moves for the sake of others, there is none: its off is
                      UINT64_MAX */
    bool kept;     /* what would have to give way keeps its times */
    bool in_vain;  /* the other one, for which this one was the frame, goes to a lane in the end */
    struct other other;
    int64_t start_ns, end_ns; /* of the slice itself at that moment */
    enum plan_way way;
    int64_t shift_ns[PLAN_WAYS];
};

/* What becomes of a slice by a rule, and of its thread. */
struct outcome {
    int64_t start_ns, end_ns;
    bool changed;            /* it is rewritten */
    uint32_t lane;           /* 0: it stays */
    uint64_t retimed, moved; /* slices of the thread, */
    int64_t shift_ns;        /* and by how much their boundaries shift in all */
};

enum { STORY_RULES = 3 }; /* enum plan_snap */

struct story {
    uint32_t slice;           /* its index among all */
    bool changed;             /* does it change? The caller's */
    bool pair, zero;          /* zero: a B and its E at one time */
    bool too_deep;            /* the viewer drops it */
    int64_t by_ns;            /* how far it crosses another one, or is crossed: the caller's */
    int64_t start_ns, end_ns; /* in the trace */
    struct others crossed;  /* what began before and crosses it in the trace, the last of it first;
                               be it shown by the viewer or not, */
    struct others crossing; /* and what began after it */
    struct other within;    /* what it lies in, as the viewer shows it; off UINT64_MAX: nothing */
    struct told steps[STORY_STEPS_MAX];
    size_t nsteps, nframe_steps;
    uint64_t steps_total;
    struct outcome outcomes[STORY_RULES]; /* by enum plan_snap */
    uint64_t crossings;                   /* of the thread, with what lies too deep */
};

/* What is seen when a slice of a track is looked at. */
struct sight {
    uint32_t slice;
    const struct stack *stack; /* what is open then, */
    size_t ncrossed;           /* of which it crosses the last so many */
    bool too_deep;
};

/* The slice of a frame that is open, counted from the innermost on. */
static inline uint32_t sight_frame(const struct sight *sight, size_t k)
{
    return sight->stack->frames[sight->stack->depth - 1 - k].slice;
}

/* Looks at each slice of a track as the viewer does (plan_count), before anything changes. Pairs
 * without length are passed over. s, n and pairs as for plan_track. */
void story_look(const struct slice *s, size_t n, const struct pairs *pairs,
                void (*see)(void *data, const struct sight *sight), void *data);

/* The slices of one track as they were, and those of them that stories are told of. */
struct told_track {
    const struct slice *s; /* sorted by slice_less */
    size_t n;
    const struct pairs *pairs; /* or NULL */
    uint32_t base;             /* index of s[0] among all slices */
    struct story **stories;
    size_t nstories;
};

/* Begins the story of the slice i of the track: what it is. */
void story_begin(struct story *story, const struct told_track *track, uint32_t i, int64_t by_ns);

/* A watch (plan.h) that puts the steps into the stories of the track, which outlives it. */
struct plan_watch story_watch(struct told_track *track);

/* Tells the stories whole: plans the track by each rule of who gives way, and by that of `rules`
 * with a watch. `again` has room for n slices. Returns false if there is no memory. */
bool story_tell(struct told_track *track, const struct plan_rules *rules, struct slice *again);

#endif
