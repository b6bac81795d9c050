#include "keep.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "codec.h"
#include "deflate_block.h"
#include "error.h"
#include "zlib_bits.h"

enum {
    LEVEL = 1,
    PIECE_NBYTES = 1 << 16, /* of what is put at once, and of what is read of text that is copied */
    /* Text between two changes that is not worth a change of ways twice: what must be compressed
     * anyway, and as much again. */
    GAP_MIN = 2 * GZMAP_WINDOW,
    CODE_MAX = 258 /* bytes that one code can stand for */
};

struct keep {
    const struct gzmap *map;
    gzip_put *put;
    void *put_context;
    struct bit_reader in;
    struct bit_writer out;
    z_stream z;
    bool begun;
    bool deflating; /* else the input's data is being copied, from `from_bit` on */
    uint64_t from_bit, from_text;
    uint32_t from_crc; /* of the input's text up to there */
    uint64_t pos;      /* the next byte of the input's text */
    uint32_t crc;      /* of the output's text; of what is copied, up to from_text alone */
    uint64_t nbytes;
};

struct keep *keep_new(const struct gzmap *map, gzwalk_pread *pread, void *context, gzip_put *put,
                      void *put_context)
{
    struct keep *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->map = map;
    k->in.pread = pread;
    k->in.context = context;
    k->put = put;
    k->put_context = put_context;
    k->from_bit = map->blocks[0].bit;
    if (deflateInit2(&k->z, LEVEL, Z_DEFLATED, RAW_WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) ==
        Z_OK)
        return k;
    free(k);
    return NULL;
}

void keep_free(struct keep *k)
{
    if (!k)
        return;
    deflateEnd(&k->z);
    buf_free(&k->out.out);
    free(k);
}

/* Gives out the whole bytes there are, if they are `min` at least. */
static bool put_out(struct keep *k, size_t min, struct lanefix_error *err)
{
    struct buf *out = &k->out.out;
    if (out->failed)
        return fail_memory(err);
    if (out->len < min)
        return true;
    bool ok = k->put(k->put_context, out->data, out->len);
    out->len = 0;
    return ok;
}

static bool begin(struct keep *k, struct lanefix_error *err)
{
    char header[GZIP_HEADER];
    if (k->begun)
        return true;
    k->begun = true;
    gzip_header(header, 0);
    buf_add(&k->out.out, header, sizeof header);
    return put_out(k, 1, err);
}

/* Copies the input's data from where that begins up to a bit; `last` if nothing follows. */
static bool copy_data(struct keep *k, uint64_t to, bool last, struct lanefix_error *err)
{
    const struct gzblock *blocks = k->map->blocks;
    size_t end = k->map->nblocks - 1;
    if (!begin(k, err))
        return false;
    if (last && k->from_bit == blocks[end].bit) { /* an empty block: last, fixed codes, its end */
        bits_put(&k->out, 1 | 1 << 1, 3);
        bits_put(&k->out, 0, 7);
        return true;
    }
    for (size_t b = gzmap_block_at(k->map, k->from_bit); b < end && blocks[b].bit < to; b++) {
        struct deflate_part part = {blocks[b].bit, blocks[b + 1].bit, blocks[b].bit, to};
        if (part.from < k->from_bit)
            part.from = k->from_bit;
        if (part.to > part.end)
            part.to = part.end;
        if (!deflate_copy(&k->in, &k->out, &part, last && b == end - 1, err) ||
            !put_out(k, PIECE_NBYTES, err))
            return false;
    }
    return true;
}

/* Counts the input's text from where copying began up to `text`, the CRC up to which is `crc`. */
static void count_copied(struct keep *k, uint64_t text, uint32_t crc)
{
    uint64_t n = text - k->from_text;
    uint32_t copied = crc ^ codec_crc_join(k->from_crc, 0, n);
    k->crc = codec_crc_join(k->crc, copied, n);
    k->nbytes += n;
}

static void count(struct keep *k, const char *text, size_t n)
{
    k->crc = codec_crc(k->crc, text, n);
    k->nbytes += n;
}

static bool deflate_text(struct keep *k, const char *text, size_t n, int flush,
                         struct lanefix_error *err)
{
    z_stream *z = &k->z;
    do {
        uInt some = n > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)n;
        z->next_in = (z_const Bytef *)text;
        z->avail_in = some;
        do {
            struct buf *out = &k->out.out;
            if (!buf_reserve(out, PIECE_NBYTES))
                return fail_memory(err);
            z->next_out = (Bytef *)out->data + out->len;
            z->avail_out = PIECE_NBYTES;
            deflate(z, some == n ? flush : Z_NO_FLUSH);
            out->len += PIECE_NBYTES - z->avail_out;
            if (!put_out(k, PIECE_NBYTES, err))
                return false;
        } while (z->avail_out == 0);
        text += some;
        n -= some;
    } while (n);
    return true;
}

