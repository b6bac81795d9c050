/* The plan: what becomes of the slices of one track (spec 4).
 *
 * Pure: integers in, integers out; no I/O, no text, no other module but the lanes (lane_set.h).
 * Safe to call from several threads on different tracks. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crossings.h"
#include "fixes.h"
#include "kind.h"
#include "pair.h"

/* The viewer drops what would be nested deeper (perfetto.md, The stack of a thread). */
enum { PLAN_DEPTH_MAX = 512 };

/* One X event, or a B and its E, in 24 bytes. `place` has the track in its upper 24 bits and the
 * offset of the event (the B) in the lower 40: compared as a whole it is the order of the file
 * within each track. */
struct slice {
    int64_t start_ns, end_ns; /* 0 <= start_ns <= end_ns; of a pair: end_ns with SLICE_PAIR, and
                                 start_ns < end_ns without it */
    uint64_t place;
};

/* The sign bit, of which no time makes use. */
#define SLICE_PAIR INT64_MIN

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

static inline bool slice_is_pair(const struct slice *s)
{
    return s->end_ns < 0;
}

static inline int64_t slice_end_ns(const struct slice *s)
{
    return s->end_ns & INT64_MAX;
}

/* How far a slice crosses an open one, in ns: so little less of one of them, and they would be
 * apart or nested. */
static inline int64_t slice_crosses_by(const struct slice *slice, const struct slice *over)
{
    int64_t common = slice_end_ns(over) - slice->start_ns;
    int64_t behind = slice_end_ns(slice) - slice_end_ns(over);
    return common < behind ? common : behind;
}

/* The order of the plan and of the viewer: by track, then start; at one start X events, longest
 * first, then by place in the file pairs and X without length. A strict total order. */
bool slice_less(const struct slice *a, const struct slice *b);

/* Which slices give way. */
enum plan_snap {
    PLAN_FIRST, /* of two that cross the later one */
    PLAN_SOFT,  /* the softer one (kind.h); of two alike the later one */
    PLAN_LEAST  /* those that leave the fewest slices touched */
};

/* What may settle a crossing of a slice with an open one, the frame. */
enum plan_way {
    WAY_TRIM,        /* the slice's end goes back to the frame's */
    WAY_DELAY,       /* its start goes on to the frame's end; it is judged again there */
    WAY_ADVANCE,     /* its start goes back to the frame's, so that it lies around that */
    WAY_FRAME_GROWS, /* the frame's end goes on to the slice's */
    WAY_FRAME_TRIMS, /* the frame's end goes back to the slice's start */
    WAY_FRAME_MOVES, /* the frame goes to a lane */
    WAY_MOVES,       /* the slice goes to a lane */
    PLAN_WAYS
};

/* One decision about a slice: a frame that it crosses, or what else keeps it from its place. A
 * slice may have several, of one time or as it is judged again at a later start; where the last one
 * is WAY_MOVES, nothing came of its earlier ones. */
struct plan_step {
    uint32_t slice, frame;    /* indices into the track's slices; or PLAN_NO_FRAME, ... */
    int64_t start_ns, end_ns; /* their times at that moment */
    int64_t frame_start_ns, frame_end_ns;
    enum plan_way way;           /* what was done, */
    int64_t shift_ns[PLAN_WAYS]; /* by how much each way shifts a boundary in all, against the own
                                    times of the slice, or the frame: below the threshold, or too
                                    far; 0 of a move; -1: it is not open to it */
    bool kept;                   /* what would have to give way has KIND_KEEP_TIMES */
};

/* In place of a frame: */
#define PLAN_NO_FRAME UINT32_MAX     /* too many are open around it */
#define PLAN_OTHERS (UINT32_MAX - 1) /* it moves for the sake of others (PLAN_LEAST) */

/* Hears of all decisions. The frame of an X that starts with a longer pair is that pair, within
 * which it has to start. */
struct plan_watch {
    void (*begin)(void *data); /* a track is planned, from the start; what was heard of an earlier
                                  attempt at it is void */
    void (*step)(void *data, const struct plan_step *step);
    void *data;
};

/* Whether a slice owns endpoints of flows (flow.h), in one byte. */
enum {
    PLAN_ARROW = 1,     /* one or more */
    PLAN_ARROW_NEXT = 2 /* among them one that binds to the next slice that starts */
};

