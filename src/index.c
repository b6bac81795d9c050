#include "index.h"

#include <stdlib.h>

#include "buf.h"
#include "sort.h"

void index_free(struct index *ix)
{
    free(ix->slices);
    free(ix->flows);
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

DEFINE_SORT(sort_slices, struct slice, slice_less)
DEFINE_SORT(sort_flows, struct flow, flow_less)
DEFINE_SORT_BY_CREW(sort_slices, struct slice)
DEFINE_SORT_BY_CREW(sort_flows, struct flow)

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
