#include "draw.h"

#include "markup.h"
#include "svg.h"

/* All in tenths of a pixel, downwards. */
enum {
    HEADING = 200, /* a line of it */
    LABEL = 210,   /* the line above the rows of a lane, and room for arrows */
    LANE_GAP = 30, /* above that, between two lanes */
    GAP = 90,      /* between the two sides */
    AXIS = 380     /* with the line below that says what is 0 */
};

/* The rows of a side, from y on. Returns where they end. */
static int64_t add_rows(struct buf *out, const struct scene *scene, int side, int64_t y)
{
    int64_t lane_y[SCENE_LANES_MAX];
    for (size_t i = 0; i < (side == AFTER ? scene->nlanes : 1); i++) {
        const struct scene_lane *lane = &scene->lanes[i];
        y += i ? LANE_GAP : 0;
        svg_begin_text(out, "d", SVG_LEFT, y + 115, NULL);
        markup_cut(out, lane->name, 70);
        if (strncmp(lane->name, "tid ", 4) != 0 || strcmp(lane->name + 4, lane->tid) != 0) {
            buf_add_str(out, " \xC2\xB7 tid ");
            markup_cut(out, lane->tid, 30);
        }
        svg_end_text(out);
        lane_y[i] = y + LABEL;
        y = lane_y[i] + SVG_ROW * (int64_t)lane->nrows[side];
    }
    for (size_t i = 0; i < scene->nbars; i++)
        svg_bar(out, scene, i, side, lane_y);
    for (size_t i = 0; side == AFTER && i < scene->nbars; i++)
        svg_ghost(out, scene, &scene->bars[i], lane_y);
    for (size_t i = 0; i < scene->narrows; i++)
        svg_arrow(out, scene, &scene->arrows[i], side, lane_y);
    return y;
}

/* By how much it crosses, in a line below the rows, between lines that come down from there. */
static int64_t add_crossing(struct buf *out, const struct scene *scene, int64_t top, int64_t y)
{
    if (scene->over == SCENE_NONE || scene->bars[scene->over].row[BEFORE] == SCENE_NO_ROW)
        return y;
    top += (int64_t)SVG_ROW * scene->bars[scene->over].row[BEFORE];
    int64_t from = svg_x(scene, scene->cross_from_ns), to = svg_x(scene, scene->cross_to_ns);
    bool right = to > (SVG_LEFT + SVG_RIGHT) / 2; /* then there is more room on the left */
    svg_line(out, "xl", from, top, from, y + 90);
    svg_line(out, "xl", to, top, to, y + 90);
    svg_begin_text(out, "x", right ? from - 50 : to + 50, y + 90, right ? "end" : NULL);
    buf_add_str(out, "crosses by ");
    draw_time(out, scene->by_ns);
    svg_end_text(out);
    return y + 120;
}

/* The least step of 1, 2 or 5 times a power of ten that is not taken more than eight times. */
static int64_t tick_step(int64_t length_ns)
{
    enum { TICKS_MAX = 8 };
    for (int64_t step_ns = 1;; step_ns *= 10)
        for (int64_t times = 1; times <= 5; times += times == 1 ? 1 : 3) {
            if (length_ns / (step_ns * times) < TICKS_MAX)
                return step_ns * times;
            if (step_ns > INT64_MAX / 100)
                return length_ns;
        }
}

/* The lines behind both sides, and their labels below: from the slice's start on. */
static void add_axis(struct buf *out, const struct scene *scene, int64_t top, int64_t bottom)
{
    enum { LABEL_HALF = 280 };
    int64_t zero_ns = scene->bars[scene->slice].start_ns[BEFORE];
    int64_t step_ns = tick_step(scene->to_ns - scene->from_ns);
    int64_t first = (scene->from_ns - zero_ns) / step_ns, last = (scene->to_ns - zero_ns) / step_ns;
    for (int64_t i = first; i <= last; i++) {
        int64_t ns = zero_ns + i * step_ns, x = svg_x(scene, ns);
        if (ns < scene->from_ns || ns > scene->to_ns)
            continue;
        svg_line(out, "g", x, top, x, bottom);
        if (x < LABEL_HALF || x > SVG_WIDTH - LABEL_HALF)
            continue;
        svg_begin_text(out, "d", x, bottom + 130, "middle");
        buf_add_str(out, i > 0 ? "+" : "");
        if (i)
            draw_time(out, i * step_ns);
        else
            buf_add_char(out, '0');
        svg_end_text(out);
    }
    svg_line(out, "a", SVG_LEFT, bottom, SVG_RIGHT, bottom);
    svg_begin_text(out, "d", SVG_LEFT, bottom + 300, NULL);
    buf_add_str(out, "0 is ts ");
    draw_ts(out, zero_ns);
    buf_add_str(out, scene->more ? "; " : "");
    if (scene->more) {
        buf_add_u64(out, scene->more);
        buf_add_str(out, " more slices around are not drawn");
    }
    svg_end_text(out);
}

/* Of the two that a scene is about the one to speak of: where only the other one gave way, that. */
static const struct bar *changed_one(const struct scene *scene)
{
    const struct bar *slice = &scene->bars[scene->slice];
    bool other = scene->over != SCENE_NONE && !bar_changed(slice);
    return other && bar_changed(&scene->bars[scene->over]) ? &scene->bars[scene->over] : slice;
}

