#include "plan.h"

#include <stdlib.h>

#include "buf.h"
#include "heap.h"
#include "lane_set.h"
#include "sort.h"

/* An open slice of lane 0. */
struct frame {
    int64_t start_ns, end_ns;
};

/* A slice on its way to lane 0, with its times of the moment. */
struct candidate {
    int64_t start_ns, end_ns;
    uint64_t place; /* in the file */
    uint32_t i;     /* index into the slices, where its own times stand until it is placed */
    uint32_t snaps; /* crossings settled on the way */
};

struct planner {
    struct slice *s;
    size_t n, next; /* next: the first slice not yet looked at */
    uint32_t base;
    const struct plan_rules *rules;
    struct frame stack[PLAN_DEPTH_MAX];
    size_t depth;
    struct candidate *queue; /* a heap: what was put back at a later start */
    size_t nqueue, queue_cap;
    uint32_t *moved; /* indices of the slices that go to a lane */
    size_t nmoved, moved_cap;
    struct rewrites *out;
    struct plan_stats *stats;
};

bool slice_less(const struct slice *a, const struct slice *b)
{
    uint32_t track_a = slice_track(a), track_b = slice_track(b);
    if (track_a != track_b)
        return track_a < track_b;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns;
    return a->place < b->place;
}

bool rewrites_add(struct rewrites *out, uint64_t off, uint32_t slice, uint32_t lane)
{
    struct rewrite *items = array_grow(out->items, &out->cap, out->n + 1, sizeof *items);
    if (!items)
        return false;
    out->items = items;
    items[out->n++] = (struct rewrite){off, slice, lane};
    return true;
}

void rewrites_free(struct rewrites *out)
{
    free(out->items);
    *out = (struct rewrites){0};
}

/* The depth that is left of a stack at a start: the viewer closes what has ended, but keeps a
 * zero-length slice open around another at the same time. */
static size_t pop_ended(const struct frame *stack, size_t depth, int64_t start_ns, int64_t end_ns)
{
    while (depth) {
        const struct frame *top = &stack[depth - 1];
        bool both_zero = top->start_ns == top->end_ns && start_ns == end_ns;
        if (top->end_ns > start_ns || (top->end_ns == start_ns && both_zero))
            break;
        depth--;
    }
    return depth;
}

void plan_count(const struct slice *s, size_t n, struct plan_stats *stats)
{
    struct frame stack[PLAN_DEPTH_MAX];
    size_t depth = 0;
    *stats = (struct plan_stats){0};
    for (size_t i = 0; i < n; i++) {
        depth = pop_ended(stack, depth, s[i].start_ns, s[i].end_ns);
        if (depth && s[i].end_ns > stack[depth - 1].end_ns)
            stats->crossings++;
        else if (depth == PLAN_DEPTH_MAX)
            stats->too_deep++;
        else
            stack[depth++] = (struct frame){s[i].start_ns, s[i].end_ns};
    }
}

/* The order of slice_less, by the candidates' times of the moment. Their indices would not do: a
 * delayed start may meet that of a slice which was further on, but stands earlier in the file. */
static bool comes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns;
    return a->place < b->place;
}

DEFINE_HEAP(queue, struct candidate, comes_before)

static bool put_back(struct planner *p, struct candidate c)
{
    struct candidate *queue = array_grow(p->queue, &p->queue_cap, p->nqueue + 1, sizeof *p->queue);
    if (!queue)
        return false;
    p->queue = queue;
    queue_push(queue, &p->nqueue, c);
    return true;
}

/* The next slice in the order of the plan, from the sorted ones and those put back. */
static bool take_next(struct planner *p, struct candidate *c)
{
    if (p->next < p->n) {
        const struct slice *s = &p->s[p->next];
        *c = (struct candidate){s->start_ns, s->end_ns, s->place, (uint32_t)p->next, 0};
        if (!p->nqueue || comes_before(c, &p->queue[0])) {
            p->next++;
            return true;
        }
    }
    if (!p->nqueue)
        return false;
    *c = queue_pop(p->queue, &p->nqueue);
    return true;
}

/* Spec 4, step 2: walks the open frames from the innermost outward, and snaps the candidate until
 * it crosses none. Returns false if that takes a shift of the threshold or more. */
