/* zlib is asked for no more text than is wanted, and stops within a code whose text has no room:
 * inflateMark tells which that is. */
#include "gzwalk.h"

#include <stdlib.h>
#include <zlib.h>

#include "codec.h"
#include "error.h"
#include "zlib_bits.h"

enum { CHUNK_NBYTES = 1 << 14 };

struct gzwalk {
    const struct gzmap *map;
    gzwalk_pread *pread;
    void *context;
    z_stream z;
    bool ended;
    uint64_t text;     /* offset of the next byte to give */
    uint32_t crc;      /* of what comes before */
    uint64_t file_off; /* of the next byte of the file to read */
    char chunk[CHUNK_NBYTES];
};

struct gzwalk *gzwalk_new(const struct gzmap *map, gzwalk_pread *pread, void *context)
{
    struct gzwalk *walk = calloc(1, sizeof *walk);
    if (!walk)
        return NULL;
    walk->map = map;
    walk->pread = pread;
    walk->context = context;
    walk->text = UINT64_MAX; /* nowhere: the first read begins at a point */
    if (inflateInit2(&walk->z, RAW_WINDOW_BITS) == Z_OK)
        return walk;
    free(walk);
    return NULL;
}

void gzwalk_free(struct gzwalk *walk)
{
    if (!walk)
        return;
    inflateEnd(&walk->z);
    free(walk);
}

/* More of the file for zlib. */
static bool refill(struct gzwalk *walk, struct lanefix_error *err)
{
    size_t got;
    if (!walk->pread(walk->context, walk->file_off, walk->chunk, sizeof walk->chunk, &got, err))
        return false;
    if (!got)
        return fail_changed(err, walk->text);
    walk->file_off += got;
    walk->z.next_in = (Bytef *)walk->chunk;
    walk->z.avail_in = (uInt)got;
    return true;
}

/* Gives zlib the text before a point. */
static bool set_window(z_stream *z, const struct buf *window, struct lanefix_error *err)
{
    Bytef text[GZMAP_WINDOW];
    z_stream own = {.next_in = (z_const Bytef *)window->data,
                    .avail_in = (uInt)window->len,
                    .next_out = text,
                    .avail_out = sizeof text};
    if (inflateInit2(&own, RAW_WINDOW_BITS) != Z_OK)
        return fail_memory(err);
    int result = inflate(&own, Z_FINISH);
    inflateEnd(&own);
    return (result == Z_STREAM_END &&
            inflateSetDictionary(z, text, (uInt)(sizeof text - own.avail_out)) == Z_OK) ||
           fail_memory(err);
}

/* Lets zlib begin at a point. */
static bool begin_at(struct gzwalk *walk, const struct gzpoint *point, struct lanefix_error *err)
{
    const struct gzblock *block = &walk->map->blocks[point->block];
    unsigned bits = (unsigned)(block->bit % 8);
    z_stream *z = &walk->z;
    walk->text = block->text;
    walk->crc = block->crc;
    walk->ended = false;
    walk->file_off = block->bit / 8;
    z->avail_in = 0;
    z->data_type = 0; /* of where it was: a reset leaves it */
    if (inflateReset2(z, RAW_WINDOW_BITS) != Z_OK)
        return fail_memory(err);
    if (bits) { /* the rest of a byte, whose first bits belong to the block before */
        if (!refill(walk, err))
            return false;
        inflatePrime(z, (int)(8 - bits), *z->next_in >> bits);
        z->next_in++;
        z->avail_in--;
    }
    return !point->window.len || set_window(z, &point->window, err);
}

/* Gives up to n bytes, none at the end or (so it may be called again) where a block begins. */
static bool inflate_some(struct gzwalk *walk, char *out, size_t n, size_t *got,
                         struct lanefix_error *err)
{
    z_stream *z = &walk->z;
    if (!z->avail_in && !refill(walk, err))
        return false;
    z->next_out = (Bytef *)out;
    z->avail_out = (uInt)n;
    int result = inflate(z, Z_BLOCK);
    *got = n - z->avail_out;
    walk->text += *got;
    walk->crc = codec_crc(walk->crc, out, *got);
    walk->ended = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR)
        return fail_memory(err);
    return result == Z_OK || result == Z_BUF_ERROR || walk->ended || fail_changed(err, walk->text);
}

bool gzwalk_read(struct gzwalk *walk, char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    *got = 0;
    if (walk->text == UINT64_MAX && !gzwalk_to(walk, 0, err))
        return false;
    n = n < 1 << 30 ? n : 1 << 30;
    while (!*got && n && !walk->ended)
        if (!inflate_some(walk, out, n, got, err))
            return false;
    return true;
}

bool gzwalk_to(struct gzwalk *walk, uint64_t text, struct lanefix_error *err)
{
    char discard[1 << 14];
    const struct gzpoint *point = gzmap_point(walk->map, text);
    uint64_t from = walk->map->blocks[point->block].text;
    bool back = walk->text == UINT64_MAX || text < walk->text;
    if ((back || from > walk->text) && !begin_at(walk, point, err))
        return false;
    while (walk->text < text) {
        uint64_t left = text - walk->text;
        size_t got, n = left < sizeof discard ? (size_t)left : sizeof discard;
        if (!gzwalk_read(walk, discard, n, &got, err))
            return false;
        if (!got)
            return fail_changed(err, walk->text);
    }
    return true;
}

bool gzwalk_place(struct gzwalk *walk, struct gzplace *place, struct lanefix_error *err)
{
    z_stream *z = &walk->z;
    char none;
    size_t got;
    if (walk->text == UINT64_MAX && !gzwalk_to(walk, 0, err))
        return false;
    for (;;) {
        bool between = z->data_type & AT_BLOCK;
        long mark = inflateMark(z);
        bool coded = mark >= 0; /* a code waits for room: so many bits back, so much of its text */
        bool stored = mark < 0 && (mark & 0xFFFF); /* in a stored block, at one of its bytes */
        if (between || stored || walk->ended || (coded && z->avail_in)) {
            coded = coded && !between && !walk->ended;
            uint64_t next =
                (walk->file_off - z->avail_in) * 8 - (uint64_t)(z->data_type & BITS_LEFT);
            *place = (struct gzplace){.bit = next - (coded ? (uint64_t)(mark >> 16) : 0),
                                      .before = coded ? (size_t)(mark & 0xFFFF) : 0,
                                      .crc = walk->crc};
            return true;
        }
        if (!inflate_some(walk, &none, 0, &got, err)) /* no room: so it stops at the next code */
            return false;
    }
}
