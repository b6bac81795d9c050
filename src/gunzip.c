/* What may follow a member: another one, zero bytes (tapes and some copies pad with them), or
 * garbage, which gzip ignores with a warning. Which of them is known after two bytes. */
#include "gunzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum state {
    IN_MEMBER,
    AFTER_MEMBER, /* at the start of a member, or in zero bytes */
    AFTER_1F,     /* the first byte of a member's magic was seen after a member */
    IN_GARBAGE
};

struct gunzip {
    z_stream z;
    enum state state;
    uint64_t zeros, garbage;
};

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* zlib: 15, and 16 for the gzip wrapping alone */

struct gunzip *gunzip_new(void)
{
    struct gunzip *g = calloc(1, sizeof *g);
    if (g && inflateInit2(&g->z, GZIP_WINDOW_BITS) != Z_OK) {
        free(g);
        return NULL;
    }
    return g;
}

void gunzip_free(struct gunzip *g)
{
    if (!g)
        return;
    inflateEnd(&g->z);
    free(g);
}

bool gunzip_reset(struct gunzip *g)
{
    g->state = IN_MEMBER;
    g->zeros = g->garbage = 0;
    return inflateReset2(&g->z, GZIP_WINDOW_BITS) == Z_OK;
}

uint64_t gunzip_garbage(const struct gunzip *g)
{
    return g->garbage;
}

/* Hands bytes to zlib. */
static enum gunzip_result inflate_some(struct gunzip *g, const char *in, size_t n, size_t *used,
                                       char *out, size_t out_size, size_t *got)
{
    uInt avail_in = n > UINT_MAX ? UINT_MAX : (uInt)n;
    uInt avail_out = out_size > UINT_MAX ? UINT_MAX : (uInt)out_size;
    g->z.next_in = (z_const Bytef *)in;
    g->z.avail_in = avail_in;
    g->z.next_out = (Bytef *)out;
    g->z.avail_out = avail_out;
    int result = inflate(&g->z, Z_NO_FLUSH);
    *used = avail_in - g->z.avail_in;
    *got = avail_out - g->z.avail_out;
    switch (result) {
    case Z_STREAM_END:
        g->state = AFTER_MEMBER;
        return GUNZIP_OK;
    case Z_OK:
    case Z_BUF_ERROR: /* no progress without more input */
        return GUNZIP_OK;
    case Z_MEM_ERROR:
        return GUNZIP_NO_MEMORY;
    default:
        return GUNZIP_DATA;
    }
}

/* Begins the next member; its first byte was taken already. */
static enum gunzip_result next_member(struct gunzip *g)
{
    static const char first = '\x1F';
    size_t used, got;
    char none;
    if (inflateReset2(&g->z, GZIP_WINDOW_BITS) != Z_OK)
        return GUNZIP_NO_MEMORY;
    g->state = IN_MEMBER;
    return inflate_some(g, &first, 1, &used, &none, 0, &got);
}

/* One byte after a member. Returns false if it belongs to a new member, which has been begun. */
static bool take_between(struct gunzip *g, unsigned char b, enum gunzip_result *result)
{
    if (g->state == AFTER_1F && b == 0x8B) {
        *result = next_member(g);
        return false;
    }
    if (g->state == AFTER_1F) {
        g->state = IN_GARBAGE;
        g->garbage = g->zeros + 2;
    } else if (g->state == IN_GARBAGE) {
        g->garbage++;
    } else if (b == 0) {
        g->zeros++;
    } else if (b == 0x1F && !g->zeros) {
        g->state = AFTER_1F;
    } else {
        g->state = IN_GARBAGE;
        g->garbage = g->zeros + 1;
    }
    return true;
}

enum gunzip_result gunzip_run(struct gunzip *g, const char *in, size_t n, bool at_end, size_t *used,
                              char *out, size_t out_size, size_t *got)
{
    enum gunzip_result result = GUNZIP_OK;
    *got = *used = 0;
    while (g->state != IN_MEMBER && *used < n) {
        if (!take_between(g, (unsigned char)in[*used], &result))
            break;
        ++*used;
    }
    if (result == GUNZIP_OK && g->state == IN_MEMBER && *used < n) {
        size_t taken = 0;
        result = inflate_some(g, in + *used, n - *used, &taken, out, out_size, got);
        *used += taken;
    }
    if (!at_end || result != GUNZIP_OK || *used < n)
        return result;
    if (g->state == IN_MEMBER) { /* zlib may still hold bytes that had no room */
        size_t none;
        result = inflate_some(g, in, 0, &none, out, out_size, got);
        if (result == GUNZIP_OK && g->state == IN_MEMBER && *got == 0)
            result = GUNZIP_CUT;
    } else if (g->state == AFTER_1F) {
        g->state = IN_GARBAGE;
        g->garbage = g->zeros + 1;
    }
    return result;
}
