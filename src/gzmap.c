#include "gzmap.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

/* To begin with. A point costs its window, and saves inflating so much once or twice an edit. */
enum { SPACING = 1 << 18 };

void gzmap_free(struct gzmap *map)
{
    for (size_t i = 0; i < map->npoints; i++)
        free(map->points[i].window);
    free(map->points);
    free(map->blocks);
    *map = (struct gzmap){0};
}

void gzmap_give_up(struct gzmap *map)
{
    gzmap_free(map);
    map->none = true;
}

bool gzmap_usable(const struct gzmap *map)
{
    return map->complete && !map->none;
}

/* Keeps every second point: so they stay within bounds whatever the size of the file. */
static void thin_points(struct gzmap *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->npoints; i++) {
        if (i % 2)
            free(map->points[i].window);
        else
            map->points[kept++] = map->points[i];
    }
    map->npoints = kept;
    map->spacing *= 2;
}

/* A point at the last block. Returns false if there is no memory. */
static bool add_point(struct gzmap *map, gzmap_window *window, void *context)
{
    struct gzpoint *points =
        array_grow(map->points, &map->points_cap, map->npoints + 1, sizeof *points);
    if (!points)
        return false;
    map->points = points;
    struct gzpoint point = {.block = map->nblocks - 1, .window = malloc(GZMAP_WINDOW)};
    if (!point.window)
        return false;
    point.window_n = window(context, point.window);
    points[map->npoints++] = point;
    if (map->npoints == GZMAP_POINTS_MAX)
        thin_points(map);
    return true;
}

void gzmap_note(struct gzmap *map, const struct gzblock *block, bool end, gzmap_window *window,
                void *context)
{
    if (map->none)
        return;
    if (!map->spacing)
        map->spacing = SPACING;
    struct gzblock *blocks = NULL;
    if (map->nblocks < GZMAP_BLOCKS_MAX)
        blocks = array_grow(map->blocks, &map->blocks_cap, map->nblocks + 1, sizeof *blocks);
    if (!blocks) {
        gzmap_give_up(map);
        return;
    }
    map->blocks = blocks;
    blocks[map->nblocks++] = *block;
    map->complete = end;
    const struct gzpoint *last = map->npoints ? &map->points[map->npoints - 1] : NULL;
    bool due = !last || block->text - blocks[last->block].text >= map->spacing;
    if (!end && due && !add_point(map, window, context))
        gzmap_give_up(map);
}

size_t gzmap_block_at(const struct gzmap *map, uint64_t bit)
{
    size_t lo = 0, hi = map->nblocks - 1; /* blocks[lo].bit <= bit < blocks[hi].bit */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (map->blocks[mid].bit <= bit)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

const struct gzpoint *gzmap_point(const struct gzmap *map, uint64_t text)
{
    size_t lo = 0, hi = map->npoints; /* the first point is at the start of the text */
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (map->blocks[map->points[mid].block].text <= text)
            lo = mid;
        else
            hi = mid;
    }
    return &map->points[lo];
}
