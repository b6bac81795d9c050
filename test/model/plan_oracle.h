/* The plan of one track, written for clarity alone: plain arrays and linear scans, in the order of
 * the rule's own sentences. Shares no code with src/. A lack of memory aborts. */
#ifndef PLAN_ORACLE_H
#define PLAN_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oracle_slice {
    int64_t start_ns, end_ns;         /* its own times */
    int64_t new_start_ns, new_end_ns; /* out: what becomes of them */
    size_t lane;                      /* out: 0: it stays on its thread */
    bool waiting;                     /* for the oracle alone */
};

struct oracle_rules {
    int64_t threshold_ns;
    int64_t (*start_ceil)(int64_t ns); /* the first time >= ns that can be written */
    int64_t (*dur_floor)(int64_t ns);  /* the last one <= ns */
};

/* Plans the slices of a track, which stand in the order of the file. */
void oracle_plan(struct oracle_slice *s, size_t n, const struct oracle_rules *rules);

#endif
