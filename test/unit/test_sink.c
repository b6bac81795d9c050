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

static bool finish(struct sink *sink)
{
    struct lanefix_error err;
    return sink_finish(sink, &err) && sink_commit(sink, &err);
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
    struct sink_options options = {.gzip = false};
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
    ck_assert(sink_write(sink, "new", 3, &err) && sink_finish(sink, &err));
    check_file(path, "old");
    sink_free(sink); /* finished, but not committed */
    check_file(path, "old");
    ck_assert_int_eq(count_temporary(), 0);
    options.out.sync = true;
    sink = sink_open(path, &options, &err);
    ck_assert(sink_write(sink, "new", 3, &err) && finish(sink));
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
        struct sink_options options = {.gzip = true, .level = level, .crew = test_crew};
        struct sink *sink = sink_open(scratch("sink.gz"), &options, &err);
        for (size_t done = 0; done < size; done += n) {
            n = size - done < 70001 ? size - done : 70001;
            ck_assert(sink_write(sink, text + done, n, &err));
        }
        ck_assert(finish(sink));
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

START_TEST(lays_out)
{
    struct lanefix_error err;
    for (int gzip = 0; gzip < 2; gzip++) {
        struct sink_options options = {.gzip = gzip, .pretty = true, .crew = test_crew};
        size_t n, out_n;
        struct sink *sink = sink_open(scratch("laid-out"), &options, &err);
        ck_assert(sink_write(sink, "[1", 2, &err) && sink_write(sink, ",2]", 3, &err));
        ck_assert(finish(sink));
        sink_free(sink);
        char *out = read_file(scratch("laid-out"), &n);
        char *plain = gzip ? gunzip_bytes(out, n, &out_n) : strdup(out);
        ck_assert_mem_eq(plain, "[\n  1,\n  2\n]\n", gzip ? out_n : n);
        free(out);
        free(plain);
    }
    struct sink_options options = {.pretty = true};
    struct sink *full = sink_open("/dev/full", &options, &err);
    ck_assert(sink_write(full, "[1,2]", 5, &err) && !sink_finish(full, &err));
    ck_assert_int_eq(err.sys_errno, ENOSPC);
    sink_free(full);
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
    struct sink_options options = {.crew = test_crew};
    struct sink *sink = sink_open(scratch("to"), &options, &err);
    ck_assert(sink_write(sink, "before", 6, &err));
    ck_assert(sink_copy(sink, fd, 1000, 300000, &done, &err));
    ck_assert(done == 300000 || done == 0); /* not every file system can */
    ck_assert(sink_write(sink, text + 1000 + done, 300000 - (size_t)done, &err));
    ck_assert(sink_copy(sink, fd, size - 10, 20, &done, &err)); /* the file is too short */
    ck_assert_uint_le(done, 10);
    ck_assert(sink_write(sink, text + size - 10 + done, 10 - (size_t)done, &err));
    ck_assert(sink_write(sink, "after", 5, &err) && finish(sink));
    sink_free(sink);
    char *out = read_file(scratch("to"), &n);
    ck_assert_uint_eq(n, 6 + 300000 + 10 + 5);
    ck_assert_mem_eq(out, "before", 6);
    ck_assert_mem_eq(out + 6, text + 1000, 300000);
    ck_assert_mem_eq(out + 300006, text + size - 10, 10);
    ck_assert_mem_eq(out + 300016, "after", 5);
    for (int pretty = 0; pretty < 2; pretty++) { /* not what is compressed or laid out */
        options.gzip = !pretty;
        options.pretty = pretty;
        sink = sink_open(scratch("to"), &options, &err);
        ck_assert(sink_copy(sink, fd, 0, 1000, &done, &err));
        ck_assert_uint_eq(done, 0);
        sink_free(sink);
    }
    close(fd);
    free(out);
    free(text);
}
END_TEST

/* Opens, writes nothing, commits. */
static void replace(const char *path, const struct stat *like)
{
    struct lanefix_error err;
    struct sink_options options = {.out = {.like = like}};
    struct sink *sink = sink_open(path, &options, &err);
    ck_assert_ptr_nonnull(sink);
    ck_assert(finish(sink));
    sink_free(sink);
}

START_TEST(keeps_modes)
{
    struct stat like;
    mode_t mask = umask(027);
    write_file(scratch("like"), "", 0);
    ck_assert_int_eq(chmod(scratch("like"), 0666), 0);
    ck_assert_int_eq(stat(scratch("like"), &like), 0);
    replace(scratch("mode"), &like);
    ck_assert_uint_eq(mode_of(scratch("mode")), 0666);
    chmod(scratch("mode"), 0604);
    replace(scratch("mode"), NULL); /* that of the file which is replaced */
    ck_assert_uint_eq(mode_of(scratch("mode")), 0604);
    remove(scratch("fresh"));
    replace(scratch("fresh"), NULL); /* what the umask leaves */
    ck_assert_uint_eq(mode_of(scratch("fresh")), 0640);
    umask(mask);
}
END_TEST

/* Each stands in place of its former self, so that root's tests give it to someone else. */
START_TEST(keeps_owners)
{
    struct stat st;
    if (geteuid() != 0)
        return;
    const char *path = scratch("owned");
    write_file(path, "", 0);
    ck_assert(chown(path, 1234, 5678) == 0 && chmod(path, 0460) == 0);
    replace(path, NULL);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_uid, 1234);
    ck_assert_uint_eq(st.st_gid, 5678);
    ck_assert_uint_eq(st.st_mode & 0777, 0460);
}
END_TEST

