#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ahead.h"
#include "error.h"
#include "fd.h"
#include "gunzip.h"
#include "spool.h"
#include "walks.h"

struct source {
    int fd;
    bool own_fd, gzip;
    bool named;          /* a regular file that was given by its name */
    struct stat state;   /* of the file when it was opened */
    uint64_t file_off;   /* next byte of the file to read */
    uint64_t out_off;    /* uncompressed bytes given so far */
    uint64_t max_nbytes; /* as many may be given; UINT64_MAX: no limit */
    size_t chunk_nbytes;
    struct crew *crew;
    const volatile sig_atomic_t *cancel;
    struct meter *meter; /* or NULL */
    /* Of a gzip file: */
    struct gunzip *gunzip;
    char *chunk; /* compressed bytes on their way to gunzip */
    size_t chunk_len, chunk_used;
    uint64_t gunzip_off;             /* uncompressed bytes that gunzip has given so far */
    _Atomic uint64_t compressed_off; /* file_off, for the meter while another thread reads ahead */
    struct ahead *ahead;             /* which calls read_gzip; NULL if there is one thread alone */
    struct gzmap map;
    struct walks *walks; /* NULL until source_seek */
    /* Of a trace that is broken: */
    bool to_salvage, broken;
    const struct losses *losses; /* NULL until source_leave_out */
    struct view view;
};

/* Started again after a signal that does not end the run. */
bool source_pread(void *context, uint64_t off, char *out, size_t n, size_t *got,
                  struct lanefix_error *err)
{
    const struct source *src = context;
    for (;;) {
        if (src->cancel && *src->cancel)
            return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
        ssize_t r = pread(src->fd, out, n, (off_t)off);
        if (r >= 0) {
            *got = (size_t)r;
            return true;
        }
        if (errno != EINTR)
            return fail_io(err, LANEFIX_ERR_READ, LANEFIX_FILE_INPUT, "cannot read", errno);
    }
}

static bool read_file(struct source *src, char *out, size_t n, size_t *got,
                      struct lanefix_error *err)
{
    bool ok = source_pread(src, src->file_off, out, n, got, err);
    if (ok)
        src->file_off += *got;
    return ok;
}

bool source_pread_to_copy(void *context, uint64_t off, char *out, size_t n, size_t *got,
                          struct lanefix_error *err)
{
    struct source *src = context;
    if (!source_pread(context, off, out, n, got, err))
        return false;
    const struct gzmap *map = &src->map;
    uint64_t bit = 8 * (off + *got), end = map->blocks[map->nblocks - 1].bit;
    size_t block = bit < end ? gzmap_block_at(map, bit) : map->nblocks - 1;
    meter_at(src->meter, off + *got, map->blocks[block].text);
    return true;
}

/* Tells the meter how far the reader has come. What is skipped with a map is not done yet: its
 * compressed data may still have to be copied. */
static void tell_meter(struct source *src)
{
    uint64_t off;
    if (!meter_listens(src->meter))
        return;
    if (src->walks)
        off = src->map.blocks[gzmap_point(&src->map, src->out_off)->block].bit / 8;
    else if (src->gzip) /* file_off may be another thread's */
        off = atomic_load_explicit(&src->compressed_off, memory_order_relaxed);
    else
        off = src->file_off;
    meter_at(src->meter, off, src->out_off);
}

