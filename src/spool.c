#define _POSIX_C_SOURCE 200809L
#include "spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "buf.h"
#include "error.h"
#include "fd.h"

static const char SPOOL_MESSAGE[] =
    "cannot spool the pipe to a temporary file (set TMPDIR to a place with more room)";

int spool_open(const char *message, enum lanefix_file about, struct lanefix_error *err)
{
    const char *dir = getenv("TMPDIR");
    struct buf path = {0};
    buf_add_str(&path, dir && *dir ? dir : "/tmp");
    buf_add_str(&path, "/trace-lanefix.XXXXXX");
    buf_add_char(&path, 0);
    int fd = -1;
    if (path.failed) {
        fail_memory(err);
    } else {
        fd = mkstemp(path.data);
        if (fd < 0)
            fail_io(err, LANEFIX_ERR_SPOOL, about, message, errno);
        else
            unlink(path.data);
    }
    buf_free(&path);
    return fd;
}

/* gzip data can be larger than its text, but not by much unless someone means it. */
enum { EXCESS_NBYTES = 1 << 20 };

static bool copy(int from, int to, uint64_t max_nbytes, char *chunk, size_t chunk_nbytes,
                 const volatile sig_atomic_t *cancel, struct meter *meter,
                 struct lanefix_error *err)
{
    uint64_t excess = EXCESS_NBYTES + max_nbytes / 1024, done = 0;
    for (;;) {
        if (cancel && *cancel)
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        ssize_t r = read(from, chunk, chunk_nbytes);
        if (r == 0)
            return true;
        if (r < 0 && errno != EINTR)
            return fail_io(err, LANEFIX_ERR_READ, LANEFIX_FILE_INPUT, "cannot read", errno);
        if (r > 0)
            done += (uint64_t)r;
        if (done > max_nbytes && done - max_nbytes > excess)
            return fail_too_large(err, max_nbytes);
        if (r > 0 && !fd_write_all(to, chunk, (size_t)r))
            return fail_io(err, LANEFIX_ERR_SPOOL, LANEFIX_FILE_INPUT, SPOOL_MESSAGE, errno);
        meter_at(meter, done, done);
    }
}

int spool(int fd, uint64_t max_nbytes, size_t chunk_nbytes, const volatile sig_atomic_t *cancel,
          struct meter *meter, struct lanefix_error *err)
{
    char *chunk = malloc(chunk_nbytes);
    if (!chunk) {
        fail_memory(err);
        return -1;
    }
    int file = spool_open(SPOOL_MESSAGE, LANEFIX_FILE_INPUT, err);
    meter_begin(meter, LANEFIX_STEP_SPOOL);
    if (file >= 0 && !copy(fd, file, max_nbytes, chunk, chunk_nbytes, cancel, meter, err)) {
        close(file);
        file = -1;
    }
    if (file >= 0)
        meter_end(meter);
    free(chunk);
    return file;
}
