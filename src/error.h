/* How errors travel: a function that can fail returns false and has filled a struct lanefix_error.
 * The first error of a run is the one that counts; messages are constant strings. */
#ifndef ERROR_H
#define ERROR_H

#include "lanefix.h"

/* Fills `err` (never NULL) with an error that has no place in the trace. Returns false. */
static inline bool fail(struct lanefix_error *err, enum lanefix_status code, const char *message)
{
    *err = (struct lanefix_error){.code = code,
                                  .file = LANEFIX_FILE_INPUT,
                                  .message = message,
                                  .offset = LANEFIX_NOWHERE,
                                  .event = LANEFIX_NOWHERE};
    return false;
}

/* The same, at a byte of the trace and an event number (each may be LANEFIX_NOWHERE). */
static inline bool fail_at(struct lanefix_error *err, enum lanefix_status code, const char *message,
                           uint64_t offset, uint64_t event)
{
    fail(err, code, message);
    err->offset = offset;
    err->event = event;
    return false;
}

/* The same, for a failed call on one of the files; `sys_errno` is its errno. */
static inline bool fail_io(struct lanefix_error *err, enum lanefix_status code,
                           enum lanefix_file file, const char *message, int sys_errno)
{
    fail(err, code, message);
    err->file = file;
    err->sys_errno = sys_errno;
    return false;
}

/* What was there on the first pass is not on the second, at that byte of the trace (or
 * LANEFIX_NOWHERE). */
static inline bool fail_changed(struct lanefix_error *err, uint64_t offset)
{
    return fail_at(err, LANEFIX_ERR_CHANGED, "the input has changed while it was read", offset,
                   LANEFIX_NOWHERE);
}

/* The trace is larger than the user allows (max_size_nbytes of the options). */
static inline bool fail_too_large(struct lanefix_error *err, uint64_t max_nbytes)
{
    return fail_at(err, LANEFIX_ERR_TOO_LARGE, "the trace is larger than --max-size allows",
                   max_nbytes, LANEFIX_NOWHERE);
}

static inline bool fail_memory(struct lanefix_error *err)
{
    return fail(err, LANEFIX_ERR_NO_MEMORY, "out of memory");
}

#endif
