/* How the crossings of one slice are settled. */
#include "plan_parts.h"

void plan_tell(const struct planner *p, const struct candidate *c, const struct frame *frame,
               const struct ways *ways, enum plan_way way)
{
    const struct plan_watch *watch = p->rules->watch;
    if (!watch)
        return;
    struct plan_step step = {.slice = c->i,
                             .frame = frame ? frame->slice : PLAN_NO_FRAME,
                             .start_ns = c->start_ns,
                             .end_ns = c->end_ns,
                             .frame_start_ns = frame ? frame->start_ns : 0,
                             .frame_end_ns = frame ? frame->end_ns : 0,
                             .way = way};
    for (int i = 0; i < PLAN_WAYS; i++)
        step.shift_ns[i] = ways->shift_ns[i];
    watch->step(watch->data, &step);
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

/* What each way of settling the candidate's crossing with an open frame comes to. */
static struct ways find_ways(const struct planner *p, const struct candidate *c,
                             const struct frame *f)
{
    const struct slice *own = &p->s[c->i];
    struct ways ways = ways_none();
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
    return ways;
}

/* The later slice gives way, by the smaller step that is below the threshold in all. */
static enum plan_way choose(const struct planner *p, const struct candidate *c,
                            const struct frame *f, const struct ways *ways)
{
    const int64_t threshold = p->rules->threshold_ns;
    int64_t trim = ways->shift_ns[WAY_TRIM], delay = ways->shift_ns[WAY_DELAY];
    bool may_trim = trim >= 0 && trim < threshold, may_delay = delay >= 0 && delay < threshold;
    /* Where f's end cannot be written as a start, the end may give way after all (spec 2). */
    bool rather_trim = c->end_ns - f->end_ns <= f->end_ns - c->start_ns ||
                       (!may_delay && ways->delay_start_ns > f->end_ns);
    if (may_trim && rather_trim)
        return WAY_TRIM;
    return may_delay ? WAY_DELAY : WAY_MOVES;
}

bool plan_snap(const struct planner *p, struct candidate *c)
{
    const int64_t start_before = c->start_ns, own_end = slice_end_ns(&p->s[c->i]);
    const struct frame *last = NULL;
    struct ways ways = ways_none();
    size_t depth = p->stack.depth;
    for (; depth; depth--) {
        const struct frame *f = &p->stack.frames[depth - 1];
        if (f->end_ns <= c->start_ns)
            continue;
        if (holds(f, p->s, p->pairs, c->i, c->end_ns))
            break;
        ways = find_ways(p, c, f);
        enum plan_way way = choose(p, c, f, &ways);
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
    if (!c->pair)
        c->end_ns = c->start_ns + p->rules->dur_floor(c->end_ns - c->start_ns);
    if (c->start_ns == start_before)
        depth = p->stack.depth; /* nothing closes, not even a zero-length slice at this start */
    bool too_deep = depth >= PLAN_DEPTH_MAX;
    if (!too_deep && (c->end_ns >= own_end || own_end - c->end_ns < p->rules->threshold_ns))
        return true;
    if (too_deep)
        ways = ways_none();
    plan_tell(p, c, too_deep ? NULL : last, &ways, WAY_MOVES);
    return false;
}