/*
 * The rules. Of all holds:
 * - a slice with KIND_KEEP_TIMES never gets other times: where it would, it moves. (A pair without
 *   length has none that could stay: index_pair leaves it out.)
 * - trim_unfinished comes next: such a slice that crosses the frame around it ends where that does.
 *   (PLAN_LEAST may move the frame, if that touches fewer.)
 *
 * PLAN_FIRST: spec 4.
 *
 * PLAN_SOFT: where a slice crosses frames, it first settles with those that are not softer, from
 * the innermost outward:
 * - with one as hard as it, as by PLAN_FIRST;
 * - with a harder one by what shifts its own boundary least, if that is below the threshold in all:
 *   a trim, a delay, or an advance, so that it lies around the frame (of equal ones in that order).
 *   One that is trimmed after an advance and is no longer than the frame then moves.
 *   A slice that owns the endpoint of a flow does not advance, nor one that would take one from the
 *   frame: the arrow would end at another slice than it was meant for.
 * Then those softer than it that it still crosses give way to it, again from the innermost outward.
 * The frame's end goes on to the slice's or back to its start, whichever is nearer to its own end
 * (of equal ones on), if that is below the threshold; where one has gone on, those around it do not
 * go back. Where neither may be, the frame moves, and what is within it stays. If the slice moves
 * in the end, no frame has given way. A frame that moves later has its own times.
 * A pair gives way to what is harder as by PLAN_FIRST, and what crosses it as to one as hard.
 *
 * PLAN_LEAST: the track is planned as by PLAN_FIRST, a few times over. A slice is touched for the
 * frame that it crossed; where it crossed that only as it had come to be, for what that was touched
 * for. A slice for which alone more are touched than moving it would touch, and which is not itself
 * touched for another such, is to move in the next plan, whatever it crosses. Of the slices that
 * ever crossed one another the plan with the fewest touched is kept; what was to move in one that
 * was no better is not tried again. It never touches more than PLAN_FIRST. It takes 25 bytes for
 * each slice of the track.
 */
struct plan_rules {
    int64_t threshold_ns;              /* shifts below it are snapped; 0: never */
    int64_t (*start_ceil)(int64_t ns); /* the first time >= ns that a start can be written as */
    int64_t (*dur_floor)(int64_t ns);  /* the last time <= ns that a dur can be written as */
    enum plan_snap snap;
    const struct kinds *kinds;      /* NULL: all are KIND_OP */
    const uint8_t *arrows;          /* of each of the track's slices what it owns; NULL: nothing */
    int64_t trace_end_ns;           /* the last end of any slice of the trace; 0: not known */
    bool trim_unfinished;           /* of the slices of one track that end there, if they are two or
                                       more: the end goes back to that of what is around, however
                                       far that is */
    const struct plan_watch *watch; /* or NULL */
};

/* A decision to rewrite one event, in 16 bytes. */
struct rewrite {
    uint64_t off;   /* of the event; for a flow endpoint with REWRITE_FLOW (and _TO_START), for the
                       E of a pair with REWRITE_END */
    uint32_t slice; /* index of the slice, or of the one that the endpoint follows */
    uint32_t lane;  /* the lane that it moves to; 0: it stays */
};

#define REWRITE_FLOW (UINT64_C(1) << 63)
#define REWRITE_TO_START (UINT64_C(1) << 62) /* it takes its slice's start, even an earlier one */
#define REWRITE_END (UINT64_C(1) << 61)

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
    uint64_t crossings;      /* X that cross an X by the viewer's rule, before */
    uint64_t pair_crossings; /* other slices that cross: pairs, X that cross pairs alone, and pairs
                                without length that the viewer leaves open to the harm of others */
    uint64_t too_deep;       /* slices that the viewer drops for their depth, before */
    uint64_t snaps;          /* crossings settled by a snap; one slice may have several */
    uint64_t moved;          /* slices moved to lanes 1, 2, ... */
    uint32_t lanes;          /* lanes in use, with lane 0 */
    uint64_t unfinished;     /* slices that end at rules->trace_end_ns, if they are two or more */
};

/* Counts what the viewer would find in the slices of one track, sorted by slice_less: crossings,
 * pair_crossings and too_deep of *stats; the rest becomes 0. `pairs` as for plan_track. */
void plan_count(const struct slice *s, size_t n, const struct pairs *pairs,
                struct plan_stats *stats);

/* Notes the first slice that crosses another one, and the first that lies too deep, in a list, and
 * the largest crossings in the fixes. Arguments as for plan_count; base as for plan_track. */
void plan_list_crossings(const struct slice *s, size_t n, const struct pairs *pairs, uint32_t base,
                         struct crossings *list, struct fixes *fixes);

/*
 * Plans the slices of one track.
 *
 * s, n      the track's slices, sorted by slice_less; n <= UINT32_MAX
 * pairs     where the pairs among them have their E; NULL if there are none
 * base      what is added to an index into s to give rewrite.slice
 * out       gets one rewrite for each slice that changes, and one more for an E that does. A slice
 *           that is snapped has its new times in s afterwards; one that is moved keeps its own.
 *           Where anything changes, all pairs without length get theirs
 * stats     filled whole
 *
 * O(n log n), whatever the number of lanes: a slice that crosses looks at the frames around it, 512
 * at most. Returns false if there is no memory.
 */
bool plan_track(struct slice *s, size_t n, const struct pairs *pairs, uint32_t base,
                const struct plan_rules *rules, struct rewrites *out, struct plan_stats *stats);

#endif
