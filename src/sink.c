#define _GNU_SOURCE /* copy_file_range */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"
#include "gzip.h"
#include "keep.h"

enum {
    PIECE_NBYTES = 1 << 18, /* of one write */
    COPY_NBYTES = 1 << 24   /* of one copy, between two looks at the cancel flag */
};

struct sink {
    struct sink_options options;
    int fd;
    char *path;      /* the final name, links followed; NULL when written to directly */
    char *temporary; /* the name until then; NULL once it is renamed or removed */
    char *piece;     /* bytes on their way to write */
    size_t piece_len;
    struct gzip *gzip;         /* NULL for plain output, */
    struct keep *keep;         /* or with this in its place */
    struct lanefix_error *err; /* of the call that is under way */
};

static bool io_error(const struct sink *sink, const char *message, int sys_errno,
                     struct lanefix_error *err)
{
    return fail_io(err, LANEFIX_ERR_WRITE, sink->options.file, message, sys_errno);
}

static bool flush_piece(struct sink *sink, struct lanefix_error *err)
{
    const char *bytes = sink->piece;
    while (sink->piece_len) {
        if (sink->options.cancel && *sink->options.cancel)
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        ssize_t w = write(sink->fd, bytes, sink->piece_len);
        if (w < 0 && errno != EINTR)
            return io_error(sink, "cannot write", errno, err);
        if (w > 0) {
            bytes += w;
            sink->piece_len -= (size_t)w;
        }
    }
    return true;
}

static bool write_plain(struct sink *sink, const char *bytes, size_t n, struct lanefix_error *err)
{
    while (n) {
        size_t room = PIECE_NBYTES - sink->piece_len, some = n < room ? n : room;
        memcpy(sink->piece + sink->piece_len, bytes, some);
        sink->piece_len += some;
        bytes += some;
        n -= some;
        if (sink->piece_len == PIECE_NBYTES && !flush_piece(sink, err))
            return false;
    }
    return true;
}

static bool put_compressed(void *context, const char *bytes, size_t n)
{
    struct sink *sink = context;
    return write_plain(sink, bytes, n, sink->err);
}

/* What a call on the compressor came to. */
static bool compressed(enum gzip_result result, struct lanefix_error *err)
{
    return result == GZIP_OK || (result == GZIP_NO_MEMORY && fail_memory(err));
}

/* The name of the n-th try for a temporary file beside sink->path. */
static char *temporary_name(const struct sink *sink, unsigned n)
{
    const char *slash = strrchr(sink->path, '/');
    struct buf name = {0};
    buf_add(&name, sink->path, slash ? (size_t)(slash + 1 - sink->path) : 0);
    buf_add_str(&name, ".trace-lanefix-");
    buf_add_i64(&name, getpid());
    buf_add_char(&name, '-');
    buf_add_u64(&name, n);
    buf_add_str(&name, ".tmp");
    buf_add_char(&name, 0);
    if (name.failed)
        buf_free(&name);
    return name.data;
}

static bool open_temporary(struct sink *sink, const struct stat *old, struct lanefix_error *err)
{
    int mode = sink->options.mode >= 0 ? sink->options.mode : old ? (int)(old->st_mode & 0777) : -1;
    char *name = NULL;
    for (unsigned n = 0; sink->fd < 0 && n < 1000; n++) {
        free(name);
        name = temporary_name(sink, n);
        if (!name)
            return fail_memory(err);
        sink->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        mode >= 0 ? (mode_t)mode | S_IWUSR : (mode_t)0666);
        if (sink->fd < 0 && errno != EEXIST)
            break;
    }
    if (sink->fd < 0) {
        io_error(sink, "cannot create a file in its folder", errno, err);
        free(name);
        return false;
    }
    sink->temporary = name;
    return mode < 0 || fchmod(sink->fd, (mode_t)mode) == 0 ||
           io_error(sink, "cannot set the mode", errno, err);
}

static bool open_path(struct sink *sink, const char *path, struct lanefix_error *err)
{
    struct stat old;
    if (strcmp(path, "-") == 0) {
        sink->fd = STDOUT_FILENO;
        return true;
    }
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return io_error(sink, "cannot write", EISDIR, err);
    if (exists && !S_ISREG(old.st_mode)) { /* never rename over a device or a pipe */
        sink->fd = open(path, O_WRONLY | O_CLOEXEC);
        return sink->fd >= 0 || io_error(sink, "cannot open", errno, err);
    }
    if (exists && access(path, W_OK) != 0)
        return io_error(sink, "cannot write", errno, err);
    sink->path = exists ? realpath(path, NULL) : strdup(path);
    if (!sink->path)
        return errno == ENOMEM ? fail_memory(err) : io_error(sink, "cannot open", errno, err);
    return open_temporary(sink, exists ? &old : NULL, err);
}