/* The kinds of file that people hand over in place of a trace. */
static bool check_magic(const unsigned char *b, size_t n, struct lanefix_error *err)
{
    static const struct {
        const char *magic;
        size_t len;
        const char *message;
    } kinds[] = {
        {"PK\x03\x04", 4, "a zip file: unpack it first (unzip -p FILE | trace-lanefix - OUTPUT)"},
        {"\x28\xB5\x2F\xFD", 4,
         "zstd data: decompress it first (zstd -dc FILE | trace-lanefix - OUTPUT)"},
        {"\xFD"
         "7zXZ",
         5, "xz data: decompress it first (xz -dc FILE | trace-lanefix - OUTPUT)"},
        {"BZh", 3, "bzip2 data: decompress it first (bzip2 -dc FILE | trace-lanefix - OUTPUT)"},
        {"\x04\x22\x4D\x18", 4,
         "lz4 data: decompress it first (lz4 -dc FILE | trace-lanefix - OUTPUT)"},
        {"\xFF\xFE", 2, "UTF-16 text: convert it first (iconv -f UTF-16 -t UTF-8 FILE)"},
        {"\xFE\xFF", 2, "UTF-16 text: convert it first (iconv -f UTF-16 -t UTF-8 FILE)"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n >= kinds[i].len && memcmp(b, kinds[i].magic, kinds[i].len) == 0)
            return fail_at(err, LANEFIX_ERR_FORMAT, kinds[i].message, 0, 0);
    return true;
}

static bool read_gzip(void *context, char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    struct source *src = context;
    *got = 0;
    while (*got < n) {
        bool at_end = false;
        if (src->chunk_used == src->chunk_len) {
            src->chunk_used = 0;
            if (!read_file(src, src->chunk, src->chunk_nbytes, &src->chunk_len, err))
                return false;
            at_end = src->chunk_len == 0;
            atomic_store_explicit(&src->compressed_off, src->file_off, memory_order_relaxed);
        }
        size_t used = 0, some = 0;
        enum gunzip_result result =
            gunzip_run(src->gunzip, src->chunk + src->chunk_used, src->chunk_len - src->chunk_used,
                       at_end, &used, out + *got, n - *got, &some);
        src->chunk_used += used;
        src->gunzip_off += some;
        *got += some;
        if (result != GUNZIP_OK && *got) /* it comes again, once this has been taken */
            return true;
        if (src->to_salvage && (result == GUNZIP_DATA || result == GUNZIP_CUT)) {
            src->broken = true;
            return true;
        }
        switch (result) {
        case GUNZIP_OK:
            if (at_end && !some)
                return true;
            break;
        case GUNZIP_DATA:
            return fail_at(err, LANEFIX_ERR_GZIP_DATA, "the gzip stream is damaged",
                           src->gunzip_off, LANEFIX_NOWHERE);
        case GUNZIP_CUT:
            return fail_at(err, LANEFIX_ERR_GZIP_CUT, "the gzip stream is truncated",
                           src->gunzip_off, LANEFIX_NOWHERE);
        case GUNZIP_NO_MEMORY:
            return fail_memory(err);
        }
    }
    return true;
}

/* Finds out what the file is. */
static bool recognise(struct source *src, struct lanefix_error *err)
{
    unsigned char head[8];
    size_t len = 0, got = 1;
    while (len < sizeof head && got) {
        if (!read_file(src, (char *)head + len, sizeof head - len, &got, err))
            return false;
        len += got;
    }
    src->file_off = 0;
    src->gzip = len >= 2 && head[0] == 0x1F && head[1] == 0x8B;
    if (!src->gzip)
        return check_magic(head, len, err);
    src->chunk = malloc(src->chunk_nbytes);
    src->gunzip = gunzip_new(codec_best());
    bool ok = src->chunk && src->gunzip;
    if (ok && crew_threads(src->crew) > 1) {
        src->ahead = ahead_new(src->crew, src->chunk_nbytes, read_gzip, src);
        ok = src->ahead != NULL;
    }
    return ok || fail_memory(err);
}

static bool note_state(struct source *src, struct lanefix_error *err)
{
    if (fstat(src->fd, &src->state) != 0)
        return fail_io(err, LANEFIX_ERR_OPEN, LANEFIX_FILE_INPUT, "cannot open", errno);
    meter_file(src->meter, (uint64_t)src->state.st_size);
    return true;
}

bool source_unchanged(const struct source *src)
{
    struct stat st;
    return fstat(src->fd, &st) == 0 && st.st_size == src->state.st_size &&
           st.st_mtim.tv_sec == src->state.st_mtim.tv_sec &&
           st.st_mtim.tv_nsec == src->state.st_mtim.tv_nsec;
}

/* Makes src->fd a file that can be read from its start, more than once. */
static bool open_file(struct source *src, const char *path, struct lanefix_error *err)
{
    struct stat st;
    bool named = strcmp(path, "-") != 0;
    src->own_fd = named;
    src->fd = named ? fd_open(path, O_RDONLY, 0, src->cancel) : STDIN_FILENO;
    if (src->fd < 0 && errno == EINTR)
        return fail(err, LANEFIX_ERR_CANCELLED, "interrupted");
    if (src->fd < 0)
        return fail_io(err, LANEFIX_ERR_OPEN, LANEFIX_FILE_INPUT, "cannot open", errno);
    if (fstat(src->fd, &st) != 0)
        return fail_io(err, LANEFIX_ERR_OPEN, LANEFIX_FILE_INPUT, "cannot open", errno);
    if (S_ISDIR(st.st_mode))
        return fail_io(err, LANEFIX_ERR_OPEN, LANEFIX_FILE_INPUT, "cannot read", EISDIR);
    src->named = named && S_ISREG(st.st_mode);
    /* A redirected file may have been read in part already by someone else */
    if (S_ISREG(st.st_mode) && lseek(src->fd, 0, SEEK_CUR) == 0)
        return note_state(src, err);
    int spooled = spool(src->fd, src->max_nbytes, src->chunk_nbytes, src->cancel, src->meter, err);
    if (spooled < 0)
        return false;
    if (src->own_fd)
        close(src->fd);
    src->fd = spooled;
    src->own_fd = true;
    return note_state(src, err);
}

struct source *source_open_up_to(const char *path, uint64_t max_nbytes, size_t chunk_nbytes,
                                 struct crew *crew, const volatile sig_atomic_t *cancel,
                                 struct meter *meter, struct lanefix_error *err)
{
    struct source *src = calloc(1, sizeof *src);
    if (!src) {
        fail_memory(err);
        return NULL;
    }
    src->fd = -1;
    src->max_nbytes = max_nbytes ? max_nbytes : UINT64_MAX;
    src->chunk_nbytes = chunk_nbytes;
    src->crew = crew;
    src->cancel = cancel;
    src->meter = meter;
    if (open_file(src, path, err) && recognise(src, err))
        return src;
    source_free(src);
    return NULL;
}

struct source *source_open(const char *path, size_t chunk_nbytes, struct crew *crew,
                           const volatile sig_atomic_t *cancel, struct lanefix_error *err)
{
    return source_open_up_to(path, 0, chunk_nbytes, crew, cancel, NULL, err);
}

void source_free(struct source *src)
{
    if (!src)
        return;
    ahead_free(src->ahead);
    walks_free(src->walks);
    gzmap_free(&src->map);
    if (src->own_fd && src->fd >= 0)
        close(src->fd);
    gunzip_free(src->gunzip);
    free(src->chunk);
    free(src);
}

/* The trace as it is. */
static bool read_all(void *context, char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    struct source *src = context;
    return src->walks   ? gzwalk_read(walks_current(src->walks), out, n, got, err)
           : src->ahead ? ahead_read(src->ahead, out, n, got, err)
           : src->gzip  ? read_gzip(src, out, n, got, err)
                        : read_file(src, out, n, got, err);
}

/* The trace without the losses. As much as fits: of many small pieces each would be handed to
 * another thread by itself. */
static bool read_view(struct source *src, char *out, size_t n, size_t *got,
                      struct lanefix_error *err)
{
    *got = 0;
    for (size_t some = 1; some && *got < n; *got += some)
        if (!view_read(&src->view, src->losses, read_all, src, out + *got, n - *got, &some, err))
            return false;
    return true;
}

bool source_read(struct source *src, char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    /* Nothing beyond the limit is given, so what is wrong before it is found first, whatever the
     * pieces. */
    uint64_t left = src->max_nbytes - src->out_off;
    char beyond;
    if (!left)
        out = &beyond;
    if (n > left)
        n = left ? (size_t)left : 1;
    bool ok = src->losses ? read_view(src, out, n, got, err) : read_all(src, out, n, got, err);
    if (ok && *got && !left)
        return fail_too_large(err, src->max_nbytes);
    if (ok && *got) {
        src->out_off += *got;
        tell_meter(src);
    }
    return ok;
}

bool source_rewind(struct source *src, struct lanefix_error *err)
{
    if (src->ahead)
        ahead_stop(src->ahead);
    walks_free(src->walks);
    src->walks = NULL;
    src->file_off = src->out_off = src->gunzip_off = 0;
    src->chunk_len = src->chunk_used = 0;
    atomic_store_explicit(&src->compressed_off, 0, memory_order_relaxed);
    src->view = (struct view){0};
    return !src->gzip || gunzip_reset(src->gunzip) || fail_memory(err);
}

bool source_skip_to(struct source *src, uint64_t off, struct lanefix_error *err)
{
    if (!src->gzip && !src->losses) {
        src->file_off = src->out_off = off;
        tell_meter(src);
        return true;
    }
    if (src->walks) {
        src->out_off = off;
        return walks_to(src->walks, off, err);
    }
    char discard[1 << 14];
    while (src->out_off < off) {
        uint64_t left = off - src->out_off;
        size_t got, n = left < sizeof discard ? (size_t)left : sizeof discard;
        if (!source_read(src, discard, n, &got, err))
            return false;
        if (!got)
            return fail_changed(err, src->out_off);
    }
    return true;
}

/* Begins anew with zlib. Returns false, and all is as before, if there is no memory. */
static bool use_zlib(struct source *src)
{
    struct gunzip *gunzip = gunzip_new(CODEC_ZLIB);
    if (!gunzip)
        return false;
    gunzip_free(src->gunzip);
    src->gunzip = gunzip;
    return true;
}

bool source_make_map(struct source *src)
{
    if (!src->gzip)
        return true;
    if (!use_zlib(src))
        return false;
    gunzip_fill_map(src->gunzip, &src->map);
    return true;
}

const struct gzmap *source_seek(struct source *src)
{
    if (gzmap_usable(&src->map))
        src->walks = walks_new(&src->map, source_pread, src, src->crew);
    return src->walks ? &src->map : NULL;
}

void source_drop_map(struct source *src)
{
    gzmap_give_up(&src->map);
}

bool source_salvage(struct source *src, struct lanefix_error *err)
{
    if (!source_rewind(src, err))
        return false;
    src->to_salvage = true;
    if (!src->gzip)
        return true;
    gzmap_give_up(&src->map);
    return use_zlib(src) || fail_memory(err);
}

bool source_broken(const struct source *src)
{
    return src->broken;
}

void source_leave_out(struct source *src, const struct losses *losses)
{
    src->losses = losses;
}

bool source_prepare(struct source *src, uint64_t off)
{
    return walks_prepare(src->walks, off);
}

bool source_place(struct source *src, struct gzplace *place, struct lanefix_error *err)
{
    return gzwalk_place(walks_current(src->walks), place, err);
}

int source_plain_fd(const struct source *src)
{
    return src->gzip || src->losses ? -1 : src->fd;
}

bool source_is_gzip(const struct source *src)
{
    return src->gzip;
}

const struct stat *source_stat(const struct source *src)
{
    return src->named ? &src->state : NULL;
}

uint64_t source_garbage(const struct source *src)
{
    return src->gzip ? gunzip_garbage(src->gunzip) : 0;
}
