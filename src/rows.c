#include "rows.h"

#include <stdlib.h>

/* Rows that stay together, one after the other. */
struct block {
    struct row *first;
    size_t n;
    int64_t width; /* the last one's sort index is at least the first one's and this */
};

/* What stands between two threads with an index of the trace. */
struct gap {
    const struct row *above, *below; /* these two; NULL at either end of the process */
    const struct row *last;          /* the lowest row so far, */
    int64_t last_index;              /* and the least index that it can have */
    struct row **taken;              /* the rows so far */
    size_t ntaken;
};

/* Blocks that found no room so far, in their order. */
struct queue {
    struct block *blocks;
    size_t begin, end;
};

bool row_surely_above(const struct row *a, const struct row *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->number && b->number && a->tid < b->tid;
}

/* May b have the index of a, which is above it? NULL: an end of the process. */
static bool may_share(const struct row *a, const struct row *b)
{
    return a && b && row_surely_above(a, b);
}

static struct block make_block(struct row *first, size_t n)
{
    struct block block = {first, n, 0};
    for (size_t i = 1; i < n; i++)
        block.width += !may_share(&first[i - 1], &first[i]);
    return block;
}

/* Takes a block as the lowest one of the gap, if there is room for it. */
static bool take(struct gap *gap, const struct block *block)
{
    const struct row *last = &block->first[block->n - 1], *below = gap->below;
    int64_t end = below ? below->sort_index : INT64_MAX, index = gap->last_index;
    int64_t steps = block->width + !may_share(gap->last, block->first) + !may_share(last, below);
    if (end < INT64_MIN + steps || index > end - steps)
        return false;
    gap->last_index = index + steps - !may_share(last, below);
    gap->last = last;
    for (size_t i = 0; i < block->n; i++)
        gap->taken[gap->ntaken++] = &block->first[i];
    return true;
}

/* A thread stands apart from what is above it if there is room, and not above 0, where it stands
 * without an index. A lane shares its thread's index if it may. */
static int64_t wish(const struct row *row, int64_t least, int64_t above)
{
    if (row->lane || above == INT64_MAX)
        return least;
    return above < 0 ? 0 : above + 1;
}

/* Gives an index to what was taken: first the greatest that each could have, then, from above, the
 * one that is wished for, as far as it leaves room for the others. */
static void close_gap(struct gap *gap)
{
    const struct row *below = gap->below;
    int64_t most = below ? below->sort_index : INT64_MAX;
    for (size_t i = gap->ntaken; i-- > 0; below = gap->taken[i]) {
        most -= !may_share(gap->taken[i], below);
        gap->taken[i]->sort_index = most;
    }
    const struct row *above = gap->above;
    int64_t index = above ? above->sort_index : INT64_MIN;
    for (size_t i = 0; i < gap->ntaken; i++) {
        struct row *row = gap->taken[i];
        int64_t least = index + !may_share(above, row);
        int64_t wished = wish(row, least, index);
        index = wished < row->sort_index ? wished : row->sort_index;
        row->sort_index = index;
        above = row;
    }
    gap->ntaken = 0;
}

/* Offers the rows from `row` on, up to the one at `end`: first the lanes of the thread above the
 * gap, then what waits, then threads with their lanes. What does not fit has to wait. */
static void fill_gap(struct gap *gap, struct queue *queue, struct row *row, struct row *end)
{
    bool full = false;
    for (; row < end && row->lane; row++) {
        struct block block = make_block(row, 1);
        full = full || !take(gap, &block);
        if (full)
            queue->blocks[queue->end++] = block;
    }
    while (queue->begin < queue->end && take(gap, &queue->blocks[queue->begin]))
        queue->begin++;
    while (row < end) {
        struct row *first = row++;
        while (row < end && row->lane)
            row++;
        struct block block = make_block(first, (size_t)(row - first));
        if (!take(gap, &block))
            queue->blocks[queue->end++] = block;
    }
}

bool rows_arrange(struct row *rows, size_t n)
{
    struct gap gap = {.last_index = INT64_MIN, .taken = malloc((n + 1) * sizeof(struct row *))};
    struct queue queue = {.blocks = malloc((n + 1) * sizeof *queue.blocks)};
    bool ok = gap.taken && queue.blocks;
    struct row *row = rows, *end = rows + n;
    while (ok) {
        struct row *below = row;
        while (below < end && !below->fixed)
            below++;
        gap.below = below < end ? below : NULL;
        fill_gap(&gap, &queue, row, below);
        close_gap(&gap);
        if (!gap.below)
            break;
        gap.above = gap.last = gap.below;
        gap.last_index = gap.below->sort_index;
        row = below + 1;
    }
    /* Only where the trace has the greatest index that there is. */
    for (; ok && queue.begin < queue.end; queue.begin++)
        for (size_t i = 0; i < queue.blocks[queue.begin].n; i++)
            queue.blocks[queue.begin].first[i].sort_index = INT64_MAX;
    free(gap.taken);
    free(queue.blocks);
    return ok;
}
