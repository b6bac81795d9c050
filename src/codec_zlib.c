#include "codec_ops.h"
#include "gzip.h"
#include "gzmap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "zlib_bits.h"

struct zlib_inflater {
    struct inflater base;
    z_stream z;
    struct gzmap *map;                /* NULL if none is wanted */
    uint32_t crc;                     /* of what the member gave so far */
    unsigned char tail[GZIP_TRAILER]; /* the last bytes that were taken */
};

/* zlib reads header and trailer, but leaves the CRC to us: ISA-L's takes a quarter of the time. */
static bool begin(struct zlib_inflater *zlib)
{
    zlib->crc = 0;
    return inflateValidate(&zlib->z, 0) == Z_OK;
}

static uint32_t little_endian(const unsigned char bytes[4])
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Are CRC and length in the trailer, which was taken last, those of the member? */
static bool check_trailer(const struct zlib_inflater *zlib)
{
    return little_endian(zlib->tail) == zlib->crc &&
           little_endian(zlib->tail + 4) == (zlib->z.total_out & UINT32_MAX);
}

/* Remembers the last bytes that were taken: in[0, n). */
static void keep_tail(struct zlib_inflater *zlib, const char *in, size_t n)
{
    size_t kept = n < GZIP_TRAILER ? GZIP_TRAILER - n : 0, some = GZIP_TRAILER - kept;
    memmove(zlib->tail, zlib->tail + GZIP_TRAILER - kept, kept);
    memcpy(zlib->tail + kept, in + n - some, some);
}

static void free_inflater(struct inflater *inflater)
{
    inflateEnd(&((struct zlib_inflater *)inflater)->z);
    free(inflater);
}

static bool reset(struct inflater *inflater)
{
    struct zlib_inflater *zlib = (struct zlib_inflater *)inflater;
    if (zlib->map && zlib->z.total_in) /* there is a second member, or the file is read again */
        zlib->map = NULL;
    return inflateReset2(&zlib->z, GZIP_WINDOW_BITS) == Z_OK && begin(zlib);
}

static size_t get_window(void *context, unsigned char *window)
{
    uInt n = 0;
    inflateGetDictionary(context, window, &n);
    return n;
}

/* A block begins here, or the last one has ended. zlib has counted from the file's first byte. */
static void note_block(struct zlib_inflater *zlib)
{
    z_stream *z = &zlib->z;
    struct gzblock block = {.bit = (uint64_t)z->total_in * 8 - (unsigned)(z->data_type & BITS_LEFT),
                            .text = z->total_out,
                            .crc = zlib->crc};
    gzmap_note(zlib->map, &block, z->data_type & IN_LAST_BLOCK, get_window, z);
}

void inflater_fill_map(struct inflater *inflater, struct gzmap *map)
{
    bool counts = sizeof(uLong) >= sizeof(uint64_t); /* zlib, beyond 4 GiB */
    ((struct zlib_inflater *)inflater)->map = counts ? map : NULL;
}

static enum inflate_result run(struct inflater *inflater, const char *in, size_t n, size_t *used,
                               char *out, size_t out_size, size_t *got)
{
    struct zlib_inflater *zlib = (struct zlib_inflater *)inflater;
    z_stream *z = &zlib->z;
    uInt avail_in = n > UINT_MAX ? UINT_MAX : (uInt)n;
    uInt avail_out = out_size > UINT_MAX ? UINT_MAX : (uInt)out_size;
    z->next_in = (z_const Bytef *)in;
    z->avail_in = avail_in;
    z->next_out = (Bytef *)out;
    z->avail_out = avail_out;
    int result = inflate(z, zlib->map ? Z_BLOCK : Z_NO_FLUSH);
    *used = avail_in - z->avail_in;
    *got = avail_out - z->avail_out;
    zlib->crc = codec_crc(zlib->crc, out, *got);
    keep_tail(zlib, in, *used);
    if (zlib->map && result == Z_OK && z->data_type & AT_BLOCK)
        note_block(zlib);
    switch (result) {
    case Z_STREAM_END:
        return check_trailer(zlib) ? INFLATE_END : INFLATE_DATA;
    case Z_OK:
    case Z_BUF_ERROR: /* no progress without more input */
        return INFLATE_MORE;
    case Z_MEM_ERROR:
        return INFLATE_NO_MEMORY;
    default:
        return INFLATE_DATA;
    }
}

struct inflater *zlib_inflater_new(void)
{
    static const struct inflater_ops ops = {free_inflater, reset, run};
    struct zlib_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater && inflateInit2(&inflater->z, GZIP_WINDOW_BITS) != Z_OK) {
        free(inflater);
        return NULL;
    }
    if (!inflater)
        return NULL;
    inflater->base.ops = &ops;
    if (begin(inflater))
        return &inflater->base;
    free_inflater(&inflater->base);
    return NULL;
}

struct zlib_deflater {
    struct deflater base;
    z_stream z;
};

static void free_deflater(struct deflater *deflater)
{
    deflateEnd(&((struct zlib_deflater *)deflater)->z);
    free(deflater);
}

static bool block(struct deflater *deflater, const char *dict, size_t dict_n, const char *text,
                  size_t n, bool last, struct buf *out)
{
    z_stream *z = &((struct zlib_deflater *)deflater)->z;
    if (deflateReset(z) != Z_OK ||
        (dict_n && deflateSetDictionary(z, (const Bytef *)dict, (uInt)dict_n) != Z_OK))
        return false;
    z->next_in = (z_const Bytef *)text;
    z->avail_in = (uInt)n;
    do {
        if (!buf_reserve(out, n / 4 + 1024))
            return false;
        size_t room = out->cap - out->len;
        uInt avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
        z->next_out = (Bytef *)out->data + out->len;
        z->avail_out = avail_out;
        deflate(z, last ? Z_FINISH : Z_SYNC_FLUSH);
        out->len += avail_out - z->avail_out;
    } while (z->avail_out == 0); /* it may have more to give */
    return true;
}

struct deflater *zlib_deflater_new(int level)
{
    static const struct deflater_ops ops = {free_deflater, block};
    struct zlib_deflater *deflater = calloc(1, sizeof *deflater);
    if (deflater && deflateInit2(&deflater->z, level, Z_DEFLATED, RAW_WINDOW_BITS, MEMORY_LEVEL,
                                 Z_DEFAULT_STRATEGY) != Z_OK) {
        free(deflater);
        return NULL;
    }
    if (!deflater)
        return NULL;
    deflater->base.ops = &ops;
    return &deflater->base;
}
