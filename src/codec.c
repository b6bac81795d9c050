#include "codec_ops.h"
#include "lanefix.h"

#include <limits.h>
#include <stdio.h>
#include <zlib.h>

#ifdef HAVE_ISAL
#include <isa-l.h>
#endif

enum codec codec_best(void)
{
#ifdef HAVE_ISAL
    return CODEC_ISAL;
#else
    return CODEC_ZLIB;
#endif
}

void lanefix_codecs(char *room, size_t size)
{
#ifdef HAVE_ISAL
    snprintf(room, size, "zlib %s, ISA-L %d.%d.%d", zlibVersion(), ISAL_MAJOR_VERSION,
             ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
#else
    snprintf(room, size, "zlib %s", zlibVersion());
#endif
}

struct inflater *inflater_new(enum codec codec)
{
#ifdef HAVE_ISAL
    if (codec == CODEC_ISAL)
        return isal_inflater_new();
#endif
    (void)codec;
    return zlib_inflater_new();
}

void inflater_free(struct inflater *inflater)
{
    if (inflater)
        inflater->ops->free(inflater);
}

bool inflater_reset(struct inflater *inflater)
{
    return inflater->ops->reset(inflater);
}

enum inflate_result inflater_run(struct inflater *inflater, const char *in, size_t n, size_t *used,
                                 char *out, size_t out_size, size_t *got)
{
    return inflater->ops->run(inflater, in, n, used, out, out_size, got);
}

struct deflater *deflater_new(enum codec codec, int level)
{
#ifdef HAVE_ISAL
    if (codec == CODEC_ISAL && level == 1)
        return isal_deflater_new();
#endif
    (void)codec;
    return zlib_deflater_new(level);
}

void deflater_free(struct deflater *deflater)
{
    if (deflater)
        deflater->ops->free(deflater);
}

bool deflater_block(struct deflater *deflater, const char *dict, size_t dict_n, const char *text,
                    size_t n, bool last, struct buf *out)
{
    return deflater->ops->block(deflater, dict, dict_n, text, n, last, out);
}

uint32_t codec_crc(uint32_t crc, const char *bytes, size_t n)
{
#ifdef HAVE_ISAL
    return isal_crc(crc, bytes, n);
#else
    return (uint32_t)crc32_z(crc, (const Bytef *)bytes, n);
#endif
}

uint32_t codec_crc_join(uint32_t first, uint32_t second, uint64_t n)
{
    return (uint32_t)crc32_combine(first, second, (z_off_t)n);
}