/* Reads on until the window ends at an offset, which is not before where it ends. */
static bool read_until(struct window *w, uint64_t off, struct lanefix_error *err)
{
    size_t chunk = w->chunk_nbytes;
    bool ok = true;
    while (ok && !w->at_end && w->off + w->len < off) {
        uint64_t left = off - (w->off + w->len);
        w->chunk_nbytes = left < PIECE_NBYTES ? (size_t)left : PIECE_NBYTES;
        ok = window_more(w, err);
    }
    w->chunk_nbytes = chunk;
    if (ok && w->off + w->len != off)
        ok = fail_changed(err, w->off + w->len);
    return ok;
}

/* Where the text begins that is needed to compress what comes at `off`. */
static uint64_t dictionary_off(uint64_t off)
{
    return off < GZMAP_WINDOW + CODE_MAX ? 0 : off - GZMAP_WINDOW - CODE_MAX;
}

uint64_t keep_reads_from(uint64_t before, uint64_t end)
{
    return end - before < GAP_MIN ? UINT64_MAX : dictionary_off(end);
}

/* From the input's data to text: what is copied ends with the last code before `off`, and the text
 * that this code does not give is the first to be compressed. */
static bool begin_text(struct keep *k, struct window *w, uint64_t off, struct lanefix_error *err)
{
    struct gzplace place;
    if (!window_drop(w, dictionary_off(off), err) || !read_until(w, off, err) ||
        !source_place(w->source, &place, err) || !copy_data(k, place.bit, false, err))
        return false;
    count_copied(k, off, place.crc);
    const char *text = w->len ? w->data : "";
    size_t before = w->len - place.before; /* so much of it is in what was copied */
    size_t dict_n = before < GZMAP_WINDOW ? before : GZMAP_WINDOW;
    if (deflateReset(&k->z) != Z_OK ||
        deflatePrime(&k->z, (int)k->out.nheld, (int)k->out.held) != Z_OK ||
        (dict_n &&
         deflateSetDictionary(&k->z, (const Bytef *)text + before - dict_n, (uInt)dict_n) != Z_OK))
        return fail_memory(err);
    k->out.held = 0;
    k->out.nheld = 0;
    k->deflating = true;
    return deflate_text(k, text + before, place.before, Z_NO_FLUSH, err);
}

/* Compresses the input's text up to an offset. */
static bool copy_text(struct keep *k, struct window *w, uint64_t end, struct lanefix_error *err)
{
    while (k->pos < end) {
        uint64_t left = end - k->pos;
        if (!w->len && !read_until(w, k->pos + (left < PIECE_NBYTES ? left : PIECE_NBYTES), err))
            return false;
        size_t n = left < w->len ? (size_t)left : w->len;
        count(k, w->data, n);
        if (!deflate_text(k, w->data, n, Z_NO_FLUSH, err) || !window_drop(w, k->pos + n, err))
            return false;
        k->pos += n;
    }
    return true;
}

/* From text to the input's data, at the first code that begins a window behind the last change. */
static bool begin_data(struct keep *k, struct window *w, struct lanefix_error *err)
{
    struct gzplace place = {.before = 1};
    uint64_t off = k->pos + GZMAP_WINDOW;
    for (; place.before; off++)
        if (!read_until(w, off, err) || !source_place(w->source, &place, err))
            return false;
    if (!copy_text(k, w, off - 1, err) || !deflate_text(k, "", 0, Z_SYNC_FLUSH, err))
        return false;
    k->from_bit = place.bit;
    k->from_text = k->pos;
    k->from_crc = place.crc;
    k->deflating = false;
    return true;
}

bool keep_copy(struct keep *k, struct window *w, uint64_t end, struct lanefix_error *err)
{
    uint64_t size = k->map->blocks[k->map->nblocks - 1].text;
    if (k->deflating && end - k->pos < GAP_MIN)
        return copy_text(k, w, end, err);
    if (k->deflating && !begin_data(k, w, err))
        return false;
    if (end < size && !begin_text(k, w, end, err))
        return false;
    k->pos = end;
    return window_drop(w, end, err);
}

void keep_skip(struct keep *k, uint64_t n)
{
    k->pos += n;
}

bool keep_write(struct keep *k, const char *text, size_t n, struct lanefix_error *err)
{
    count(k, text, n);
    return deflate_text(k, text, n, Z_NO_FLUSH, err);
}

bool keep_finish(struct keep *k, struct lanefix_error *err)
{
    const struct gzblock *end = &k->map->blocks[k->map->nblocks - 1];
    char trailer[GZIP_TRAILER];
    if (k->deflating) {
        if (!deflate_text(k, "", 0, Z_FINISH, err))
            return false;
    } else {
        if (!copy_data(k, end->bit, true, err))
            return false;
        count_copied(k, end->text, end->crc);
    }
    bits_align(&k->out);
    gzip_trailer(trailer, k->crc, k->nbytes);
    buf_add(&k->out.out, trailer, sizeof trailer);
    return put_out(k, 1, err);
}
