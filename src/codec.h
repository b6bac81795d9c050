/* Raw deflate data in and out, behind one interface: zlib always, ISA-L where the build has it
 * (HAVE_ISAL; three to five times as fast). The gzip format around it is in gunzip.h and gzip.h.
 * Objects are not shared between threads. */
#ifndef CODEC_H
#define CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum codec { CODEC_ZLIB, CODEC_ISAL };

/* The fastest that this build has. */
enum codec codec_best(void);

struct gzmap;

/* Inflates one gzip member after the other. Headers, CRC and length are checked. */
struct inflater;

enum inflate_result {
    INFLATE_MORE, /* goes on: with more input, or more room */
    INFLATE_END,  /* the member is complete and right */
    INFLATE_DATA, /* damaged: bad header, bad data, wrong CRC or length */
    INFLATE_NO_MEMORY
};

/* NULL if there is no memory. CODEC_ISAL is CODEC_ZLIB where the build does not have it. */
struct inflater *inflater_new(enum codec codec);
void inflater_free(struct inflater *inflater);

/* Ready for the first byte of a member. Returns false if there is no memory. */
bool inflater_reset(struct inflater *inflater);

/* Lets the inflater fill a map (gzmap.h) of the first member from its first byte on, which is that
 * of the file. It stops where a block begins, then. zlib only. */
void inflater_fill_map(struct inflater *inflater, struct gzmap *map);

/* Takes bytes of in[0, n) and gives at most out_size bytes: *used and *got of them. */
enum inflate_result inflater_run(struct inflater *inflater, const char *in, size_t n, size_t *used,
                                 char *out, size_t out_size, size_t *got);

/* Deflates blocks, each of which can be made without those before it. */
struct deflater;

/* NULL if there is no memory. `level` is 0 to 9 as zlib has it. ISA-L does level 1 only (and
 * smaller than zlib does); zlib does the others, whatever the codec. */
struct deflater *deflater_new(enum codec codec, int level);
void deflater_free(struct deflater *deflater);

/* Appends text[0, n) to *out as deflate data that ends on a byte; with `last`, the stream ends
 * there. dict[0, dict_n) are the up to 32 KiB before it. Returns false if there is no memory. */
bool deflater_block(struct deflater *deflater, const char *dict, size_t dict_n, const char *text,
                    size_t n, bool last, struct buf *out);

/* gzip's CRC of bytes; 0 to begin with. */
uint32_t codec_crc(uint32_t crc, const char *bytes, size_t n);

/* That of two runs of bytes one after the other, `n` the length of the second. */
uint32_t codec_crc_join(uint32_t first, uint32_t second, uint64_t n);

#endif
