/* gzip output that keeps the compressed data of the input where the text is the same.
 *
 * Compressing is most of the work of a run from gzip to gzip, and nearly all of the text does not
 * change. Deflate looks back 32 KiB at most: so much behind a change the compressed data of the
 * input is right again, and is copied, bit by bit, from the next code on. Only the text from the
 * code before a change up to there is compressed anew (deflate_block.h, gzwalk.h). */
#ifndef KEEP_H
#define KEEP_H

#include "gzip.h"
#include "gzmap.h"
#include "gzwalk.h"
#include "window.h"

struct keep;

/* The input's map is usable and outlives it; `pread` reads the input with `context`, `put` takes
 * the output with `put_context`. NULL if there is no memory. */
struct keep *keep_new(const struct gzmap *map, gzwalk_pread *pread, void *context, gzip_put *put,
                      void *put_context);
void keep_free(struct keep *keep);

/* Appends the input's text from where the last call ended up to the offset `end`, or its end. The
 * window is one on a source that seeks (source.h), at that place, and has not read further than
 * KEEP_AHEAD_MAX beyond it; afterwards it is at `end`. The end of the text is the last call: there
 * nothing can be written. Returns false with *err on an error, as do
 * the others; one of `put` is not filled in. */
enum { KEEP_AHEAD_MAX = 1 << 14 };
bool keep_copy(struct keep *keep, struct window *w, uint64_t end, struct lanefix_error *err);

/* Where keep_copy(end) begins to read, if the end of the last change before is `before`; UINT64_MAX
 * if it reads all from there on. */
uint64_t keep_reads_from(uint64_t before, uint64_t end);

/* Leaves the next n bytes of the input's text out. */
void keep_skip(struct keep *keep, uint64_t n);

/* Appends other text, once something was left out or at the offset where it belongs. */
bool keep_write(struct keep *keep, const char *text, size_t n, struct lanefix_error *err);

/* Ends the member; all of the input's text was copied or left out. */
bool keep_finish(struct keep *keep, struct lanefix_error *err);

#endif
