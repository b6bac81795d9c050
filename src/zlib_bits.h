/* What zlib has as bare numbers (zlib.h). */
#ifndef ZLIB_BITS_H
#define ZLIB_BITS_H

enum {
    /* windowBits: 15 is the largest window; 16 more: wrapped as gzip; negative: not wrapped. */
    GZIP_WINDOW_BITS = 15 + 16,
    RAW_WINDOW_BITS = -15,
    MEMORY_LEVEL = 8, /* memLevel: the default */
    /* z_stream.data_type after inflate: so many bits of the last byte are left, and flags. */
    BITS_LEFT = 7,
    IN_LAST_BLOCK = 64,
    AT_BLOCK = 128
};

#endif
