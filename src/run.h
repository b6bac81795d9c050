/* One run of the library: what the passes share. Private to lanefix.c and the passes. */
#ifndef RUN_H
#define RUN_H

#include "crew.h"
#include "event.h"
#include "index.h"
#include "lanes.h"
#include "losses.h"
#include "nest.h"
#include "report.h"
#include "report_json.h"
#include "sink.h"
#include "window.h"

struct run {
    const struct lanefix_options *options;
    size_t chunk_nbytes;
    struct crew *crew;
    struct source *source;
    struct window window;
    struct losses losses; /* of a broken trace; offsets below are those in the trace without them */
    struct event_parser *parser;
    struct tracks tracks;
    struct index index;
    struct layout layout;
    uint64_t size;       /* of the uncompressed input */
    uint64_t events_end; /* where the last event ends */
    bool unclosed;       /* it is a bare array without its ] */
    struct rewrites rewrites;
    struct lanes lanes;
    struct sink *sink;        /* NULL in a check */
    bool keep;                /* the input's compressed data is to be kept (keep.h) */
    struct report_json *json; /* NULL if it is not wanted */
    struct lanefix_report *report;
    struct buf patched; /* the text of one event */
    struct nest nest;   /* of that event */
    struct lanefix_error *err;
};

/* The steps. Each returns false on an error, with *run->err filled. They are called in this order,
 * once. */

/* source -> cutter -> event -> index: what slices, endpoints and threads there are. */
bool pass_one(struct run *run);

/* index -> plan -> rewrites: what becomes of them, in the order of the file; lanes and their ids.
 */
bool make_plan(struct run *run);

/* source -> patch -> sink: copies the input, with other values where the plan says so. */
bool pass_two(struct run *run);

/* Frees all that a run holds; what was not committed is removed. */
void run_free(struct run *run);

#endif
