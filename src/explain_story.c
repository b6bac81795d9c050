#include "explain_story.h"

#include <string.h>

#include "shift.h"

void story_look(const struct slice *s, size_t n, const struct pairs *pairs,
                void (*see)(void *data, const struct sight *sight), void *data)
{
    struct stack stack;
    stack.depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (pairs && is_zero(&s[i], pairs))
            continue;
        int64_t end_ns = slice_end_ns(&s[i]);
        pop_ended(&stack, s[i].start_ns, end_ns);
        struct sight sight = {.slice = i, .stack = &stack};
        while (sight.ncrossed < stack.depth &&
               !holds(&stack.frames[stack.depth - 1 - sight.ncrossed], s, pairs, i, end_ns))
            sight.ncrossed++;
        sight.too_deep = !sight.ncrossed && stack.depth == PLAN_DEPTH_MAX;
        see(data, &sight);
        if (sight.ncrossed || sight.too_deep)
            continue;
        push(&stack, s[i].start_ns, end_ns, i, slice_is_pair(&s[i]));
    }
}

void story_begin(struct story *story, const struct told_track *track, uint32_t i, int64_t by_ns)
{
    const struct slice *s = &track->s[i];
    *story = (struct story){.slice = track->base + i,
                            .by_ns = by_ns,
                            .start_ns = s->start_ns,
                            .end_ns = slice_end_ns(s),
                            .pair = slice_is_pair(s),
                            .zero = track->pairs && is_zero(s, track->pairs),
                            .within = {.off = UINT64_MAX}};
}

/* The story of the slice i of the track, or NULL. */
static struct story *story_of(const struct told_track *track, uint32_t i)
{
    for (size_t k = 0; k < track->nstories; k++)
        if (track->stories[k]->slice == track->base + i)
            return track->stories[k];
    return NULL;
}

static struct other as_it_was(const struct slice *s)
{
    return (struct other){slice_off(s), s->start_ns, slice_end_ns(s)};
}

static void add_other(struct others *others, const struct slice *s)
{
    if (others->total < STORY_OTHERS_MAX)
        others->items[others->total] = as_it_was(s);
    others->total++;
}

static void see(void *data, const struct sight *sight)
{
    const struct told_track *track = data;
    struct story *own = story_of(track, sight->slice);
    if (!own)
        return;
    own->too_deep = sight->too_deep;
    if (sight->stack->depth > sight->ncrossed)
        own->within = as_it_was(&track->s[sight_frame(sight, sight->ncrossed)]);
}

/* Do two slices cross, of which i comes first in the order of the plan? Pairs without length do
 * not. */
static bool cross(const struct told_track *track, uint32_t i, uint32_t k)
{
    const struct slice *first = &track->s[i], *then = &track->s[k];
    const struct frame frame = {.start_ns = first->start_ns,
                                .end_ns = slice_end_ns(first),
                                .pair = slice_is_pair(first) ? i : NO_PAIR};
    int64_t end_ns = slice_end_ns(then);
    if (has_ended(frame.start_ns, frame.end_ns, then->start_ns, end_ns) ||
        holds(&frame, track->s, track->pairs, k, end_ns))
        return false;
    return !track->pairs || (!is_zero(first, track->pairs) && !is_zero(then, track->pairs));
}

/* Finds all that a story's slice crosses, be it shown by the viewer or not. */
static void find_others(const struct told_track *track, struct story *story)
{
    uint32_t own = story->slice - track->base;
    for (uint32_t i = own; i-- > 0;)
        if (cross(track, i, own))
            add_other(&story->crossed, &track->s[i]);
    for (uint32_t k = own + 1; k < track->n && track->s[k].start_ns < story->end_ns; k++)
        if (cross(track, own, k))
            add_other(&story->crossing, &track->s[k]);
}

static void forget_steps(void *data)
{
    const struct told_track *track = data;
    for (size_t k = 0; k < track->nstories; k++)
        track->stories[k]->nsteps = track->stories[k]->nframe_steps =
            track->stories[k]->steps_total = 0;
}

/* Keeps a step of a story, but of those in which its slice is the frame the first few alone: there
 * may be thousands, and what is decided about itself has to have room. */
static void add_step(struct story *story, const struct told *told)
{
    story->steps_total++;
    bool full = told->as_frame ? story->nframe_steps == STORY_FRAME_STEPS_MAX
                               : story->nsteps - story->nframe_steps ==
                                     (size_t)STORY_STEPS_MAX - STORY_FRAME_STEPS_MAX;
    if (full)
        return;
    story->nframe_steps += told->as_frame;
    story->steps[story->nsteps++] = *told;
}

