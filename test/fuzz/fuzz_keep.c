/* Whatever deflate data zlib takes, what keep.h makes of it with a few changes inflates to the text
 * with those changes, with both codecs. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "codec.h"
#include "fuzz.h"
#include "keep.h"
#include "source.h"

enum { TEXT_MAX = 1 << 20, CHANGES_MAX = 6 };

/* The text of raw deflate data, and how much of the data that takes; 0 if it is none, or too long.
 */
static size_t inflate_raw(uint8_t *data, size_t n, char *text, size_t *used)
{
    z_stream z = {0};
    MUST(inflateInit2(&z, -15) == Z_OK);
    z.next_in = data;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)text;
    z.avail_out = TEXT_MAX;
    int result = inflate(&z, Z_FINISH);
    *used = n - z.avail_in;
    size_t len = TEXT_MAX - z.avail_out;
    inflateEnd(&z);
    return result == Z_STREAM_END ? len : 0;
}

/* Text made of what is there by repeating it with changes, as deflate data of some kind. */
static size_t deflate_repeats(const uint8_t *data, size_t n, char *text, struct buf *out)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
    size_t len = 0, wanted = 100000 + 600u * data[0];
    for (uint32_t i = 0; len < wanted; i = i * 1664525 + 1013904223) {
        text[len] = (char)(data[len % n] ^ (i >> 24 < 3 ? i >> 16 & 0xFF : 0));
        len++;
    }
    z_stream z = {0};
    MUST(deflateInit2(&z, data[1] % 10, Z_DEFLATED, -15, 1 + data[2] % 9,
                      strategies[data[3] % 4]) == Z_OK);
    MUST(buf_reserve(out, deflateBound(&z, (uLong)len) + len / 50));
    z.next_out = (Bytef *)out->data + out->len;
    z.avail_out = (uInt)(out->cap - out->len);
    for (size_t done = 0; done < len;) {
        static const int flushes[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK};
        size_t some = 5000 + 700u * data[4];
        some = len - done < some ? len - done : some;
        z.next_in = (Bytef *)text + done;
        z.avail_in = (uInt)some;
        done += some;
        MUST(deflate(&z, done == len ? Z_FINISH : flushes[data[5] % 4]) >= 0);
    }
    out->len = out->cap - z.avail_out;
    deflateEnd(&z);
    return len;
}

static bool put(void *context, const char *bytes, size_t n)
{
    buf_add(context, bytes, n);
    return true;
}

static void check(const struct buf *member, const struct buf *expected)
{
    char *out = malloc(expected->len + 1);
    for (int codec = CODEC_ZLIB; codec <= CODEC_ISAL; codec++) {
        struct inflater *inflater = inflater_new((enum codec)codec);
        size_t in = 0, len = 0, used, got;
        enum inflate_result result = INFLATE_MORE;
        for (int idle = 0; result == INFLATE_MORE && idle < 3;) {
            result = inflater_run(inflater, member->data + in, member->len - in, &used, out + len,
                                  expected->len + 1 - len, &got);
            in += used;
            len += got;
            idle = used || got ? 0 : idle + 1;
        }
        MUST(result == INFLATE_END && in == member->len && len == expected->len);
        MUST(!len || memcmp(out, expected->data, len) == 0);
        inflater_free(inflater);
    }
    free(out);
}

/* Keeps the member's data, but for changes at the offsets, which are sorted. */
static void change(const char *path, const char *text, size_t n, const size_t *offs, size_t noffs)
{
    struct lanefix_error err;
    struct crew *crew = crew_new(1);
    char piece[4096];
    struct source *src = source_open(path, 4096, crew, NULL, &err);
    MUST(src && source_make_map(src));
    for (size_t got = 1; got;)
        MUST(source_read(src, piece, sizeof piece, &got, &err));
    MUST(source_rewind(src, &err));
    const struct gzmap *map = source_seek(src);
    MUST(map);
    struct buf expected = {0}, member = {0};
    struct keep *keep = keep_new(map, source_pread, src, put, &member);
    struct window w;
    window_init(&w, src, 512);
    size_t pos = 0;
    for (size_t i = 0; i < noffs; i++) {
        size_t left_out = n - offs[i] < 50 ? n - offs[i] : 50;
        if (offs[i] < pos || offs[i] >= n)
            continue;
        buf_add(&expected, text + pos, offs[i] - pos);
        buf_add_str(&expected, "changed");
        MUST(keep_copy(keep, &w, offs[i], &err) && keep_write(keep, "changed", 7, &err));
        keep_skip(keep, left_out);
        pos = offs[i] + left_out;
        MUST(window_drop(&w, pos, &err));
    }
    buf_add(&expected, text + pos, n - pos);
    MUST(keep_copy(keep, &w, n, &err) && keep_finish(keep, &err));
    check(&member, &expected);
    window_free(&w);
    keep_free(keep);
    source_free(src);
    crew_free(crew);
    buf_free(&expected);
    buf_free(&member);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static char text[TEXT_MAX];
    struct buf member = {0};
    char header[GZIP_HEADER], trailer[GZIP_TRAILER], path[64];
    size_t offs[CHANGES_MAX], used, len;
    if (n < 16)
        return 0;
    gzip_header(header, 0);
    buf_add(&member, header, sizeof header);
    uint8_t *copy = malloc(n - 8);
    memcpy(copy, data + 8, n - 8);
    len = inflate_raw(copy, n - 8, text, &used);
    free(copy);
    if (len)
        buf_add(&member, data + 8, used);
    else
        len = deflate_repeats(data + 8, n - 8, text, &member);
    gzip_trailer(trailer, codec_crc(0, text, len), len);
    buf_add(&member, trailer, sizeof trailer);
    MUST(!member.failed);
    size_t noffs = data[0] % (CHANGES_MAX + 1), off = 0;
    for (size_t i = 0; i < noffs; i++) {
        off += (size_t)data[1 + i % 4] * (data[5 + i % 3] + 1u) * 3 % (len + 1);
        offs[i] = off;
    }
    int fd = memfd_create("fuzz", 0);
    MUST(fd >= 0 && write(fd, member.data, member.len) == (ssize_t)member.len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    change(path, text, len, offs, noffs);
    close(fd);
    buf_free(&member);
    return 0;
}
