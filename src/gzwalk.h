/* Inflates a gzip file again, from anywhere, and says where its codes stand. With zlib. */
#ifndef GZWALK_H
#define GZWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gzmap.h"
#include "lanefix.h"

struct gzwalk;

/* Reads bytes of the file; *got is 0 at its end only. Returns false with *err on an error. */
typedef bool gzwalk_pread(void *context, uint64_t off, char *out, size_t n, size_t *got,
                          struct lanefix_error *err);

/* At the start of the text. The map is usable and outlives it. NULL if there is no memory. */
struct gzwalk *gzwalk_new(const struct gzmap *map, gzwalk_pread *pread, void *context);
void gzwalk_free(struct gzwalk *walk);

/* Goes to an offset of the text. Returns false on an error. */
bool gzwalk_to(struct gzwalk *walk, uint64_t text, struct lanefix_error *err);

/* Gives up to n bytes; *got is 0 at the end only. Returns false on an error: one that shows that
 * the file has changed is LANEFIX_ERR_CHANGED. */
bool gzwalk_read(struct gzwalk *walk, char *out, size_t n, size_t *got, struct lanefix_error *err);

/* A place between two codes of the deflate data. */
struct gzplace {
    uint64_t bit;  /* of the file, where the next code begins, or the next block */
    size_t before; /* how many bytes of text before the current offset that code gives already */
    uint32_t crc;  /* of the text up to the current offset */
};

/* The last place at or before the current offset. Returns false on an error. */
bool gzwalk_place(struct gzwalk *walk, struct gzplace *place, struct lanefix_error *err);

#endif