/* Of a slice that moves: nothing came of what was decided for its sake before. */
static void void_steps(const struct told_track *track, uint64_t off)
{
    for (size_t k = 0; k < track->nstories; k++) {
        struct story *story = track->stories[k];
        for (size_t i = 0; i < story->nsteps; i++)
            story->steps[i].in_vain |= story->steps[i].as_frame && story->steps[i].other.off == off;
    }
}

static void hear_step(void *data, const struct plan_step *step)
{
    const struct told_track *track = data;
    struct told told = {.way = step->way, .kept = step->kept, .other = {.off = UINT64_MAX}};
    bool alone = step->frame == PLAN_NO_FRAME || step->frame == PLAN_OTHERS;
    struct story *own = story_of(track, step->slice);
    struct story *frame = alone ? NULL : story_of(track, step->frame);
    memcpy(told.shift_ns, step->shift_ns, sizeof told.shift_ns);
    if (step->way == WAY_MOVES)
        void_steps(track, slice_off(&track->s[step->slice]));
    if (own) {
        told.too_deep = step->frame == PLAN_NO_FRAME;
        told.start_ns = step->start_ns;
        told.end_ns = step->end_ns;
        if (!alone)
            told.other = (struct other){slice_off(&track->s[step->frame]), step->frame_start_ns,
                                        step->frame_end_ns};
        add_step(own, &told);
    }
    if (frame) {
        told.as_frame = true;
        told.too_deep = false;
        told.start_ns = step->frame_start_ns;
        told.end_ns = step->frame_end_ns;
        told.other =
            (struct other){slice_off(&track->s[step->slice]), step->start_ns, step->end_ns};
        add_step(frame, &told);
    }
}

struct plan_watch story_watch(struct told_track *track)
{
    return (struct plan_watch){forget_steps, hear_step, track};
}

/* How far the boundaries of a slice have gone. */
static int64_t shift_of(const struct told_track *track, const struct slice *was,
                        const struct slice *is)
{
    bool zero = track->pairs && is_zero(was, track->pairs);
    int64_t end_ns = zero ? was->start_ns : slice_end_ns(was);
    return shift_ns_sum(shift_ns_between(was->start_ns, is->start_ns),
                        shift_ns_between(end_ns, slice_end_ns(is)));
}

/* What a plan has made of the track's slices. `out` has its rewrites, with indices into `again`. */
static void take_outcomes(struct told_track *track, enum plan_snap snap, const struct slice *again,
                          const struct rewrites *out, const struct plan_stats *stats)
{
    struct outcome thread = {.moved = stats->moved};
    for (size_t k = 0; k < out->n; k++) {
        const struct rewrite *r = &out->items[k];
        if ((r->off & REWRITE_END) || r->lane)
            continue;
        thread.retimed++;
        int64_t shift_ns = shift_of(track, &track->s[r->slice], &again[r->slice]);
        thread.shift_ns = shift_ns_sum(thread.shift_ns, shift_ns);
    }
    for (size_t k = 0; k < track->nstories; k++) {
        struct story *story = track->stories[k];
        const struct slice *s = &again[story->slice - track->base];
        struct outcome *outcome = &story->outcomes[snap];
        *outcome = thread;
        outcome->start_ns = s->start_ns;
        outcome->end_ns = slice_end_ns(s);
        story->crossings = stats->crossings + stats->pair_crossings + stats->too_deep;
    }
    for (size_t k = 0; k < out->n; k++) {
        const struct rewrite *r = &out->items[k];
        struct story *story = r->off & REWRITE_END ? NULL : story_of(track, r->slice);
        if (!story)
            continue;
        story->outcomes[snap].changed = true;
        story->outcomes[snap].lane = r->lane;
    }
}

bool story_tell(struct told_track *track, const struct plan_rules *rules, struct slice *again)
{
    const struct plan_watch watch = story_watch(track);
    story_look(track->s, track->n, track->pairs, see, track);
    for (size_t k = 0; k < track->nstories; k++)
        find_others(track, track->stories[k]);
    for (int snap = 0; snap < STORY_RULES; snap++) {
        struct plan_rules other = *rules;
        struct rewrites out = {0};
        struct plan_stats stats;
        other.snap = (enum plan_snap)snap;
        other.watch = other.snap == rules->snap ? &watch : NULL;
        memcpy(again, track->s, track->n * sizeof *again);
        bool ok = plan_track(again, track->n, track->pairs, 0, &other, &out, &stats);
        if (ok)
            take_outcomes(track, other.snap, again, &out, &stats);
        rewrites_free(&out);
        if (!ok)
            return false;
    }
    return true;
}
