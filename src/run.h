/* One run of the library: what the passes share. Private to lanefix.c and the passes. */
#ifndef RUN_H
#define RUN_H

#include "crew.h"
#include "crossings.h"
#include "edit_log.h"
#include "event.h"
#include "explain.h"
#include "fixes.h"
#include "hash_table.h"
#include "id_map.h"
#include "index.h"
#include "kind.h"
#include "lanes.h"
#include "losses.h"
#include "meter.h"
#include "nest.h"
#include "places.h"
#include "repair.h"
#include "report.h"
#include "report_json.h"
#include "sink.h"
#include "window.h"

/* What is around the events. */
struct outer {
    bool bare; /* an array and no object */
    uint64_t object_off;
    struct buf base; /* as in struct cutter */
    uint64_t base_off, base_end;
};

/* The trace as it was read at first: that is, all of it. */
struct original {
    bool wanted, known;
    uint64_t nbytes;
    uint32_t crc; /* gzip's */
};

struct run {
    const struct lanefix_options *options;
    size_t chunk_nbytes;
    struct crew *crew;
    struct meter meter;
    struct source *source;
    struct window window;
    struct losses losses; /* of a broken trace; offsets below are those in the trace without them */
    struct event_parser *parser;
    struct tracks tracks;
    struct index index;
    struct kind_rules kind_rules;
    struct kinds kinds; /* of the index's slices, where the options ask for kinds */
    struct layout layout;
    uint64_t size;       /* of the uncompressed input */
    uint64_t events_end; /* where the last event ends */
    bool unclosed;       /* it is a bare array without its ] */
    struct outer outer;
    /* Of a repair: */
    bool unmendable;    /* an event is no JSON, and cannot be made such */
    finding_set mended; /* kinds that are no more in the trace without the losses */
    struct ts_range ts_range;
    struct repair_rules rules;
    bool look_close; /* where the report is to tell all; false once that is known */
    bool repairing;  /* every event is read as these rules make it */
    struct id_map *new_ids;
    struct repairer repairer; /* of pass two */
    struct rewrites rewrites;
    /* Of a check that examines, or a repair: */
    struct crossings crossings;
    struct id_map *ids;
    struct hash_table flow_ids; /* of the ids that were started. Among a million two have one hash
                                   once in thirty million traces */
    struct marks marks;         /* offsets as those of the index */
    uint64_t loose_flows;       /* endpoints with no slice, */
    uint64_t first_loose_flow_off; /* and the first of them; UINT64_MAX: there is none */
    struct explain *explain;       /* NULL if nothing is to be */
    struct fixes explained; /* of the slices that are; `over` is PLAN_NO_FRAME where one lies too
                               deep, PLAN_OTHERS where it changes, but crosses nothing */
    struct lanes lanes;
    struct fixes fixes;        /* the largest, for pictures and a check that examines */
    struct pictures *pictures; /* NULL: none are wanted (pictures.h) */
    struct sink *sink;         /* NULL in a check or a dry run */
    bool gzip;                 /* the output is compressed */
    bool keep;                 /* the input's compressed data is to be kept (keep.h) */
    struct report_json *json;  /* NULL if it is not wanted */
    struct edit_log *edits;    /* for it; NULL if there are none to be noted */
    struct original original;  /* wanted with them */
    struct lanefix_report *report;
    struct buf patched; /* the text of one event */
    struct nest nest;   /* of that event */
    struct lanefix_error *err;
};

enum { CHUNK_NBYTES = 1 << 18 }; /* if the options do not say */

/* What an undo has in common with a run: */

/* Are input and output (NULL for a check) named, and the options in their ranges? If not, *err is
 * filled. */
bool check_options(const char *input, const char *output, const struct lanefix_options *options,
                   struct lanefix_error *err);

/* What these options say of the sink to that output; its crew and meter are the caller's, who keeps
 * no old file and lays out nothing anew, unless it says so. */
struct sink_options output_options(const struct lanefix_options *options,
                                   const struct source *source, const char *output);

/* The steps. Each returns false on an error, with *run->err filled. They are called in this order,
 * once, but pass_one by read_trace as often as it takes. */

/* source -> cutter -> event -> index: what slices, endpoints and threads there are. */
bool pass_one(struct run *run);

/* The same, with what is broken left out and the rest repaired, if that is asked for. */
bool read_trace(struct run *run);

/* index -> plan -> rewrites: what becomes of them, in the order of the file; lanes and their ids.
 */
bool make_plan(struct run *run);

/* source -> patch -> sink: copies the input, with other values where the plan says so. */
bool pass_two(struct run *run);

/* What pass two has changed, and what the losses are, into the JSON report: all it takes to undo
 * the run (undo.c). Where something is lost, the input is read once more for that. */
bool report_edits(struct run *run);

/* Frees all that a run holds; what was not committed is removed. */
void run_free(struct run *run);

#endif
