/* Threads as the viewer tells them apart (spec 3; perfetto.md, Threads), and what the trace says of
 * each: its name, its sort index, how its ids were first written. */
#ifndef TRACK_H
#define TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "hash.h"

/* A pid or tid as the viewer sees it: a number of 32 bits, or a string. */
struct ident {
    const char *string; /* NULL: a number. Unescaped; not NUL-terminated */
    uint32_t len;
    uint32_t number;
};

#define TRACK_NO_SLICES UINT32_MAX

/* What a thread's sort index is read from. Viewers may pass over a string (Bazel writes some). */
enum sort_kind { SORT_NONE, SORT_STRING, SORT_NUMBER };

struct track {
    struct ident pid, tid;     /* after the rule for tid 0; their strings stand behind the texts */
    char *pid_text, *tid_text; /* as first written, with quotes; "" if absent. One block, owned by
                                  the first. A number of more than TRACK_NUMBER_MAX bytes: what the
                                  viewer makes of it */
    char *name;                /* thread_name, raw content of the JSON string; or NULL */
    enum sort_kind sort_kind;
    int64_t sort_index; /* thread_sort_index; 0 if there is none */
    int64_t name_ts_ns, sort_ts_ns;
    uint32_t slices_rank; /* the how-many-eth track to get a slice, or TRACK_NO_SLICES */
    bool drawn;           /* has events that the viewer draws on the thread's row */
};

struct tracks {
    struct track *items; /* by id; owned. Pointers into it end with the next tracks_of_event */
    size_t n, cap;
    uint32_t *by_slices; /* by slices_rank: the id */
    size_t nby_slices, by_slices_cap;
    uint32_t *table; /* open addressing: id + 1, or 0 */
    size_t table_size;
    char *scratch; /* the last event's ids as written, and their track */
    size_t scratch_len, scratch_cap;
    uint32_t last;
    size_t text_nbytes; /* of all ids and names */
    bool text_full;     /* something was refused for TRACKS_TEXT_NBYTES_MAX */
    struct hash_key key;
};

enum { TRACK_NUMBER_MAX = 64 };

#define TRACKS_MAX SLICE_TRACK_MAX
#define TRACK_NONE UINT32_MAX

/* All ids and names together: more is meant to do harm, so it is an error. */
#define TRACKS_TEXT_NBYTES_MAX ((size_t)1 << 30)

void tracks_init(struct tracks *t);
void tracks_free(struct tracks *t);

/* The id of the track of an event with that pid and tid, which is new if need be; TRACK_NONE if
 * there is no memory, or more than the two limits. */
uint32_t tracks_of_event(struct tracks *t, const char *text, const struct value *pid_value,
                         const struct value *tid_value);

/* Is there a track (pid, tid)? */
bool tracks_has(const struct tracks *t, const struct ident *pid, const struct ident *tid);

/* A hash of (pid, tid) for these tracks, equal for equal ones; never 0. */
uint64_t tracks_hash(const struct tracks *t, const struct ident *pid, const struct ident *tid);

/* The rank of a track among those that have slices; given on the first call. TRACK_NONE if there is
 * no memory. */
uint32_t tracks_slices_rank(struct tracks *t, uint32_t id);

/* The track with a rank. */
const struct track *tracks_by_rank(const struct tracks *t, uint32_t rank);

/* Takes note of an M event: thread_name (the last by ts counts, none that is empty) and
 * thread_sort_index (the first, a number rather than a string); one without ts counts as at 0.
 * Returns false if there is no memory, or more text than the limit. */
bool tracks_note_metadata(struct tracks *t, uint32_t id, const char *text,
                          const struct event *event);

/* -1, 0 or 1: numbers before strings, each in their natural order. */
int ident_compare(const struct ident *a, const struct ident *b);

#endif
