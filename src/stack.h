/* The open slices of a track or lane, as the viewer keeps them (perfetto.md, The stack of a
 * thread). Pure. */
#ifndef STACK_H
#define STACK_H

#include "plan.h"

#define NO_PAIR UINT32_MAX

/* An open slice of lane 0, with its times of the moment. */
struct frame {
    int64_t start_ns, end_ns;
    uint32_t slice; /* its index */
    uint32_t pair;  /* index of the innermost pair that ends at end_ns, this one or around it; or
                       NO_PAIR */
    /* Of the plan: */
    uint32_t snaps;   /* crossings that were settled by a change of its times, */
    bool changed;     /* and whether they differ from its own */
    uint8_t kind;     /* its byte (kind.h) */
    bool any_end;     /* it may end anywhere earlier (plan_rules: trim_unfinished) */
    uint16_t nlevels; /* how deep it goes within: of what it held and was closed */
};

/* What is open, the innermost last. */
struct stack {
    struct frame frames[PLAN_DEPTH_MAX];
    size_t depth;
};

/* Has an open slice ended when another starts? The viewer keeps one without length open around
 * another such at the same time. (An E comes first of all at its time.) */
static inline bool has_ended(int64_t open_start_ns, int64_t open_end_ns, int64_t start_ns,
                             int64_t end_ns)
{
    bool both_zero = open_start_ns == open_end_ns && start_ns == end_ns;
    return open_end_ns < start_ns || (open_end_ns == start_ns && !both_zero);
}

/* Has the innermost one, if there is one? */
static inline bool top_has_ended(const struct stack *stack, int64_t start_ns, int64_t end_ns)
{
    if (!stack->depth)
        return false;
    const struct frame *top = &stack->frames[stack->depth - 1];
    return has_ended(top->start_ns, top->end_ns, start_ns, end_ns);
}

/* Takes off what has ended. */
static inline void pop_ended(struct stack *stack, int64_t start_ns, int64_t end_ns)
{
    while (top_has_ended(stack, start_ns, end_ns))
        stack->depth--;
}

/* Does the E of the pair i stand behind that of the pair k? Where both end at one time, it would
 * come after that, though it ends what lies within. */
static inline bool ends_behind(const struct slice *s, const struct pairs *pairs, uint32_t i,
                               uint32_t k)
{
    return pairs_get(pairs, slice_off(&s[i]))->end_off >
           pairs_get(pairs, slice_off(&s[k]))->end_off;
}

/* Is it a pair without length in the trace? Its slice is as short as can be. */
static inline bool is_zero(const struct slice *s, const struct pairs *pairs)
{
    enum { STEP_MAX_NS = 4096 }; /* from one time that can be written to the next, and more */
    return slice_is_pair(s) && slice_end_ns(s) - s->start_ns <= STEP_MAX_NS &&
           pair_end_ns(pairs_get(pairs, slice_off(s))) == s->start_ns;
}

/* Does a slice that starts within the frame, as slice i does, and ends at end_ns lie within it? */
static inline bool holds(const struct frame *frame, const struct slice *s,
                         const struct pairs *pairs, uint32_t i, int64_t end_ns)
{
    if (end_ns != frame->end_ns || frame->pair == NO_PAIR || !slice_is_pair(&s[i]))
        return end_ns <= frame->end_ns;
    return !ends_behind(s, pairs, i, frame->pair);
}

/* Opens the slice i, with these times. Returns its frame. */
static inline struct frame *push(struct stack *stack, int64_t start_ns, int64_t end_ns, uint32_t i,
                                 bool is_pair)
{
    const struct frame *around = stack->depth ? &stack->frames[stack->depth - 1] : NULL;
    uint32_t pair = is_pair ? i : around && around->end_ns == end_ns ? around->pair : NO_PAIR;
    struct frame *top = &stack->frames[stack->depth++];
    *top = (struct frame){.start_ns = start_ns, .end_ns = end_ns, .slice = i, .pair = pair};
    return top;
}

#endif
