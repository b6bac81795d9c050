#include "flow.h"

#include <stdlib.h>

#include "buf.h"
#include "sort.h"

bool flow_less(const struct flow *a, const struct flow *b)
{
    uint32_t track_a = flow_track(a), track_b = flow_track(b);
    if (track_a != track_b)
        return track_a < track_b;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns;
    return a->place < b->place;
}

/* Is the slice none that starts at or after the endpoint? */
static bool is_past(const struct slice *s, const struct flow *f)
{
    return s->start_ns < f->ts_ns || (slice_is_pair(s) && flow_sees(s, f->ts_ns, flow_off(f)));
}

/* Is the slice closed by then? An X lies on the viewer's stack until something else comes. */
static bool is_closed(const struct slice *s, int64_t ts_ns)
{
    return slice_is_pair(s) ? slice_end_ns(s) <= ts_ns : s->end_ns < ts_ns;
}

/* Puts the slice i onto those that have started. Below an X that starts with a pair but is shorter:
 * the plan lets it lie within that. */
static void put_on(uint32_t *started, size_t n, const struct slice *s, uint32_t i)
{
    started[n] = i;
    if (!n || !slice_is_pair(&s[i]))
        return;
    const struct slice *top = &s[started[n - 1]];
    if (!slice_is_pair(top) && top->start_ns == s[i].start_ns &&
        top->end_ns < slice_end_ns(&s[i])) {
        started[n] = started[n - 1];
        started[n - 1] = i;
    }
}

bool flow_bind(struct flow *f, size_t nf, const struct slice *s, size_t n, uint32_t base)
{
    /* What has started, the last on top. One that ended is only taken off when it is on top: those
     * below it started earlier, so they are not wanted before. */
    uint32_t *started = NULL;
    size_t nstarted = 0, cap = 0, next = 0, following = 0;
    for (size_t k = 0; k < nf; k++) {
        int64_t ts_ns = f[k].ts_ns;
        if (f[k].owner == FLOW_NEXT) {
            while (following < n && is_past(&s[following], &f[k]))
                following++;
            f[k].owner = following < n ? base + (uint32_t)following : FLOW_NO_OWNER;
            continue;
        }
        for (; next < n && flow_sees(&s[next], ts_ns, flow_off(&f[k])); next++) {
            uint32_t *grown = array_grow(started, &cap, nstarted + 1, sizeof *started);
            if (!grown) {
                free(started);
                return false;
            }
            started = grown;
            put_on(started, nstarted++, s, (uint32_t)next);
        }
        while (nstarted && is_closed(&s[started[nstarted - 1]], ts_ns))
            nstarted--;
        f[k].owner = nstarted ? base + started[nstarted - 1] : FLOW_NO_OWNER;
    }
    free(started);
    return true;
}

static bool retimed_less(const struct retimed *a, const struct retimed *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->slice < b->slice;
}

DEFINE_SORT(sort_retimed, struct retimed, retimed_less)

/* The first of r[0, n) that starts after start_ns, or n. */
static size_t first_after(const struct retimed *r, size_t n, int64_t start_ns)
{
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        if (r[mid].start_ns > start_ns)
            n = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

void flow_find_hidden(const struct flow *f, size_t nf, const struct slice *slices, size_t end,
                      struct retimed *r, size_t nr, bool *hidden)
{
    /* r[0, top) is a stack of those that start by the endpoint's ts, without the ones that a later
     * one with a lower index makes needless: both fields increase. So the first that starts after
     * the owner has the lowest index of all that do. */
    size_t top = 0, next = 0;
    sort_retimed(r, nr);
    for (size_t k = 0; k < nf; k++) {
        for (; next < nr && r[next].start_ns <= f[k].ts_ns; next++) {
            struct retimed item = r[next];
            while (top && r[top - 1].slice >= item.slice)
                top--;
            r[top++] = item;
        }
        uint32_t owner = f[k].owner;
        hidden[k] = false;
        if (owner >= end)
            continue;
        const struct slice *s = &slices[owner];
        size_t first = first_after(r, top, s->start_ns);
        bool innermost = owner + 1 >= end || s[1].start_ns != s->start_ns ||
                         slice_end_ns(&s[1]) > slice_end_ns(s);
        hidden[k] = innermost && first < top && r[first].slice < owner;
    }
}
