/* gzip members -> bytes. Header, CRC and length of each member are checked by the codec. */
#ifndef GUNZIP_H
#define GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec.h"

struct gunzip;

enum gunzip_result {
    GUNZIP_OK,
    GUNZIP_DATA, /* damaged: bad header, bad data, wrong CRC or length */
    GUNZIP_CUT,  /* ends inside a member */
    GUNZIP_NO_MEMORY
};

/* NULL if there is no memory. */
struct gunzip *gunzip_new(enum codec codec);
void gunzip_free(struct gunzip *g);

/* Fills a map of the file (gzmap.h), which must be one member; else the map is given up. The codec
 * is CODEC_ZLIB. */
void gunzip_fill_map(struct gunzip *g, struct gzmap *map);

/* Ready for a new stream. Returns false if there is no memory. */
bool gunzip_reset(struct gunzip *g);

/*
 * Takes compressed bytes in[0, n) and gives at most out_size bytes. *used of the input were taken,
 * *got were given (also with an error). at_end says that nothing follows in; the stream is complete
 * when that gives GUNZIP_OK with *got == 0.
 */
enum gunzip_result gunzip_run(struct gunzip *g, const char *in, size_t n, bool at_end, size_t *used,
                              char *out, size_t out_size, size_t *got);

/* Bytes after the last member, where these are not all zero. */
uint64_t gunzip_garbage(const struct gunzip *g);

#endif
