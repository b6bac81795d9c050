/* The plan: what becomes of the slices of one track (spec 4).
 *
 * Pure: integers in, integers out; no I/O, no text, no other module but the lanes (lane_set.h).
 * Safe to call from several threads on different tracks. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The viewer drops what would be nested deeper (perfetto.md, The stack of a thread). */
enum { PLAN_DEPTH_MAX = 512 };

/* One X event, in 24 bytes. `place` has the track in its upper 24 bits and the offset of the event
 * in the lower 40: compared as a whole it is the order of the file within each track. */
struct slice {
    int64_t start_ns, end_ns; /* 0 <= start_ns <= end_ns */
    uint64_t place;
};

#define SLICE_OFF_BITS 40
#define SLICE_OFF_MAX ((UINT64_C(1) << SLICE_OFF_BITS) - 1)
#define SLICE_TRACK_MAX ((UINT32_C(1) << 24) - 1)

static inline uint64_t slice_off(const struct slice *s)
{
    return s->place & SLICE_OFF_MAX;
}

static inline uint32_t slice_track(const struct slice *s)
{
    return (uint32_t)(s->place >> SLICE_OFF_BITS);
}

/* The order of the plan and of the viewer: by track, then start, longest first, place in the file.
 * A strict total order. */
bool slice_less(const struct slice *a, const struct slice *b);

struct plan_rules {
    int64_t threshold_ns;              /* shifts below it are snapped; 0: never */
    int64_t (*start_ceil)(int64_t ns); /* the first time >= ns that a start can be written as */
    int64_t (*dur_floor)(int64_t ns);  /* the last time <= ns that a dur can be written as */
};

/* A decision to rewrite one event, in 16 bytes. */
struct rewrite {
    uint64_t off;   /* of the event; for a flow endpoint with REWRITE_FLOW (and _TO_START) */
    uint32_t slice; /* index of the slice, or of the one that the endpoint follows */
    uint32_t lane;  /* the lane that it moves to; 0: it stays */
};

#define REWRITE_FLOW (UINT64_C(1) << 63)
#define REWRITE_TO_START (UINT64_C(1) << 62) /* it takes its slice's start, even an earlier one */

static inline uint64_t rewrite_off(const struct rewrite *r)
{
    return r->off & SLICE_OFF_MAX;
}

struct rewrites {
    struct rewrite *items; /* owned */
    size_t n, cap;
};

/* Appends one. Returns false if there is no memory. */
bool rewrites_add(struct rewrites *out, uint64_t off, uint32_t slice, uint32_t lane);
void rewrites_free(struct rewrites *out);

struct plan_stats {
    uint64_t crossings; /* slices that cross by the viewer's rule, before */
    uint64_t too_deep;  /* slices that the viewer drops for their depth, before */
    uint64_t snaps;     /* crossings settled by a snap; one slice may have several */
    uint64_t moved;     /* slices moved to lanes 1, 2, ... */
    uint32_t lanes;     /* lanes in use, with lane 0 */
};

/* Counts what the viewer would find in the slices of one track, sorted by slice_less: crossings and
 * too_deep of *stats; the rest becomes 0. */
void plan_count(const struct slice *s, size_t n, struct plan_stats *stats);

/*
 * Plans the slices of one track.
 *
 * s, n      the track's slices, sorted by slice_less; n <= UINT32_MAX
 * base      what is added to an index into s to give rewrite.slice
 * out       gets one rewrite for each slice that changes. A slice that is snapped has its new times
 *           in s afterwards; one that is moved keeps its own
 * stats     filled whole
 *
 * O(n log n), whatever the number of lanes. Returns false if there is no memory.
 */
bool plan_track(struct slice *s, size_t n, uint32_t base, const struct plan_rules *rules,
                struct rewrites *out, struct plan_stats *stats);

#endif
