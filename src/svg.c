#include "svg.h"

#include "draw.h"
#include "markup.h"

/* All in tenths of a pixel. */
enum {
    COLUMN = 64,  /* a character of a name, and no font's are wider */
    TOOTH = 40,   /* of a side that is ragged */
    PADDING = 50, /* between a bar's sides and its name */
    BASELINE = 56 /* of a name, above the bar's lower side */
};

int64_t svg_x(const struct scene *scene, int64_t ns)
{
    int64_t length_ns = scene->to_ns - scene->from_ns;
    if (ns <= scene->from_ns)
        return SVG_LEFT;
    if (ns >= scene->to_ns)
        return SVG_RIGHT;
    double part = (double)(ns - scene->from_ns) / (double)length_ns;
    return SVG_LEFT + (int64_t)(part * (SVG_RIGHT - SVG_LEFT) + 0.5);
}

void svg_begin_text(struct buf *out, const char *class_name, int64_t x, int64_t y,
                    const char *anchor)
{
    buf_add_str(out, "<text");
    if (class_name) {
        buf_add_str(out, " class=\"");
        buf_add_str(out, class_name);
        buf_add_char(out, '"');
    }
    markup_attribute(out, "x", x);
    markup_attribute(out, "y", y);
    if (anchor) {
        buf_add_str(out, " text-anchor=\"");
        buf_add_str(out, anchor);
        buf_add_char(out, '"');
    }
    buf_add_char(out, '>');
}

void svg_end_text(struct buf *out)
{
    buf_add_str(out, "</text>");
}

void svg_line(struct buf *out, const char *class_name, int64_t x1, int64_t y1, int64_t x2,
              int64_t y2)
{
    buf_add_str(out, "<path class=\"");
    buf_add_str(out, class_name);
    buf_add_str(out, "\" d=\"M");
    markup_tenths(out, x1);
    buf_add_char(out, ' ');
    markup_tenths(out, y1);
    buf_add_char(out, 'L');
    markup_tenths(out, x2);
    buf_add_char(out, ' ');
    markup_tenths(out, y2);
    buf_add_str(out, "\"/>");
}

void svg_rect(struct buf *out, const char *class_name, int64_t x, int64_t y, int64_t width,
              int64_t height)
{
    buf_add_str(out, "<rect class=\"");
    buf_add_str(out, class_name);
    buf_add_char(out, '"');
    markup_attribute(out, "x", x);
    markup_attribute(out, "y", y);
    markup_attribute(out, "width", width);
    markup_attribute(out, "height", height);
    buf_add_str(out, "/>");
}

void svg_step(struct buf *out, const char *command, int64_t tenths)
{
    buf_add_str(out, command);
    markup_tenths(out, tenths);
}

/* Down the right side of a bar, or up the left one, in four teeth where it goes on. */
static void add_side(struct buf *out, int64_t direction, bool torn)
{
    if (!torn) {
        svg_step(out, "v", direction * SVG_BAR);
        return;
    }
    buf_add_char(out, 'l');
    for (int tooth = 0; tooth < 4; tooth++) {
        svg_step(out, tooth ? " " : "", direction * (tooth % 2 ? TOOTH : -TOOTH));
        svg_step(out, " ", direction * (SVG_BAR * (tooth + 1) / 4 - SVG_BAR * tooth / 4));
    }
}

/* Where a bar stands on one side. */
struct box {
    int64_t x, y, width;
    bool torn[2]; /* left, right: it goes on beyond what is shown */
};

static struct box find_box(const struct scene *scene, const struct bar *bar, int side,
                           const int64_t *lane_y)
{
    enum { WIDTH_MIN = 20 };
    struct box box = {
        .x = svg_x(scene, bar->start_ns[side]),
        .y = lane_y[side == AFTER ? bar->lane : 0] + (int64_t)SVG_ROW * bar->row[side],
        .torn = {bar->start_ns[side]<scene->from_ns, bar->end_ns[side]> scene->to_ns}};
    box.width = svg_x(scene, bar->end_ns[side]) - box.x;
    if (box.width < WIDTH_MIN)
        box.width = WIDTH_MIN;
    if (box.x > SVG_RIGHT - box.width)
        box.x = SVG_RIGHT - box.width;
    return box;
}

static void add_box(struct buf *out, const struct bar *bar, const struct box *box)
{
    buf_add_str(out, "<path class=\"k");
    buf_add_u64(out, bar->kind);
    buf_add_str(out, bar_changed(bar) || bar->crosses ? " c\" d=\"" : "\" d=\"");
    svg_step(out, "M", box->x);
    svg_step(out, " ", box->y);
    svg_step(out, "h", box->width);
    add_side(out, 1, box->torn[1]);
    svg_step(out, "H", box->x);
    add_side(out, -1, box->torn[0]);
    buf_add_str(out, "z\"/>");
}

/* The whole name and the times, for a pointer that rests on the bar. */
static void add_title(struct buf *out, const struct bar *bar, int side)
{
    buf_add_str(out, "<title>");
    draw_name(out, bar, 200);
    buf_add_str(out, " (");
    buf_add_str(out, draw_kind_name(bar->kind));
    buf_add_str(out, "): ts ");
    draw_ts(out, bar->start_ns[side]);
    buf_add_str(out, ", dur ");
    draw_time(out, bar->end_ns[side] - bar->start_ns[side]);
    buf_add_str(out, "</title>");
}

/* Is there a character whose width is the font's own business? */
static bool is_ascii(const char *text)
{
    while (*text > 0)
        text++;
    return !*text;
}

