/* The parts of a broken trace that are left out, and the trace without them: what --salvage makes.
 *
 * A loss may also be a mere comma too many, or nothing at all where the closing brackets are put;
 * those that took something of worth are counted. */
#ifndef LOSSES_H
#define LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "lanefix.h"

struct loss {
    uint64_t begin, end; /* bytes of the trace; UINT64_MAX: to its end */
    const char *instead; /* what stands in their place: constant, or of losses_text */
    bool counts;         /* it is more than separators: */
    uint64_t off;        /* where it begins without the separators before it, */
    uint64_t nbytes;     /* and how long it is */
    uint64_t events;     /* whole ones before it */
    const char
        *reason;       /* why it is lost, a constant string; NULL: it is the trace that is broken */
    uint64_t view_off; /* set by losses_add: where it stands in the trace without the losses, */
    size_t instead_nbytes; /* and how long what stands there is */
};

/* In the order of the trace, one behind the other. */
struct losses {
    struct loss *items; /* owned */
    size_t n, cap;
    char **texts; /* owned, and each of them: what stands in the place of some */
    size_t ntexts, texts_cap;
};

/* Takes over what is in the buffer, which holds no NUL byte, for the `instead` of a loss. Returns
 * it, or NULL if there is no memory. */
const char *losses_text(struct losses *losses, struct buf *text);

/* Adds one in its place, mostly behind all others; false if there is no memory. */
bool losses_add(struct losses *losses, const struct loss *loss);

/* Is something of the bytes [begin, end) of the trace left out? */
bool losses_touch(const struct losses *losses, uint64_t begin, uint64_t end);

/* Puts the text, which it takes over, in place of the bytes [begin, end) of the trace without the
 * losses, where these are a part of what stands in the place of one. Returns false if they are not,
 * or if there is no memory: then text->failed is set. */
bool losses_edit(struct losses *losses, uint64_t begin, uint64_t end, struct buf *text);
void losses_free(struct losses *losses);

/* Where a place of the trace without the losses lies in the trace as it is. */
uint64_t losses_place(const struct losses *losses, uint64_t off);

/* A reader's way through the trace without the losses. Zero at its start. */
struct view {
    size_t next;       /* the first loss that is not behind */
    size_t given;      /* bytes of what stands in its place */
    uint64_t file_off; /* in the trace as it is */
};

/* Gives up to n > 0 bytes, *got of them; 0 at the end only. Returns false with *err on an error. */
typedef bool view_fill(void *context, char *out, size_t n, size_t *got, struct lanefix_error *err);

/* As `fill`, which is called with `context` and gives the trace as it is, but without the losses.
 */
bool view_read(struct view *view, const struct losses *losses, view_fill *fill, void *context,
               char *out, size_t n, size_t *got, struct lanefix_error *err);

#endif