static bool snap(const struct planner *p, struct candidate *c)
{
    const struct slice *own = &p->s[c->i];
    const int64_t threshold = p->rules->threshold_ns;
    int64_t start = c->start_ns, end = c->end_ns;
    size_t depth = p->depth;
    for (; depth; depth--) {
        const struct frame *f = &p->stack[depth - 1];
        if (f->end_ns <= start)
            continue;
        if (end <= f->end_ns)
            break;
        bool may_trim = own->end_ns - f->end_ns < threshold;
        int64_t later = p->rules->start_ceil(f->end_ns);
        bool may_delay = later < end && later - own->start_ns < threshold;
        /* Where f's end cannot be written as a start, the end may give way after all (spec 2). */
        bool rather_trim =
            end - f->end_ns <= f->end_ns - start || (!may_delay && later > f->end_ns);
        if (may_trim && rather_trim) {
            end = f->end_ns;
            c->snaps++;
            break;
        }
        if (!may_delay)
            return false;
        start = later;
        c->snaps++;
    }
    /* A dur of 50 days and more may not be writable either: then the end gives way a little. */
    end = start + p->rules->dur_floor(end - start);
    if (start == c->start_ns)
        depth = p->depth; /* nothing closes, not even a zero-length slice at this start */
    c->start_ns = start;
    c->end_ns = end;
    return depth < PLAN_DEPTH_MAX && (end == own->end_ns || own->end_ns - end < threshold);
}

/* Puts the candidate onto lane 0 as it is now. */
static bool place(struct planner *p, const struct candidate *c)
{
    struct slice *own = &p->s[c->i];
    p->stack[p->depth++] = (struct frame){c->start_ns, c->end_ns};
    if (own->start_ns == c->start_ns && own->end_ns == c->end_ns)
        return true;
    own->start_ns = c->start_ns;
    own->end_ns = c->end_ns;
    p->stats->snaps += c->snaps;
    return rewrites_add(p->out, slice_off(own), p->base + c->i, 0);
}

static bool move(struct planner *p, uint32_t i)
{
    uint32_t *moved = array_grow(p->moved, &p->moved_cap, p->nmoved + 1, sizeof *moved);
    if (!moved)
        return false;
    p->moved = moved;
    moved[p->nmoved++] = i;
    return true;
}

/* Steps 1 to 3 for one slice. */
static bool settle(struct planner *p, struct candidate c)
{
    p->depth = pop_ended(p->stack, p->depth, c.start_ns, c.end_ns);
    bool held = !p->depth || c.end_ns <= p->stack[p->depth - 1].end_ns;
    if (held && p->depth < PLAN_DEPTH_MAX)
        return place(p, &c);
    int64_t start_before = c.start_ns;
    if (!snap(p, &c))
        return move(p, c.i);
    return c.start_ns == start_before ? place(p, &c) : put_back(p, c);
}

static bool index_less(const uint32_t *a, const uint32_t *b)
{
    return *a < *b;
}

DEFINE_SORT(sort_indices, uint32_t, index_less)

/* Step 4. Nothing on lane 0 depends on the lanes, so they are filled afterwards, in the order of
 * the plan: a slice that was put back before it moved takes its lane with its own start. */
static bool fill_lanes(struct planner *p)
{
    struct lane_set *lanes = lane_set_new(PLAN_DEPTH_MAX);
    if (!lanes)
        return false;
    bool ok = true;
    sort_indices(p->moved, p->nmoved);
    for (size_t k = 0; ok && k < p->nmoved; k++) {
        uint32_t lane, i = p->moved[k];
        ok = lane_set_place(lanes, p->s[i].start_ns, p->s[i].end_ns, &lane) &&
             rewrites_add(p->out, slice_off(&p->s[i]), p->base + i, lane);
    }
    p->stats->moved = p->nmoved;
    p->stats->lanes = 1 + lane_set_count(lanes);
    lane_set_free(lanes);
    return ok;
}

bool plan_track(struct slice *s, size_t n, uint32_t base, const struct plan_rules *rules,
                struct rewrites *out, struct plan_stats *stats)
{
    plan_count(s, n, stats);
    stats->lanes = 1;
    if (!stats->crossings && !stats->too_deep)
        return true;
    struct planner p = {.s = s, .n = n, .base = base, .rules = rules, .out = out, .stats = stats};
    bool ok = true;
    for (struct candidate c; ok && take_next(&p, &c);)
        ok = settle(&p, c);
    ok = ok && fill_lanes(&p);
    free(p.queue);
    free(p.moved);
    return ok;
}
