#define _XOPEN_SOURCE 700
#include "source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "units.h"

/* Reads a source to its end in pieces of `piece` bytes. NULL on an error, which is in *err. */
static char *read_all(struct source *src, size_t piece, size_t *n, struct lanefix_error *err)
{
    struct buf out = {0};
    for (size_t got = 1; got;) {
        ck_assert(buf_reserve(&out, piece));
        if (!source_read(src, out.data + out.len, piece, &got, err)) {
            buf_free(&out);
            return NULL;
        }
        out.len += got;
    }
    *n = out.len;
    return out.data;
}

/* A source with these bytes gives `expected`, twice, whatever the sizes of the pieces. */
static void check_source(const char *path, const char *bytes, size_t n, const char *expected,
                         size_t expected_n)
{
    static const size_t pieces[] = {1, 2, 3, 7, 64, 1 << 16};
    write_file(path, bytes, n);
    for (size_t i = 0; i < 36; i++) {
        struct lanefix_error err;
        struct source *src = source_open(path, pieces[i % 6], test_crew, NULL, &err);
        ck_assert_ptr_nonnull(src);
        for (int round = 0; round < 2; round++) {
            size_t got;
            char *text = read_all(src, pieces[i / 6], &got, &err);
            ck_assert_ptr_nonnull(text);
            ck_assert_uint_eq(got, expected_n);
            ck_assert_mem_eq(text, expected, got);
            free(text);
            ck_assert(source_rewind(src, &err));
        }
        source_free(src);
    }
}

START_TEST(reads_plain_files)
{
    check_source(scratch("plain"), "hello world", 11, "hello world", 11);
}
END_TEST

START_TEST(reads_gzip_with_any_number_of_members)
{
    size_t n1, n2, n3;
    char *one = gzip_bytes("hello ", 6, &n1), *two = gzip_bytes("", 0, &n2);
    char *three = gzip_bytes("world", 5, &n3);
    struct buf all = {0};
    buf_add(&all, one, n1);
    check_source(scratch("one.gz"), all.data, all.len, "hello ", 6);
    buf_add(&all, two, n2);
    buf_add(&all, three, n3);
    check_source(scratch("three"), all.data, all.len, "hello world", 11);
    buf_add(&all, "\0\0\0", 3); /* padding */
    check_source(scratch("padded"), all.data, all.len, "hello world", 11);
    buf_free(&all);
    free(one);
    free(two);
    free(three);
}
END_TEST

START_TEST(names_trailing_garbage)
{
    static const struct {
        const char *bytes;
        size_t n;
        uint64_t garbage;
    } rows[] = {{"", 0, 0},     {"\0\0", 2, 0},         {"x", 1, 1},         {"\0\0abc", 5, 5},
                {"\x1F", 1, 1}, {"\x1F\x00rest", 6, 6}, {"\0\x1F\x8B", 3, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t chunk = 1; chunk < 40; chunk++) {
            size_t n;
            char *member = gzip_bytes("hello", 5, &n);
            struct buf all = {0};
            struct lanefix_error err;
            buf_add(&all, member, n);
            buf_add(&all, rows[i].bytes, rows[i].n);
            write_file(scratch("garbage.gz"), all.data, all.len);
            struct source *src = source_open(scratch("garbage.gz"), chunk, test_crew, NULL, &err);
            ck_assert_ptr_nonnull(src);
            char *text = read_all(src, 3, &n, &err);
            ck_assert_ptr_nonnull(text);
            ck_assert_uint_eq(n, 5);
            ck_assert_uint_eq(source_garbage(src), rows[i].garbage);
            free(text);
            source_free(src);
            buf_free(&all);
            free(member);
        }
    }
}
END_TEST

/* Every truncation is noticed, and every damage but in the fields of the header that nobody checks.
 * What is given before is right. */
START_TEST(notices_broken_gzip)
{
    char text[3000];
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + random_below(&state, 6));
    size_t n, got;
    char *member = gzip_bytes(text, sizeof text, &n);
    struct lanefix_error err;
    for (size_t cut = 2; cut < n; cut++) {
        write_file(scratch("cut.gz"), member, cut);
        struct source *src = source_open(scratch("cut.gz"), 100, test_crew, NULL, &err);
        ck_assert_ptr_nonnull(src);
        ck_assert_ptr_null(read_all(src, 1000, &got, &err));
        ck_assert_int_eq(err.code, LANEFIX_ERR_GZIP_CUT);
        ck_assert_uint_le(err.offset, sizeof text);
        source_free(src);
    }
    for (size_t at = 10; at < n; at++) {
        char *bad = malloc(n);
        memcpy(bad, member, n);
        bad[at] ^= 4;
        write_file(scratch("bad.gz"), bad, n);
        struct source *src = source_open(scratch("bad.gz"), 100, test_crew, NULL, &err);
        ck_assert_ptr_nonnull(src);
        ck_assert_ptr_null(read_all(src, 1000, &got, &err));
        ck_assert(err.code == LANEFIX_ERR_GZIP_DATA || err.code == LANEFIX_ERR_GZIP_CUT);
        source_free(src);
        free(bad);
    }
    free(member);
}
END_TEST

