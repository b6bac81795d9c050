/* Threads with pairs, B and E that are one slice. The oracle of the plan knows X alone, so these
 * are judged by what has to hold afterwards:
 *   - B and E are matched as before, and nothing has grown, gone too far or moved and changed; but
 *     a B and an E of one time, which the viewer cannot match, may have been drawn apart a little;
 *   - where each B has its E, no X ends under an open B, none is cut by an E, and the viewer shows
 *     each pair from its B to its E;
 *   - where all that was so before, nothing has changed. */
#include <stdlib.h>
#include <string.h>

#include "judge.h"

bool judge_has_pairs(const struct judge *j, size_t thread)
{
    const struct model *m = j->before;
    for (size_t i = 0; i < m->nslices; i++)
        if (m->slices[i].thread == thread && m->slices[i].end_event != MODEL_NONE)
            return true;
    return false;
}

/* A pair of one time, in the trace as it was. */
static bool is_zero(const struct model_slice *s)
{
    return s->end_event != MODEL_NONE && s->start_ns == s->end_ns;
}

/* May it be drawn apart? */
static bool can_grow(const struct judge *j, const struct model_slice *s)
{
    int64_t ns = s->start_ns;
    return ns < INT64_MAX - 10000 && model_ns_ceil(ns + 1) - ns < j->threshold_ns;
}

/* Would a lone B or E at ts fit into a pair of one time once that is drawn apart? */
static bool takes_part(struct judge *j, const struct model_slice *s, size_t event, int64_t ts)
{
    struct model *m = j->before;
    if (!is_zero(s) || !can_grow(j, s) || ts < s->start_ns || ts - s->start_ns > j->threshold_ns ||
        model_thread_of(m, event, false) != s->thread)
        return false;
    return model_ph(m, event) == 'B' ? model_fits(m, event, s->end_event)
                                     : model_fits(m, s->event, event);
}

/* Has a B or an E no partner, or one from which it cannot be drawn apart? */
static bool is_lone(const struct judge *j, size_t event)
{
    const struct model *m = j->before;
    for (size_t i = 0; i < m->nslices; i++) {
        const struct model_slice *s = &m->slices[i];
        if (is_zero(s) && (s->event == event || s->end_event == event))
            return !can_grow(j, s);
    }
    return m->partner[event] == MODEL_NONE;
}

bool judge_is_unclear(struct judge *j)
{
    struct model *m = j->before;
    for (size_t i = 0; i < m->nevents; i++) {
        char ph = model_ph(m, i);
        int64_t ts;
        if ((ph != 'B' && ph != 'E') || !is_lone(j, i) || !model_times(m, i, &ts, NULL))
            continue;
        for (size_t k = 0; k < m->nslices; k++)
            if (takes_part(j, &m->slices[k], i, ts))
                return true;
    }
    return false;
}

/* The number at the end of a lane's name. */
static size_t lane_number(struct judge *j, size_t after)
{
    struct model *m = j->after;
    for (size_t i = j->before->nevents; i < m->nevents; i++) {
        const struct model_value *name = &m->events[i].arg_name;
        if (!model_is(m->text, &m->events[i].name, "thread_name") ||
            model_thread_of(m, i, false) != after || name->kind != MODEL_STRING)
            continue;
        size_t n = name->len, number = 0, unit = 1;
        for (; n && m->text[name->off + n - 1] >= '0' && m->text[name->off + n - 1] <= '9'; n--) {
            number += unit * (size_t)(m->text[name->off + n - 1] - '0');
            unit *= 10;
        }
        return number;
    }
    return 0;
}

