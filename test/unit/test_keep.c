/* gzip output that keeps the input's data: whatever made that, and wherever the changes are, it
 * inflates to the text with the changes. */
#define _POSIX_C_SOURCE 200809L
#include "keep.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec.h"
#include "units.h"

enum { TEXT_MAX = 1500000 };

/* Text somewhat like a trace; `variety` sets how well it can be compressed. */
static char *make_text(uint64_t *state, size_t n, uint64_t variety)
{
    static const char *const words[] = {"{\"ph\":\"X\",", "\"name\":\"aten::mm\",",
                                        "\"ts\":", "},\n"};
    char *text = malloc(n + 64);
    size_t len = 0;
    while (len < n) {
        if (random_below(state, variety) < 3) {
            const char *word = words[random_below(state, 4)];
            while (*word)
                text[len++] = *word++;
        } else {
            text[len++] = (char)random_below(state, variety > 100 ? 256 : 10 + 2 * variety);
        }
    }
    return text;
}

/* How a gzip file is made. */
struct recipe {
    int level, memory, strategy, flush;
    size_t flush_each; /* bytes; 0: never */
};

/* Writes the text to a file, compressed. */
static void write_member(const char *path, const struct recipe *r, const char *text, size_t n)
{
    z_stream z = {0};
    size_t cap = n + n / 2 + 100000, done = 0;
    char *out = malloc(cap);
    ck_assert_int_eq(deflateInit2(&z, r->level, Z_DEFLATED, 31, r->memory, r->strategy), Z_OK);
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)cap;
    while (r->flush_each && done + r->flush_each < n) {
        z.next_in = (Bytef *)text + done;
        z.avail_in = (uInt)r->flush_each;
        ck_assert_int_eq(deflate(&z, r->flush), Z_OK);
        done += r->flush_each;
    }
    z.next_in = (Bytef *)text + done;
    z.avail_in = (uInt)(n - done);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    write_file(path, out, z.total_out);
    deflateEnd(&z);
    free(out);
}

static bool put(void *context, const char *bytes, size_t n)
{
    buf_add(context, bytes, n);
    return true;
}

/* A source on the file that was read once, and seeks now. */
static struct source *open_seeking(const char *path, const struct gzmap **map)
{
    struct lanefix_error err;
    char piece[5000];
    struct source *src = source_open(path, 3000, test_crew, NULL, &err);
    ck_assert(src && source_make_map(src));
    for (size_t got = 1; got;)
        ck_assert(source_read(src, piece, sizeof piece, &got, &err));
    ck_assert(source_rewind(src, &err));
    *map = source_seek(src);
    return src;
}

/* Both codecs take it, and it is the text expected. */
static void check_member(const struct buf *member, const char *expected, size_t n)
{
    char *out = malloc(n + 1);
    for (int codec = CODEC_ZLIB; codec <= CODEC_ISAL; codec++) {
        struct inflater *inflater = inflater_new((enum codec)codec);
        size_t in = 0, len = 0, used, got;
        enum inflate_result result = INFLATE_MORE;
        while (result == INFLATE_MORE && (in < member->len || len < n)) {
            result = inflater_run(inflater, member->data + in, member->len - in, &used, out + len,
                                  n + 1 - len, &got);
            in += used;
            len += got;
        }
        ck_assert_int_eq(result, INFLATE_END);
        ck_assert_uint_eq(in, member->len);
        ck_assert_uint_eq(len, n);
        ck_assert(!n || memcmp(out, expected, n) == 0);
        inflater_free(inflater);
    }
    free(out);
}

