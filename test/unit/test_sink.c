#define _XOPEN_SOURCE 700
#include "sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "units.h"

/* Files in the scratch folder whose name tells that they are temporary. */
static int count_temporary(void)
{
    int count = 0;
    DIR *dir = opendir(scratch("."));
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strstr(entry->d_name, ".tmp") != NULL;
    closedir(dir);
    return count;
}

static void check_file(const char *path, const char *expected)
{
    size_t n;
    char *text = read_file(path, &n);
    ck_assert_str_eq(text, expected);
    free(text);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    return st.st_mode & 0777;
}

START_TEST(appears_whole_or_not_at_all)
{
    struct lanefix_error err;
    struct sink_options options = {.mode = -1};
    const char *path = scratch("sink");
    write_file(path, "old", 3);
    struct sink *sink = sink_open(path, &options, &err);
    ck_assert_ptr_nonnull(sink);
    ck_assert(sink_write(sink, "new", 3, &err));
    check_file(path, "old");
    ck_assert_int_eq(count_temporary(), 1);
    sink_free(sink); /* not committed */
    check_file(path, "old");
    ck_assert_int_eq(count_temporary(), 0);
    sink = sink_open(path, &options, &err);
    ck_assert(sink_write(sink, "new", 3, &err) && sink_commit(sink, &err));
    sink_free(sink);
    check_file(path, "new");
    ck_assert_int_eq(count_temporary(), 0);
    sink_free(NULL);
}
END_TEST

START_TEST(writes_gzip)
{
    struct lanefix_error err;
    size_t size = 1000003, n, out_n;
    char *text = malloc(size);
    uint64_t state = 7;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)random_below(&state, 256);
    for (int level = 0; level <= 9; level += 3) {
        struct sink_options options = {.mode = -1, .gzip = true, .level = level, .crew = test_crew};
        struct sink *sink = sink_open(scratch("sink.gz"), &options, &err);
        for (size_t done = 0; done < size; done += n) {
            n = size - done < 70001 ? size - done : 70001;
            ck_assert(sink_write(sink, text + done, n, &err));
        }
        ck_assert(sink_commit(sink, &err));
        sink_free(sink);
        char *gz = read_file(scratch("sink.gz"), &n), *back = gunzip_bytes(gz, n, &out_n);
        ck_assert_uint_eq(out_n, size);
        ck_assert_mem_eq(back, text, size);
        free(gz);
        free(back);
    }
    free(text);
}
END_TEST

/* What the kernel copies stands between what is written; where it cannot, it says so. */
START_TEST(copies_from_a_file)
{
    struct lanefix_error err;
    size_t size = 500000, n;
    uint64_t done;
    char *text = malloc(size);
    uint64_t state = 9;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)random_below(&state, 256);
    write_file(scratch("from"), text, size);
    int fd = open(scratch("from"), O_RDONLY);
    struct sink_options options = {.mode = -1, .crew = test_crew};
    struct sink *sink = sink_open(scratch("to"), &options, &err);
    ck_assert(sink_write(sink, "before", 6, &err));
    ck_assert(sink_copy(sink, fd, 1000, 300000, &done, &err));
    ck_assert(done == 300000 || done == 0); /* not every file system can */
    ck_assert(sink_write(sink, text + 1000 + done, 300000 - (size_t)done, &err));
    ck_assert(sink_copy(sink, fd, size - 10, 20, &done, &err)); /* the file is too short */
    ck_assert_uint_le(done, 10);
    ck_assert(sink_write(sink, text + size - 10 + done, 10 - (size_t)done, &err));
    ck_assert(sink_write(sink, "after", 5, &err) && sink_commit(sink, &err));
    sink_free(sink);
    char *out = read_file(scratch("to"), &n);
    ck_assert_uint_eq(n, 6 + 300000 + 10 + 5);
    ck_assert_mem_eq(out, "before", 6);
    ck_assert_mem_eq(out + 6, text + 1000, 300000);
    ck_assert_mem_eq(out + 300006, text + size - 10, 10);
    ck_assert_mem_eq(out + 300016, "after", 5);
    options.gzip = true;
    sink = sink_open(scratch("to"), &options, &err);
    ck_assert(sink_copy(sink, fd, 0, 1000, &done, &err));
    ck_assert_uint_eq(done, 0);
    sink_free(sink);
    close(fd);
    free(out);
    free(text);
}
END_TEST

