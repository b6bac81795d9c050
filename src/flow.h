/* Which slice a flow endpoint belongs to (spec 6). Pure; safe to call from several threads. */
#ifndef FLOW_H
#define FLOW_H

#include "plan.h"

/* What `owner` is until flow_bind has found the slice, and after it where there is none. */
#define FLOW_ENCLOSING (UINT32_MAX - 2) /* s, t, and f with "bp":"e": the slice around it */
#define FLOW_NEXT (UINT32_MAX - 1)      /* other f: the next slice that starts */
#define FLOW_NO_OWNER UINT32_MAX

/* One flow endpoint, in 20 bytes. `place` as in struct slice: track and offset. */
struct flow {
    int64_t ts_ns; /* >= 0 */
    uint64_t place;
    uint32_t owner; /* index of a slice, or one of the above */
} __attribute__((packed, aligned(4)));

static inline uint64_t flow_off(const struct flow *f)
{
    return f->place & SLICE_OFF_MAX;
}

static inline uint32_t flow_track(const struct flow *f)
{
    return (uint32_t)(f->place >> SLICE_OFF_BITS);
}

/* By track, then ts, then place in the file. A strict total order. */
bool flow_less(const struct flow *a, const struct flow *b);

/*
 * Finds the owners of one track's endpoints.
 *
 * f, nf   the endpoints, sorted by flow_less; owner is FLOW_ENCLOSING or FLOW_NEXT
 * s, n    the track's slices with the times of the input, sorted by slice_less
 * base    what is added to an index into s to give owner
 *
 * FLOW_ENCLOSING: the slice that started last among those open at ts, ends included; at one ts the
 * innermost. FLOW_NEXT: the first that starts at or after ts. A pair has begun at its B's ts for
 * endpoints behind the B in the file only, and has ended at its E's ts, as in the viewer; of a pair
 * and an X that start together, the shorter one is the inner one. O(n + nf). Returns false if there
 * is no memory.
 */
bool flow_bind(struct flow *f, size_t nf, const struct slice *s, size_t n, uint32_t base);

/* Has the slice begun when the viewer takes an endpoint at that time and place of the file? At one
 * time an X has, and a B if it stands before the endpoint. */
static inline bool flow_sees(const struct slice *s, int64_t ts_ns, uint64_t off)
{
    if (s->start_ns != ts_ns)
        return s->start_ns < ts_ns;
    return !slice_is_pair(s) || slice_off(s) < off;
}

/* A slice whose times have changed: its new start, and its index. */
struct retimed {
    int64_t start_ns;
    uint32_t slice;
};

/*
 * Finds the endpoints of one track that a delayed slice would take away from their owner: one that
 * came before the owner, and now starts after it but not after the endpoint. (The viewer binds an
 * endpoint to the slice that was opened last; perfetto.md, Flow arrows.)
 *
 * f, nf     as after flow_bind
 * slices    all slices with their new times, into which owners are indices; those of the track end
 *           before `end`
 * r, nr     the slices of the track that changed and stay on it, in any order; used up
 * hidden    [nf], set for each endpoint. Never for one whose owner starts together with a shorter
 *           slice after it, which would have the arrow at that start
 *
 * O((nf + nr) log nr).
 */
void flow_find_hidden(const struct flow *f, size_t nf, const struct slice *slices, size_t end,
                      struct retimed *r, size_t nr, bool *hidden);

#endif
