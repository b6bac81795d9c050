/* Temporary files; a pipe made readable twice. */
#ifndef SPOOL_H
#define SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "lanefix.h"
#include "meter.h"

/* Makes an unlinked temporary file in $TMPDIR, or /tmp. Returns its descriptor, owned by the
 * caller, or -1 with *err filled, by that message about that file. */
int spool_open(const char *message, enum lanefix_file about, struct lanefix_error *err);

/* Copies all that fd still gives to an unlinked temporary file in $TMPDIR, or /tmp. Returns the
 * file's descriptor, owned by the caller, or -1 with *err filled. Nothing is left on the disk
 * afterwards, however the process ends.
 *
 * A trace of more than max_nbytes need not be spooled to its end. What comes may be compressed, so
 * a little more is taken before that is an error. The meter is told, unless it is NULL. */
int spool(int fd, uint64_t max_nbytes, size_t chunk_nbytes, const volatile sig_atomic_t *cancel,
          struct meter *meter, struct lanefix_error *err);

#endif
