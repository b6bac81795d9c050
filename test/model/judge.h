/* Judges what became of a trace: by the model of the viewer and the oracle of the plan. */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* What was seen, summed up over traces, so that a test can tell that it saw anything at all. */
struct judge_counts {
    uint64_t traces, slices, crossings, too_deep, snapped, moved, lanes;
    uint64_t pairs, misplaced;           /* misplaced: and X cut, before */
    uint64_t pairs_snapped, pairs_moved; /* pairs_snapped: by either end */
    uint64_t zero_pairs;                 /* pairs without length that got one */
    uint64_t unclear;         /* traces where it is not known which B an E ends (judge_pairs.c) */
    uint64_t arrows;          /* endpoints whose slice was compared */
    uint64_t arrows_moved;    /* and of them those that had to follow */
    uint64_t arrows_of_pairs; /* endpoints whose pair has changed */
    uint64_t arrows_unsure;   /* endpoints that were left out of it (judge_arrows.c) */
    uint64_t arrows_lost;     /* the known few that bind to another slice (judge_arrows.c) */
    uint64_t lanes_apart;     /* lanes that have no room right below their threads */
    uint64_t unreadable;      /* events that the model does not read */
};

struct judge {
    struct model *before, *after;
    int64_t threshold_ns;
    struct judge_counts *counts;
    size_t *lane_of;  /* of each slice of before; owned */
    const char *what; /* what is wrong, or NULL */
    size_t event;     /* and where */
};

/*
 * Is `out` a faithful fix of `in`? Both are plain JSON. The threshold is the one of the fix.
 *
 * Returns NULL, or what is wrong, and *event where; counts are added to. An event that the model
 * cannot read may have become anything, and the plan is only compared where there is none such.
 */
const char *judge_fix(const char *in, size_t in_n, const char *out, size_t out_n,
                      int64_t threshold_ns, struct judge_counts *counts, size_t *event);

/* The parts of it; each returns false, with what and event filled, if something is wrong. */
bool judge_text(struct judge *j);   /* nothing has changed but values, and lanes were added */
bool judge_plan(struct judge *j);   /* slice by slice what the oracle says; fills lane_of */
bool judge_pairs(struct judge *j);  /* threads with pairs, by the model's properties alone */
bool judge_lanes(struct judge *j);  /* ids, names and sort indexes of the new threads */
bool judge_arrows(struct judge *j); /* flow endpoints bind where they belong */

/* Has a thread of the input pairs among its slices? The oracle knows X alone. */
bool judge_has_pairs(const struct judge *j, size_t thread);

/* The thread of the output in which a thread of the input goes on. */
size_t judge_same_thread(const struct judge *j, size_t thread);

/* A lone B or E right where a B and an E of its name have one time: once these are drawn apart, it
 * is not known which of the others belongs to whom. */
bool judge_is_unclear(struct judge *j);

/* Notes what is wrong. Returns false. */
bool judge_fail(struct judge *j, size_t event, const char *what);

#endif