/* Makes changes at random places, about `each` bytes apart, and compares. */
static void check_changes(const char *path, const char *text, size_t n, uint64_t each,
                          uint64_t *state)
{
    struct lanefix_error err;
    const struct gzmap *map;
    struct source *src = open_seeking(path, &map);
    ck_assert_ptr_nonnull(map);
    struct buf expected = {0}, member = {0};
    struct keep *keep = keep_new(map, source_pread, src, put, &member);
    struct window w;
    window_init(&w, src, 700);
    size_t pos = 0;
    while (each) {
        size_t to = pos + (size_t)random_below(state, 2 * each), left_out;
        if (to >= n)
            break;
        left_out = (size_t)random_below(state, 300) % (n - to + 1);
        buf_add(&expected, text + pos, to - pos);
        buf_add_str(&expected, "changed");
        if (random_below(state, 2) && keep_reads_from(pos, to) != UINT64_MAX)
            source_prepare(src, keep_reads_from(pos, to));
        ck_assert_msg(keep_copy(keep, &w, to, &err), "%zu of %zu: %s at %d", to, n, err.message,
                      (int)err.offset);
        for (size_t end = to + left_out; w.off + w.len < end;) /* as one reads an event */
            ck_assert(window_more(&w, &err));
        ck_assert(!left_out || memcmp(w.data, text + to, left_out) == 0);
        ck_assert(keep_write(keep, "changed", 7, &err));
        keep_skip(keep, left_out);
        ck_assert(window_drop(&w, to + left_out, &err));
        pos = to + left_out;
    }
    buf_add(&expected, text + pos, n - pos);
    ck_assert(keep_copy(keep, &w, n, &err) && keep_finish(keep, &err));
    check_member(&member, expected.data, expected.len);
    window_free(&w);
    keep_free(keep);
    source_free(src);
    buf_free(&expected);
    buf_free(&member);
}

START_TEST(keeps_what_anyone_made)
{
    static const struct recipe recipes[] = {
        {1, 8, Z_DEFAULT_STRATEGY, 0, 0},
        {6, 8, Z_DEFAULT_STRATEGY, 0, 0},
        {9, 9, Z_DEFAULT_STRATEGY, 0, 0},
        {6, 1, Z_DEFAULT_STRATEGY, 0, 0}, /* tiny blocks */
        {0, 8, Z_DEFAULT_STRATEGY, 0, 0}, /* stored */
        {6, 8, Z_FIXED, 0, 0},
        {6, 8, Z_HUFFMAN_ONLY, 0, 0},
        {6, 8, Z_RLE, 0, 0},
        {6, 8, Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH, 131072}, /* as pigz does */
        {6, 8, Z_DEFAULT_STRATEGY, Z_FULL_FLUSH, 50001},
        {1, 8, Z_DEFAULT_STRATEGY, Z_PARTIAL_FLUSH, 777},
        {1, 8, Z_DEFAULT_STRATEGY, Z_BLOCK, 3333},
    };
    static const uint64_t distances[] = {0, 100, 20000, 66000, 200000, 1000000};
    uint64_t state = 11;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        size_t n = TEXT_MAX - (size_t)random_below(&state, 1000);
        char *text = make_text(&state, n, i % 3 == 0 ? 4 : i % 3 == 1 ? 20 : 150);
        write_member(scratch("made.gz"), &recipes[i], text, n);
        for (size_t k = 0; k < sizeof distances / sizeof *distances; k++)
            check_changes(scratch("made.gz"), text, n, distances[k], &state);
        free(text);
    }
}
END_TEST

START_TEST(keeps_small_texts)
{
    uint64_t state = 5;
    for (size_t n = 0; n < 60; n++) {
        static const struct recipe recipe = {6, 8, Z_DEFAULT_STRATEGY, 0, 0};
        char *text = make_text(&state, n, 5);
        write_member(scratch("small.gz"), &recipe, text, n);
        check_changes(scratch("small.gz"), text, n, 0, &state);
        check_changes(scratch("small.gz"), text, n, 5, &state);
        check_changes(scratch("small.gz"), text, n, 30, &state);
        free(text);
    }
}
END_TEST

