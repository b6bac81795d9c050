/* Runs the plan over all tracks, lets the flow endpoints follow, and puts the rewrites into the
 * order of the file. */
#include "error.h"
#include "run.h"
#include "sort.h"
#include "viewer_time.h"

static bool by_slice(const struct rewrite *a, const struct rewrite *b)
{
    return a->slice < b->slice;
}

static bool by_offset(const struct rewrite *a, const struct rewrite *b)
{
    return (a->off & ~REWRITE_FLOW) < (b->off & ~REWRITE_FLOW);
}

DEFINE_SORT(sort_by_slice, struct rewrite, by_slice)
DEFINE_SORT(sort_by_offset, struct rewrite, by_offset)

/* Plans the track whose slices begin at *slice and whose endpoints begin at *flow; moves both on to
 * the next track. */
static bool plan_rank(struct run *run, uint32_t rank, size_t *slice, size_t *flow)
{
    static const struct plan_rules viewer = {.start_ceil = viewer_ns_ceil,
                                             .dur_floor = viewer_ns_floor};
    struct index *ix = &run->index;
    struct plan_rules rules = viewer;
    rules.threshold_ns = run->options->snap_threshold_ns;
    size_t slices_end = *slice, flows_end = *flow;
    while (slices_end < ix->nslices && slice_track(&ix->slices[slices_end]) == rank)
        slices_end++;
    while (flows_end < ix->nflows && flow_track(&ix->flows[flows_end]) == rank)
        flows_end++;
    struct slice *s = ix->slices + *slice;
    size_t n = slices_end - *slice;
    uint32_t base = (uint32_t)*slice, id = run->tracks.by_slices[rank];
    struct plan_stats stats;
    /* The owners first: the plan writes new times over the old ones */
    if (!flow_bind(ix->flows + *flow, flows_end - *flow, s, n, base) ||
        !plan_track(s, n, base, &rules, &run->rewrites, &stats) ||
        !lanes_add(&run->lanes, &run->tracks, id, stats.lanes - 1))
        return fail_memory(run->err);
    report_add_track(run->report, tracks_by_rank(&run->tracks, rank), &stats);
    *slice = slices_end;
    *flow = flows_end;
    return !run->json ||
           report_json_track(run->json, tracks_by_rank(&run->tracks, rank), &stats, run->err);
}

/* The rewrite of a slice among the first n rewrites, which are sorted by slice; or NULL. */
static const struct rewrite *find_rewrite(const struct rewrites *rewrites, size_t n, uint32_t slice)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (rewrites->items[mid].slice < slice)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && rewrites->items[lo].slice == slice ? &rewrites->items[lo] : NULL;
}

/* Lets the endpoints follow their slices (spec 6). That an endpoint lies before its slice's new
 * start matters to one that binds to the slice around it only; pass two knows which it is. */
static bool plan_flows(struct run *run)
{
    struct rewrites *rewrites = &run->rewrites;
    size_t nslices = rewrites->n;
    sort_by_slice(rewrites->items, nslices);
    for (size_t i = 0; i < run->index.nflows; i++) {
        const struct flow *f = &run->index.flows[i];
        const struct rewrite *owner = find_rewrite(rewrites, nslices, f->owner);
        if (!owner || (!owner->lane && run->index.slices[f->owner].start_ns <= f->ts_ns))
            continue;
        if (!rewrites_add(rewrites, flow_off(f) | REWRITE_FLOW, f->owner, owner->lane))
            return fail_memory(run->err);
    }
    sort_by_offset(rewrites->items, rewrites->n);
    return true;
}

bool make_plan(struct run *run)
{
    size_t slice = 0, flow = 0, nranks = run->tracks.nby_slices;
    index_sort(&run->index, &run->tracks);
    if (!lanes_init(&run->lanes, nranks))
        return fail_memory(run->err);
    for (size_t rank = 0; rank < nranks; rank++) {
        if (run->options->cancel && *run->options->cancel)
            return fail(run->err, LANEFIX_ERR_CANCELLED, "interrupted");
        if (!plan_rank(run, (uint32_t)rank, &slice, &flow))
            return false;
    }
    if (!plan_flows(run))
        return false;
    if (!lanes_arrange(&run->lanes, &run->tracks, run->ntracks))
        return fail_memory(run->err);
    return !run->json || report_json_begin_changes(run->json, &run->lanes, &run->tracks, run->err);
}
