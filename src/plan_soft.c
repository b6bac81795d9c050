/* PLAN_SOFT: of two X that cross the softer one gives way (plan.h, struct plan_rules). */
#include <string.h>

#include "plan_parts.h"

/* How a candidate is to be placed. */
struct placing {
    size_t index;                 /* where on the stack; those from there on lie in it */
    size_t low;                   /* the frames from here to there give way: */
    uint8_t ways[PLAN_DEPTH_MAX]; /* enum plan_way */
    /* Of the frames that start together, of which one was looked at last (group_ns, -1: none was),
     * the outermost that owns an endpoint which binds to the next slice; SIZE_MAX: none does. */
    int64_t group_ns;
    size_t group_arrow;
};

static bool is_pair(const struct frame *f)
{
    return f->pair == f->slice;
}

/* Nothing gives way to the end of what never returned. */
static enum hardness hardness(const struct frame *f, const struct candidate *c)
{
    int frame = f->kind & KIND_BITS, slice = c->kind & KIND_BITS;
    if (c->pair || is_pair(f) || frame == slice || (frame < slice && c->any_end))
        return ALIKE;
    return frame < slice ? SOFTER : HARDER;
}

/* Would an advance of the slice to the start of a frame leave all arrows where they are? The frames
 * are asked about from the innermost outward, all in O(depth). */
static bool arrows_stay(const struct planner *p, const struct candidate *c, size_t index,
                        struct placing *placing)
{
    const uint8_t *arrows = p->rules->arrows;
    if (!arrows)
        return true;
    if (arrows[c->i])
        return false;
    int64_t start_ns = p->stack.frames[index].start_ns;
    if (start_ns != placing->group_ns) {
        placing->group_ns = start_ns;
        placing->group_arrow = SIZE_MAX;
        for (size_t k = index + 1; k-- > 0 && p->stack.frames[k].start_ns == start_ns;)
            if (arrows[p->stack.frames[k].slice] & PLAN_ARROW_NEXT)
                placing->group_arrow = k;
    }
    return placing->group_arrow > index;
}

/* What a slice does that is softer than the frame. */
static enum plan_way choose_own(const struct planner *p, const struct candidate *c,
                                const struct ways *ways)
{
    static const enum plan_way order[] = {WAY_TRIM, WAY_DELAY, WAY_ADVANCE};
    enum plan_way best = WAY_MOVES;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        bool any = order[i] == WAY_TRIM && c->any_end;
        int64_t shift = ways->shift_ns[order[i]];
        if (may_shift(p, shift, any) && (best == WAY_MOVES || shift < ways->shift_ns[best]))
            best = order[i];
        if (best != WAY_MOVES && any)
            break;
    }
    return best;
}

/* Settles the candidate's crossings with frames that are not softer. */
static enum outcome settle_own(struct planner *p, struct candidate *c, struct placing *placing)
{
    const struct candidate before = *c;
    const struct frame *last = NULL;
    struct ways ways = ways_none();
    uint32_t nlevels = 0; /* how deep it goes within the frame */
    for (size_t k = p->stack.depth; k-- > 0;) {
        const struct frame *f = &p->stack.frames[k];
        nlevels = f->nlevels > nlevels ? f->nlevels : nlevels;
        struct crossing_of x = {c, f, hardness(f, c), false, false};
        if (f->end_ns > c->start_ns && holds(f, p->s, p->pairs, c->i, c->end_ns))
            break;
        if (f->start_ns == c->start_ns && placing->index < p->stack.depth) {
            placing->index = k; /* it lies around this one as well */
        } else if (f->end_ns > c->start_ns && x.hardness != SOFTER) {
            x.may_advance = k + 2 + nlevels <= PLAN_DEPTH_MAX && arrows_stay(p, c, k, placing);
            ways = plan_find_ways(p, &x);
            enum plan_way way =
                x.hardness == HARDER ? choose_own(p, c, &ways) : plan_choose(p, c, f, &ways);
            plan_tell(p, c, f, &ways, way);
            if (way == WAY_MOVES)
                return MOVES;
            c->snaps++;
            last = f;
            if (way == WAY_TRIM) {
                c->end_ns = ways.trim_end_ns;
                break;
            }
            c->start_ns = way == WAY_DELAY ? ways.delay_start_ns : f->start_ns;
            c->end_ns = way == WAY_DELAY ? ways.delay_end_ns : c->end_ns;
            placing->index = way == WAY_DELAY ? p->stack.depth : k;
        }
        nlevels++;
    }
    if (!last)
        return PLACED;
    bool around = placing->index < p->stack.depth;
    if (!plan_round_end(p, c) || (around && c->end_ns <= p->stack.frames[placing->index].end_ns)) {
        plan_tell(p, c, last, &ways, WAY_MOVES);
        return MOVES;
    }
    return c->start_ns > before.start_ns ? PUT_BACK : PLACED;
}

