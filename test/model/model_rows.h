/* In which order the viewer shows the threads of each process, and where a lane stands in it.
 *
 * Not known for sure is the order of ids that are strings. Here they come after numbers, in the
 * order of their first events. */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include "model.h"

enum model_order {
    MODEL_V57,         /* by sort index; a string is none, whatever is in it */
    MODEL_V57_STRINGS, /* the same, but a string with a number in it counts where there is no number
                        */
    MODEL_V56          /* before v57: no sort index counts */
};

/* A thread that is shown. */
struct model_row {
    size_t thread, process; /* process: the first thread of the same pid */
    int rank;               /* 0: the main thread, 1: has a name, 2: has none */
    bool indexed;           /* the trace has a sort index for it, which may be a string */
    int64_t sort_index;     /* as the order takes it; 0 if there is none, or none counts */
};

/* All rows, process by process; owned by the caller. */
struct model_row *model_rows(struct model *m, enum model_order order, size_t *n);

/* Is a above b at one sort index, whatever the order of strings? */
bool model_surely_above(const struct model *m, const struct model_row *a,
                        const struct model_row *b);

/* The thread of `after` in which a thread of `before` goes on; MODEL_NONE if it has no event left.
 */
size_t model_same_thread(const struct model *before, size_t thread, const struct model *after);

/* A lane of a fixed trace. */
struct model_lane {
    size_t thread; /* of the trace before */
    size_t lane;   /* 1, 2, ... */
    size_t after;  /* its own thread, in the trace after */
};

/* What stands right above a lane: is it its thread, or the lane before it? `lanes` are all of the
 * trace. *above is the thread there, or MODEL_NONE. */
bool model_lane_is_below(const struct model *before, const struct model *after,
                         const struct model_row *rows, size_t nrows, const struct model_lane *lanes,
                         size_t nlanes, size_t k, size_t *above);

/* Could a sort index put the lane there, as far as v57 is concerned? Not if its thread and the next
 * one have indexes of the trace that leave no room for it and the lanes before it. `rows` are those
 * of `before` by MODEL_V57_STRINGS. */
bool model_lane_has_room(const struct model *before, const struct model *after,
                         const struct model_row *rows, size_t nrows, const struct model_lane *lanes,
                         size_t nlanes, size_t k);

#endif