START_TEST(keeps_modes)
{
    struct lanefix_error err;
    struct sink_options options = {.mode = 0640};
    mode_t mask = umask(027);
    struct sink *sink = sink_open(scratch("mode"), &options, &err);
    ck_assert(sink_commit(sink, &err));
    sink_free(sink);
    ck_assert_uint_eq(mode_of(scratch("mode")), 0640);
    options.mode = -1; /* that of the file which is replaced */
    chmod(scratch("mode"), 0604);
    sink = sink_open(scratch("mode"), &options, &err);
    ck_assert(sink_commit(sink, &err));
    sink_free(sink);
    ck_assert_uint_eq(mode_of(scratch("mode")), 0604);
    sink = sink_open(scratch("fresh"), &options, &err); /* what the umask leaves */
    ck_assert(sink_commit(sink, &err));
    sink_free(sink);
    ck_assert_uint_eq(mode_of(scratch("fresh")), 0640);
    umask(mask);
}
END_TEST

START_TEST(follows_links)
{
    struct lanefix_error err;
    struct stat st;
    struct sink_options options = {.mode = -1};
    write_file(scratch("target"), "old", 3);
    remove(scratch("link")); /* of the same test with another crew */
    ck_assert_int_eq(symlink("target", scratch("link")), 0);
    struct sink *sink = sink_open(scratch("link"), &options, &err);
    ck_assert(sink_write(sink, "new", 3, &err) && sink_commit(sink, &err));
    sink_free(sink);
    check_file(scratch("target"), "new");
    ck_assert_int_eq(lstat(scratch("link"), &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
}
END_TEST

/* Renaming over a device would be a disaster, for root at least. */
START_TEST(writes_to_devices_directly)
{
    struct lanefix_error err;
    struct stat st;
    struct sink_options options = {.mode = 0600};
    struct sink *sink = sink_open("/dev/null", &options, &err);
    ck_assert_ptr_nonnull(sink);
    ck_assert(sink_write(sink, "x", 1, &err) && sink_commit(sink, &err));
    sink_free(sink);
    ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(names_what_is_wrong)
{
    struct lanefix_error err;
    struct sink_options options = {.mode = -1, .file = LANEFIX_FILE_REPORT};
    ck_assert_ptr_null(sink_open(scratch("."), &options, &err));
    ck_assert_int_eq(err.code, LANEFIX_ERR_WRITE);
    ck_assert_int_eq(err.sys_errno, EISDIR);
    ck_assert_int_eq(err.file, LANEFIX_FILE_REPORT);
    ck_assert_ptr_null(sink_open(scratch("no/such/folder"), &options, &err));
    ck_assert_int_eq(err.sys_errno, ENOENT);
    struct sink *full = sink_open("/dev/full", &options, &err);
    ck_assert_ptr_nonnull(full);
    ck_assert(sink_write(full, "x", 1, &err));
    ck_assert(!sink_commit(full, &err));
    ck_assert_int_eq(err.sys_errno, ENOSPC);
    sink_free(full);
}
END_TEST

Suite *sink_suite(void)
{
    const TTest *const tests[] = {appears_whole_or_not_at_all,
                                  writes_gzip,
                                  copies_from_a_file,
                                  keeps_modes,
                                  follows_links,
                                  writes_to_devices_directly,
                                  names_what_is_wrong};
    return SUITE_WITH_CREWS("sink", tests);
}
