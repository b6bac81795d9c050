/* The new threads: their ids, their names, their rows, and the M events that say so (spec 5). */
#ifndef LANES_H
#define LANES_H

#include "buf.h"
#include "edit_log.h"
#include "sink.h"
#include "track.h"

/* How the trace's events are laid out, to write more of them in the same way. */
struct layout {
    struct buf separator; /* what stands between two events, with the comma */
    bool spaced;          /* is there a space after a colon? */
};

/* Takes note of an event and of the gap before it (see cutter.h); the last one counts. `gap` is
 * NULL if it is too long to be kept. Returns false if there is no memory. */
bool layout_note(struct layout *layout, const char *gap, size_t gap_len, const char *event,
                 size_t event_len);

struct lane_id {
    uint32_t track;  /* the id of the thread that it belongs to */
    uint32_t lane;   /* 1, 2, ... */
    uint32_t number; /* its tid; 0 if that is a string */
    char *string;    /* the string as JSON, with its quotes; or NULL */
    int64_t sort_index;
};

#define LANES_NO_ROW INT64_MIN

struct lanes {
    struct lane_id *items; /* by track and lane; owned */
    size_t n, cap;
    uint32_t *first; /* by a track's rank: the index of its lane 1 */
    int64_t *row; /* by track id: a sort index to write for it, or LANES_NO_ROW; NULL if none is */
    uint64_t *taken; /* hashes of the ids given so far; open addressing, 0 is free. Two ids with one
                        hash would only make the second one look taken */
    size_t taken_size;
};

void lanes_free(struct lanes *lanes);

/* Makes ready for `nranks` tracks with slices. Returns false if there is no memory. */
bool lanes_init(struct lanes *lanes, size_t nranks);

/* Gives ids to the lanes 1 to n of a track, to be called for the tracks in the order of their rank
 * (also with n == 0). None is the id of a thread of the trace, and none is given twice. Returns
 * false if there is no memory. */
bool lanes_add(struct lanes *lanes, const struct tracks *tracks, uint32_t track, uint32_t n);

/* Room for a number as text. */
enum { LANE_ROOM = 12 };

/* The tid of a lane as JSON: `room`, or a string that lives as long as the lanes. */
const char *lane_tid(const struct lane_id *lane, char room[LANE_ROOM]);

/* The lane >= 1 of the track with that rank. */
const struct lane_id *lanes_get(const struct lanes *lanes, uint32_t rank, uint32_t lane);

/* Finds the sort indexes of the lanes, and of the threads of their processes that have none, or a
 * string for one, so that each lane stands right below its thread (rows.h). To be called once,
 * after the last lanes_add. Returns false if there is no memory. */
bool lanes_arrange(struct lanes *lanes, const struct tracks *tracks);

/* Writes the M events, each with the layout's separator before it. They are noted as put in at the
 * offset `off` of the log, or log is NULL. */
bool lanes_write(const struct lanes *lanes, const struct tracks *tracks,
                 const struct layout *layout, struct sink *sink, struct edit_log *log, uint64_t off,
                 struct lanefix_error *err);

/* Appends the name of a lane, as raw content of a JSON string. */
void lane_name(struct buf *out, const struct track *track, uint32_t lane);

#endif
