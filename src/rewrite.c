/* An event with a rewrite gets its new values, and the report hears of it. */
#include "copy.h"
#include "error.h"
#include "patch.h"
#include "viewer_time.h"

/* The tid of the lane that an event moves to, in `room` or elsewhere; NULL if it stays. */
static const char *new_tid(const struct run *run, const struct rewrite *rewrite,
                           char room[LANE_ROOM])
{
    uint32_t rank = slice_track(&run->index.slices[rewrite->slice]);
    return rewrite->lane ? lane_tid(lanes_get(&run->lanes, rank, rewrite->lane), room) : NULL;
}

/* The times of a slice before, from its event: of a pair the B, which has no dur. Returns false if
 * it is none any more; *end_off is 0, or where the E of a pair stands. */
static bool times_before(const struct run *run, const struct rewrite *rewrite, const char *text,
                         const struct event *event, struct event_times *old, int64_t *end_ns,
                         uint64_t *end_off)
{
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

/* May a boundary go so far outward, where an earlier start and a later end are more than 0? No
 * slice grows but for one that is harder. */
static bool may_go_out(const struct run *run, int64_t by_ns)
{
    return by_ns <= 0 ||
           (run->options->snap == LANEFIX_SNAP_SOFT && by_ns < run->options->snap_threshold_ns);
}

/* An X, or the B of a pair. */
static bool rewrite_slice(struct run *run, const struct rewrite *rewrite, const char *text,
                          size_t n, const struct event *event)
{
    const struct slice *slice = &run->index.slices[rewrite->slice];
    struct event_times old;
    int64_t end_ns;
    uint64_t end_off;
    char room[LANE_ROOM];
    if (!times_before(run, rewrite, text, event, &old, &end_ns, &end_off))
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
    if (!may_go_out(run, change.start_ns - change.new_start_ns) ||
        (!may_go_out(run, change.new_end_ns - end_ns) && !zero) ||
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
static bool rewrite_end(struct run *run, const struct rewrite *rewrite, const char *text, size_t n,
                        const struct event *event)
{
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

static bool rewrite_flow(struct run *run, const struct rewrite *rewrite, const char *text, size_t n,
                         const struct event *event)
{
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
    explain_note_arrow(run, rewrite->slice);
    return !run->json || report_json_flow(run->json, losses_place(&run->losses, off),
                                          tracks_by_rank(&run->tracks, slice_track(slice)),
                                          old.start_ns, patch.start_ns, patch.tid_text, run->err);
}

bool rewrite_event(struct run *run, const struct rewrite *rewrite, const char *text, size_t n,
                   const struct event *event)
{
    run->patched.len = 0;
    bool ok = rewrite->off & REWRITE_FLOW  ? rewrite_flow(run, rewrite, text, n, event)
              : rewrite->off & REWRITE_END ? rewrite_end(run, rewrite, text, n, event)
                                           : rewrite_slice(run, rewrite, text, n, event);
    return ok && (!run->patched.failed || fail_memory(run->err));
}
