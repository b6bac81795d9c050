/* A piece of the uncompressed input in memory, that moves forward. */
#ifndef WINDOW_H
#define WINDOW_H

#include "source.h"

struct window {
    struct source *source;
    size_t chunk_nbytes;
    char *data; /* the bytes [off, off + len) of the input; within buffer */
    size_t len;
    uint64_t off;
    bool at_end;  /* nothing follows after them */
    char *buffer; /* owned */
    size_t cap;
};

/* An empty window at the source's first byte. */
void window_init(struct window *w, struct source *source, size_t chunk_nbytes);
void window_free(struct window *w);

/* Forgets what lies before `off`; jumps there if it lies beyond what was read. */
bool window_drop(struct window *w, uint64_t off, struct lanefix_error *err);

/* Reads one more piece, or sets at_end. Grows the window as it must. */
bool window_more(struct window *w, struct lanefix_error *err);

#endif
