/* New ids for threads that the viewer would not show as the ones that they are.
 *
 * The viewer holds ids of 32 bits: what lies outside becomes 0, and tid 0 falls on the pid
 * (perfetto.md, Threads). So here a thread is what the trace means: numbers by their value, of any
 * length; strings by their unescaped content. Nothing, null and 0 are one. A number with decimals
 * counts as the viewer has it, so 7.9 is 7.
 *
 * First every event is noted, in the order of the file; then the ids are assigned; from then on the
 * map is only read. Changed are
 * - a pid or tid that is a number and does not fit: it gets a free id;
 * - a thread with tid 0 whose process has a thread with tid == pid: it gets a free tid.
 * After that no two threads are one for the viewer, and a trace that has the new ids needs none. */
#ifndef ID_MAP_H
#define ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

struct id_map;

/* An empty map; NULL if there is no memory. */
struct id_map *id_map_new(void);
void id_map_free(struct id_map *map);

/* The ids of the last event as they were written: events of a thread often follow each other. All
 * zero: none. Each reading thread has its own, for one map at a time. */
enum { ID_CACHE_NBYTES = 64 };
struct id_cache {
    bool valid;
    uint32_t thread;
    size_t pid_n, tid_n;
    char text[ID_CACHE_NBYTES];
};

/*
 * Notes an event.
 *
 * on_thread  The viewer draws it on the row of its thread, or it names that. Others have their ids
 *            changed too where these do not fit, but make no thread with tid 0.
 * off, event its place
 *
 * Returns false if there is no memory, or more threads or text than track.h allows.
 */
bool id_map_note(struct id_map *map, const char *text, const struct value *pid,
                 const struct value *tid, bool on_thread, uint64_t off, uint64_t event);

/* Was the last note refused for TRACKS_TEXT_NBYTES_MAX or TRACKS_MAX? */
bool id_map_is_full(const struct id_map *map);

/* Gives the new ids. To be called once, after all notes. Returns false if there is no memory. */
bool id_map_assign(struct id_map *map);

/* The ids of an event: 0 where it keeps its own. */
struct new_ids {
    uint32_t pid, tid;
};

/* The new ids of an event. Safe to call from several threads, each with its own cache. Returns
 * false if there is no memory, or its thread was not noted. */
bool id_map_find(const struct id_map *map, struct id_cache *cache, const char *text,
                 const struct value *pid, const struct value *tid, bool on_thread,
                 struct new_ids *ids);

/* A thread that has new ids. The texts are JSON, as first written; "0" for 0 and for none; they
 * live as long as the map. */
struct id_row {
    const char *pid_text, *tid_text;
    struct new_ids ids;
    uint64_t nevents;    /* that have them */
    uint64_t off, event; /* of the first of them */
};

/* Has it a new id for its tid 0, which fell on the pid? */
bool id_row_merged(const struct id_row *row);

/* The threads that have new ids, in the order of their first events. */
size_t id_map_count(const struct id_map *map);
struct id_row id_map_row(const struct id_map *map, size_t i);

#endif
