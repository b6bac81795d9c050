#include "index.h"

#include <stdlib.h>

#include "buf.h"
#include "sort.h"

void index_free(struct index *ix)
{
    free(ix->slices);
    free(ix->flows);
    free(ix->edges);
    pairs_free(&ix->pairs);
    *ix = (struct index){0};
}

static uint64_t make_place(uint32_t track, uint64_t off)
{
    return (uint64_t)track << SLICE_OFF_BITS | off;
}

bool index_add_slice(struct index *ix, uint32_t rank, int64_t start_ns, int64_t end_ns,
                     uint64_t off)
{
    struct slice *slices = array_grow(ix->slices, &ix->slices_cap, ix->nslices + 1, sizeof *slices);
    if (!slices)
        return false;
    ix->slices = slices;
    slices[ix->nslices++] = (struct slice){start_ns, end_ns, make_place(rank, off)};
    return true;
}

bool index_add_flow(struct index *ix, uint32_t track, int64_t ts_ns, uint64_t off, uint32_t owner)
{
    struct flow *flows = array_grow(ix->flows, &ix->flows_cap, ix->nflows + 1, sizeof *flows);
    if (!flows)
        return false;
    ix->flows = flows;
    flows[ix->nflows++] = (struct flow){ts_ns, make_place(track, off), owner};
    return true;
}

bool index_add_edge(struct index *ix, uint32_t track, int64_t ts_ns, bool begins, uint64_t off,
                    struct edge_text text)
{
    struct edge *edges = array_grow(ix->edges, &ix->edges_cap, ix->nedges + 1, sizeof *edges);
    if (!edges)
        return false;
    ix->edges = edges;
    edges[ix->nedges++] = (struct edge){edge_when(ts_ns, begins), make_place(track, off), text};
    return true;
}

DEFINE_SORT(sort_edges, struct edge, edge_less)
DEFINE_SORT(sort_slices, struct slice, slice_less)
DEFINE_SORT(sort_flows, struct flow, flow_less)
DEFINE_SORT_BY_CREW(sort_edges, struct edge)
DEFINE_SORT_BY_CREW(sort_slices, struct slice)
DEFINE_SORT_BY_CREW(sort_flows, struct flow)

/* The end of a pair's slice, or -1 if it is to be forgotten. */
static int64_t slice_end(const struct pair *pair, int64_t start_ns, const struct plan_rules *rules)
{
    if (start_ns < pair->end_ns)
        return pair->end_ns;
    bool keeps_times = rules->kinds && (kinds_get(rules->kinds, pair->begin_off) & KIND_KEEP_TIMES);
    if (start_ns == INT64_MAX || keeps_times)
        return -1;
    int64_t next = rules->start_ceil(start_ns + 1);
    return next - start_ns < rules->threshold_ns ? next : -1;
}

/* Adds the slices of the edges e[0, n) of the track with that rank. */
static bool pair_track(struct index *ix, uint32_t rank, const struct edge *e, size_t n,
                       const struct plan_rules *rules, uint32_t *partner)
{
    bool lost;
    if (!pair_match(e, n, partner, &lost))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (partner[i] == EDGE_ALONE || !edge_begins(&e[i]))
            continue;
        const struct edge *end = &e[partner[i]];
        struct pair pair = {e[i].place & SLICE_OFF_MAX, end->place & SLICE_OFF_MAX,
                            edge_ts_ns(end)};
        int64_t start_ns = edge_ts_ns(&e[i]), end_ns = slice_end(&pair, start_ns, rules);
        if (end_ns < 0)
            continue;
        if (lost && start_ns == pair.end_ns)
            pair.end_ns |= PAIR_LOST;
        if (!pairs_add(&ix->pairs, pair) ||
            !index_add_slice(ix, rank, start_ns, end_ns | SLICE_PAIR, pair.begin_off))
            return false;
    }
    return true;
}

bool index_pair(struct index *ix, const struct tracks *tracks, const struct plan_rules *rules,
                struct crew *crew)
{
    if (!ix->nedges)
        return true;
    uint32_t *partner = malloc(ix->nedges * sizeof *partner);
    bool ok = partner != NULL;
    sort_edges_by_crew(ix->edges, ix->nedges, crew);
    for (size_t i = 0, end; ok && i < ix->nedges; i = end) {
        uint64_t track = ix->edges[i].place >> SLICE_OFF_BITS;
        for (end = i + 1; end < ix->nedges && ix->edges[end].place >> SLICE_OFF_BITS == track;)
            end++;
        uint32_t rank = tracks->items[track].slices_rank;
        if (rank != TRACK_NO_SLICES) /* else there is no B */
            ok = pair_track(ix, rank, ix->edges + i, end - i, rules, partner);
    }
    free(partner);
    free(ix->edges);
    ix->edges = NULL;
    ix->nedges = ix->edges_cap = 0;
    pairs_sort(&ix->pairs);
    return ok;
}

void index_sort(struct index *ix, const struct tracks *tracks, struct crew *crew)
{
    size_t kept = 0;
    for (size_t i = 0; i < ix->nflows; i++) {
        uint32_t rank = tracks->items[flow_track(&ix->flows[i])].slices_rank;
        if (rank == TRACK_NO_SLICES)
            continue;
        ix->flows[kept] = ix->flows[i];
        ix->flows[kept++].place = make_place(rank, flow_off(&ix->flows[i]));
    }
    ix->nflows = kept;
    sort_flows_by_crew(ix->flows, ix->nflows, crew);
    sort_slices_by_crew(ix->slices, ix->nslices, crew);
}
