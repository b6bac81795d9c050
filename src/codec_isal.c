/* The half of codec.h that is ISA-L. Not part of a build without it. */
#include "codec_ops.h"

#include <stdlib.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

/* ISA-L leaves the upper halves of the vector registers in use, and every SSE instruction after
 * that, of zlib or nest.c, takes twice as long. */
#if defined(__x86_64__)
#include <immintrin.h>
__attribute__((target("avx"))) static void zero_upper(void)
{
    _mm256_zeroupper();
}
static void leave_isal(void)
{
    if (__builtin_cpu_supports("avx"))
        zero_upper();
}
#else
static void leave_isal(void)
{
}
#endif

struct isal_inflater {
    struct inflater base;
    struct inflate_state state;
    bool damaged; /* ISA-L says so once only, and calls the member complete after a wrong CRC */
};

static void free_inflater(struct inflater *inflater)
{
    free(inflater);
}

static bool reset(struct inflater *inflater)
{
    struct isal_inflater *isal = (struct isal_inflater *)inflater;
    isal_inflate_init(&isal->state);
    isal->state.crc_flag = ISAL_GZIP;
    isal->damaged = false;
    return true;
}

static enum inflate_result run(struct inflater *inflater, const char *in, size_t n, size_t *used,
                               char *out, size_t out_size, size_t *got)
{
    struct isal_inflater *isal = (struct isal_inflater *)inflater;
    struct inflate_state *s = &isal->state;
    *used = *got = 0;
    if (isal->damaged)
        return INFLATE_DATA;
    uint32_t avail_in = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    uint32_t avail_out = out_size > UINT32_MAX ? UINT32_MAX : (uint32_t)out_size;
    s->next_in = (uint8_t *)in;
    s->avail_in = avail_in;
    s->next_out = (uint8_t *)out;
    s->avail_out = avail_out;
    int result = isal_inflate(s);
    leave_isal();
    *used = avail_in - s->avail_in;
    *got = avail_out - s->avail_out;
    isal->damaged = result < 0;
    if (isal->damaged)
        return INFLATE_DATA;
    return s->block_state == ISAL_BLOCK_FINISH ? INFLATE_END : INFLATE_MORE;
}

struct inflater *isal_inflater_new(void)
{
    static const struct inflater_ops ops = {free_inflater, reset, run};
    struct isal_inflater *inflater = malloc(sizeof *inflater);
    if (!inflater)
        return NULL;
    inflater->base.ops = &ops;
    reset(&inflater->base);
    return &inflater->base;
}

/* ISA-L's level 2 takes the time of its level 1 and compresses a little more. */
enum { LEVEL = 2 };

struct isal_deflater {
    struct deflater base;
    struct isal_zstream stream;
    uint8_t room[ISAL_DEF_LVL2_DEFAULT];
};

static void free_deflater(struct deflater *deflater)
{
    free(deflater);
}

static bool block(struct deflater *deflater, const char *dict, size_t dict_n, const char *text,
                  size_t n, bool last, struct buf *out)
{
    struct isal_deflater *isal = (struct isal_deflater *)deflater;
    struct isal_zstream *s = &isal->stream;
    isal_deflate_init(s);
    s->level = LEVEL;
    s->level_buf = isal->room;
    s->level_buf_size = sizeof isal->room;
    s->flush = last ? NO_FLUSH : SYNC_FLUSH;
    s->end_of_stream = last;
    s->next_in = (uint8_t *)text;
    s->avail_in = (uint32_t)n;
    bool ok = !dict_n || isal_deflate_set_dict(s, (uint8_t *)dict, (uint32_t)dict_n) == COMP_OK;
    bool more = ok;
    while (more) {
        ok = buf_reserve(out, n / 4 + 1024);
        if (!ok)
            break;
        uint32_t room =
            (uint32_t)(out->cap - out->len < UINT32_MAX ? out->cap - out->len : UINT32_MAX);
        s->next_out = (uint8_t *)out->data + out->len;
        s->avail_out = room;
        ok = isal_deflate(s) == COMP_OK;
        out->len += room - s->avail_out;
        more = ok && s->avail_out == 0;
    }
    leave_isal();
    return ok;
}

struct deflater *isal_deflater_new(void)
{
    static const struct deflater_ops ops = {free_deflater, block};
    struct isal_deflater *deflater = malloc(sizeof *deflater);
    if (!deflater)
        return NULL;
    deflater->base.ops = &ops;
    return &deflater->base;
}

uint32_t isal_crc(uint32_t crc, const char *bytes, size_t n)
{
    crc = crc32_gzip_refl(crc, (const unsigned char *)bytes, n);
    leave_isal();
    return crc;
}
