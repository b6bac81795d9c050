/* Runs the plan over all tracks, lets the flow endpoints follow, and puts the rewrites into the
 * order of the file. */
#include <stdlib.h>

#include "error.h"
#include "pictures.h"
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

/* A part of an array. */
struct range {
    size_t begin, end;
};

/* The rewrite of a slice among those of a range, which are sorted by slice; or NULL. */
static const struct rewrite *find_rewrite(const struct rewrites *rewrites, struct range range,
                                          uint32_t slice)
{
    size_t lo = range.begin, hi = range.end;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (rewrites->items[mid].slice < slice)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < range.end && rewrites->items[lo].slice == slice ? &rewrites->items[lo] : NULL;
}

/* Which endpoints of a track a delayed slice hides (flow.h): an array of one bool each, owned by
 * the caller; NULL if there is no memory. The track's slices end before `slices_end`. */
static bool *find_hidden(const struct run *run, size_t slices_end, struct range flows,
                         struct range rewrites)
{
    const struct slice *slices = run->index.slices;
    size_t nr = 0, nf = flows.end - flows.begin;
    struct retimed *r = malloc((rewrites.end - rewrites.begin) * sizeof *r);
    bool *hidden = malloc(nf * sizeof *hidden);
    if (r && hidden) {
        for (size_t i = rewrites.begin; i < rewrites.end; i++) {
            const struct rewrite *item = &run->rewrites.items[i];
            uint32_t slice = item->slice;
            if (!item->lane && !(item->off & REWRITE_END))
                r[nr++] = (struct retimed){slices[slice].start_ns, slice};
        }
        flow_find_hidden(run->index.flows + flows.begin, nf, slices, slices_end, r, nr, hidden);
    }
    free(r);
    if (!r) {
        free(hidden);
        hidden = NULL;
    }
    return hidden;
}

/* Is the endpoint at or behind the E of a pair that ends earlier now? */
static bool is_cut_off(const struct flow *f, const struct slice *s)
{
    return slice_is_pair(s) && f->ts_ns >= slice_end_ns(s);
}

/* Lets the endpoints of a track follow their slices (spec 6). Whether one binds to the slice around
 * it, so that a later start matters to it, pass two knows. Returns false if there is no memory. */
static bool plan_flows(struct run *run, size_t slices_end, struct range flows,
                       struct range rewrites)
{
    if (flows.begin == flows.end || rewrites.begin == rewrites.end)
        return true;
    sort_by_slice(run->rewrites.items + rewrites.begin, rewrites.end - rewrites.begin);
    bool *hidden = find_hidden(run, slices_end, flows, rewrites);
    bool ok = hidden != NULL;
    for (size_t i = flows.begin; ok && i < flows.end; i++) {
        const struct flow *f = &run->index.flows[i];
        if (f->owner == FLOW_NO_OWNER)
            continue;
        const struct rewrite *owner = find_rewrite(&run->rewrites, rewrites, f->owner);
        const struct slice *slice = &run->index.slices[f->owner];
        uint32_t lane = owner ? owner->lane : 0;
        uint64_t off = flow_off(f) | REWRITE_FLOW;
        if (!lane && (hidden[i - flows.begin] || is_cut_off(f, slice)))
            off |= REWRITE_TO_START;
        else if (!lane && flow_sees(slice, f->ts_ns, flow_off(f)))
            continue;
        ok = rewrites_add(&run->rewrites, off, f->owner, lane);
    }
    free(hidden);
    return ok;
}

