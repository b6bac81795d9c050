#define _POSIX_C_SOURCE 200809L
#include "edit_log.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"
#include "fd.h"
#include "spool.h"

enum {
    BUFFER_NBYTES = 1 << 18,
    TOKEN_MAX = 32 /* of a number that is not to be cut, on either side */
};

static const char LOG_MESSAGE[] =
    "cannot keep the edits in a temporary file (set TMPDIR to a place with more room)";

/* Notes and their bytes, one after the other. */
struct edit_log {
    const volatile sig_atomic_t *cancel;
    int fd;           /* the file, or -1 if there is none */
    uint64_t nbytes;  /* in it */
    struct buf bytes; /* those behind the file's; then a piece of it that is read */
    size_t used;      /* of them were read */
    uint64_t read_off;
};

struct edit_log *edit_log_new(const volatile sig_atomic_t *cancel)
{
    struct edit_log *log = calloc(1, sizeof *log);
    if (!log)
        return NULL;
    log->cancel = cancel;
    log->fd = -1;
    if (buf_reserve(&log->bytes, BUFFER_NBYTES))
        return log;
    free(log);
    return NULL;
}

void edit_log_free(struct edit_log *log)
{
    if (!log)
        return;
    if (log->fd >= 0)
        close(log->fd);
    buf_free(&log->bytes);
    free(log);
}

static bool fail_log(struct lanefix_error *err)
{
    return fail_io(err, LANEFIX_ERR_SPOOL, LANEFIX_FILE_REPORT, LOG_MESSAGE, errno);
}

static bool flush(struct edit_log *log, struct lanefix_error *err)
{
    if (log->cancel && *log->cancel)
        return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
    if (log->fd < 0 && (log->fd = spool_open(LOG_MESSAGE, LANEFIX_FILE_REPORT, err)) < 0)
        return false;
    if (!fd_write_all(log->fd, log->bytes.data, log->bytes.len))
        return fail_log(err);
    log->nbytes += log->bytes.len;
    log->bytes.len = 0;
    return true;
}

static bool put(struct edit_log *log, const void *bytes, size_t n, struct lanefix_error *err)
{
    const char *from = bytes;
    while (n) {
        size_t room = BUFFER_NBYTES - log->bytes.len, some = n < room ? n : room;
        buf_add(&log->bytes, from, some);
        from += some;
        n -= some;
        if (log->bytes.len == BUFFER_NBYTES && !flush(log, err))
            return false;
    }
    return true;
}

static bool in_token(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+' || c == '_';
}

/* How many bytes are the same at the start, up to where a number or word begins that is not. */
static size_t same_start(const char *a, size_t n, const char *b, size_t m)
{
    size_t most = n < m ? n : m, same = 0;
    while (same < most && a[same] == b[same])
        same++;
    size_t begin = same;
    while (begin > 0 && same - begin < TOKEN_MAX && in_token(a[begin - 1]))
        begin--;
    return same - begin < TOKEN_MAX ? begin : same;
}

/* The same at the end. */
static size_t same_end(const char *a, size_t n, const char *b, size_t m)
{
    size_t most = n < m ? n : m, same = 0;
    while (same < most && a[n - 1 - same] == b[m - 1 - same])
        same++;
    size_t left = same;
    while (left > 0 && same - left < TOKEN_MAX && in_token(a[n - left]))
        left--;
    return same - left < TOKEN_MAX ? left : same;
}

bool edit_log_add(struct edit_log *log, uint64_t off, const char *before, size_t n,
                  const char *after, size_t m, struct lanefix_error *err)
{
    if (n == m && memcmp(before, after, n) == 0)
        return true;
    size_t start = n && m ? same_start(before, n, after, m) : 0;
    before += start;
    after += start;
    n -= start;
    m -= start;
    size_t end = n && m ? same_end(before, n, after, m) : 0;
    struct edit_note note = {off + start, n - end, m - end};
    return put(log, &note, sizeof note, err) && put(log, after, m - end, err) &&
           put(log, before, n - end, err);
}

bool edit_log_rewind(struct edit_log *log, struct lanefix_error *err)
{
    log->used = 0;
    log->read_off = 0;
    return log->fd < 0 || !log->bytes.len || flush(log, err);
}

/* Reads one more piece of the file. */
static bool refill(struct edit_log *log, struct lanefix_error *err)
{
    ssize_t got = 0;
    do {
        if (log->cancel && *log->cancel)
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        got = pread(log->fd, log->bytes.data, BUFFER_NBYTES, (off_t)log->read_off);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail_log(err);
    log->read_off += (uint64_t)got;
    log->bytes.len = (size_t)got;
    log->used = 0;
    return true;
}

const char *edit_log_take(struct edit_log *log, uint64_t most, size_t *n, struct lanefix_error *err)
{
    if (log->used == log->bytes.len && log->fd >= 0 && !refill(log, err))
        return NULL;
    size_t left = log->bytes.len - log->used;
    if (!left) {
        fail_io(err, LANEFIX_ERR_SPOOL, LANEFIX_FILE_REPORT, LOG_MESSAGE, EIO);
        return NULL;
    }
    const char *bytes = log->bytes.data + log->used;
    *n = most < left ? (size_t)most : left;
    log->used += *n;
    return bytes;
}

bool edit_log_next(struct edit_log *log, struct edit_note *note, struct lanefix_error *err)
{
    char *room = (char *)note;
    if (log->used == log->bytes.len && (log->fd < 0 || log->read_off == log->nbytes)) {
        *note = (struct edit_note){.off = UINT64_MAX};
        return true;
    }
    for (size_t done = 0, some; done < sizeof *note; done += some) {
        const char *bytes = edit_log_take(log, sizeof *note - done, &some, err);
        if (!bytes)
            return false;
        memcpy(room + done, bytes, some);
    }
    return true;
}
