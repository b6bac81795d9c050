/* The text is cut into blocks of one size. Each is a job of its own: it is deflated with the 32 KiB
 * before it as the dictionary, so hardly anything is lost against one long stream, and it ends on a
 * byte, so the blocks are put one behind the other as they are. The member's CRC is made from those
 * of the blocks. (pigz has shown the way.)
 *
 * A member is a header of 10 bytes, the deflate data, and CRC and length modulo 2^32 (RFC 1952). */
#include "gzip.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

enum {
    DICT_NBYTES = 1 << 15, /* as far as deflate looks back */
    /* Smaller blocks suit their text better but each has to take in its dictionary; here level 1
     * is no larger than what gzip -1 makes of a trace. */
    BLOCK_NBYTES = 1 << 18
};

struct block {
    struct job job;
    char *text; /* DICT_NBYTES of room for the dictionary, at its end; then the block */
    size_t dict_n, n;
    bool last, failed;
    uint32_t crc;
    struct buf out;
    struct deflater *deflater;
};

struct gzip {
    struct crew *crew;
    gzip_put *put;
    void *context;
    int level;
    struct block *blocks; /* a ring: filled % n is under way, taken % n the oldest */
    size_t n, filled, taken;
    uint64_t nbytes;
    uint32_t crc;
    bool begun;
};

static void compress(struct job *job)
{
    struct block *b = (struct block *)job;
    const char *text = b->text + DICT_NBYTES;
    b->out.len = 0;
    b->failed =
        !deflater_block(b->deflater, text - b->dict_n, b->dict_n, text, b->n, b->last, &b->out);
    b->crc = codec_crc(0, text, b->n);
}

struct gzip *gzip_new(enum codec codec, int level, struct crew *crew, gzip_put *put, void *context)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    size_t n = (size_t)crew_threads(crew) + 1; /* one is filled while the others are made */
    *gzip = (struct gzip){.crew = crew, .put = put, .context = context, .level = level};
    gzip->blocks = calloc(n, sizeof *gzip->blocks);
    bool ok = gzip->blocks != NULL;
    for (; ok && gzip->n < n; gzip->n++) {
        struct block *b = &gzip->blocks[gzip->n];
        b->job.run = compress;
        b->text = malloc(DICT_NBYTES + BLOCK_NBYTES);
        b->deflater = deflater_new(codec, level);
        ok = b->text && b->deflater;
    }
    if (ok)
        return gzip;
    gzip_free(gzip);
    return NULL;
}

void gzip_free(struct gzip *gzip)
{
    if (!gzip)
        return;
    for (; gzip->taken < gzip->filled; gzip->taken++)
        crew_wait(gzip->crew, &gzip->blocks[gzip->taken % gzip->n].job);
    for (size_t i = 0; i < gzip->n; i++) {
        free(gzip->blocks[i].text);
        buf_free(&gzip->blocks[i].out);
        deflater_free(gzip->blocks[i].deflater);
    }
    free(gzip->blocks);
    free(gzip);
}

static enum gzip_result put(struct gzip *gzip, const char *bytes, size_t n)
{
    return gzip->put(gzip->context, bytes, n) ? GZIP_OK : GZIP_PUT_FAILED;
}

void gzip_header(char header[GZIP_HEADER], int level)
{
    static const char plain[GZIP_HEADER] = {0x1F, '\x8B', 8, [9] = 3}; /* deflate; Unix */
    memcpy(header, plain, sizeof plain);
    header[8] = (char)(level == 1 ? 4 : level == 9 ? 2 : 0);
}

void gzip_trailer(char trailer[GZIP_TRAILER], uint32_t crc, uint64_t n)
{
    for (int i = 0; i < 4; i++) {
        trailer[i] = (char)(crc >> 8 * i & 0xFF);
        trailer[4 + i] = (char)(n >> 8 * i & 0xFF);
    }
}

static enum gzip_result put_header(struct gzip *gzip)
{
    char header[GZIP_HEADER];
    gzip_header(header, gzip->level);
    gzip->begun = true;
    return put(gzip, header, sizeof header);
}

/* Waits for the oldest block, and gives it out. */
static enum gzip_result take_oldest(struct gzip *gzip)
{
    struct block *b = &gzip->blocks[gzip->taken % gzip->n];
    crew_wait(gzip->crew, &b->job);
    gzip->taken++;
    if (b->failed)
        return GZIP_NO_MEMORY;
    gzip->crc = codec_crc_join(gzip->crc, b->crc, b->n);
    gzip->nbytes += b->n;
    return put(gzip, b->out.data, b->out.len);
}

/* Hands over the block that is under way, and begins the next with its end as the dictionary. */
static enum gzip_result end_block(struct gzip *gzip, bool last)
{
    enum gzip_result result = gzip->begun ? GZIP_OK : put_header(gzip);
    struct block *b = &gzip->blocks[gzip->filled % gzip->n];
    b->last = last;
    gzip->filled++;
    crew_submit(gzip->crew, &b->job, false);
    while (result == GZIP_OK && gzip->filled - gzip->taken > (last ? 0 : gzip->n - 1))
        result = take_oldest(gzip);
    if (result != GZIP_OK || last)
        return result;
    struct block *next = &gzip->blocks[gzip->filled % gzip->n];
    next->n = 0;
    next->dict_n = DICT_NBYTES; /* each but the last block is longer than that */
    memcpy(next->text, b->text + b->n, DICT_NBYTES);
    return GZIP_OK;
}

enum gzip_result gzip_write(struct gzip *gzip, const char *bytes, size_t n)
{
    while (n) {
        struct block *b = &gzip->blocks[gzip->filled % gzip->n];
        if (b->n == BLOCK_NBYTES) { /* not before more comes: it might be the last */
            enum gzip_result result = end_block(gzip, false);
            if (result != GZIP_OK)
                return result;
            continue;
        }
        size_t room = BLOCK_NBYTES - b->n, some = n < room ? n : room;
        memcpy(b->text + DICT_NBYTES + b->n, bytes, some);
        b->n += some;
        bytes += some;
        n -= some;
    }
    return GZIP_OK;
}

enum gzip_result gzip_finish(struct gzip *gzip)
{
    enum gzip_result result = end_block(gzip, true);
    char trailer[GZIP_TRAILER];
    gzip_trailer(trailer, gzip->crc, gzip->nbytes);
    return result == GZIP_OK ? put(gzip, trailer, sizeof trailer) : result;
}
