/* Reads the input again, and copies it. Only the events that change are looked at; all between them
 * passes through as it is. */
#include "cutter.h"
#include "error.h"
#include "keep.h"
#include "patch.h"
#include "run.h"
#include "viewer_time.h"

enum {
    CHECK_CHUNK_NBYTES =
        1 << 14,              /* a check looks at single events only: it reads less around each */
    COPY_NBYTES_MIN = 1 << 17 /* from here on it pays to let the kernel copy */
};

/* Copies the input up to the offset `end`, or to its end. A check only goes there. */
static bool copy_until(struct run *run, uint64_t end)
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

/* The tid of the lane that an event moves to, in `room` or elsewhere; NULL if it stays. */
static const char *new_tid(const struct run *run, const struct rewrite *rewrite,
                           char room[LANE_ROOM])
{
    uint32_t rank = slice_track(&run->index.slices[rewrite->slice]);
    return rewrite->lane ? lane_tid(lanes_get(&run->lanes, rank, rewrite->lane), room) : NULL;
}

/* The times of a slice before, from its event: of a pair the B, which has no dur. Returns false if
 * it is none any more; *end_off is 0, or where the E of a pair stands. */
static bool times_before(const struct run *run, const struct rewrite *rewrite,
                         const struct event *event, struct event_times *old, int64_t *end_ns,
                         uint64_t *end_off)
{
    const char *text = run->window.data;
    *end_off = 0;
    if (!slice_is_pair(&run->index.slices[rewrite->slice])) {
        bool ok = event_is_slice(text, event, old);
        *end_ns = ok ? old->start_ns + old->dur_ns : 0;
        return ok;
    }
    const struct pair *pair = pairs_get(&run->index.pairs, rewrite->off);
    *end_off = pair->end_off;
    *end_ns = pair_end_ns(pair);
    old->dur_ns = -1;
    return event->ph == 'B' && event_is_edge(text, event, &old->start_ns);
}

/* An X, or the B of a pair. */
static bool rewrite_slice(struct run *run, const struct rewrite *rewrite, size_t n,
                          const struct event *event)
{
    const char *text = run->window.data;
    const struct slice *slice = &run->index.slices[rewrite->slice];
    struct event_times old;
    int64_t end_ns;
    uint64_t end_off;
    char room[LANE_ROOM];
    if (!times_before(run, rewrite, event, &old, &end_ns, &end_off))
        return fail_changed(run->err, rewrite->off);
    struct slice_change change = {.slice = rewrite->slice,
                                  .lane = rewrite->lane,
                                  .off = losses_place(&run->losses, rewrite->off),
                                  .end_off = end_off ? losses_place(&run->losses, end_off) : 0,
                                  .track = tracks_by_rank(&run->tracks, slice_track(slice)),
                                  .text = text,
                                  .event = event,
                                  .start_ns = old.start_ns,
                                  .end_ns = end_ns,
                                  .new_start_ns = slice->start_ns,
                                  .new_end_ns = slice_end_ns(slice)};
    bool same_times = change.new_start_ns == change.start_ns && change.new_end_ns == change.end_ns;
    bool zero = end_off && end_ns == change.start_ns; /* it gets a length */
    if (change.new_start_ns < change.start_ns || (change.new_end_ns > end_ns && !zero) ||
        (same_times != (rewrite->lane != 0) && !zero)) /* what moves keeps its times; what stays
                                                          does not */
        return fail_changed(run->err, rewrite->off);
    change.tid_text = new_tid(run, rewrite, room);
    int64_t dur_ns = end_off ? -1 : slice->end_ns - slice->start_ns;
    struct patch patch = {slice->start_ns, dur_ns, change.tid_text};
    patch_event(&run->patched, text, n, event, &old, &patch);
    if (!report_add_slice(run->report, &change))
        return fail_memory(run->err);
    return !run->json || report_json_slice(run->json, &change, run->err);
}