START_TEST(skips)
{
    struct lanefix_error err;
    size_t n, got;
    char c;
    char *member = gzip_bytes("0123456789", 10, &n);
    write_file(scratch("skip.gz"), member, n);
    write_file(scratch("skip"), "0123456789", 10);
    const char *const names[] = {"skip", "skip.gz"};
    for (int i = 0; i < 2; i++) {
        struct source *src = source_open(scratch(names[i]), 4, test_crew, NULL, &err);
        ck_assert_int_eq(source_is_gzip(src), i);
        ck_assert(source_skip_to(src, 7, &err) && source_read(src, &c, 1, &got, &err));
        ck_assert_int_eq(c, '7');
        source_free(src);
    }
    struct source *src = source_open(scratch("skip.gz"), 4, test_crew, NULL, &err);
    ck_assert(!source_skip_to(src, 11, &err));
    ck_assert_int_eq(err.code, LANEFIX_ERR_CHANGED);
    source_free(src);
    free(member);
}
END_TEST

START_TEST(spools_a_pipe)
{
    int fds[2];
    struct lanefix_error err;
    size_t n, got;
    char *member = gzip_bytes("from a pipe", 11, &n);
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(write(fds[1], member, n), (ssize_t)n);
    close(fds[1]);
    int saved = dup(STDIN_FILENO);
    dup2(fds[0], STDIN_FILENO);
    struct source *src = source_open("-", 5, test_crew, NULL, &err);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fds[0]);
    ck_assert_ptr_nonnull(src);
    ck_assert_ptr_null(source_stat(src));
    for (int round = 0; round < 2; round++) {
        char *text = read_all(src, 4, &got, &err);
        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(got, 11);
        ck_assert_mem_eq(text, "from a pipe", 11);
        free(text);
        ck_assert(source_rewind(src, &err));
    }
    source_free(src);
    free(member);
}
END_TEST

/* All up to the limit is given, and then it is an error, whatever the pieces. */
START_TEST(gives_no_more_than_the_limit)
{
    static const char text[] = "hello world";
    size_t n;
    char *gzip = gzip_bytes(text, 11, &n);
    write_file(scratch("limit"), text, 11);
    write_file(scratch("limit.gz"), gzip, n);
    free(gzip);
    for (size_t i = 0; i < 312; i++) {
        struct lanefix_error err;
        uint64_t limit = i / 2 % 12 + 1;
        size_t piece = i / 24 + 1, done = 0, got = 1;
        struct source *src = source_open_up_to(scratch(i % 2 ? "limit" : "limit.gz"), limit, 5,
                                               test_crew, NULL, NULL, &err);
        ck_assert_ptr_nonnull(src);
        char out[16];
        bool ok = true;
        while (ok && got) {
            ok = source_read(src, out, piece, &got, &err);
            ck_assert(!ok || memcmp(out, text + done, got) == 0);
            done += ok ? got : 0;
        }
        ck_assert_uint_eq(done, limit < 11 ? limit : 11);
        ck_assert(ok == (limit >= 11));
        if (!ok) {
            ck_assert_int_eq(err.code, LANEFIX_ERR_TOO_LARGE);
            ck_assert_uint_eq(err.offset, limit);
        }
        source_free(src);
    }
}
END_TEST

START_TEST(names_other_formats)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *name;
    } rows[] = {{"PK\3\4....", 8, "zip"},
                {"\x28\xB5\x2F\xFD....", 8, "zstd"},
                {"\xFD"
                 "7zXZ\0..",
                 8, "xz"},
                {"BZh9....", 8, "bzip2"},
                {"\x04\x22\x4D\x18....", 8, "lz4"},
                {"\xFF\xFE[\0", 4, "UTF-16"}};
    struct lanefix_error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file(scratch("other"), rows[i].bytes, rows[i].n);
        ck_assert_ptr_null(source_open(scratch("other"), 100, test_crew, NULL, &err));
        ck_assert_int_eq(err.code, LANEFIX_ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(err.message, rows[i].name));
    }
}
END_TEST

START_TEST(refuses_what_is_no_file)
{
    struct lanefix_error err;
    ck_assert_ptr_null(source_open(scratch("absent"), 100, test_crew, NULL, &err));
    ck_assert_int_eq(err.code, LANEFIX_ERR_OPEN);
    ck_assert_int_ne(err.sys_errno, 0);
    ck_assert_ptr_null(source_open("/", 100, test_crew, NULL, &err));
    ck_assert_int_eq(err.code, LANEFIX_ERR_OPEN);
    source_free(NULL);
}
END_TEST

Suite *source_suite(void)
{
    const TTest *const tests[] = {reads_plain_files,
                                  reads_gzip_with_any_number_of_members,
                                  names_trailing_garbage,
                                  notices_broken_gzip,
                                  skips,
                                  spools_a_pipe,
                                  gives_no_more_than_the_limit,
                                  names_other_formats,
                                  refuses_what_is_no_file};
    return SUITE_WITH_CREWS("source", tests);
}