/* When the last slice ends. */
static int64_t find_trace_end(const struct index *ix)
{
    int64_t last_ns = 0;
    for (size_t i = 0; i < ix->nslices; i++) {
        int64_t end_ns = slice_end_ns(&ix->slices[i]);
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    return last_ns;
}

/* Binds a track's endpoints, and gives for each slice whether it owns any, as the plan wants to
 * know it (plan_rules.arrows): an array owned by the caller; NULL if there is no memory. */
static uint8_t *bind_and_note(struct flow *f, size_t nf, const struct slice *s, size_t n,
                              uint32_t base)
{
    uint8_t *arrows = calloc(n + 1, sizeof *arrows), *what = malloc(nf * sizeof *what);
    bool ok = arrows && what;
    for (size_t i = 0; ok && i < nf; i++)
        what[i] = f[i].owner == FLOW_NEXT ? PLAN_ARROW | PLAN_ARROW_NEXT : PLAN_ARROW;
    ok = ok && flow_bind(f, nf, s, n, base);
    for (size_t i = 0; ok && i < nf; i++)
        if (f[i].owner != FLOW_NO_OWNER)
            arrows[f[i].owner - base] |= what[i];
    free(what);
    if (!ok) {
        free(arrows);
        arrows = NULL;
    }
    return arrows;
}

static void note_loose_flow(struct run *run, const struct flow *f)
{
    run->loose_flows++;
    if (flow_off(f) < run->first_loose_flow_off)
        run->first_loose_flow_off = flow_off(f);
}

/* Is it a check that says more than what crosses? */
static bool examines(const struct run *run)
{
    return run->report->check && run->report->examine;
}

/* What a check says of the endpoints of a track that have their owners by now: which have none. */
static void examine_flows(struct run *run, struct range flows)
{
    for (size_t i = flows.begin; i < flows.end; i++)
        if (run->index.flows[i].owner == FLOW_NO_OWNER)
            note_loose_flow(run, &run->index.flows[i]);
}

/* Finds the owners of a track's endpoints, and plans it; who wants to show or explain what is done
 * to its slices sees them before and after. Returns false if there is no memory. */
static bool bind_and_plan(struct run *run, struct slice *s, size_t n, const struct pairs *pairs,
                          uint32_t base, struct range flows, struct plan_rules rules,
                          struct plan_stats *stats)
{
    size_t nf = flows.end - flows.begin;
    struct flow *f = nf ? run->index.flows + flows.begin : NULL;
    size_t begin = run->rewrites.n;
    uint8_t *arrows = NULL;
    bool ok = true;
    /* The owners first: the plan writes new times over the old ones */
    if (nf && (rules.snap == PLAN_SOFT || run->explain)) /* which plans by it to compare */
        ok = (arrows = bind_and_note(f, nf, s, n, base)) != NULL;
    else if (nf)
        ok = flow_bind(f, nf, s, n, base);
    if (ok && examines(run))
        examine_flows(run, flows);
    if (ok && (examines(run) || run->pictures))
        plan_list_crossings(s, n, pairs, base, &run->crossings, &run->fixes);
    rules.arrows = arrows;
    ok = ok && explain_begin_track(run, s, n) &&
         plan_track(s, n, pairs, base, &rules, &run->rewrites, stats) &&
         explain_end_track(run, pairs, base, &rules, begin);
    free(arrows);
    return ok;
}

/* The endpoints on threads without slices, which are forgotten next. */
static void examine_empty_tracks(struct run *run)
{
    for (size_t i = 0; i < run->index.nflows; i++) {
        const struct flow *f = &run->index.flows[i];
        if (run->tracks.items[flow_track(f)].slices_rank == TRACK_NO_SLICES)
            note_loose_flow(run, f);
    }
}

/* Tells the report of the unfinished slices of a track whether they move. */
static void note_unfinished(struct run *run, struct range rewrites, int64_t trace_end_ns)
{
    uint64_t moved = 0;
    for (size_t i = rewrites.begin; i < rewrites.end; i++) {
        const struct rewrite *item = &run->rewrites.items[i];
        const struct slice *slice = &run->index.slices[item->slice];
        bool again = item->off & REWRITE_END; /* it was counted with its B */
        moved += item->lane && !again && slice_end_ns(slice) == trace_end_ns;
    }
    report_add_unfinished(run->report, moved);
}

/* Plans the track whose slices begin at *slice and whose endpoints begin at *flow; moves both on to
 * the next track. */
static bool plan_rank(struct run *run, uint32_t rank, const struct plan_rules *rules, size_t *slice,
                      size_t *flow)
{
    struct index *ix = &run->index;
    struct range slices = {*slice, *slice}, flows = {*flow, *flow};
    int64_t signs = 0;
    while (slices.end < ix->nslices && slice_track(&ix->slices[slices.end]) == rank)
        signs |= ix->slices[slices.end++].end_ns;
    const struct pairs *pairs = signs & SLICE_PAIR ? &ix->pairs : NULL;
    while (flows.end < ix->nflows && flow_track(&ix->flows[flows.end]) == rank)
        flows.end++;
    struct slice *s = ix->slices ? ix->slices + slices.begin : NULL; /* a B alone is none */
    size_t n = slices.end - slices.begin;
    uint32_t base = (uint32_t)slices.begin, id = run->tracks.by_slices[rank];
    struct range rewrites = {.begin = run->rewrites.n};
    struct plan_stats stats;
    if (!bind_and_plan(run, s, n, pairs, base, flows, *rules, &stats))
        return fail_memory(run->err);
    rewrites.end = run->rewrites.n;
    if (stats.unfinished)
        note_unfinished(run, rewrites, rules->trace_end_ns);
    if (!plan_flows(run, slices.end, flows, rewrites) ||
        !lanes_add(&run->lanes, &run->tracks, id, stats.lanes - 1))
        return fail_memory(run->err);
    const struct track *track = tracks_by_rank(&run->tracks, rank);
    run->report->totals.tracks += n > 0;
    report_add_track(run->report, track, &stats);
    *slice = slices.end;
    *flow = flows.end;
    return pictures_add_track(run, track, n, &stats) &&
           (!run->json || report_json_track(run->json, track, &stats, run->err));
}

static enum plan_snap plan_snap_of(enum lanefix_snap snap)
{
    return snap == LANEFIX_SNAP_SOFT    ? PLAN_SOFT
           : snap == LANEFIX_SNAP_LEAST ? PLAN_LEAST
                                        : PLAN_FIRST;
}

bool make_plan(struct run *run)
{
    const struct lanefix_options *options = run->options;
    struct plan_rules rules = {.threshold_ns = options->snap_threshold_ns,
                               .start_ceil = viewer_ns_ceil,
                               .dur_floor = viewer_ns_floor,
                               .snap = plan_snap_of(options->snap),
                               .kinds = run->kinds.n ? &run->kinds : NULL,
                               .trim_unfinished = options->trim_unfinished};
    size_t slice = 0, flow = 0, nranks = run->tracks.nby_slices;
    meter_begin(&run->meter, LANEFIX_STEP_PLAN);
    if (!index_pair(&run->index, &run->tracks, &rules, run->crew) ||
        !lanes_init(&run->lanes, nranks))
        return fail_memory(run->err);
    run->report->totals.slices = run->index.nslices;
    run->report->totals.pairs = run->index.pairs.n;
    if (!explain_resolve(run))
        return false;
    if (examines(run))
        examine_empty_tracks(run);
    index_sort(&run->index, &run->tracks, run->crew);
    rules.trace_end_ns = find_trace_end(&run->index);
    for (size_t rank = 0; rank < nranks; rank++) {
        if (run->options->cancel && *run->options->cancel)
            return fail(run->err, LANEFIX_ERR_CANCELLED, "interrupted");
        if (!plan_rank(run, (uint32_t)rank, &rules, &slice, &flow))
            return false;
    }
    sort_by_offset(run->rewrites.items, run->rewrites.n);
    if (!lanes_arrange(&run->lanes, &run->tracks))
        return fail_memory(run->err);
    meter_end(&run->meter);
    return !run->json || report_json_begin_changes(run->json, &run->lanes, &run->tracks, run->err);
}
