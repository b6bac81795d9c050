/* Reads on in the background, so that what is costly to read (gzip data) is there when it is asked
 * for. A crew does it, a piece at a time and in order. */
#ifndef AHEAD_H
#define AHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "crew.h"
#include "lanefix.h"

struct ahead;

/* Gives up to n bytes, *got of them; 0 at the end only. Returns false with *err on an error. Called
 * by one thread at a time, but not always by the same one. */
typedef bool ahead_fill(void *context, char *out, size_t n, size_t *got, struct lanefix_error *err);

/* NULL if there is no memory. The crew has more than one thread. `fill` is called with `context`,
 * for pieces of piece_nbytes. */
struct ahead *ahead_new(struct crew *crew, size_t piece_nbytes, ahead_fill *fill, void *context);

/* Waits for what is under way. NULL is fine. */
void ahead_free(struct ahead *ahead);

/* As `fill`. The first read begins to read ahead. */
bool ahead_read(struct ahead *ahead, char *out, size_t n, size_t *got, struct lanefix_error *err);

/* Waits for what is under way and forgets what was read: the next read begins where `fill` does. */
void ahead_stop(struct ahead *ahead);

#endif