/* A group that is not the old one gets no more than all others had, and the others, among whom the
 * members of the old group may be, no more than the group had. */
START_TEST(grants_nothing_to_another_group)
{
    static const unsigned modes[][2] = {
        {0640, 0600}, {0664, 0644}, {0644, 0644}, {0606, 0600}, {0751, 0711}};
    struct stat like;
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chmod(scratch("."), 0777), 0);
    write_file(scratch("like"), "", 0);
    ck_assert_int_eq(stat(scratch("like"), &like), 0);
    ck_assert(setegid(65534) == 0 && seteuid(65534) == 0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        remove(scratch("not-ours"));
        like.st_mode = modes[i][0];
        replace(scratch("not-ours"), &like);
        ck_assert_uint_eq(mode_of(scratch("not-ours")), modes[i][1]);
    }
    ck_assert(seteuid(0) == 0 && setegid(0) == 0);
}
END_TEST

START_TEST(follows_links)
{
    struct lanefix_error err;
    struct stat st;
    struct sink_options options = {.gzip = false};
    write_file(scratch("target"), "old", 3);
    remove(scratch("link")); /* of the same test with another crew */
    ck_assert_int_eq(symlink("target", scratch("link")), 0);
    struct sink *sink = sink_open(scratch("link"), &options, &err);
    ck_assert(sink_write(sink, "new", 3, &err) && finish(sink));
    sink_free(sink);
    check_file(scratch("target"), "new");
    ck_assert_int_eq(lstat(scratch("link"), &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
}
END_TEST

/* A link to nothing was replaced once, so that its target never came to be. */
START_TEST(follows_links_to_nothing)
{
    static const char *const links[][2] = {
        {"link1", "folder/link2"}, {"folder/link2", "../link3"}, {"link3", "made"}};
    struct stat st;
    mkdir(scratch("folder"), 0777);
    remove(scratch("made"));
    for (size_t i = 0; i < 3; i++) {
        remove(scratch(links[i][0]));
        ck_assert_int_eq(symlink(links[i][1], scratch(links[i][0])), 0);
    }
    replace(scratch("link1"), NULL);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(lstat(scratch(links[i][0]), &st), 0);
        ck_assert(S_ISLNK(st.st_mode));
    }
    ck_assert_int_eq(lstat(scratch("made"), &st), 0);
    ck_assert(S_ISREG(st.st_mode));
    remove(scratch("made"));
    remove(scratch("link1"));
    ck_assert_int_eq(symlink(scratch("made"), scratch("link1")), 0); /* an absolute one */
    replace(scratch("link1"), NULL);
    ck_assert_int_eq(lstat(scratch("made"), &st), 0);
    remove(scratch("folder/link2"));
    rmdir(scratch("folder"));
}
END_TEST

START_TEST(names_a_loop_of_links)
{
    struct lanefix_error err;
    struct sink_options options = {.gzip = false};
    remove(scratch("loop"));
    ck_assert_int_eq(symlink("loop", scratch("loop")), 0);
    ck_assert_ptr_null(sink_open(scratch("loop"), &options, &err));
    ck_assert_int_eq(err.code, LANEFIX_ERR_WRITE);
    ck_assert_int_eq(err.sys_errno, ELOOP);
}
END_TEST

/* The file of such a link has no name that could be replaced. */
START_TEST(names_a_file_that_was_removed)
{
    char path[64];
    struct lanefix_error err;
    struct sink_options options = {.gzip = false};
    write_file(scratch("gone"), "x", 1);
    int fd = open(scratch("gone"), O_RDWR);
    remove(scratch("gone"));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (file_exists(path)) {
        ck_assert_ptr_null(sink_open(path, &options, &err));
        ck_assert_int_eq(err.sys_errno, ENOENT);
    }
    close(fd);
}
END_TEST

/* Renaming over a device would be a disaster, for root at least. */
START_TEST(writes_to_devices_directly)
{
    struct lanefix_error err;
    struct stat st;
    struct sink_options options = {.gzip = false};
    struct sink *sink = sink_open("/dev/null", &options, &err);
    ck_assert_ptr_nonnull(sink);
    ck_assert(sink_write(sink, "x", 1, &err) && finish(sink));
    sink_free(sink);
    ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(names_what_is_wrong)
{
    struct lanefix_error err;
    struct sink_options options = {.out = {.file = LANEFIX_FILE_REPORT}};
    ck_assert_ptr_null(sink_open(scratch("."), &options, &err));
    ck_assert_int_eq(err.code, LANEFIX_ERR_WRITE);
    ck_assert_int_eq(err.sys_errno, EISDIR);
    ck_assert_int_eq(err.file, LANEFIX_FILE_REPORT);
    ck_assert_ptr_null(sink_open(scratch("no/such/folder"), &options, &err));
    ck_assert_int_eq(err.sys_errno, ENOENT);
    remove(scratch("socket"));
    ck_assert_int_eq(mknod(scratch("socket"), S_IFSOCK | 0600, 0), 0);
    ck_assert_ptr_null(sink_open(scratch("socket"), &options, &err));
    ck_assert_int_eq(err.sys_errno, ENXIO);
    ck_assert(file_exists(scratch("socket")));
    struct sink *full = sink_open("/dev/full", &options, &err);
    ck_assert_ptr_nonnull(full);
    ck_assert(sink_write(full, "x", 1, &err));
    ck_assert(!sink_finish(full, &err));
    ck_assert_int_eq(err.sys_errno, ENOSPC);
    sink_free(full);
}
END_TEST

Suite *sink_suite(void)
{
    const TTest *const tests[] = {appears_whole_or_not_at_all,
                                  writes_gzip,
                                  lays_out,
                                  copies_from_a_file,
                                  keeps_modes,
                                  keeps_owners,
                                  grants_nothing_to_another_group,
                                  follows_links,
                                  follows_links_to_nothing,
                                  names_a_loop_of_links,
                                  names_a_file_that_was_removed,
                                  writes_to_devices_directly,
                                  names_what_is_wrong};
    return SUITE_WITH_CREWS("sink", tests);
}
