/* Bytes in: a plain or gzip file, or a pipe, that can be read more than once.
 *
 * The input is recognised by its first bytes, never by its name. What cannot be read twice (a pipe,
 * a terminal) is spooled to an unlinked temporary file in $TMPDIR or /tmp, compressed as it came.
 * gzip may have any number of members; zero bytes after the last are ignored, other bytes after it
 * are counted in source_garbage, as gzip does. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "crew.h"
#include "gzwalk.h"
#include "lanefix.h"
#include "losses.h"
#include "meter.h"

struct source;

/* Opens a path, or standard input for "-". `chunk_nbytes` is the size of the pieces that are read
 * from a gzip file or a pipe; the crew reads ahead in a gzip file. `cancel` as in lanefix.h. On
 * failure returns NULL and fills *err. */
struct source *source_open(const char *path, size_t chunk_nbytes, struct crew *crew,
                           const volatile sig_atomic_t *cancel, struct lanefix_error *err);

/* The same; to read more than max_nbytes uncompressed bytes (0: no limit) is an error. The meter,
 * or NULL, is told of the spooling, of the file's size, and of what is read and skipped. */
struct source *source_open_up_to(const char *path, uint64_t max_nbytes, size_t chunk_nbytes,
                                 struct crew *crew, const volatile sig_atomic_t *cancel,
                                 struct meter *meter, struct lanefix_error *err);
void source_free(struct source *src);

/* Reads up to n > 0 uncompressed bytes; *got is 0 at the end only. Returns false on an error. */
bool source_read(struct source *src, char *out, size_t n, size_t *got, struct lanefix_error *err);

/* Back to the first byte. Returns false on an error. */
bool source_rewind(struct source *src, struct lanefix_error *err);

/* Prepares, before the first read, for seeking: the first time that a gzip file is read, a map of
 * it is made, with zlib. Returns false if there is no memory. */
bool source_make_map(struct source *src);

/* From now on reads and skips with that map, which is returned: nothing is read but what is asked
 * for, and for what is skipped. NULL (and all is as before) if there is none, or no memory. To be
 * called after source_rewind. */
const struct gzmap *source_seek(struct source *src);

/* Lets the crew prepare for source_skip_to(off) of a source that seeks. Returns false if it does
 * that for as many places as it can already (walks.h). */
bool source_prepare(struct source *src, uint64_t off);

/* Forgets the map. */
void source_drop_map(struct source *src);

/* A place of the deflate data of a source that seeks (gzwalk.h). */
bool source_place(struct source *src, struct gzplace *place, struct lanefix_error *err);

/* Reads the file itself (a gzwalk_pread). */
bool source_pread(void *src, uint64_t off, char *out, size_t n, size_t *got,
                  struct lanefix_error *err);

/* The same, by the calling thread and to copy what it reads, for a source that seeks: the meter is
 * told that it has come so far. */
bool source_pread_to_copy(void *src, uint64_t off, char *out, size_t n, size_t *got,
                          struct lanefix_error *err);

/* Goes to an offset at or after the current one without giving the bytes between; for a plain file
 * without reading them. Returns false on an error, or LANEFIX_ERR_CHANGED if they are not there. */
bool source_skip_to(struct source *src, uint64_t off, struct lanefix_error *err);

/* The file, if its bytes are the trace as they are; else -1. It is the source's own. */
int source_plain_fd(const struct source *src);

/* Has the file the size and the time of change that it had when it was opened? Always true for a
 * pipe, which was spooled. */
bool source_unchanged(const struct source *src);

bool source_is_gzip(const struct source *src);

/* For a trace that is broken: goes back to the first byte, and from now on takes the place where a
 * gzip stream is damaged or cut for its end, with zlib, so that this is the same place in every
 * build. The map is given up. Returns false on an error. */
bool source_salvage(struct source *src, struct lanefix_error *err);

/* Did the source end at such a place? Known when the end was reached. */
bool source_broken(const struct source *src);

/* From now on gives the trace without these losses, which must live as long as the source. To be
 * called after source_rewind. */
void source_leave_out(struct source *src, const struct losses *losses);

/* What stat said of a file that was given by its name; NULL for a pipe or standard input. */
const struct stat *source_stat(const struct source *src);

/* Bytes after the last gzip member that were ignored. Known when the end was reached. */
uint64_t source_garbage(const struct source *src);

#endif