/* What a frame does that is softer than the slice. */
static enum plan_way choose_frames(const struct planner *p, const struct frame *f,
                                   const struct ways *ways)
{
    int64_t grow = ways->shift_ns[WAY_FRAME_GROWS], trim = ways->shift_ns[WAY_FRAME_TRIMS];
    bool may_grow = may_shift(p, grow, f->any_end), may_trim = may_shift(p, trim, f->any_end);
    if (may_grow && (!may_trim || grow <= trim))
        return WAY_FRAME_GROWS;
    return may_trim ? WAY_FRAME_TRIMS : WAY_FRAME_MOVES;
}

/* Finds what the softer frames do that the candidate still crosses, or tells of it. Returns how
 * many are left open by it, those within the candidate with them. */
static size_t settle_frames(const struct planner *p, const struct candidate *c,
                            struct placing *placing, bool tell)
{
    size_t k = placing->index, depth = p->stack.depth;
    bool has_grown = false;
    for (; k > 0; k--) {
        const struct frame *f = &p->stack.frames[k - 1];
        if (holds(f, p->s, p->pairs, c->i, c->end_ns))
            break;
        struct crossing_of x = {c, f, SOFTER, !has_grown, false};
        struct ways ways = plan_find_ways(p, &x);
        enum plan_way way = choose_frames(p, f, &ways);
        if (tell)
            plan_tell(p, c, f, &ways, way);
        placing->ways[k - 1] = (uint8_t)way;
        has_grown |= way == WAY_FRAME_GROWS;
        depth -= way != WAY_FRAME_GROWS;
    }
    placing->low = k;
    return depth;
}

/* What a frame of the stack[0, n) held, which it is no part of any more. */
static void note_levels(struct stack *stack, size_t n, uint16_t nlevels)
{
    if (n && stack->frames[n - 1].nlevels < nlevels)
        stack->frames[n - 1].nlevels = nlevels;
}

/* Lets the frames give way. Returns false if there is no memory. */
static bool give_way(struct planner *p, const struct candidate *c, struct placing *placing)
{
    struct stack *stack = &p->stack;
    size_t kept = placing->low, index = placing->index;
    for (size_t k = placing->low; k < index; k++) {
        struct frame f = stack->frames[k];
        const struct slice *own = &p->s[f.slice];
        bool grows = placing->ways[k] == WAY_FRAME_GROWS;
        if (placing->ways[k] == WAY_FRAME_MOVES) {
            note_levels(stack, kept, f.nlevels);
            if (!plan_move(p, f.slice))
                return false;
            continue;
        }
        f.end_ns = grows ? c->end_ns : c->start_ns;
        f.changed = f.start_ns != own->start_ns || f.end_ns != own->end_ns;
        f.snaps++;
        if (grows) {
            stack->frames[kept++] = f;
            continue;
        }
        note_levels(stack, kept, (uint16_t)(f.nlevels + 1));
        if (f.changed && !plan_close(p, &f))
            return false;
    }
    memmove(&stack->frames[kept], &stack->frames[index],
            (stack->depth - index) * sizeof *stack->frames);
    stack->depth -= index - kept;
    placing->index = kept;
    return true;
}

/* Puts the candidate onto the stack, around the frames that lie in it. */
static void insert(struct planner *p, const struct candidate *c, const struct placing *placing)
{
    struct stack *stack = &p->stack;
    struct frame *at = &stack->frames[placing->index];
    memmove(at + 1, at, (stack->depth++ - placing->index) * sizeof *at);
    *at = plan_frame(p, c);
    for (size_t k = placing->low; k < stack->depth; k++) {
        struct frame *f = &stack->frames[k];
        bool same_end = k && f[-1].end_ns == f->end_ns;
        if (!is_pair(f))
            f->pair = same_end ? f[-1].pair : NO_PAIR;
    }
}

enum outcome plan_soft(struct planner *p, struct candidate *c)
{
    struct placing placing;
    placing.index = p->stack.depth;
    placing.group_ns = -1;
    enum outcome outcome = settle_own(p, c, &placing);
    if (outcome != PLACED)
        return outcome;
    if (settle_frames(p, c, &placing, false) >= PLAN_DEPTH_MAX) {
        struct ways ways = ways_none();
        plan_tell(p, c, NULL, &ways, WAY_MOVES);
        return MOVES;
    }
    if (p->watch)
        settle_frames(p, c, &placing, true);
    if (!give_way(p, c, &placing))
        return NO_MEMORY;
    insert(p, c, &placing);
    return PLACED;
}