/* The name, as far as it has room in [x, x + width), and the duration behind it if that has. */
static void add_label(struct buf *out, const struct bar *bar, int side, int64_t x, int64_t y,
                      int64_t width)
{
    const char *name = bar->name ? bar->name : "(no name)";
    int64_t room = (width - PADDING - PADDING) / COLUMN;
    if (room < 3)
        return;
    size_t columns = (size_t)room, used = markup_columns(name);
    svg_begin_text(out, NULL, x + PADDING, y + SVG_BAR - BASELINE, NULL);
    out->len--;
    buf_add_str(out, " class=\"m l");
    buf_add_u64(out, bar->kind);
    buf_add_char(out, '"');
    if (!is_ascii(name)) {
        buf_add_str(out, " lengthAdjust=\"spacingAndGlyphs\"");
        markup_attribute(out, "textLength", COLUMN * (int64_t)(used < columns ? used : columns));
    }
    buf_add_char(out, '>');
    markup_cut(out, name, columns);
    svg_end_text(out);
    struct buf time = {0};
    draw_time(&time, bar->end_ns[side] - bar->start_ns[side]);
    if (used + time.len + 2 <= columns) {
        svg_begin_text(out, "m d", x + width - PADDING, y + SVG_BAR - BASELINE, "end");
        buf_add(out, time.data, time.len);
        svg_end_text(out);
    }
    out->failed |= time.failed;
    buf_free(&time);
}

/* The part that crosses, hatched over the slice; the label has the rest. */
static void add_hatch(struct buf *out, const struct scene *scene, const struct box *box,
                      int64_t *label_x, int64_t *label_width)
{
    enum { WIDTH_MIN = 30 };
    int64_t from = svg_x(scene, scene->cross_from_ns), to = svg_x(scene, scene->cross_to_ns);
    if (to - from < WIDTH_MIN)
        to = from + WIDTH_MIN;
    svg_rect(out, "cx", from, box->y, to - from, SVG_BAR);
    if (2 * (to - from) > box->width)
        return;
    bool head = from - box->x < box->x + box->width - to;
    if (head)
        *label_x = to;
    *label_width = head ? box->x + box->width - to : from - box->x;
}

void svg_bar(struct buf *out, const struct scene *scene, size_t i, int side, const int64_t *lane_y)
{
    const struct bar *bar = &scene->bars[i];
    if (bar->row[side] == SCENE_NO_ROW || bar->end_ns[side] <= scene->from_ns ||
        bar->start_ns[side] >= scene->to_ns)
        return;
    struct box box = find_box(scene, bar, side, lane_y);
    int64_t x = box.x, width = box.width;
    buf_add_str(out, "<g>");
    add_title(out, bar, side);
    add_box(out, bar, &box);
    if (side == BEFORE && i == scene->slice && scene->over != SCENE_NONE)
        add_hatch(out, scene, &box, &x, &width);
    if (box.torn[0] && x == box.x) {
        x += TOOTH;
        width -= TOOTH;
    }
    if (box.torn[1])
        width -= TOOTH;
    add_label(out, bar, side, x, box.y, width);
    buf_add_str(out, "</g>");
}

void svg_ghost(struct buf *out, const struct scene *scene, const struct bar *bar,
               const int64_t *lane_y)
{
    if (!bar_retimed(bar) || bar->row[AFTER] == SCENE_NO_ROW)
        return;
    int64_t y = lane_y[bar->lane] + (int64_t)SVG_ROW * bar->row[AFTER];
    int64_t from = svg_x(scene, bar->start_ns[BEFORE]), to = svg_x(scene, bar->end_ns[BEFORE]);
    int64_t new_from = svg_x(scene, bar->start_ns[AFTER]),
            new_to = svg_x(scene, bar->end_ns[AFTER]);
    if (from < new_from)
        svg_rect(out, "was", from, y + 20, new_from - from, SVG_BAR - 40);
    if (to > new_to)
        svg_rect(out, "was", new_to, y + 20, to - new_to, SVG_BAR - 40);
}

void svg_arrow(struct buf *out, const struct scene *scene, const struct arrow *arrow, int side,
               const int64_t *lane_y)
{
    const struct bar *bar = &scene->bars[arrow->bar];
    bool wrong = side == BEFORE && arrow->bar == scene->slice && scene->over != SCENE_NONE;
    if (wrong)
        bar = &scene->bars[scene->over];
    int64_t ts_ns = arrow->ts_ns[side];
    if (bar->row[side] == SCENE_NO_ROW || ts_ns < scene->from_ns || ts_ns > scene->to_ns)
        return;
    struct box box = find_box(scene, bar, side, lane_y);
    int64_t x = svg_x(scene, ts_ns), y = arrow->leaves ? box.y + SVG_BAR : box.y;
    buf_add_str(out, "<g><title>flow arrow that ");
    buf_add_str(out, arrow->leaves ? "leaves from " : "comes to ");
    draw_name(out, bar, 100);
    if (wrong) {
        buf_add_str(out, ", and not ");
        draw_name(out, &scene->bars[scene->slice], 100);
    }
    buf_add_str(out,
                wrong ? "</title><path class=\"fl w\" d=\"" : "</title><path class=\"fl\" d=\"");
    svg_step(out, "M", arrow->leaves ? x : x - 120);
    svg_step(out, " ", arrow->leaves ? y - 30 : y - 85);
    buf_add_str(out, arrow->leaves ? "q1 8 9 9\"/>" : "q11 0 12 5\"/>");
    buf_add_str(out, wrong ? "<path class=\"fh w\" d=\"" : "<path class=\"fh\" d=\"");
    svg_step(out, "M", arrow->leaves ? x + 130 : x);
    svg_step(out, " ", arrow->leaves ? y + 60 : y + 20);
    buf_add_str(out, arrow->leaves ? "l-6 -3.5v7z\"/></g>" : "l-3.5 -6h7z\"/></g>");
}
