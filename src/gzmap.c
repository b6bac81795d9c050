#include "gzmap.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "codec.h"

/* Of the points, to begin with. One costs to compress its window, which ISA-L does several times as
 * fast, and saves to inflate half of that or so for each change. */
static uint64_t first_spacing(void)
{
    return codec_best() == CODEC_ISAL ? 1 << 18 : 1 << 20;
}

void gzmap_free(struct gzmap *map)
{
    for (size_t i = 0; i < map->npoints; i++)
        buf_free(&map->points[i].window);
    deflater_free(map->deflater);
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
        if (i % 2) {
            map->windows_nbytes -= map->points[i].window.cap;
            buf_free(&map->points[i].window);
        } else {
            map->points[kept++] = map->points[i];
        }
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
    struct gzpoint *point = &points[map->npoints++];
    *point = (struct gzpoint){.block = map->nblocks - 1};
    unsigned char text[GZMAP_WINDOW];
    size_t n = window(context, text);
    if (!map->deflater)
        map->deflater = deflater_new(codec_best(), 1);
    if (n && (!map->deflater ||
              !deflater_block(map->deflater, NULL, 0, (const char *)text, n, true, &point->window)))
        return false;
    buf_fit(&point->window);
    map->windows_nbytes += point->window.cap;
    if (map->windows_nbytes > GZMAP_WINDOWS_MAX)
        thin_points(map);
    return true;
}

void gzmap_note(struct gzmap *map, const struct gzblock *block, bool end, gzmap_window *window,
                void *context)
{
    if (map->none)
        return;
    if (!map->spacing)
        map->spacing = first_spacing();
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
