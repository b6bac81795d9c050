/* What may follow a member: another one, zero bytes (tapes and some copies pad with them), or
 * garbage, which gzip ignores with a warning. Which of them is known after two bytes. */
#include "gunzip.h"

#include <stdlib.h>

#include "gzmap.h"

enum state {
    IN_MEMBER,
    AFTER_MEMBER, /* at the start of a member, or in zero bytes */
    AFTER_1F,     /* the first byte of a member's magic was seen after a member */
    IN_GARBAGE
};

struct gunzip {
    struct inflater *inflater;
    struct gzmap *map; /* NULL if none is wanted */
    enum state state;
    uint64_t zeros, garbage;
};

struct gunzip *gunzip_new(enum codec codec)
{
    struct gunzip *g = calloc(1, sizeof *g);
    if (g)
        g->inflater = inflater_new(codec);
    if (g && !g->inflater) {
        free(g);
        return NULL;
    }
    return g;
}

void gunzip_free(struct gunzip *g)
{
    if (!g)
        return;
    inflater_free(g->inflater);
    free(g);
}

bool gunzip_reset(struct gunzip *g)
{
    g->state = IN_MEMBER;
    g->zeros = g->garbage = 0;
    return inflater_reset(g->inflater);
}

void gunzip_fill_map(struct gunzip *g, struct gzmap *map)
{
    g->map = map;
    inflater_fill_map(g->inflater, map);
}

uint64_t gunzip_garbage(const struct gunzip *g)
{
    return g->garbage;
}

/* Hands bytes to the codec. */
static enum gunzip_result inflate_some(struct gunzip *g, const char *in, size_t n, size_t *used,
                                       char *out, size_t out_size, size_t *got)
{
    switch (inflater_run(g->inflater, in, n, used, out, out_size, got)) {
    case INFLATE_END:
        g->state = AFTER_MEMBER;
        break;
    case INFLATE_MORE:
        break;
    case INFLATE_NO_MEMORY:
        return GUNZIP_NO_MEMORY;
    case INFLATE_DATA:
        return GUNZIP_DATA;
    }
    return GUNZIP_OK;
}

/* Begins the next member; its first byte was taken already. */
static enum gunzip_result next_member(struct gunzip *g)
{
    static const char first = '\x1F';
    size_t used, got;
    char none;
    if (g->map)
        gzmap_give_up(g->map);
    if (!inflater_reset(g->inflater))
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
    if (g->state == IN_MEMBER) { /* the codec may still hold bytes that had no room */
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
