/* Bytes out: plain or gzip, to a file that appears whole or not at all (outfile.h). */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crew.h"
#include "lanefix.h"
#include "outfile.h"
#include "window.h"

struct sink;

struct sink_options {
    struct outfile_options out;
    bool gzip;
    int level;           /* of gzip, 0 to 9 */
    bool pretty;         /* lay out anew what is written (pretty.h) */
    struct crew *crew;   /* compresses; not NULL with gzip */
    struct meter *meter; /* is told of what is copied (sink_copy), and of the last steps; or NULL */
};

/* NULL with *err filled on failure. The path is "-" for standard output. */
struct sink *sink_open(const char *path, const struct sink_options *options,
                       struct lanefix_error *err);

/* Writes bytes. Returns false on an error. */
bool sink_write(struct sink *sink, const char *bytes, size_t n, struct lanefix_error *err);

/* Writes bytes [off, off + n) of the file `fd` without bringing them here, if the kernel can do
 * that from there to here: *done are the first that were written, 0 for a sink that compresses or
 * lays out. Returns false on an error. */
bool sink_copy(struct sink *sink, int fd, uint64_t off, uint64_t n, uint64_t *done,
               struct lanefix_error *err);

/* Lets a gzip sink that does not lay out, and to which nothing was written yet, keep the compressed
 * data of a source that seeks (keep.h). From now on the input's text goes through sink_copy_window
 * and sink_skip (which are keep_copy and keep_skip) alone. Returns false, and all is as before, if
 * there is no memory. */
bool sink_keep(struct sink *sink, const struct gzmap *map, struct source *source);
bool sink_keeps(const struct sink *sink);
bool sink_copy_window(struct sink *sink, struct window *w, uint64_t end, struct lanefix_error *err);
void sink_skip(struct sink *sink, uint64_t n); /* nothing for a sink that does not keep */

/* With keep_old of the options: may the old file be kept as outfile.h says? Returns false on an
 * error, such as that its name is taken. */
bool sink_may_keep_old(const struct sink *sink, struct lanefix_error *err);

/* Writes what is pending, with which the meter's step ends, and closes, which is another one if it
 * waits for the disk: all that can fail for want of room. Returns false on an
 * error. */
bool sink_finish(struct sink *sink, struct lanefix_error *err);

/* Gives the file its name, after sink_finish. Returns false on an error (outfile_rename). Either
 * way sink_free is still to be called. */
bool sink_commit(struct sink *sink, struct lanefix_error *err);

/* Frees the sink; what was not committed is removed. NULL is fine. */
void sink_free(struct sink *sink);

#endif
