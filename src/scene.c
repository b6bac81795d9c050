#include "scene.h"

#include <stdlib.h>

void scene_free(struct scene *scene)
{
    for (size_t i = 0; i < scene->nbars; i++)
        free(scene->bars[i].name);
    for (size_t i = 0; i < scene->nlanes; i++) {
        free(scene->lanes[i].name);
        free(scene->lanes[i].tid);
    }
    free(scene->pid);
}

bool bar_retimed(const struct bar *bar)
{
    return bar->start_ns[BEFORE] != bar->start_ns[AFTER] ||
           bar->end_ns[BEFORE] != bar->end_ns[AFTER];
}

bool bar_changed(const struct bar *bar)
{
    return bar->lane || bar_retimed(bar);
}

void scene_crossing(const struct bar *slice, const struct bar *over, int64_t *from_ns,
                    int64_t *to_ns)
{
    int64_t start_ns = slice->start_ns[BEFORE], end_ns = slice->end_ns[BEFORE];
    int64_t boundary_ns = over->end_ns[BEFORE];
    bool common = boundary_ns - start_ns < end_ns - boundary_ns;
    *from_ns = common ? start_ns : boundary_ns;
    *to_ns = common ? boundary_ns : end_ns;
}

void scene_window(int64_t from_ns, int64_t to_ns, int64_t cross_from_ns, int64_t cross_to_ns,
                  int64_t window_ns[2])
{
    int64_t cross_ns = cross_to_ns - cross_from_ns, middle_ns = cross_from_ns + cross_ns / 2;
    int64_t margin_ns = (to_ns - from_ns) / 12 + 1;
    bool zoom = cross_ns > 0 && (to_ns - from_ns) / SCENE_ZOOM > cross_ns;
    int64_t half_ns = zoom ? cross_ns * (SCENE_ZOOM / 2) : INT64_MAX;
    window_ns[0] = from_ns > margin_ns ? from_ns - margin_ns : 0;
    window_ns[1] = to_ns < INT64_MAX - margin_ns ? to_ns + margin_ns : INT64_MAX;
    if (middle_ns - window_ns[0] > half_ns)
        window_ns[0] = middle_ns - half_ns;
    if (window_ns[1] - middle_ns > half_ns)
        window_ns[1] = middle_ns + half_ns;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The time around the slice and the one that it crosses, before and after. */
static void find_window(struct scene *scene)
{
    const struct bar *slice = &scene->bars[scene->slice];
    const struct bar *over = scene->over == SCENE_NONE ? slice : &scene->bars[scene->over];
    int64_t from_ns = INT64_MAX, to_ns = 0, window_ns[2];
    for (int side = 0; side < SIDES; side++) {
        from_ns = least(from_ns, least(slice->start_ns[side], over->start_ns[side]));
        to_ns = most(to_ns, most(slice->end_ns[side], over->end_ns[side]));
    }
    scene->by_ns = scene->cross_from_ns = scene->cross_to_ns = 0;
    if (over != slice) {
        scene_crossing(slice, over, &scene->cross_from_ns, &scene->cross_to_ns);
        scene->by_ns = scene->cross_to_ns - scene->cross_from_ns;
    }
    scene_window(from_ns, to_ns, scene->cross_from_ns, scene->cross_to_ns, window_ns);
    scene->from_ns = window_ns[0];
    scene->to_ns = window_ns[1];
}

/* The bars of one side and lane in the order of the viewer: by start, the longest first. Returns
 * how many. */
static size_t sort_bars(const struct scene *scene, int side, uint32_t lane, size_t *order)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->nbars; i++) {
        const struct bar *bar = &scene->bars[i];
        if (side == AFTER && bar->lane != lane)
            continue;
        size_t at = n++;
        for (; at > 0; at--) {
            const struct bar *other = &scene->bars[order[at - 1]];
            bool before = other->start_ns[side] < bar->start_ns[side] ||
                          (other->start_ns[side] == bar->start_ns[side] &&
                           other->end_ns[side] >= bar->end_ns[side]);
            if (before)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    return n;
}

/* The first row from `row` on whose last bar ended before `start_ns`, which is taken. There is one
 * for each bar. */
static uint32_t take_row(int64_t *row_end_ns, uint32_t row, int64_t start_ns, int64_t end_ns)
{
    while (row_end_ns[row] > start_ns)
        row++;
    row_end_ns[row] = end_ns;
    return row;
}

/* What is open, the innermost last. */
struct open_bars {
    size_t bars[SCENE_BARS_MAX];
    uint32_t depth;
};

/* Of the one that the slice crosses it is known that it is shown, and is the innermost that is open
 * where the slice begins. What stands in the way of that is one that is not shown itself, as it
 * crosses another one, which may lie outside the scene. */
static void pop_misplaced(struct scene *scene, size_t i, struct open_bars *open)
{
    if (scene->over == SCENE_NONE || (i != scene->slice && i != scene->over))
        return;
    int64_t end_ns = scene->bars[i].end_ns[BEFORE];
    while (open->depth) {
        struct bar *top = &scene->bars[open->bars[open->depth - 1]];
        if (i == scene->slice ? top == &scene->bars[scene->over] : end_ns <= top->end_ns[BEFORE])
            return;
        top->crosses = true;
        open->depth--;
    }
}

/* The first row to show of those that are there: `first`, or another one from which the slice and
 * the one that it crosses are both shown, if they are there. */
static uint32_t first_row(const struct scene *scene, int side, const size_t *order, size_t n,
                          uint32_t first)
{
    uint32_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (order[i] != scene->slice && order[i] != scene->over)
            continue;
        uint32_t row = scene->bars[order[i]].row[side];
        first = row < first ? row : first;
        last = row > last ? row : last;
    }
    return last < first + SCENE_DEPTH_MAX ? first : last - SCENE_DEPTH_MAX + 1;
}

