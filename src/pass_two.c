/* Reads the input again, and copies it. Only the events that change are looked at; all between them
 * passes through as it is. */
#include "copy.h"
#include "error.h"
#include "keep.h"

enum {
    EVENT_CHUNK_NBYTES = 1 << 14, /* where single events are looked at, it reads less around each */
    COPY_NBYTES_MIN = 1 << 17     /* from here on it pays to let the kernel copy */
};

bool copy_note(struct run *run, uint64_t off, const char *before, size_t n, const char *after,
               size_t m)
{
    return !run->edits || edit_log_add(run->edits, off, before, n, after, m, run->err);
}

bool copy_until(struct run *run, uint64_t end)
{
    struct window *w = &run->window;
    int fd = source_plain_fd(run->source);
    if (!run->sink)
        return window_drop(w, end, run->err);
    if (sink_keeps(run->sink))
        return sink_copy_window(run->sink, w, end, run->err);
    if (fd >= 0 && end > w->off && end - w->off >= COPY_NBYTES_MIN) {
        uint64_t done;
        if (!sink_copy(run->sink, fd, w->off, end - w->off, &done, run->err) ||
            !window_drop(w, w->off + done, run->err))
            return false;
    }
    while (w->off < end) {
        uint64_t left = end - w->off;
        size_t n = left < w->len ? (size_t)left : w->len;
        if (n && !sink_write(run->sink, w->data, n, run->err))
            return false;
        if (!window_drop(w, w->off + n, run->err))
            return false;
        if (w->off < end && (w->at_end || !window_more(w, run->err)))
            return w->at_end ? fail_changed(run->err, w->off) : false;
    }
    return true;
}

/* Reads the event at the window's start into it whole. */
static bool read_event(struct run *run, size_t *n)
{
    struct nest *nest = &run->nest;
    enum nest_result result = NEST_MORE;
    nest_begin(nest);
    while (result == NEST_MORE) {
        const struct window *w = &run->window;
        size_t used;
        if (nest->pos < w->len)
            result = nest_run(nest, w->data + nest->pos, w->len - nest->pos, &used);
        else if (w->at_end || w->len > EVENT_NBYTES_MAX)
            return fail_changed(run->err, w->off);
        else if (!window_more(&run->window, run->err))
            return false;
    }
    *n = nest->pos;
    if (result == NEST_NO_MEMORY)
        return fail_memory(run->err);
    return result == NEST_CLOSED || fail_changed(run->err, run->window.off);
}

/* Copies up to the event, and writes it with its new values. */
static bool apply_rewrite(struct run *run, const struct rewrite *rewrite)
{
    uint64_t off = rewrite_off(rewrite);
    size_t n;
    struct event event;
    if (!copy_until(run, off) || !read_event(run, &n))
        return false;
    struct outline outline = event_outline(&run->nest);
    switch (event_parse(run->parser, run->window.data, n, &outline, &event)) {
    case EVENT_NO_MEMORY:
        return fail_memory(run->err);
    case EVENT_UNREAD:
        return fail_changed(run->err, off);
    case EVENT_OK:
        break;
    }
    if (!rewrite_event(run, rewrite, run->window.data, n, &event) ||
        !copy_note(run, off, run->window.data, n, run->patched.data, run->patched.len))
        return false;
    if (run->sink && !sink_write(run->sink, run->patched.data, run->patched.len, run->err))
        return false;
    if (run->sink)
        sink_skip(run->sink, n);
    return window_drop(&run->window, off + n, run->err);
}

bool copy_to_end(struct run *run)
{
    if (!copy_until(run, run->size))
        return false;
    while (!run->window.at_end && !run->window.len)
        if (!window_more(&run->window, run->err))
            return false;
    return run->window.at_end || fail_changed(run->err, run->size);
}

/* Copies what is left, with the lanes' events behind the last one. */
static bool copy_rest(struct run *run)
{
    bool ok = !run->lanes.n || (copy_until(run, run->events_end) &&
                                lanes_write(&run->lanes, &run->tracks, &run->layout, run->sink,
                                            run->edits, run->events_end, run->err));
    return ok && copy_to_end(run);
}

/* Lets the crew prepare for the next places where data that is kept gives way to a change. */
static void prepare_ahead(struct run *run, size_t *next)
{
    const struct rewrite *items = run->rewrites.items;
    for (; *next < run->rewrites.n; ++*next) {
        uint64_t before = *next ? rewrite_off(&items[*next - 1]) : 0;
        uint64_t from = keep_reads_from(before, rewrite_off(&items[*next]));
        if (from != UINT64_MAX && !source_prepare(run->source, from))
            return;
    }
}

/* Copies the input, with its rewrites. */
static bool copy_rewritten(struct run *run)
{
    bool ok = true;
    size_t next = 0;
    for (size_t i = 0; ok && i < run->rewrites.n; i++) {
        if (run->sink && sink_keeps(run->sink))
            prepare_ahead(run, &next);
        ok = apply_rewrite(run, &run->rewrites.items[i]);
    }
    return ok && (!run->sink || copy_rest(run));
}

/* Begins to read again, in what pieces *chunk says: with the map of a gzip file if the first pass
 * made one, and with a sink that keeps its data if it is to. */
static bool begin(struct run *run, size_t *chunk)
{
    size_t most = run->sink || run->repairing ? SIZE_MAX : EVENT_CHUNK_NBYTES;
    if (!source_rewind(run->source, run->err))
        return false;
    const struct gzmap *map = run->keep || !run->sink ? source_seek(run->source) : NULL;
    if (map && run->sink) {
        most = KEEP_AHEAD_MAX;
        if (!sink_keep(run->sink, map, run->source))
            return fail_memory(run->err);
    }
    *chunk = run->chunk_nbytes < most ? run->chunk_nbytes : most;
    return true;
}

bool pass_two(struct run *run)
{
    size_t chunk;
    if (!run->sink && !run->rewrites.n)
        return true; /* nothing to write, and nothing to report */
    if (!begin(run, &chunk))
        return false;
    meter_begin(&run->meter, run->sink ? LANEFIX_STEP_WRITE : LANEFIX_STEP_READ);
    window_init(&run->window, run->source, chunk);
    bool ok = run->repairing ? copy_repaired(run) : copy_rewritten(run);
    if (ok && !source_unchanged(run->source)) /* what was read may be of the one or the other */
        ok = fail_changed(run->err, LANEFIX_NOWHERE);
    window_free(&run->window);
    if (ok && !run->sink) /* else the sink may still have much to write */
        meter_end(&run->meter);
    return ok;
}