/* Text that has no end of repeats: the codes are long, and few. */
START_TEST(keeps_long_codes)
{
    static const struct recipe recipe = {9, 9, Z_DEFAULT_STRATEGY, 0, 0};
    uint64_t state = 3;
    char *text = malloc(TEXT_MAX);
    memset(text, 'x', TEXT_MAX);
    write_member(scratch("long.gz"), &recipe, text, TEXT_MAX);
    for (int i = 0; i < 20; i++)
        check_changes(scratch("long.gz"), text, TEXT_MAX, 150000, &state);
    free(text);
}
END_TEST

START_TEST(reads_from_anywhere)
{
    static const struct recipe recipe = {6, 8, Z_DEFAULT_STRATEGY, 0, 0};
    uint64_t state = 17;
    char *text = make_text(&state, TEXT_MAX, 20);
    size_t got;
    char piece[1000];
    struct lanefix_error err;
    const struct gzmap *map;
    write_member(scratch("any.gz"), &recipe, text, TEXT_MAX);
    struct source *src = open_seeking(scratch("any.gz"), &map);
    ck_assert_uint_gt(map->npoints, 1);
    for (int i = 0; i < 300; i++) {
        uint64_t off = random_below(&state, TEXT_MAX);
        ck_assert(source_skip_to(src, off, &err));
        ck_assert(source_read(src, piece, sizeof piece, &got, &err));
        ck_assert(got > 0 && memcmp(piece, text + off, got) == 0);
    }
    source_free(src);
    free(text);
}
END_TEST

START_TEST(several_members_have_no_map)
{
    size_t n;
    const struct gzmap *map;
    char *member = gzip_bytes("hello", 5, &n), *two = malloc(2 * n);
    memcpy(two, member, n);
    memcpy(two + n, member, n);
    write_file(scratch("two.gz"), two, 2 * n);
    source_free(open_seeking(scratch("two.gz"), &map));
    ck_assert_ptr_null(map);
    free(member);
    free(two);
}
END_TEST

/* Text that cannot be compressed. */
static size_t random_window(void *context, unsigned char *window)
{
    for (size_t i = 0; i < GZMAP_WINDOW; i++)
        window[i] = (unsigned char)random_below(context, 256);
    return GZMAP_WINDOW;
}

static size_t no_window(void *context, unsigned char *window)
{
    (void)context;
    (void)window;
    return 0;
}

/* However large the file: the points are thinned out, and of too many blocks there is no map. */
START_TEST(a_map_is_bounded)
{
    struct gzmap map = {0};
    struct gzblock block = {0};
    uint64_t state = 1;
    for (int i = 0; i < 3000; i++) {
        block.bit += 100000;
        block.text += 1 << 20;
        gzmap_note(&map, &block, false, random_window, &state);
        ck_assert_uint_le(map.windows_nbytes, GZMAP_WINDOWS_MAX);
    }
    ck_assert_uint_gt(map.npoints, 200);
    ck_assert_uint_eq(gzmap_point(&map, 0)->block, 0);
    ck_assert_uint_eq(gzmap_point(&map, UINT64_MAX)->block, map.points[map.npoints - 1].block);
    ck_assert(!gzmap_usable(&map));
    gzmap_note(&map, &block, true, no_window, NULL);
    ck_assert(gzmap_usable(&map));
    for (int i = 0; i < GZMAP_BLOCKS_MAX; i++)
        gzmap_note(&map, &block, false, no_window, NULL);
    gzmap_note(&map, &block, true, no_window, NULL);
    ck_assert(!gzmap_usable(&map));
    gzmap_free(&map);
}
END_TEST

Suite *keep_suite(void)
{
    const TTest *const tests[] = {
        keeps_what_anyone_made, keeps_small_texts,           keeps_long_codes,
        reads_from_anywhere,    several_members_have_no_map, a_map_is_bounded,
    };
    return SUITE_WITH_CREWS("keep", tests);
}
