#define _XOPEN_SOURCE 700
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"
#include "fd.h"

enum {
    LINKS_MAX = 40, /* to follow, as in Linux */
    TRIES_MAX = 1000
};

#define OLD_ENDING ".orig"
#define CANNOT_KEEP "cannot keep the original as NAME" OLD_ENDING

/* EINTR comes from a wait that was cancelled only (fd.h). */
static bool io_error(const struct outfile *out, const char *message, int sys_errno,
                     struct lanefix_error *err)
{
    if (sys_errno == EINTR)
        return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
    return fail_io(err, LANEFIX_ERR_WRITE, out->file, message, sys_errno);
}

/* The name `name` in the folder of `path`, owned by the caller; NULL without memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    struct buf result = {0};
    buf_add(&result, path, slash ? (size_t)(slash + 1 - path) : 0);
    buf_add_str(&result, name);
    buf_add_char(&result, 0);
    if (result.failed)
        buf_free(&result);
    return result.data;
}

/* Where a path leads to, of which the last part may be a link, also one to nothing; owned by the
 * caller. NULL with errno set. */
static char *follow(const char *path)
{
    char *name = strdup(path);
    for (int n = 0; name; n++) {
        char target[PATH_MAX];
        ssize_t len = readlink(name, target, sizeof target - 1);
        if (len < 0)
            return name;
        target[len] = 0;
        char *next = *target == '/' ? strdup(target) : beside(name, target);
        free(name);
        name = next;
        if (n == LINKS_MAX) {
            free(name);
            errno = ELOOP;
            return NULL;
        }
    }
    errno = ENOMEM;
    return NULL;
}

