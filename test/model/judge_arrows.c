/* Where flow endpoints bind after a fix.
 *
 * An endpoint belongs to the slice that started last among those of its thread that are open at its
 * time, ends included; an f without bp to the first that starts at its time or later. The viewer
 * binds it to what lies on top of the thread's stack (or is opened next), which is not always that,
 * with or without a fix. So what is judged is: an arrow that the viewer had right stays right, and
 * one whose slice moved or was retimed follows it.
 *
 * Left out, and counted as unsure:
 *   - threads with B, E or instants: those share the stack (but see judge_pair_arrow);
 *   - endpoints at whose slice's new start another slice of that lane starts: of two that start at
 *     one ns the viewer takes the inner one, whatever it was meant for;
 *   - a slice with no length, or an endpoint at a time where one is: those are not in the order
 *     (start, longest first), but in that of the file among the flow events;
 *   - endpoints for which the viewer takes a slice that has ended, but lies on the stack still;
 *   - an f without bp at the very start of a slice: the viewer opens that first.
 *
 * Known, and counted as lost: an f without bp whose slice is no longer the next, since a snap has
 * delayed its own start beyond another's, or another's beyond the endpoint. About 1 trace in 1,000
 * has one. All else that binds elsewhere is wrong. */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

/* The slice that an endpoint belongs to: index into m->slices, or MODEL_NONE. */
static size_t owner_of(const struct model *m, const struct model_flow *f)
{
    size_t best = MODEL_NONE;
    for (size_t i = 0; i < m->nslices; i++) {
        const struct model_slice *s = &m->slices[i], *b = &m->slices[best == MODEL_NONE ? i : best];
        if (s->thread != f->thread)
            continue;
        if (f->encloses) {
            bool open = s->start_ns <= f->ts_ns && f->ts_ns <= s->end_ns;
            bool later =
                s->start_ns > b->start_ns || (s->start_ns == b->start_ns && s->end_ns <= b->end_ns);
            if (open && (best == MODEL_NONE || later))
                best = i;
        } else {
            bool earlier =
                s->start_ns < b->start_ns || (s->start_ns == b->start_ns && s->end_ns > b->end_ns);
            if (s->start_ns >= f->ts_ns && (best == MODEL_NONE || earlier))
                best = i;
        }
    }
    return best;
}

static bool has_other_kinds(struct model *m, size_t thread)
{
    for (size_t i = 0; i < m->nevents; i++) {
        char ph = model_ph(m, i);
        if (ph && strchr("BEiIR", ph) && model_thread_of(m, i, false) == thread)
            return true;
    }
    return false;
}

/* Does another slice of its thread start with slice i, or is it or one at `ts` without length? */
static bool ambiguous(const struct model *m, size_t i, int64_t ts)
{
    const struct model_slice *s = &m->slices[i];
    for (size_t k = 0; k < m->nslices; k++) {
        const struct model_slice *other = &m->slices[k];
        if (other->thread != s->thread)
            continue;
        if (k != i && other->start_ns == s->start_ns)
            return true;
        if (other->start_ns == other->end_ns && (k == i || other->start_ns == ts))
            return true;
    }
    return false;
}

static size_t slice_of_event(const struct model *m, size_t event)
{
    for (size_t i = 0; i < m->nslices; i++)
        if (m->slices[i].event == event)
            return i;
    return MODEL_NONE;
}

/* Did the viewer take a slice that had ended? */
static bool took_an_ended_one(const struct model *m, const struct model_flow *f)
{
    size_t got = slice_of_event(m, f->bound_to);
    return f->encloses && got != MODEL_NONE && m->slices[got].end_ns < f->ts_ns;
}

/* An endpoint that the viewer had bound to a pair: where that has moved, or been snapped, it is
 * bound to it still. Those of one time, or at which an X or pair starts as well, are left out. */
static bool judge_pair_arrow(struct judge *j, size_t i)
{
    const struct model *b = j->before, *a = j->after;
    size_t pair = slice_of_event(b, b->flows[i].bound_to);
    if (pair == MODEL_NONE || b->slices[pair].end_event == MODEL_NONE || !b->flows[i].encloses ||
        owner_of(b, &b->flows[i]) != pair || ambiguous(b, pair, b->flows[i].ts_ns) ||
        ambiguous(a, pair, a->flows[i].ts_ns))
        return true;
    const struct model_slice *was = &b->slices[pair], *is = &a->slices[pair];
    bool changed = j->lane_of[pair] || was->start_ns != is->start_ns || was->end_ns != is->end_ns;
    if (!changed || took_an_ended_one(a, &a->flows[i]))
        return true;
    for (size_t k = 0; k < a->nslices; k++)
        if (k != pair && a->slices[k].thread == is->thread &&
            a->slices[k].start_ns == a->flows[i].ts_ns)
            return true;
    j->counts->arrows_of_pairs++;
    return a->flows[i].bound_to == was->event ||
           judge_fail(j, b->flows[i].event, "an arrow binds to another slice than its pair");
}

static bool judge_arrow(struct judge *j, size_t i)
{
    const struct model *b = j->before, *a = j->after;
    const struct model_flow *before = &b->flows[i], *after = &a->flows[i];
    size_t owner = owner_of(b, before);
    if (!judge_is_unclear(j) && !judge_pair_arrow(j, i))
        return false;
    if (before->event != after->event)
        return judge_fail(j, before->event, "a flow endpoint is none any more");
    if (owner == MODEL_NONE)
        return after->ts_ns == before->ts_ns ||
               judge_fail(j, before->event, "an arrow without a slice has changed");
    const struct model_slice *was = &b->slices[owner], *is = &a->slices[owner];
    bool changed = j->lane_of[owner] || was->start_ns != is->start_ns || was->end_ns != is->end_ns;
    bool was_right = before->bound_to == was->event, is_right = after->bound_to == was->event;
    if (has_other_kinds(j->before, before->thread) || ambiguous(b, owner, before->ts_ns) ||
        ambiguous(a, owner, after->ts_ns) || took_an_ended_one(a, after) ||
        (!before->encloses && was->start_ns == before->ts_ns) || (!was_right && !changed)) {
        j->counts->arrows_unsure++;
        return true;
    }
    j->counts->arrows++;
    j->counts->arrows_moved += changed;
    if (is_right)
        return true;
    j->counts->arrows_lost++;
    size_t taker = slice_of_event(a, after->bound_to);
    bool delayed = was->start_ns != is->start_ns ||
                   (taker != MODEL_NONE && b->slices[taker].start_ns != a->slices[taker].start_ns);
    return (!after->encloses && delayed) ||
           judge_fail(j, before->event, "an arrow binds to another slice");
}

bool judge_arrows(struct judge *j)
{
    if (j->after->nflows != j->before->nflows)
        return judge_fail(j, 0, "there are more or fewer flow endpoints");
    for (size_t i = 0; i < j->before->nflows; i++)
        if (!judge_arrow(j, i))
            return false;
    return true;
}
