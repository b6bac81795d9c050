#include "plan.h"

#include <stdlib.h>

#include "buf.h"
#include "heap.h"
#include "lane_set.h"
#include "plan_least.h"
#include "sort.h"

bool slice_less(const struct slice *a, const struct slice *b)
{
    uint32_t track_a = slice_track(a), track_b = slice_track(b);
    if (track_a != track_b)
        return track_a < track_b;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    int64_t end_a = slice_is_pair(a) ? a->start_ns : a->end_ns;
    int64_t end_b = slice_is_pair(b) ? b->start_ns : b->end_ns;
    if (end_a != end_b)
        return end_a > end_b;
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

/* The order of slice_less, by the candidates' times of the moment. Their indices would not do: a
 * delayed start may meet that of a slice which was further on, but stands earlier in the file. */
static bool comes_before(const struct candidate *a, const struct candidate *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    int64_t end_a = a->pair ? a->start_ns : a->end_ns, end_b = b->pair ? b->start_ns : b->end_ns;
    if (end_a != end_b)
        return end_a > end_b;
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

/* Notes where the pairs end that start with a candidate. The others that do have not been looked at
 * yet: starts only increase. */
static void note_group(struct planner *p, const struct candidate *c)
{
    p->group_start_ns = c->start_ns;
    p->group_end_ns = c->pair ? c->end_ns : -1;
    p->group_slice = c->i;
    for (size_t i = p->next; i < p->n && p->s[i].start_ns == c->start_ns; i++) {
        if (slice_is_pair(&p->s[i]) && slice_end_ns(&p->s[i]) > p->group_end_ns) {
            p->group_end_ns = slice_end_ns(&p->s[i]);
            p->group_slice = (uint32_t)i;
        }
    }
}

static struct candidate next_sorted(const struct planner *p)
{
    const struct slice *s = &p->s[p->next];
    return (struct candidate){.start_ns = s->start_ns,
                              .end_ns = slice_end_ns(s),
                              .pair = slice_is_pair(s),
                              .zero = is_zero(s, p->pairs),
                              .place = s->place,
                              .i = (uint32_t)p->next};
}

/* The next slice in the order of the plan, from the sorted ones and those put back. */
static bool take_next(struct planner *p, struct candidate *c)
{
    if (p->next == p->n && !p->nqueue)
        return false;
    bool sorted = p->next < p->n;
    if (sorted) {
        *c = next_sorted(p);
        sorted = !p->nqueue || comes_before(c, &p->queue[0]);
    }
    if (sorted) {
        const struct kinds *kinds = p->rules->kinds;
        c->kind = kinds ? kinds_get(kinds, slice_off(&p->s[p->next])) : KIND_OP;
        c->any_end = c->end_ns == p->unfinished_ns && !(c->kind & KIND_KEEP_TIMES);
        p->next++;
    } else {
        *c = queue_pop(p->queue, &p->nqueue);
    }
    if (p->pairs && c->start_ns != p->group_start_ns)
        note_group(p, c);
    return true;
}

/* Notes that a slice changes, and whether the E of a pair does. */
static bool rewrite(struct planner *p, uint32_t i, uint32_t lane, bool end_changes)
{
    const struct slice *s = &p->s[i];
    if (end_changes && slice_is_pair(s) &&
        !rewrites_add(p->out, pairs_get(p->pairs, slice_off(s))->end_off | REWRITE_END, p->base + i,
                      lane))
        return false;
    return rewrites_add(p->out, slice_off(s), p->base + i, lane);
}

bool plan_close(struct planner *p, const struct frame *frame)
{
    if (p->trial) {
        p->fates[frame->slice] |= FATE_TOUCHED;
        return true;
    }
    struct slice *own = &p->s[frame->slice];
    bool pair = slice_is_pair(own);
    bool end_changes = slice_end_ns(own) != frame->end_ns || is_zero(own, p->pairs);
    own->start_ns = frame->start_ns;
    own->end_ns = pair ? frame->end_ns | SLICE_PAIR : frame->end_ns;
    p->stats->snaps += frame->snaps;
    return rewrite(p, frame->slice, 0, end_changes);
}

/* Takes the innermost slice off lane 0: what it is now is what becomes of it. */
static bool close_top(struct planner *p)
{
    const struct frame *top = &p->stack.frames[--p->stack.depth];
    if (p->stack.depth) {
        struct frame *around = &p->stack.frames[p->stack.depth - 1];
        if (around->nlevels <= top->nlevels)
            around->nlevels = (uint16_t)(top->nlevels + 1);
    }
    return !top->changed || plan_close(p, top);
}

static bool close_ended(struct planner *p, int64_t start_ns, int64_t end_ns)
{
    while (top_has_ended(&p->stack, start_ns, end_ns))
        if (!close_top(p))
            return false;
    return true;
}

bool plan_move(struct planner *p, uint32_t i)
{
    if (p->trial) {
        p->fates[i] |= FATE_TOUCHED;
        return true;
    }
    uint32_t *moved = array_grow(p->moved, &p->moved_cap, p->nmoved + 1, sizeof *moved);
    if (!moved)
        return false;
    p->moved = moved;
    moved[p->nmoved++] = i;
    return true;
}

/* What an X does that starts with a pair, but ends before it: the viewer opens it first, so that it
 * would end under the open B. It goes within the pair by the smallest delay. Where not even that
 * may be: if the pair can wait for its end, it stays, else it moves. */
static enum outcome give_way(const struct planner *p, struct candidate *c)
{
    bool lies_around = !c->pair && c->start_ns == p->group_start_ns && c->start_ns < c->end_ns &&
                       c->end_ns < p->group_end_ns;
    if (!lies_around)
        return PLACED;
    const struct slice *own = &p->s[c->i];
    const struct frame pair = {p->group_start_ns, p->group_end_ns, .slice = p->group_slice};
    const int64_t threshold = p->rules->threshold_ns;
    struct ways ways = ways_none();
    int64_t start = p->rules->start_ceil(c->start_ns + 1);
    ways.kept = c->kind & KIND_KEEP_TIMES;
    if (start < c->end_ns && !ways.kept) {
        int64_t end = start + p->rules->dur_floor(c->end_ns - start);
        ways.shift_ns[WAY_DELAY] = start - own->start_ns;
        if (start - own->start_ns < threshold &&
            (end == own->end_ns || own->end_ns - end < threshold)) {
            plan_tell(p, c, &pair, &ways, WAY_DELAY);
            c->start_ns = start;
            c->end_ns = end;
            c->snaps++;
            return PUT_BACK;
        }
    }
    if (p->rules->start_ceil(c->end_ns) - c->start_ns < threshold)
        return PLACED;
    plan_tell(p, c, &pair, &ways, WAY_MOVES);
    return MOVES;
}

/* Puts the candidate onto lane 0, as its innermost slice. */
static void place(struct planner *p, const struct candidate *c)
{
    struct frame *top = &p->stack.frames[p->stack.depth++];
    *top = plan_frame(p, c);
    if (!c->pair && p->stack.depth > 1 && top[-1].end_ns == top->end_ns)
        top->pair = top[-1].pair;
}

/* Steps 1 to 3 for one slice that lies within no pair that starts with it. */
static enum outcome fit(struct planner *p, struct candidate *c)
{
    if (!close_ended(p, c->start_ns, c->end_ns))
        return NO_MEMORY;
    size_t depth = p->stack.depth;
    bool held = !depth || holds(&p->stack.frames[depth - 1], p->s, p->pairs, c->i, c->end_ns);
    if (!held || depth >= PLAN_DEPTH_MAX) {
        if (p->rules->snap == PLAN_SOFT)
            return plan_soft(p, c);
        int64_t start_before = c->start_ns;
        if (!plan_snap(p, c))
            return MOVES;
        if (c->start_ns != start_before)
            return PUT_BACK;
    }
    place(p, c);
    return PLACED;
}

static bool settle(struct planner *p, struct candidate c)
{
    if (p->fates && (p->fates[c.i] & FATE_FORCED)) {
        struct ways ways = ways_none();
        plan_tell(p, &c, &(struct frame){.slice = PLAN_OTHERS}, &ways, WAY_MOVES);
        return plan_move(p, c.i);
    }
    enum outcome outcome = give_way(p, &c);
    if (outcome == PLACED)
        outcome = fit(p, &c);
    switch (outcome) {
    case PUT_BACK:
        return put_back(p, c);
    case MOVES:
        return plan_move(p, c.i);
    default:
        return outcome != NO_MEMORY;
    }
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
        const struct slice *s = &p->s[i];
        uint64_t end_off = slice_is_pair(s) ? pairs_get(p->pairs, slice_off(s))->end_off : 0;
        ok = lane_set_place(lanes, s->start_ns, slice_end_ns(s), end_off, &lane) &&
             rewrite(p, i, lane, true);
    }
    p->stats->moved = p->nmoved;
    p->stats->lanes = 1 + lane_set_count(lanes);
    lane_set_free(lanes);
    return ok;
}

bool plan_lane_0(struct planner *p)
{
    bool ok = true;
    p->next = p->nqueue = p->stack.depth = 0;
    p->group_start_ns = p->group_end_ns = -1;
    for (struct candidate c; ok && take_next(p, &c);)
        ok = settle(p, c);
    while (ok && p->stack.depth)
        ok = close_top(p);
    return ok;
}

/* Counts the slices that end with the trace, if they are two or more. */
static uint64_t count_unfinished(const struct slice *s, size_t n, int64_t trace_end_ns)
{
    uint64_t count = 0;
    for (size_t i = 0; trace_end_ns && i < n; i++)
        count += slice_end_ns(&s[i]) == trace_end_ns;
    return count > 1 ? count : 0;
}

bool plan_track(struct slice *s, size_t n, const struct pairs *pairs, uint32_t base,
                const struct plan_rules *rules, struct rewrites *out, struct plan_stats *stats)
{
    if (rules->watch)
        rules->watch->begin(rules->watch->data);
    plan_count(s, n, pairs, stats);
    stats->lanes = 1;
    stats->unfinished = count_unfinished(s, n, rules->trace_end_ns);
    if (!stats->crossings && !stats->pair_crossings && !stats->too_deep)
        return true;
    bool any_end = rules->trim_unfinished && stats->unfinished;
    struct planner p = {.s = s,
                        .n = n,
                        .pairs = pairs,
                        .base = base,
                        .rules = rules,
                        .watch = rules->watch,
                        .unfinished_ns = any_end ? rules->trace_end_ns : -1,
                        .out = out,
                        .stats = stats};
    uint8_t *fates = NULL;
    bool ok = rules->snap != PLAN_LEAST || plan_least(&p, &fates);
    ok = ok && plan_lane_0(&p) && fill_lanes(&p);
    free(fates);
    free(p.queue);
    free(p.moved);
    return ok;
}