static bool judge_times(struct judge *j, const struct model_slice *b, const struct model_slice *a,
                        bool moved)
{
    int64_t delay = a->start_ns - b->start_ns, trim = b->end_ns - a->end_ns;
    if (is_zero(b)) {
        bool same = !delay && !trim && !moved;
        bool grown = a->start_ns < a->end_ns && delay >= 0 && -trim < j->threshold_ns;
        return same || (grown && can_grow(j, b)) ||
               judge_fail(j, b->event, "a pair of one time was not drawn apart a little");
    }
    if (delay < 0 || trim < 0 || (b->end_event != MODEL_NONE && a->start_ns >= a->end_ns))
        return judge_fail(j, b->event, "a slice or pair has grown, or lost its length");
    if ((delay || trim) && (delay >= j->threshold_ns || trim >= j->threshold_ns))
        return judge_fail(j, b->event, "a slice or pair was shifted by the threshold or more");
    return !moved || (!delay && !trim) || judge_fail(j, b->event, "a slice was moved and changed");
}

static bool judge_one(struct judge *j, size_t i)
{
    const struct model_slice *b = &j->before->slices[i], *a = &j->after->slices[i];
    bool pair = b->end_event != MODEL_NONE;
    if (a->event != b->event || a->end_event != b->end_event)
        return judge_fail(j, b->event, "a B and its E are no pair any more");
    bool moved = a->thread != judge_same_thread(j, b->thread);
    if (!judge_times(j, b, a, moved))
        return false;
    j->lane_of[i] = moved ? lane_number(j, a->thread) : 0;
    if (moved && !j->lane_of[i])
        return judge_fail(j, b->event, "a slice has moved to a thread that is no lane");
    bool changed = a->start_ns != b->start_ns || a->end_ns != b->end_ns;
    j->counts->moved += moved && !pair;
    j->counts->snapped += changed && !pair;
    j->counts->pairs += pair;
    j->counts->pairs_moved += moved && pair;
    j->counts->zero_pairs += is_zero(b) && changed;
    j->counts->pairs_snapped += pair && changed && !is_zero(b);
    return true;
}

/* Has each B an E and each E a B, and can those of one time be drawn apart? */
static bool is_whole(const struct judge *j)
{
    const struct model *m = j->before;
    for (size_t i = 0; i < m->nevents; i++) {
        char ph = model_ph(m, i);
        int64_t ts;
        if ((ph == 'B' || ph == 'E') && model_times(m, i, &ts, NULL) && m->partner[i] == MODEL_NONE)
            return false;
    }
    for (size_t i = 0; i < m->nslices; i++)
        if (is_zero(&m->slices[i]) && !can_grow(j, &m->slices[i]))
            return false;
    return true;
}

/* Is all shown as it is? *zero: but for pairs of one time, of which there are some. */
static bool is_sound(const struct model *m, bool *zero, size_t *event)
{
    *zero = false;
    *event = 0;
    for (size_t i = 0; i < m->nslices; i++) {
        *zero |= is_zero(&m->slices[i]);
        *event = m->slices[i].event;
        if (m->slices[i].end_event != MODEL_NONE && !m->slices[i].shown && !is_zero(&m->slices[i]))
            return false;
    }
    return !m->misplaced && !m->cut && !m->spilled && !m->crossings && !m->too_deep;
}

bool judge_pairs(struct judge *j)
{
    const struct model *b = j->before, *a = j->after;
    bool any = false, zero;
    size_t event;
    if (a->nslices != b->nslices)
        return judge_fail(j, 0, "there are more or fewer slices");
    for (size_t i = 0; i < b->nslices; i++) {
        if (!judge_has_pairs(j, b->slices[i].thread))
            continue;
        any = true;
        if (!judge_one(j, i))
            return false;
    }
    if (!any)
        return true;
    bool was_sound = is_sound(b, &zero, &event);
    if (was_sound && !zero && (a->n != b->n || memcmp(a->text, b->text, a->n) != 0))
        return judge_fail(j, 0, "nothing was wrong, but something has changed");
    if (is_whole(j) && !is_sound(a, &zero, &event))
        return judge_fail(j, event, "an X or a pair is cut, or ends under an open B");
    return true;
}