/* The E of a pair, of which the report has been told with its B. */
static bool rewrite_end(struct run *run, const struct rewrite *rewrite, size_t n,
                        const struct event *event)
{
    const char *text = run->window.data;
    struct event_times old = {.dur_ns = -1};
    char room[LANE_ROOM];
    if (event->ph != 'E' || !event_is_edge(text, event, &old.start_ns))
        return fail_changed(run->err, rewrite_off(rewrite));
    struct patch patch = {slice_end_ns(&run->index.slices[rewrite->slice]), -1,
                          new_tid(run, rewrite, room)};
    patch_event(&run->patched, text, n, event, &old, &patch);
    return true;
}

/* The start of a slice as an endpoint gets it: where the B of a pair would come behind it in the
 * viewer's order, a little later. */
static int64_t start_for(const struct slice *slice, uint64_t flow_off)
{
    if (flow_sees(slice, slice->start_ns, flow_off))
        return slice->start_ns;
    int64_t later = viewer_ns_ceil(slice->start_ns + 1);
    return later < slice_end_ns(slice) ? later : slice->start_ns;
}

static bool rewrite_flow(struct run *run, const struct rewrite *rewrite, size_t n,
                         const struct event *event)
{
    const char *text = run->window.data;
    const struct slice *slice = &run->index.slices[rewrite->slice];
    uint64_t off = rewrite_off(rewrite);
    struct event_times old = {.dur_ns = -1};
    char room[LANE_ROOM];
    if (!event_is_flow(text, event, &old.start_ns))
        return fail_changed(run->err, off);
    struct patch patch = {old.start_ns, -1, new_tid(run, rewrite, room)};
    bool to_start = (rewrite->off & REWRITE_TO_START) || !flow_sees(slice, old.start_ns, off);
    if (event_binds_enclosing(text, event) && to_start)
        patch.start_ns = start_for(slice, off);
    patch_event(&run->patched, text, n, event, &old, &patch);
    if (!patch.tid_text && patch.start_ns == old.start_ns)
        return true;
    run->report->totals.flow_endpoints++;
    return !run->json || report_json_flow(run->json, losses_place(&run->losses, off),
                                          tracks_by_rank(&run->tracks, slice_track(slice)),
                                          old.start_ns, patch.start_ns, patch.tid_text, run->err);
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
    run->patched.len = 0;
    bool ok = rewrite->off & REWRITE_FLOW  ? rewrite_flow(run, rewrite, n, &event)
              : rewrite->off & REWRITE_END ? rewrite_end(run, rewrite, n, &event)
                                           : rewrite_slice(run, rewrite, n, &event);
    if (!ok)
        return false;
    if (run->patched.failed)
        return fail_memory(run->err);
    if (run->sink && !sink_write(run->sink, run->patched.data, run->patched.len, run->err))
        return false;
    if (run->sink)
        sink_skip(run->sink, n);
    return window_drop(&run->window, off + n, run->err);
}

/* Copies what is left, with the lanes' events behind the last one. */
static bool copy_rest(struct run *run)
{
    if (run->lanes.n &&
        (!copy_until(run, run->events_end) ||
         !lanes_write(&run->lanes, &run->tracks, &run->layout, run->sink, run->err)))
        return false;
    if (!copy_until(run, run->size))
        return false;
    while (!run->window.at_end && !run->window.len)
        if (!window_more(&run->window, run->err))
            return false;
    return run->window.at_end || fail_changed(run->err, run->size);
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

/* Begins to read again, in what pieces *chunk says: with the map of a gzip file if the first pass
 * made one, and with a sink that keeps its data if it is to. */
static bool begin(struct run *run, size_t *chunk)
{
    size_t most = run->sink ? SIZE_MAX : CHECK_CHUNK_NBYTES;
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
        return true; /* a check of a clean trace need not read it again */
    if (!begin(run, &chunk))
        return false;
    window_init(&run->window, run->source, chunk);
    bool ok = true;
    size_t next = 0;
    for (size_t i = 0; ok && i < run->rewrites.n; i++) {
        if (run->sink && sink_keeps(run->sink))
            prepare_ahead(run, &next);
        ok = apply_rewrite(run, &run->rewrites.items[i]);
    }
    ok = ok && (!run->sink || copy_rest(run));
    if (ok && !source_unchanged(run->source)) /* what was read may be of the one or the other */
        ok = fail_changed(run->err, LANEFIX_NOWHERE);
    window_free(&run->window);
    return ok;
}
