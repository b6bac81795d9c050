/* Bytes to standard output, as they are or as gzip. Ends the process where that fails. */
#ifndef WRITE_H
#define WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Bytes of the file itself. */
void out(const void *bytes, size_t n);

/* Bytes of the trace: compressed between begin_member and end_member. */
void put(const char *bytes, size_t n);
void text(const char *s);

/* `pattern` again and again, `n` bytes of it in all. */
void repeat(const char *pattern, uint64_t n);

/* A gzip member: its level, and a header of its own if that is not NULL. */
void begin_member(int level, gz_header *header);
void end_member(void);

/* Lets zlib give out what it has (deflate). */
void deflate_some(int flush);

/* A trace with two slices that cross: the first is in begin_trace, the second one gets members of
 * its own after begin_mover, and its bracket; fixed, it moves to lane 1. end_trace adds an event
 * whose layout the lane's take. */
void begin_trace(void);
void begin_mover(bool fixed);
void end_trace(bool fixed);

/* text() of a short format. */
#define FORMAT_NBYTES 512
#define FORM(...)                                                                                  \
    do {                                                                                           \
        char line[FORMAT_NBYTES];                                                                  \
        snprintf(line, sizeof line, __VA_ARGS__);                                                  \
        text(line);                                                                                \
    } while (0)

#endif
