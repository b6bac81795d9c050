/* Runs through one nested value: brackets and strings, up to where the last one closes.
 *
 * There are two ways of it with one result: a plain one, byte by byte, and one that takes 64 bytes
 * at once (SSE2). The plain one is the truth in the tests, and serves where the other cannot. */
#ifndef NEST_H
#define NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/* A piece of the value, by offsets from its first byte. */
struct span {
    uint32_t begin, end;
};

enum { NEST_INNER_MAX = 16 };

struct nest {
    bool plain_only; /* for tests; kept by nest_begin */
    /* Something was seen by which jsmn may see other brackets and strings than are seen here, or
     * refuse the value: a byte that it does not take, or a bracket or quote within a bare word.
     * Where this is false, all that lies in brackets is fine with jsmn (event.h). May be true
     * without need. */
    bool odd;
    bool in_string, escaped;
    bool after_word; /* the last byte was part of a bare word */
    size_t depth, depth_max;
    uint64_t pos;        /* bytes that were run through */
    struct buf brackets; /* brackets.h */
    /* The values in brackets right within the outermost ones: how many, and where the first of them
     * stand (if within 4 GiB). */
    uint64_t ninner;
    struct span inner[NEST_INNER_MAX];
};

enum nest_result {
    NEST_MORE,     /* all was used, and the value goes on */
    NEST_CLOSED,   /* it ends behind *used */
    NEST_MISMATCH, /* the bracket at *used is not of the kind that it closes */
    NEST_NO_MEMORY
};

/* Makes ready for a value, which is to begin with a bracket or a quote. */
void nest_begin(struct nest *n);

/* Runs through up to len bytes at p, which follow on those of the call before. */
enum nest_result nest_run(struct nest *n, const char *p, size_t len, size_t *used);

void nest_free(struct nest *n);

#endif
