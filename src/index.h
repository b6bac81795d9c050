/* What pass one remembers of the trace: 24 bytes for each slice, 20 for each flow endpoint, 32 for
 * each B and E, sorted where they stand. A B and an E that match become a slice and a struct pair,
 * 48 bytes in all, and those of the edges are given back. */
#ifndef INDEX_H
#define INDEX_H

#include "crew.h"
#include "flow.h"
#include "pair.h"
#include "plan.h"
#include "track.h"

struct index {
    struct slice *slices; /* owned, as are the flows */
    size_t nslices, slices_cap;
    struct flow *flows;
    size_t nflows, flows_cap;
    struct edge *edges; /* until index_pair */
    size_t nedges, edges_cap;
    struct pairs pairs; /* from then on */
};

/* Slices are numbered in 32 bits, less the values that flow.h uses. */
#define INDEX_SLICES_MAX (UINT32_MAX - 4)

void index_free(struct index *ix);

/* Adds a slice of the track with that rank (track.h). Returns false if there is no memory. */
bool index_add_slice(struct index *ix, uint32_t rank, int64_t start_ns, int64_t end_ns,
                     uint64_t off);

/* Adds a flow endpoint; `owner` is FLOW_ENCLOSING or FLOW_NEXT, `track` the track's id. Returns
 * false if there is no memory. */
bool index_add_flow(struct index *ix, uint32_t track, int64_t ts_ns, uint64_t off, uint32_t owner);

/* Adds a B or an E; `track` is the track's id. Returns false if there is no memory. */
bool index_add_edge(struct index *ix, uint32_t track, int64_t ts_ns, bool begins, uint64_t off,
                    struct edge_text text);

/* Makes slices of the B and E that match, and forgets the others, as well as pairs without length
 * that cannot get one by a shift below the threshold, or are to keep their times. Their tracks have
 * a rank. Returns false if there is no memory. */
bool index_pair(struct index *ix, const struct tracks *tracks, const struct plan_rules *rules,
                struct crew *crew);

/* Sorts slices and endpoints, by the crew. Endpoints get their track's rank in place of its id;
 * those of a track without slices are dropped. */
void index_sort(struct index *ix, const struct tracks *tracks, struct crew *crew);

#endif
