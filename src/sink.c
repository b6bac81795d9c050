#define _GNU_SOURCE /* copy_file_range */
#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "gzip.h"
#include "keep.h"
#include "pretty.h"

enum {
    PIECE_NBYTES = 1 << 18, /* of one write */
    COPY_NBYTES = 1 << 24   /* of one copy, between two looks at the cancel flag */
};

struct sink {
    struct sink_options options;
    struct outfile out;
    char *piece; /* bytes on their way to write */
    size_t piece_len;
    struct pretty *pretty;     /* in front of it all; or NULL */
    struct gzip *gzip;         /* NULL for plain output, */
    struct keep *keep;         /* or with this in its place */
    struct lanefix_error *err; /* of the call that is under way */
};

static bool cancelled(const struct sink *sink)
{
    return sink->options.out.cancel && *sink->options.out.cancel;
}

static bool flush_piece(struct sink *sink, struct lanefix_error *err)
{
    const char *bytes = sink->piece;
    while (sink->piece_len) {
        if (cancelled(sink))
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        ssize_t w = write(sink->out.fd, bytes, sink->piece_len);
        if (w < 0 && errno != EINTR)
            return fail_io(err, LANEFIX_ERR_WRITE, sink->out.file, "cannot write", errno);
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

/* Writes bytes as they are to be in the file, but for the compression. */
static bool write_text(struct sink *sink, const char *bytes, size_t n, struct lanefix_error *err)
{
    return sink->gzip ? compressed(gzip_write(sink->gzip, bytes, n), err)
                      : write_plain(sink, bytes, n, err);
}

static bool put_pretty(void *context, const char *bytes, size_t n)
{
    struct sink *sink = context;
    return write_text(sink, bytes, n, sink->err);
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
    sink->out.fd = sink->out.folder = -1;
    sink->piece = malloc(PIECE_NBYTES);
    bool ok = sink->piece != NULL;
    if (ok && options->gzip) {
        sink->gzip = gzip_new(codec_best(), options->level, options->crew, put_compressed, sink);
        ok = sink->gzip != NULL;
    }
    if (ok && options->pretty) {
        sink->pretty = pretty_new(put_pretty, sink);
        ok = sink->pretty != NULL;
    }
    if (!ok)
        fail_memory(err);
    if (ok && outfile_open(&sink->out, path, &options->out, err))
        return sink;
    sink_free(sink);
    return NULL;
}

bool sink_keep(struct sink *sink, const struct gzmap *map, struct source *source)
{
    sink->keep = keep_new(map, source_pread_to_copy, source, put_compressed, sink);
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
    return sink->pretty ? pretty_write(sink->pretty, bytes, n) : write_text(sink, bytes, n, err);
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
    if (sink->gzip || sink->keep || sink->pretty)
        return true;
    if (!flush_piece(sink, err))
        return false;
    while (*done < n) {
        if (cancelled(sink))
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        off_t from = (off_t)(off + *done);
        size_t some = n - *done < COPY_NBYTES ? (size_t)(n - *done) : COPY_NBYTES;
        ssize_t copied = copy_range(fd, &from, sink->out.fd, some);
        if (copied <= 0) /* not between these files, or an error that sink_write will meet too */
            break;
        *done += (uint64_t)copied;
        meter_at(sink->options.meter, off + *done, off + *done);
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

bool sink_finish(struct sink *sink, struct lanefix_error *err)
{
    sink->err = err;
    if (sink->keep && !keep_finish(sink->keep, err))
        return false;
    if (sink->pretty && !pretty_finish(sink->pretty))
        return false;
    if (sink->gzip && !compressed(gzip_finish(sink->gzip), err))
        return false;
    if (!flush_piece(sink, err))
        return false;
    meter_end(sink->options.meter);
    if (outfile_syncs(&sink->out))
        meter_begin(sink->options.meter, LANEFIX_STEP_SYNC);
    if (!outfile_close(&sink->out, err))
        return false;
    meter_end(sink->options.meter);
    /* To flush a large file takes its time; afterwards it is not too late yet */
    return !cancelled(sink) || fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
}

bool sink_may_keep_old(const struct sink *sink, struct lanefix_error *err)
{
    return outfile_may_keep_old(&sink->out, err);
}

bool sink_commit(struct sink *sink, struct lanefix_error *err)
{
    return outfile_rename(&sink->out, err);
}

void sink_free(struct sink *sink)
{
    if (!sink)
        return;
    pretty_free(sink->pretty);
    gzip_free(sink->gzip);
    keep_free(sink->keep);
    outfile_drop(&sink->out);
    free(sink->piece);
    free(sink);
}