/* Of the rows of a lane only so many are shown. */
static void keep_rows(struct scene *scene, int side, const size_t *order, size_t n, uint32_t first)
{
    for (size_t i = 0; i < n; i++) {
        struct bar *bar = &scene->bars[order[i]];
        uint32_t *nrows = &scene->lanes[side == AFTER ? bar->lane : 0].nrows[side];
        bool shown = bar->row[side] >= first && bar->row[side] - first < SCENE_DEPTH_MAX;
        bar->row[side] = shown ? bar->row[side] - first : SCENE_NO_ROW;
        if (shown && bar->row[side] >= *nrows)
            *nrows = bar->row[side] + 1;
        scene->more += !shown && side == AFTER;
    }
}

/* A slice that crosses stands below the one that it crosses, as far as it reaches. *first is the
 * first row to show, and that which is. */
static void lay_out_lane(struct scene *scene, int side, uint32_t lane, uint32_t *first)
{
    size_t order[SCENE_BARS_MAX];
    int64_t row_end_ns[SCENE_BARS_MAX] = {0};
    struct open_bars open = {.depth = 0};
    size_t n = sort_bars(scene, side, lane, order);
    for (size_t i = 0; i < n; i++) {
        struct bar *bar = &scene->bars[order[i]];
        int64_t start_ns = bar->start_ns[side], end_ns = bar->end_ns[side];
        while (open.depth && scene->bars[open.bars[open.depth - 1]].end_ns[side] <= start_ns)
            open.depth--;
        if (side == BEFORE)
            pop_misplaced(scene, order[i], &open);
        const struct bar *top = open.depth ? &scene->bars[open.bars[open.depth - 1]] : NULL;
        bar->row[side] = take_row(row_end_ns, top ? top->row[side] + 1 : 0, start_ns, end_ns);
        bool crosses = top && end_ns > top->end_ns[side];
        if (side == BEFORE)
            bar->crosses = crosses;
        if (!crosses)
            open.bars[open.depth++] = order[i];
    }
    *first = first_row(scene, side, order, n, *first);
    keep_rows(scene, side, order, n, *first);
}

void scene_lay_out(struct scene *scene)
{
    find_window(scene);
    uint32_t first = 0;
    lay_out_lane(scene, BEFORE, 0, &first);
    for (uint32_t lane = 0; lane < scene->nlanes; lane++, first = 0)
        lay_out_lane(scene, AFTER, lane, &first);
}