/* Is that the name of this file? Not so for a link in /proc to a file that was removed. */
static bool is_file(const char *path, const struct stat *file)
{
    struct stat st;
    errno = ENOENT;
    return stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* Gives the file the access that another one has, in gzip's order: the bits when the group is
 * right, the owner last. Who may not do that, or a file system that has no such things, does
 * without. */
static bool take_access(const struct outfile *out, const struct stat *like,
                        struct lanefix_error *err)
{
    struct stat st;
    mode_t mode = like->st_mode & 0777;
    if (fchown(out->fd, (uid_t)-1, like->st_gid) != 0 &&
        !(fstat(out->fd, &st) == 0 && st.st_gid == like->st_gid)) {
        /* Another group, in which members of the old one may be others: both get what both had */
        mode_t both = (mode >> 3) & mode & 7;
        mode = (mode & 0700) | both << 3 | both;
    }
    if (fchmod(out->fd, mode) != 0 && errno != EPERM && errno != ENOTSUP)
        return io_error(out, "cannot set the mode", errno, err);
    if (fchown(out->fd, like->st_uid, (gid_t)-1) != 0)
        return true; /* it stays ours */
    return true;
}

static bool open_temporary(struct outfile *out, const struct outfile_options *options,
                           const struct stat *like, struct lanefix_error *err)
{
    char *name = NULL;
    for (unsigned n = 0; out->fd < 0 && n < TRIES_MAX; n++) {
        struct buf last = {0};
        buf_add_str(&last, ".trace-lanefix-");
        buf_add_i64(&last, getpid());
        buf_add_char(&last, '-');
        buf_add_u64(&last, n);
        buf_add_str(&last, ".tmp");
        buf_add_char(&last, 0);
        free(name);
        name = last.failed ? NULL : beside(out->path, last.data);
        buf_free(&last);
        if (!name)
            return fail_memory(err);
        out->fd = fd_open(name, O_WRONLY | O_CREAT | O_EXCL, like ? 0600 : 0666, options->cancel);
        if (out->fd < 0 && errno != EEXIST)
            break;
    }
    if (out->fd < 0) {
        io_error(out, "cannot create a file in its folder", errno, err);
        free(name);
        return false;
    }
    out->temporary = name;
    return !like || take_access(out, like, err);
}

/* Before anything is written: that it cannot be flushed should not come late. */
static bool open_folder(struct outfile *out, const struct outfile_options *options,
                        struct lanefix_error *err)
{
    char *folder = beside(out->path, ".");
    if (!folder)
        return fail_memory(err);
    out->folder = fd_open(folder, O_RDONLY | O_DIRECTORY, 0, options->cancel);
    free(folder);
    return out->folder >= 0 ||
           io_error(out, "cannot open its folder to flush it to the disk (--no-sync does without)",
                    errno, err);
}

/* The name for the old file; owned by the caller, NULL without memory. */
static char *name_old(const char *path)
{
    struct buf name = {0};
    buf_add_str(&name, path);
    buf_add_str(&name, OLD_ENDING);
    buf_add_char(&name, 0);
    if (name.failed)
        buf_free(&name);
    return name.data;
}

bool outfile_open(struct outfile *out, const char *path, const struct outfile_options *options,
                  struct lanefix_error *err)
{
    struct stat old;
    *out = (struct outfile){.file = options->file, .fd = -1, .folder = -1};
    if (strcmp(path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        return true;
    }
    bool exists = stat(path, &old) == 0;
    if (!exists && errno != ENOENT)
        return io_error(out, "cannot open", errno, err);
    if (exists && S_ISDIR(old.st_mode))
        return io_error(out, "cannot write", EISDIR, err);
    if (exists && !S_ISREG(old.st_mode)) { /* never rename over a device or a pipe */
        out->fd = fd_open(path, O_WRONLY, 0, options->cancel);
        return out->fd >= 0 || io_error(out, "cannot open", errno, err);
    }
    if (exists && access(path, W_OK) != 0)
        return io_error(out, "cannot write", errno, err);
    out->path = follow(path);
    if (!out->path || (exists && !is_file(out->path, &old)))
        return errno == ENOMEM ? fail_memory(err) : io_error(out, "cannot open", errno, err);
    if (exists && options->keep_old && !(out->old_name = name_old(out->path)))
        return fail_memory(err);
    const struct stat *like = options->like ? options->like : exists ? &old : NULL;
    return open_temporary(out, options, like, err) &&
           (!options->sync || open_folder(out, options, err));
}

bool outfile_syncs(const struct outfile *out)
{
    return out->folder >= 0;
}

bool outfile_close(struct outfile *out, struct lanefix_error *err)
{
    if (out->fd == STDOUT_FILENO && !out->path)
        return true;
    if (outfile_syncs(out) && !fd_sync(out->fd))
        return io_error(out, "cannot write", errno, err);
    int fd = out->fd;
    out->fd = -1;
    return fd_close(fd) || io_error(out, "cannot write", errno, err);
}

bool outfile_may_keep_old(const struct outfile *out, struct lanefix_error *err)
{
    struct stat st;
    if (!out->old_name || (lstat(out->old_name, &st) != 0 && errno == ENOENT))
        return true;
    return io_error(out, CANNOT_KEEP, EEXIST, err);
}

/* A second name for the old file or, where a file can have but one, the other name in place of its
 * own: then it has to get that back if its successor fails. *linked: it is the former. */
static bool keep_old(const struct outfile *out, bool *linked, struct lanefix_error *err)
{
    *linked = link(out->path, out->old_name) == 0;
    if (*linked)
        return true;
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS && errno != EMLINK)
        return io_error(out, CANNOT_KEEP, errno, err);
    if (!outfile_may_keep_old(out, err))
        return false;
    return rename(out->path, out->old_name) == 0 || io_error(out, CANNOT_KEEP, errno, err);
}

bool outfile_rename(struct outfile *out, struct lanefix_error *err)
{
    bool linked = false;
    if (!out->temporary)
        return true;
    if (out->old_name && !keep_old(out, &linked, err))
        return false;
    if (rename(out->temporary, out->path) != 0) {
        io_error(out, "cannot rename the temporary file", errno, err);
        if (out->old_name && linked)
            unlink(out->old_name);
        else if (out->old_name && rename(out->old_name, out->path) != 0)
            err->message =
                "cannot rename the temporary file; the old one is NAME" OLD_ENDING " now";
        return false;
    }
    free(out->temporary);
    out->temporary = NULL;
    return out->folder < 0 || fd_sync(out->folder) ||
           fail_io(err, LANEFIX_ERR_SYNC, out->file,
                   "the new file is there, whole, but its folder could not be flushed to the disk",
                   errno);
}

void outfile_drop(struct outfile *out)
{
    if (out->fd >= 0 && !(out->fd == STDOUT_FILENO && !out->path))
        close(out->fd);
    if (out->folder >= 0)
        close(out->folder);
    if (out->temporary)
        unlink(out->temporary);
    free(out->temporary);
    free(out->old_name);
    free(out->path);
}

/* The same, for names that are no links; neither exists. */
static bool same_name(const char *a, const char *b)
{
    const char *a_slash = strrchr(a, '/'), *b_slash = strrchr(b, '/');
    char *a_folder = beside(a, "."), *b_folder = beside(b, ".");
    struct stat st;
    bool same = a_folder && b_folder && stat(a_folder, &st) == 0 && is_file(b_folder, &st) &&
                strcmp(a_slash ? a_slash + 1 : a, b_slash ? b_slash + 1 : b) == 0;
    free(a_folder);
    free(b_folder);
    return same;
}

bool outfile_same(const char *a, const char *b)
{
    struct stat st;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return strcmp(a, b) == 0;
    if (stat(a, &st) == 0)
        return S_ISREG(st.st_mode) && is_file(b, &st);
    if (stat(b, &st) == 0)
        return false;
    char *a_end = follow(a), *b_end = follow(b);
    bool same = a_end && b_end && same_name(a_end, b_end);
    free(a_end);
    free(b_end);
    return same;
}

bool outfile_holds_some(const char *name)
{
    struct stat st;
    return strcmp(name, "-") != 0 && stat(name, &st) == 0 && S_ISREG(st.st_mode) && st.st_size;
}