static void add_heading(struct buf *out, const struct scene *scene, int side, int64_t y)
{
    const struct bar *told = side == AFTER ? changed_one(scene) : &scene->bars[scene->slice];
    svg_begin_text(out, "h", SVG_LEFT, y + 140, NULL);
    buf_add_str(out, side == BEFORE ? "Before" : "After");
    svg_end_text(out);
    svg_begin_text(out, NULL, SVG_LEFT + 560, y + 140, NULL);
    draw_name(out, told, 45);
    if (side == AFTER) {
        buf_add_str(out, ": ");
        draw_change(out, scene, told);
    } else if (scene->over != SCENE_NONE) {
        buf_add_str(out, " crosses, so Perfetto drops or misplaces it");
    } else {
        buf_add_str(out,
                    scene->too_deep ? " lies too deep, so Perfetto drops it" : " crosses nothing");
    }
    svg_end_text(out);
}

/* Both sides, from the top. Returns where they end. */
static int64_t add_sides(struct buf *out, const struct scene *scene)
{
    int64_t y = 20;
    add_heading(out, scene, BEFORE, y);
    int64_t top = y + HEADING + LABEL;
    y = add_crossing(out, scene, top, add_rows(out, scene, BEFORE, y + HEADING)) + GAP;
    add_heading(out, scene, AFTER, y);
    return add_rows(out, scene, AFTER, y + HEADING) + 40;
}

/* For those who cannot see it. */
static void add_description(struct buf *out, const struct scene *scene, unsigned n)
{
    const struct bar *slice = &scene->bars[scene->slice];
    buf_add_str(out, "<title id=\"t");
    buf_add_u64(out, n);
    buf_add_str(out, "\">");
    draw_name(out, slice, 200);
    buf_add_str(out, " before and after</title><desc id=\"d");
    buf_add_u64(out, n);
    buf_add_str(out, "\">Timelines of ");
    markup_cut(out, scene->lanes[0].name, 100);
    buf_add_str(out, ". Before: ");
    draw_name(out, slice, 200);
    if (scene->over != SCENE_NONE) {
        buf_add_str(out, " crosses ");
        draw_name(out, &scene->bars[scene->over], 200);
        buf_add_str(out, " by ");
        draw_time(out, scene->by_ns);
    }
    buf_add_str(out, ". After: ");
    const struct bar *told = changed_one(scene);
    if (told != slice) {
        draw_name(out, told, 200);
        buf_add_str(out, ": ");
    }
    draw_change(out, scene, told);
    buf_add_str(out, ".</desc>");
}

static void begin_svg(struct buf *out, int64_t height, const char *more)
{
    buf_add_str(out, "<svg class=\"lf\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 ");
    markup_tenths(out, height);
    buf_add_char(out, '"');
    markup_attribute(out, "width", SVG_WIDTH);
    markup_attribute(out, "height", height);
    buf_add_str(out, " role=\"img\"");
    buf_add_str(out, more);
    buf_add_char(out, '>');
}

/* The drawing within an element that is begun and ended here. */
static void add_svg(struct buf *out, const struct scene *scene, unsigned n, bool alone)
{
    struct buf sides = {0}, more = {0};
    int64_t bottom = add_sides(&sides, scene), height = bottom + AXIS;
    buf_add_str(&more, " aria-labelledby=\"t");
    buf_add_u64(&more, n);
    buf_add_str(&more, " d");
    buf_add_u64(&more, n);
    buf_add(&more, "\"", 2); /* the final NUL as well */
    begin_svg(out, height, more.data ? more.data : "");
    add_description(out, scene, n);
    if (alone) {
        buf_add_str(out, "\n<style>\n");
        buf_add_str(out, DRAW_STYLE);
        buf_add_str(out, "</style>\n");
        buf_add_str(out, DRAW_PATTERNS);
        buf_add_char(out, '\n');
        svg_rect(out, "bg", 0, 0, SVG_WIDTH, height);
    }
    add_axis(out, scene, HEADING + LABEL, bottom);
    buf_add(out, sides.data, sides.len);
    buf_add_str(out, "</svg>");
    out->failed |= sides.failed | more.failed;
    buf_free(&sides);
    buf_free(&more);
}

void draw_scene(struct buf *out, const struct scene *scene, unsigned n)
{
    add_svg(out, scene, n, false);
}

void draw_file(struct buf *out, const struct scene *scene, const char *otherwise)
{
    enum { HEIGHT = 600 };
    buf_add_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (scene) {
        add_svg(out, scene, 1, true);
    } else {
        begin_svg(out, HEIGHT, " aria-labelledby=\"t1\"");
        buf_add_str(out, "<title id=\"t1\">");
        markup_text(out, otherwise);
        buf_add_str(out, "</title>\n<style>\n");
        buf_add_str(out, DRAW_STYLE);
        buf_add_str(out, "</style>\n");
        svg_rect(out, "bg", 0, 0, SVG_WIDTH, HEIGHT);
        svg_begin_text(out, NULL, SVG_WIDTH / 2, HEIGHT / 2 + 40, "middle");
        markup_text(out, otherwise);
        svg_end_text(out);
        buf_add_str(out, "</svg>");
    }
    buf_add_char(out, '\n');
}
