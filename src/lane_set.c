/* Two structures side by side:
 * - a heap of all open slices by their end, to close them as time goes on. Within a lane the
 *   innermost ends first, so a slice that leaves the heap is always the top of its lane;
 * - a tournament tree over the lanes with the latest end that each can still hold; its leftmost
 *   leaf that is late enough is the first fit. */
#include "lane_set.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "heap.h"

#define NO_FRAME UINT32_MAX

/* An open slice; `below` is the one around it in the same lane. Free ones are chained by it. */
struct frame {
    int64_t end_ns;
    uint64_t end_off; /* of the innermost pair that ends at end_ns, this one or below it; or 0 */
    uint32_t below;
};

struct lane {
    uint32_t top, depth;
};

/* When a lane's innermost slice closes. */
struct closing {
    int64_t end_ns;
    uint32_t lane;
    bool zero_length;
};

struct lane_set {
    uint32_t depth_max, nlanes, free_frame;
    struct frame *frames;
    size_t nframes, frames_cap;
    struct lane *lanes;
    size_t lanes_cap;
    struct closing *heap;
    size_t nheap, heap_cap;
    int64_t *tree; /* node 1 is the root, leaf k is tree[leaves + k] */
    size_t leaves; /* a power of two, or 0 */
};

struct lane_set *lane_set_new(uint32_t depth_max)
{
    struct lane_set *set = calloc(1, sizeof *set);
    if (set) {
        set->depth_max = depth_max;
        set->free_frame = NO_FRAME;
    }
    return set;
}

void lane_set_free(struct lane_set *set)
{
    if (!set)
        return;
    free(set->frames);
    free(set->lanes);
    free(set->heap);
    free(set->tree);
    free(set);
}

uint32_t lane_set_count(const struct lane_set *set)
{
    return set->nlanes;
}

/* Ends first come first; at one time, what has a length before what has none. */
static bool closes_before(const struct closing *a, const struct closing *b)
{
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns;
    return !a->zero_length && b->zero_length;
}

DEFINE_HEAP(closings, struct closing, closes_before)

/* The latest end that lane k can hold now, to the tree. */
static void tree_update(struct lane_set *set, uint32_t k)
{
    const struct lane *lane = &set->lanes[k];
    int64_t holds = lane->depth == 0                ? INT64_MAX
                    : lane->depth >= set->depth_max ? INT64_MIN
                                                    : set->frames[lane->top].end_ns;
    size_t i = set->leaves + k;
    set->tree[i] = holds;
    for (i /= 2; i > 0; i /= 2) {
        int64_t left = set->tree[2 * i], right = set->tree[2 * i + 1];
        set->tree[i] = left > right ? left : right;
    }
}

static bool tree_double(struct lane_set *set)
{
    size_t leaves = set->leaves ? set->leaves * 2 : 8;
    int64_t *tree = malloc(2 * leaves * sizeof *tree);
    if (!tree)
        return false;
    for (size_t i = 0; i < 2 * leaves; i++)
        tree[i] = INT64_MIN;
    if (set->tree)
        memcpy(tree + leaves, set->tree + set->leaves, set->leaves * sizeof *tree);
    for (size_t i = leaves - 1; i > 0; i--)
        tree[i] = tree[2 * i] > tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
    free(set->tree);
    set->tree = tree;
    set->leaves = leaves;
    return true;
}

/* The first lane that holds a slice with that end, or nlanes. */
static uint32_t first_fit(const struct lane_set *set, int64_t end_ns)
{
    if (!set->leaves || set->tree[1] < end_ns)
        return set->nlanes;
    size_t i = 1;
    while (i < set->leaves)
        i = set->tree[2 * i] >= end_ns ? 2 * i : 2 * i + 1;
    return (uint32_t)(i - set->leaves);
}

static void close_top(struct lane_set *set, uint32_t k)
{
    struct lane *lane = &set->lanes[k];
    uint32_t frame = lane->top;
    lane->top = set->frames[frame].below;
    lane->depth--;
    set->frames[frame].below = set->free_frame;
    set->free_frame = frame;
    tree_update(set, k);
}

/* Closes what has ended by start_ns. Of two zero-length slices at one time, the viewer keeps the
 * first open around the second (perfetto.md, The stack of a thread). */
static void close_ended(struct lane_set *set, int64_t start_ns, bool zero_length)
{
    while (set->nheap) {
        const struct closing *first = &set->heap[0];
        if (first->end_ns > start_ns ||
            (first->end_ns == start_ns && first->zero_length && zero_length))
            return;
        uint32_t lane = first->lane;
        closings_pop(set->heap, &set->nheap);
        close_top(set, lane);
    }
}

static bool add_lane(struct lane_set *set)
{
    struct lane *lanes =
        array_grow(set->lanes, &set->lanes_cap, (size_t)set->nlanes + 1, sizeof *lanes);
    if (!lanes)
        return false;
    set->lanes = lanes;
    if (set->nlanes == set->leaves && !tree_double(set))
        return false;
    set->lanes[set->nlanes++] = (struct lane){.top = NO_FRAME};
    return true;
}

/* The first lane that holds a slice with that end, whose E has to come before those of the pairs
 * around it; or nlanes. */
static uint32_t first_fit_for(const struct lane_set *set, int64_t end_ns, uint64_t end_off)
{
    uint32_t k = first_fit(set, end_ns);
    if (!end_off || k == set->nlanes || !set->lanes[k].depth)
        return k;
    const struct frame *top = &set->frames[set->lanes[k].top];
    if (top->end_ns != end_ns || !top->end_off || end_off < top->end_off)
        return k;
    return end_ns < INT64_MAX ? first_fit(set, end_ns + 1) : set->nlanes;
}

static bool open_frame(struct lane_set *set, uint32_t k, int64_t end_ns, uint64_t end_off)
{
    uint32_t frame = set->free_frame;
    if (frame != NO_FRAME) {
        set->free_frame = set->frames[frame].below;
    } else {
        struct frame *frames =
            array_grow(set->frames, &set->frames_cap, set->nframes + 1, sizeof *frames);
        if (!frames)
            return false;
        set->frames = frames;
        frame = (uint32_t)set->nframes++;
    }
    struct lane *lane = &set->lanes[k];
    if (!end_off && lane->depth && set->frames[lane->top].end_ns == end_ns)
        end_off = set->frames[lane->top].end_off;
    set->frames[frame] = (struct frame){end_ns, end_off, lane->top};
    lane->top = frame;
    lane->depth++;
    tree_update(set, k);
    return true;
}

bool lane_set_place(struct lane_set *set, int64_t start_ns, int64_t end_ns, uint64_t end_off,
                    uint32_t *lane)
{
    bool zero_length = start_ns == end_ns;
    close_ended(set, start_ns, zero_length);
    struct closing *heap = array_grow(set->heap, &set->heap_cap, set->nheap + 1, sizeof *heap);
    if (!heap)
        return false;
    set->heap = heap;
    uint32_t k = first_fit_for(set, end_ns, end_off);
    if ((k == set->nlanes && !add_lane(set)) || !open_frame(set, k, end_ns, end_off))
        return false;
    closings_push(heap, &set->nheap, (struct closing){end_ns, k, zero_length});
    *lane = k + 1;
    return true;
}
