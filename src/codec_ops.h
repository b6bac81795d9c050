/* What a codec is made of; codec.h's functions call these. Private to the codec_*.c files. */
#ifndef CODEC_OPS_H
#define CODEC_OPS_H

#include "codec.h"

/* Each as the function of codec.h that is named after it. */
struct inflater_ops {
    void (*free)(struct inflater *inflater);
    bool (*reset)(struct inflater *inflater);
    enum inflate_result (*run)(struct inflater *inflater, const char *in, size_t n, size_t *used,
                               char *out, size_t out_size, size_t *got);
};

struct deflater_ops {
    void (*free)(struct deflater *deflater);
    bool (*block)(struct deflater *deflater, const char *dict, size_t dict_n, const char *text,
                  size_t n, bool last, struct buf *out);
};

/* The first member of what a codec has as its inflater or deflater. */
struct inflater {
    const struct inflater_ops *ops;
};

struct deflater {
    const struct deflater_ops *ops;
};

struct inflater *zlib_inflater_new(void);
struct deflater *zlib_deflater_new(int level);

#ifdef HAVE_ISAL
struct inflater *isal_inflater_new(void);
struct deflater *isal_deflater_new(void);
uint32_t isal_crc(uint32_t crc, const char *bytes, size_t n);
#endif

#endif
