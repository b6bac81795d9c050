/* What pass two changes, kept until the report has room for it: its lists are written one after the
 * other, and this one is made at the time of another. What does not fit a small buffer goes to an
 * unlinked temporary file (spool.h). */
#ifndef EDIT_LOG_H
#define EDIT_LOG_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lanefix.h"

struct edit_log;

/* `cancel` as in lanefix.h. NULL if there is no memory. */
struct edit_log *edit_log_new(const volatile sig_atomic_t *cancel);
void edit_log_free(struct edit_log *log);

/* Notes that before[0, n), which stands at `off` of the trace without its losses, became
 * after[0, m): as little of both as differs, but no number cut in two. To be called in the order of
 * the trace; the ranges do not overlap. Returns false on an error. */
bool edit_log_add(struct edit_log *log, uint64_t off, const char *before, size_t n,
                  const char *after, size_t m, struct lanefix_error *err);

/* After the last edit_log_add: back to the first one, to read them. Returns false on an error. */
bool edit_log_rewind(struct edit_log *log, struct lanefix_error *err);

/* One of them. Its bytes come with edit_log_take: first those after, then those before. */
struct edit_note {
    uint64_t off, before_nbytes, after_nbytes;
};

/* The next one, once the bytes of the last one are taken; its offset is UINT64_MAX if there is
 * none. Returns false on an error. */
bool edit_log_next(struct edit_log *log, struct edit_note *note, struct lanefix_error *err);

/* Gives up to `most` > 0 bytes more, *n > 0 of them, that live until the next call. Returns NULL on
 * an error. */
const char *edit_log_take(struct edit_log *log, uint64_t most, size_t *n,
                          struct lanefix_error *err);

#endif
