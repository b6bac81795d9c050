/* The plan of one track, written for clarity alone: plain arrays and linear scans, in the order of
 * the rule's own sentences. Shares no code with src/. A lack of memory aborts. */
#ifndef PLAN_ORACLE_H
#define PLAN_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a slice, and of the byte of its arrows (below). */
enum { ORACLE_HARDNESS = 7, ORACLE_KEEPS_TIMES = 8, ORACLE_ARROW = 1, ORACLE_ARROW_NEXT = 2 };

struct oracle_slice {
    int64_t start_ns, end_ns;         /* its own times */
    int64_t new_start_ns, new_end_ns; /* out: what becomes of them */
    size_t lane;                      /* out: 0: it stays on its thread */
    uint8_t kind;                     /* its hardness, and whether it keeps its times */
    uint8_t arrows;                   /* endpoints of flows that it owns */
    /* For the oracle alone: */
    bool waiting, unfinished, forced;
    size_t turn;                 /* its place among those that were placed; 0: it was not */
    struct oracle_slice *blamed; /* ORACLE_LEAST: what it is touched for, in the last attempt, */
    bool for_several, tried;     /* or more than one; it was forced to no avail */
    bool best, whole_best;       /* it is forced in what is best: of its knot, of all */
    size_t knot;
};

enum oracle_snap { ORACLE_FIRST, ORACLE_SOFT, ORACLE_LEAST };

struct oracle_rules {
    int64_t threshold_ns;
    int64_t (*start_ceil)(int64_t ns); /* the first time >= ns that can be written */
    int64_t (*dur_floor)(int64_t ns);  /* the last one <= ns */
    enum oracle_snap snap;
    int64_t trace_end_ns; /* with trim_unfinished */
    bool trim_unfinished;
};

/* Plans the slices of a track, which stand in the order of the file. */
void oracle_plan(struct oracle_slice *s, size_t n, const struct oracle_rules *rules);

/* Parts of it: */

/* The next slice in the order: start, longest first, place in the file; by the times of the moment.
 * NULL: none is waiting. */
struct oracle_slice *oracle_next(struct oracle_slice *s, size_t n);

/* All as it was. */
void oracle_begin(struct oracle_slice *s, size_t n, const struct oracle_rules *rules);

/* Two slices that crossed, as they were then. */
struct oracle_meeting {
    struct oracle_slice *x, *frame;
};

struct oracle_meetings {
    struct oracle_meeting *items; /* owned */
    size_t n;
};

/* Spec 4 for the thread's own lane: what moves has lane 1 afterwards, and those that are forced
 * move. The meetings are added to a list. */
void oracle_first(struct oracle_slice *s, size_t n, const struct oracle_rules *rules,
                  struct oracle_meetings *meetings);

/* ORACLE_LEAST: sets `forced`. */
void oracle_least(struct oracle_slice *s, size_t n, const struct oracle_rules *rules);

/* ORACLE_SOFT for the thread's own lane: what moves has lane 1 afterwards. */
void oracle_soft(struct oracle_slice *s, size_t n, const struct oracle_rules *rules);

#endif