struct sink *sink_open(const char *path, const struct sink_options *options,
                       struct lanefix_error *err)
{
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink) {
        fail_memory(err);
        return NULL;
    }
    sink->options = *options;
    sink->fd = -1;
    sink->piece = malloc(PIECE_NBYTES);
    bool ok = sink->piece != NULL;
    if (ok && options->gzip) {
        sink->gzip = gzip_new(codec_best(), options->level, options->crew, put_compressed, sink);
        ok = sink->gzip != NULL;
    }
    if (!ok)
        fail_memory(err);
    if (ok && open_path(sink, path, err))
        return sink;
    sink_free(sink);
    return NULL;
}

bool sink_keep(struct sink *sink, const struct gzmap *map, struct source *source)
{
    sink->keep = keep_new(map, source_pread, source, put_compressed, sink);
    if (!sink->keep)
        return false;
    gzip_free(sink->gzip); /* which has put nothing yet */
    sink->gzip = NULL;
    return true;
}

bool sink_write(struct sink *sink, const char *bytes, size_t n, struct lanefix_error *err)
{
    sink->err = err;
    if (sink->keep)
        return keep_write(sink->keep, bytes, n, err);
    return sink->gzip ? compressed(gzip_write(sink->gzip, bytes, n), err)
                      : write_plain(sink, bytes, n, err);
}

/* copy_file_range, where there is such a thing. */
static ssize_t copy_range(int in, off_t *off, int out, size_t n)
{
#ifdef __linux__
    return copy_file_range(in, off, out, NULL, n, 0);
#else
    (void)in, (void)off, (void)out, (void)n;
    return -1;
#endif
}

bool sink_copy(struct sink *sink, int fd, uint64_t off, uint64_t n, uint64_t *done,
               struct lanefix_error *err)
{
    *done = 0;
    if (sink->gzip || sink->keep)
        return true;
    if (!flush_piece(sink, err))
        return false;
    while (*done < n) {
        if (sink->options.cancel && *sink->options.cancel)
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        off_t from = (off_t)(off + *done);
        size_t some = n - *done < COPY_NBYTES ? (size_t)(n - *done) : COPY_NBYTES;
        ssize_t copied = copy_range(fd, &from, sink->fd, some);
        if (copied <= 0) /* not between these files, or an error that sink_write will meet too */
            break;
        *done += (uint64_t)copied;
    }
    return true;
}

bool sink_copy_window(struct sink *sink, struct window *w, uint64_t end, struct lanefix_error *err)
{
    sink->err = err;
    return keep_copy(sink->keep, w, end, err);
}

void sink_skip(struct sink *sink, uint64_t n)
{
    if (sink->keep)
        keep_skip(sink->keep, n);
}

bool sink_keeps(const struct sink *sink)
{
    return sink->keep != NULL;
}

bool sink_commit(struct sink *sink, struct lanefix_error *err)
{
    sink->err = err;
    if (sink->keep && !keep_finish(sink->keep, err))
        return false;
    if (sink->gzip && !compressed(gzip_finish(sink->gzip), err))
        return false;
    if (!flush_piece(sink, err))
        return false;
    if (sink->fd == STDOUT_FILENO)
        return true;
    int fd = sink->fd;
    sink->fd = -1;
    if (close(fd) != 0)
        return io_error(sink, "cannot write", errno, err);
    if (!sink->temporary)
        return true;
    if (rename(sink->temporary, sink->path) != 0)
        return io_error(sink, "cannot rename the temporary file", errno, err);
    free(sink->temporary);
    sink->temporary = NULL;
    return true;
}

void sink_free(struct sink *sink)
{
    if (!sink)
        return;
    gzip_free(sink->gzip);
    keep_free(sink->keep);
    if (sink->fd >= 0 && sink->fd != STDOUT_FILENO)
        close(sink->fd);
    if (sink->temporary)
        unlink(sink->temporary);
    free(sink->temporary);
    free(sink->path);
    free(sink->piece);
    free(sink);
}
