/* Which B and which E of a thread are one slice (perfetto.md, The stack of a thread). Pure: numbers
 * in, numbers out. */
#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keyed hashes of a name and a category (hash.h), or EDGE_ANY where the event has none: that fits
 * any. Two different texts with one hash of 64 bits would count as equal; nobody can make them. */
struct edge_text {
    uint64_t name, cat;
};

#define EDGE_ANY UINT64_C(0)

/* The hash of a text that is there: 0 is taken, and 1 has a use of its own (pair.c). */
static inline uint64_t edge_text_hash(uint64_t hash)
{
    return hash < 2 ? hash + 2 : hash;
}

/* A B or an E, in 32 bytes, which are needed until all are matched. `place` as in struct slice, but
 * with the track's id. */
struct edge {
    uint64_t when; /* edge_when */
    uint64_t place;
    struct edge_text text;
};

/* The viewer takes what ends before what begins at one time. ts_ns >= 0. */
static inline uint64_t edge_when(int64_t ts_ns, bool begins)
{
    return (uint64_t)ts_ns * 2 + begins;
}

static inline int64_t edge_ts_ns(const struct edge *e)
{
    return (int64_t)(e->when / 2);
}

static inline bool edge_begins(const struct edge *e)
{
    return e->when & 1;
}

/* By track, then in the viewer's order: by time, E first, place in the file. A strict total order.
 */
bool edge_less(const struct edge *a, const struct edge *b);

#define EDGE_ALONE UINT32_MAX

/*
 * Matches the edges of one track: each E with the B that was opened last among those that are open
 * and fit it. It ends that one alone, so that pairs which cross are pairs (the viewer ends with it
 * all that was opened since). An E for which there is none gets a B of its own time that stands
 * before it in the file: a pair without length, which the viewer, taking the E first, does not see.
 *
 * e, n      the edges, sorted by edge_less; n < UINT32_MAX
 * partner   [n], gets the index of each one's partner, or EDGE_ALONE
 * lost      set if the B of a pair without length is still open in the viewer when an E comes that
 *           fits it, and ends it rather than its own
 *
 * O(n), however many stay open. Returns false if there is no memory.
 */
bool pair_match(const struct edge *e, size_t n, uint32_t *partner, bool *lost);

/* What is kept of a pair beside its slice (plan.h), which has the place of the B. */
struct pair {
    uint64_t begin_off, end_off; /* of the B and the E in the trace */
    int64_t end_ns;              /* as it stands in the trace; the slice of a pair without length
                                    ends at the next time that can be written. With PAIR_LOST if the
                                    track's pairs without length do harm (pair_match) */
};

/* The sign bit. */
#define PAIR_LOST INT64_MIN

static inline int64_t pair_end_ns(const struct pair *pair)
{
    return pair->end_ns & INT64_MAX;
}

/* Sorted by begin_off. */
struct pairs {
    struct pair *items; /* owned */
    size_t n, cap;
};

/* Adds one, behind all others for now. Returns false if there is no memory. */
bool pairs_add(struct pairs *pairs, struct pair pair);
void pairs_sort(struct pairs *pairs);
void pairs_free(struct pairs *pairs);

/* The pair whose B stands there; there is one. O(log n). */
const struct pair *pairs_get(const struct pairs *pairs, uint64_t begin_off);

#endif
