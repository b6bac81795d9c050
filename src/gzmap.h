/* Where the deflate blocks of a gzip member stand, and points from which it can be inflated again.
 * Filled while the member is inflated for the first time (codec.h), used by gzwalk.h and keep.h.
 *
 * A member whose blocks are too many (over GZMAP_BLOCKS_MAX) has no map, nor has a file of several
 * members: nobody makes such traces, and there is always the way without a map. */
#ifndef GZMAP_H
#define GZMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum {
    GZMAP_WINDOW = 1 << 15, /* as far as deflate looks back */
    GZMAP_BLOCKS_MAX = 1 << 20,
    GZMAP_WINDOWS_MAX = 16 << 20 /* bytes of all windows, which are compressed */
};

struct gzblock {
    uint64_t bit;  /* where it begins, in bits of the file */
    uint64_t text; /* the offset of its first byte in the trace */
    uint32_t crc;  /* of the trace up to there */
};

/* A block from which inflating can begin: the text before it is known. */
struct gzpoint {
    size_t block;
    struct buf window; /* as raw deflate data; nothing if there is no text before it */
};

struct gzmap {
    struct gzblock *blocks; /* in their order; the last one is none, but the end of the data */
    size_t nblocks, blocks_cap;
    struct gzpoint *points;
    size_t npoints, points_cap;
    size_t windows_nbytes;
    uint64_t spacing; /* of the points at least, in bytes of text */
    struct deflater *deflater;
    bool complete; /* the end is there */
    bool none;     /* it was given up */
};

/* Notes a block that begins, or the end of the data. `window` gives the up to 32 KiB of text before
 * it, if asked, and returns how many these are. Without memory, the map is given up. */
typedef size_t gzmap_window(void *context, unsigned char *window);
void gzmap_note(struct gzmap *map, const struct gzblock *block, bool end, gzmap_window *window,
                void *context);

/* Gives the map up. */
void gzmap_give_up(struct gzmap *map);

/* Is there a map of the whole file? */
bool gzmap_usable(const struct gzmap *map);

/* The block that has the bit, which lies between the first block and the end. */
size_t gzmap_block_at(const struct gzmap *map, uint64_t bit);

/* The last point at or before an offset of the text. */
const struct gzpoint *gzmap_point(const struct gzmap *map, uint64_t text);

void gzmap_free(struct gzmap *map);

#endif
