/* Runs the plan over all tracks, lets the flow endpoints follow, and puts the rewrites into the
 * order of the file. */
#include <stdlib.h>

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
    return rewrite_off(a) < rewrite_off(b);
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
    bool bound = flows_end == *flow || flow_bind(ix->flows + *flow, flows_end - *flow, s, n, base);
    if (!bound || !plan_track(s, n, base, &rules, &run->rewrites, &stats) ||
        !lanes_add(&run->lanes, &run->tracks, id, stats.lanes - 1))
        return fail_memory(run->err);
    report_add_track(run->report, tracks_by_rank(&run->tracks, rank), &stats);
    *slice = slices_end;
    *flow = flows_end;
    return !run->json ||
           report_json_track(run->json, tracks_by_rank(&run->tracks, rank), &stats, run->err);
}

/* The rewrite of a slice among items[begin, end), which are sorted by slice; or NULL. */
static const struct rewrite *find_rewrite(const struct rewrites *rewrites, size_t begin, size_t end,
                                          uint32_t slice)
{
    size_t lo = begin, hi = end;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (rewrites->items[mid].slice < slice)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && rewrites->items[lo].slice == slice ? &rewrites->items[lo] : NULL;
}

/* A part of an array. */
struct range {
    size_t begin, end;
};

/* Which endpoints of a track a delayed slice hides (flow.h): an array of one bool each, owned by
 * the caller; NULL if there is no memory. */
static bool *find_hidden(const struct run *run, struct range flows, struct range rewrites)
{
    const struct slice *slices = run->index.slices;
    size_t nr = 0, nf = flows.end - flows.begin, end = run->rewrites.items[rewrites.begin].slice;
    struct retimed *r = malloc((rewrites.end - rewrites.begin) * sizeof *r);
    bool *hidden = malloc(nf * sizeof *hidden);
    if (r && hidden) {
        for (size_t i = rewrites.begin; i < rewrites.end; i++) {
            uint32_t slice = run->rewrites.items[i].slice;
            if (!run->rewrites.items[i].lane)
                r[nr++] = (struct retimed){slices[slice].start_ns, slice};
        }
        uint32_t rank = slice_track(&slices[end]);
        while (end < run->index.nslices && slice_track(&slices[end]) == rank)
            end++;
        flow_find_hidden(run->index.flows + flows.begin, nf, slices, end, r, nr, hidden);
    }
    free(r);
    if (!r) {
        free(hidden);
        hidden = NULL;
    }
    return hidden;
}

/* Lets the endpoints of one track follow their slices (spec 6). Whether one binds to the slice
 * around it, so that a later start matters to it, pass two knows. */
static bool plan_track_flows(struct run *run, struct range flows, struct range rewrites)
{
    bool *hidden = find_hidden(run, flows, rewrites);
    bool ok = hidden != NULL;
    for (size_t i = flows.begin; ok && i < flows.end; i++) {
        const struct flow *f = &run->index.flows[i];
        if (f->owner == FLOW_NO_OWNER)
            continue;
        const struct rewrite *owner =
            find_rewrite(&run->rewrites, rewrites.begin, rewrites.end, f->owner);
        uint32_t lane = owner ? owner->lane : 0;
        uint64_t off = flow_off(f) | REWRITE_FLOW;
        if (!lane && hidden[i - flows.begin])
            off |= REWRITE_TO_START;
        else if (!lane && run->index.slices[f->owner].start_ns <= f->ts_ns)
            continue;
        ok = rewrites_add(&run->rewrites, off, f->owner, lane);
    }
    free(hidden);
    return ok || fail_memory(run->err);
}

/* The same for all tracks; endpoints and rewrites are walked together, by track. */
static bool plan_flows(struct run *run)
{
    const struct index *ix = &run->index;
    const struct rewrites *all = &run->rewrites;
    size_t nslices = all->n;
    struct range flows = {0}, rewrites = {0};
    sort_by_slice(all->items, nslices);
    for (; flows.begin < ix->nflows; flows.begin = flows.end) {
        uint32_t rank = flow_track(&ix->flows[flows.begin]);
        for (flows.end = flows.begin; flows.end < ix->nflows; flows.end++)
            if (flow_track(&ix->flows[flows.end]) != rank)
                break;
        for (rewrites.begin = rewrites.end; rewrites.begin < nslices; rewrites.begin++)
            if (slice_track(&ix->slices[all->items[rewrites.begin].slice]) >= rank)
                break;
        for (rewrites.end = rewrites.begin; rewrites.end < nslices; rewrites.end++)
            if (slice_track(&ix->slices[all->items[rewrites.end].slice]) != rank)
                break;
        if (rewrites.begin < rewrites.end && !plan_track_flows(run, flows, rewrites))
            return false;
    }
    sort_by_offset(all->items, all->n);
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
    if (!lanes_arrange(&run->lanes, &run->tracks))
        return fail_memory(run->err);
    return !run->json || report_json_begin_changes(run->json, &run->lanes, &run->tracks, run->err);
}
