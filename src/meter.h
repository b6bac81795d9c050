/* How far a run has come, as options->progress is told. Belongs to the thread that called the
 * library; others never touch it. All functions take NULL, and do nothing if nobody listens. */
#ifndef METER_H
#define METER_H

#include <stdbool.h>
#include <stdint.h>

#include "lanefix.h"

struct meter {
    lanefix_progress_fn *call; /* NULL: nobody listens */
    void *data;
    struct lanefix_progress now;
    bool open;              /* a step is under way */
    bool writes;            /* the pass that writes is still to come */
    uint64_t file_nbytes;   /* of the input as it is stored; 0: not known */
    uint64_t called_nbytes; /* now.trace_nbytes at the last call, */
    int64_t called_ns;      /* and when that was */
};

/* Before the first step. A run that `writes` reads the input once more than it takes to know what
 * to write. */
void meter_init(struct meter *meter, const struct lanefix_options *options, bool writes);

/* The size of the input is known. */
void meter_file(struct meter *meter, uint64_t nbytes);

/* Is there someone to tell? */
bool meter_listens(const struct meter *meter);

/* A step begins. */
void meter_begin(struct meter *meter, enum lanefix_step step);

/* It has come so far: bytes of the file as it is stored, and of the trace. What is less than before
 * changes nothing. Does nothing if no step is under way. */
void meter_at(struct meter *meter, uint64_t done_nbytes, uint64_t trace_nbytes);

/* It has come to its end. */
void meter_end(struct meter *meter);

#endif
