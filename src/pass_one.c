/* Reads the whole input once. Of each event only what the plan needs is kept, never its text. */
#include <string.h>

#include "cutter.h"
#include "error.h"
#include "patch.h"
#include "run.h"

static bool too_large(struct run *run, const struct cut *cut, const char *message)
{
    return fail_at(run->err, LANEFIX_ERR_TOO_LARGE, message, cut->off, run->report->totals.events);
}

static bool take_slice(struct run *run, uint32_t track, const struct cut *cut,
                       const struct event_times *times)
{
    if (run->index.nslices >= INDEX_SLICES_MAX)
        return too_large(run, cut, "more than 4 billion slices");
    uint32_t rank = tracks_slices_rank(&run->tracks, track);
    run->tracks.items[track].drawn = true;
    return (rank != TRACK_NONE && index_add_slice(&run->index, rank, times->start_ns,
                                                  times->start_ns + times->dur_ns, cut->off)) ||
           fail_memory(run->err);
}

/* An event that is understood. */
static bool take_event(struct run *run, const char *text, const struct event *event,
                       const struct cut *cut)
{
    uint32_t track = tracks_of_event(&run->tracks, text, event);
    if (track == TRACK_NONE && run->tracks.n >= TRACKS_MAX)
        return too_large(run, cut, "more than 16 million threads");
    if (track == TRACK_NONE)
        return fail_memory(run->err);
    struct event_times times;
    int64_t ts_ns;
    if (event_is_slice(text, event, &times))
        return take_slice(run, track, cut, &times);
    if (event_is_flow(text, event, &ts_ns)) {
        uint32_t owner = event_binds_enclosing(text, event) ? FLOW_ENCLOSING : FLOW_NEXT;
        return index_add_flow(&run->index, track, ts_ns, cut->off, owner) || fail_memory(run->err);
    }
    if (event->ph == 'M')
        return tracks_note_metadata(&run->tracks, track, text, event) || fail_memory(run->err);
    if (event->ph && strchr("BEiIR", event->ph))
        run->tracks.items[track].drawn = true;
    return true;
}

/* A whole event in the window. */
static bool take_cut(struct run *run, const struct cut *cut)
{
    struct lanefix_totals *totals = &run->report->totals;
    if (cut->off > SLICE_OFF_MAX)
        return too_large(run, cut, "a trace of more than 1 TiB");
    const char *text = run->window.data + (cut->off - run->window.off);
    uint64_t gap_len = cut->off - cut->gap_off;
    bool gap_kept = gap_len <= CUTTER_GAP_MAX;
    if (!layout_note(&run->layout, gap_kept ? text - gap_len : NULL, (size_t)gap_len, text,
                     cut->len))
        return fail_memory(run->err);
    run->events_end = cut->off + cut->len;
    struct event event;
    enum event_status status = event_parse(run->parser, text, cut->len, cut->nest, &event);
    if (status == EVENT_NO_MEMORY)
        return fail_memory(run->err);
    if (status == EVENT_OK && !take_event(run, text, &event, cut))
        return false;
    if (status == EVENT_UNREAD && totals->unread_events++ == 0) {
        totals->unread_offset = cut->off;
        totals->unread_event = totals->events;
    }
    totals->events++;
    return true;
}

static bool read_events(struct run *run, struct cutter *cutter)
{
    struct window *w = &run->window;
    struct cut cut;
    for (;;) {
        switch (cutter_next(cutter, w->data, w->len, w->off, w->at_end, &cut)) {
        case CUT_MORE:
            if (!window_drop(w, cutter->keep, run->err) || !window_more(w, run->err))
                return false;
            break;
        case CUT_EVENT:
            if (!take_cut(run, &cut))
                return false;
            break;
        case CUT_ERROR:
            *run->err = cutter->error;
            return false;
        case CUT_END:
            return true;
        }
    }
}

bool pass_one(struct run *run)
{
    struct cutter cutter;
    cutter_init(&cutter);
    window_init(&run->window, run->source, run->chunk_nbytes);
    bool ok = read_events(run, &cutter);
    if (!ok && run->err->offset != LANEFIX_NOWHERE && run->err->event == LANEFIX_NOWHERE)
        run->err->event = cutter.events;
    run->size = run->window.off + run->window.len;
    run->report->totals.slices = run->index.nslices;
    run->report->totals.tracks = run->tracks.nby_slices;
    run->report->totals.garbage_nbytes = source_garbage(run->source);
    window_free(&run->window);
    cutter_free(&cutter);
    return ok;
}
