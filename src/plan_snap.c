/* How the crossings of one slice are settled. */
#include "plan_parts.h"
#include "shift.h"

void plan_tell(const struct planner *p, const struct candidate *c, const struct frame *frame,
               const struct ways *ways, enum plan_way way)
{
    if (!p->watch)
        return;
    struct plan_step step = {.slice = c->i,
                             .frame = frame ? frame->slice : PLAN_NO_FRAME,
                             .start_ns = c->start_ns,
                             .end_ns = c->end_ns,
                             .frame_start_ns = frame ? frame->start_ns : 0,
                             .frame_end_ns = frame ? frame->end_ns : 0,
                             .way = way,
                             .kept = ways->kept};
    for (int i = 0; i < PLAN_WAYS; i++)
        step.shift_ns[i] = ways->shift_ns[i];
    p->watch->step(p->watch->data, &step);
}

/* The last end, at a time that can be written, with which a slice lies within a frame. */
static int64_t last_end(const struct planner *p, const struct frame *frame,
                        const struct candidate *c)
{
    if (!c->pair)
        return frame->end_ns; /* what has to be written is its dur */
    int64_t end = p->rules->dur_floor(frame->end_ns);
    return holds(frame, p->s, p->pairs, c->i, end) ? end : p->rules->dur_floor(end - 1);
}

/* The ways of an X to give way that is the softer of two. */
static void find_frames_ways(const struct planner *p, const struct crossing_of *x,
                             struct ways *ways)
{
    const struct candidate *c = x->c;
    const struct frame *f = x->frame;
    int64_t own_end = slice_end_ns(&p->s[f->slice]), dur = c->end_ns - f->start_ns;
    ways->shift_ns[WAY_FRAME_MOVES] = 0;
    ways->kept = f->kind & KIND_KEEP_TIMES;
    if (ways->kept)
        return;
    if (p->rules->dur_floor(dur) == dur)
        ways->shift_ns[WAY_FRAME_GROWS] = shift_ns_between(own_end, c->end_ns);
    dur = c->start_ns - f->start_ns;
    if (x->may_go_back && dur > 0 && p->rules->dur_floor(dur) == dur)
        ways->shift_ns[WAY_FRAME_TRIMS] = shift_ns_between(own_end, c->start_ns);
}

struct ways plan_find_ways(const struct planner *p, const struct crossing_of *x)
{
    const struct candidate *c = x->c;
    const struct frame *f = x->frame;
    const struct slice *own = &p->s[c->i];
    struct ways ways = ways_none();
    if (x->hardness == SOFTER) {
        find_frames_ways(p, x, &ways);
        return ways;
    }
    ways.kept = c->kind & KIND_KEEP_TIMES;
    if (ways.kept)
        return ways;
    int64_t later = p->rules->start_ceil(f->end_ns);
    ways.delay_start_ns = later;
    ways.delay_end_ns = c->end_ns;
    if (c->zero) {
        int64_t end = later < INT64_MAX ? p->rules->start_ceil(later + 1) : later;
        ways.delay_end_ns = end;
        if (end > later)
            ways.shift_ns[WAY_DELAY] = end - own->start_ns;
        return ways;
    }
    if (later < c->end_ns)
        ways.shift_ns[WAY_DELAY] = later - own->start_ns;
    ways.trim_end_ns = last_end(p, f, c);
    if (ways.trim_end_ns > c->start_ns)
        ways.shift_ns[WAY_TRIM] = slice_end_ns(own) - ways.trim_end_ns;
    if (x->hardness == HARDER && x->may_advance && p->rules->start_ceil(f->start_ns) == f->start_ns)
        ways.shift_ns[WAY_ADVANCE] = shift_ns_between(own->start_ns, f->start_ns);
    return ways;
}

enum plan_way plan_choose(const struct planner *p, const struct candidate *c, const struct frame *f,
                          const struct ways *ways)
{
    bool may_trim = may_shift(p, ways->shift_ns[WAY_TRIM], c->any_end);
    bool may_delay = may_shift(p, ways->shift_ns[WAY_DELAY], false);
    /* Where f's end cannot be written as a start, the end may give way after all (spec 2). */
    bool rather_trim = c->end_ns - f->end_ns <= f->end_ns - c->start_ns || c->any_end ||
                       (!may_delay && ways->delay_start_ns > f->end_ns);
    if (may_trim && rather_trim)
        return WAY_TRIM;
    return may_delay ? WAY_DELAY : WAY_MOVES;
}

bool plan_round_end(const struct planner *p, struct candidate *c)
{
    const int64_t own_end = slice_end_ns(&p->s[c->i]);
    if (!c->pair)
        c->end_ns = c->start_ns + p->rules->dur_floor(c->end_ns - c->start_ns);
    return c->end_ns >= own_end || may_shift(p, own_end - c->end_ns, c->any_end);
}

bool plan_snap(const struct planner *p, struct candidate *c)
{
    const int64_t start_before = c->start_ns;
    const struct frame *last = NULL;
    struct ways ways = ways_none();
    size_t depth = p->stack.depth;
    for (; depth; depth--) {
        const struct frame *f = &p->stack.frames[depth - 1];
        if (f->end_ns <= c->start_ns)
            continue;
        if (holds(f, p->s, p->pairs, c->i, c->end_ns))
            break;
        ways = plan_find_ways(p, &(struct crossing_of){.c = c, .frame = f, .hardness = ALIKE});
        enum plan_way way = plan_choose(p, c, f, &ways);
        plan_tell(p, c, f, &ways, way);
        if (way == WAY_MOVES)
            return false;
        c->snaps++;
        last = f;
        if (way == WAY_TRIM) {
            c->end_ns = ways.trim_end_ns;
            break;
        }
        c->start_ns = ways.delay_start_ns;
        c->end_ns = ways.delay_end_ns;
    }
    /* A dur of 50 days and more may not be writable either: then the end gives way a little. */
    bool near = plan_round_end(p, c);
    if (c->start_ns == start_before)
        depth = p->stack.depth; /* nothing closes, not even a zero-length slice at this start */
    bool too_deep = depth >= PLAN_DEPTH_MAX;
    if (near && !too_deep)
        return true;
    if (too_deep)
        ways = ways_none();
    plan_tell(p, c, too_deep ? NULL : last, &ways, WAY_MOVES);
    return false;
}
