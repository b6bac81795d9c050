#include "draw.h"

#include "markup.h"

/* All in tenths of a pixel. */
enum {
    WIDTH = 7600,
    LEFT = 80,
    RIGHT = WIDTH - 80,
    HEADING = 200, /* a line of it */
    LABEL = 210,   /* the line above the rows of a lane, and room for arrows */
    ROW = 230,     /* from row to row */
    BAR = 190,     /* the height of a bar */
    LANE_GAP = 30,
    GAP = 90,    /* between the two sides */
    AXIS = 380,  /* with the line below that says what is 0 */
    COLUMN = 64, /* a character of a name, and no font's are wider */
    TOOTH = 40,
    PADDING = 50 /* between a bar's sides and its name */
};

/* Where a time stands, in tenths of a pixel; within what is shown. */
static int64_t x_of(const struct scene *scene, int64_t ns)
{
    int64_t length_ns = scene->to_ns - scene->from_ns;
    if (ns <= scene->from_ns)
        return LEFT;
    if (ns >= scene->to_ns)
        return RIGHT;
    double part = (double)(ns - scene->from_ns) / (double)length_ns;
    return LEFT + (int64_t)(part * (RIGHT - LEFT) + 0.5);
}

static void begin_text(struct buf *out, const char *class_name, int64_t x, int64_t y,
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

static void end_text(struct buf *out)
{
    buf_add_str(out, "</text>");
}

static void add_line(struct buf *out, const char *class_name, int64_t x1, int64_t y1, int64_t x2,
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

static void add_rect(struct buf *out, const char *class_name, int64_t x, int64_t y, int64_t width,
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

/* A number between blanks in a path. */
static void add_step(struct buf *out, const char *command, int64_t tenths)
{
    buf_add_str(out, command);
    markup_tenths(out, tenths);
}

/* Down the right side of a bar, or up the left one, in four teeth where it goes on. */
static void add_side(struct buf *out, int64_t direction, bool torn)
{
    if (!torn) {
        add_step(out, "v", direction * BAR);
        return;
    }
    buf_add_char(out, 'l');
    for (int tooth = 0; tooth < 4; tooth++) {
        add_step(out, tooth ? " " : "", direction * (tooth % 2 ? TOOTH : -TOOTH));
        add_step(out, " ", direction * (BAR * (tooth + 1) / 4 - BAR * tooth / 4));
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
        .x = x_of(scene, bar->start_ns[side]),
        .y = lane_y[side == AFTER ? bar->lane : 0] + ROW * bar->row[side],
        .torn = {bar->start_ns[side]<scene->from_ns, bar->end_ns[side]> scene->to_ns}};
    box.width = x_of(scene, bar->end_ns[side]) - box.x;
    if (box.width < WIDTH_MIN)
        box.width = WIDTH_MIN;
    if (box.x > RIGHT - box.width)
        box.x = RIGHT - box.width;
    return box;
}

static void add_box(struct buf *out, const struct bar *bar, const struct box *box)
{
    buf_add_str(out, "<path class=\"k");
    buf_add_u64(out, bar->kind);
    buf_add_str(out, bar_changed(bar) || bar->crosses ? " c\" d=\"" : "\" d=\"");
    add_step(out, "M", box->x);
    add_step(out, " ", box->y);
    add_step(out, "h", box->width);
    add_side(out, 1, box->torn[1]);
    add_step(out, "H", box->x);
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
    int64_t room = (width - 2 * PADDING) / COLUMN;
    if (room < 3)
        return;
    size_t columns = (size_t)room, used = markup_columns(name);
    begin_text(out, NULL, x + PADDING, y + BAR - 56, NULL);
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
    end_text(out);
    struct buf time = {0};
    draw_time(&time, bar->end_ns[side] - bar->start_ns[side]);
    if (used + time.len + 2 <= columns) {
        begin_text(out, "m d", x + width - PADDING, y + BAR - 56, "end");
        buf_add(out, time.data, time.len);
        end_text(out);
    }
    out->failed |= time.failed;
    buf_free(&time);
}

/* The part that crosses, hatched over the slice; the label has the rest. */
static void add_hatch(struct buf *out, const struct scene *scene, const struct box *box,
                      int64_t *label_x, int64_t *label_width)
{
    enum { WIDTH_MIN = 30 };
    int64_t from = x_of(scene, scene->cross_from_ns), to = x_of(scene, scene->cross_to_ns);
    if (to - from < WIDTH_MIN)
        to = from + WIDTH_MIN;
    add_rect(out, "cx", from, box->y, to - from, BAR);
    if (2 * (to - from) > box->width)
        return;
    bool head = from - box->x < box->x + box->width - to;
    if (head)
        *label_x = to;
    *label_width = head ? box->x + box->width - to : from - box->x;
}

static void add_bar(struct buf *out, const struct scene *scene, size_t i, int side,
                    const int64_t *lane_y)
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

/* Where a slice was that has other times now, in its new row. */
static void add_ghost(struct buf *out, const struct scene *scene, const struct bar *bar,
                      const int64_t *lane_y)
{
    if (!bar_retimed(bar) || bar->row[AFTER] == SCENE_NO_ROW)
        return;
    int64_t y = lane_y[bar->lane] + ROW * bar->row[AFTER];
    int64_t from = x_of(scene, bar->start_ns[BEFORE]), to = x_of(scene, bar->end_ns[BEFORE]);
    int64_t new_from = x_of(scene, bar->start_ns[AFTER]), new_to = x_of(scene, bar->end_ns[AFTER]);
    if (from < new_from)
        add_rect(out, "was", from, y + 20, new_from - from, BAR - 40);
    if (to > new_to)
        add_rect(out, "was", new_to, y + 20, to - new_to, BAR - 40);
}

/* An arrow comes from above, or leaves downwards. Before, the viewer takes that of a slice that
 * crosses to the one that it crosses. */
static void add_arrow(struct buf *out, const struct scene *scene, const struct arrow *arrow,
                      int side, const int64_t *lane_y)
{
    const struct bar *bar = &scene->bars[arrow->bar];
    bool wrong = side == BEFORE && arrow->bar == scene->slice && scene->over != SCENE_NONE;
    if (wrong)
        bar = &scene->bars[scene->over];
    int64_t ts_ns = arrow->ts_ns[side];
    if (bar->row[side] == SCENE_NO_ROW || ts_ns < scene->from_ns || ts_ns > scene->to_ns)
        return;
    struct box box = find_box(scene, bar, side, lane_y);
    int64_t x = x_of(scene, ts_ns), y = arrow->leaves ? box.y + BAR : box.y;
    buf_add_str(out, "<g><title>flow arrow that ");
    buf_add_str(out, arrow->leaves ? "leaves from " : "comes to ");
    draw_name(out, bar, 100);
    if (wrong) {
        buf_add_str(out, ", and not ");
        draw_name(out, &scene->bars[scene->slice], 100);
    }
    buf_add_str(out,
                wrong ? "</title><path class=\"fl w\" d=\"" : "</title><path class=\"fl\" d=\"");
    add_step(out, "M", arrow->leaves ? x : x - 120);
    add_step(out, " ", arrow->leaves ? y - 30 : y - 85);
    buf_add_str(out, arrow->leaves ? "q1 8 9 9\"/>" : "q11 0 12 5\"/>");
    buf_add_str(out, wrong ? "<path class=\"fh w\" d=\"" : "<path class=\"fh\" d=\"");
    add_step(out, "M", arrow->leaves ? x + 130 : x);
    add_step(out, " ", arrow->leaves ? y + 60 : y + 20);
    buf_add_str(out, arrow->leaves ? "l-6 -3.5v7z\"/></g>" : "l-3.5 -6h7z\"/></g>");
}

/* The rows of a side, from y on. Returns where they end. */
static int64_t add_rows(struct buf *out, const struct scene *scene, int side, int64_t y)
{
    int64_t lane_y[SCENE_LANES_MAX];
    for (size_t i = 0; i < (side == AFTER ? scene->nlanes : 1); i++) {
        const struct scene_lane *lane = &scene->lanes[i];
        y += i ? LANE_GAP : 0;
        begin_text(out, "d", LEFT, y + 115, NULL);
        markup_cut(out, lane->name, 70);
        if (strncmp(lane->name, "tid ", 4) != 0 || strcmp(lane->name + 4, lane->tid) != 0) {
            buf_add_str(out, " \xC2\xB7 tid ");
            markup_cut(out, lane->tid, 30);
        }
        end_text(out);
        lane_y[i] = y + LABEL;
        y = lane_y[i] + ROW * (int64_t)lane->nrows[side];
    }
    for (size_t i = 0; i < scene->nbars; i++)
        add_bar(out, scene, i, side, lane_y);
    for (size_t i = 0; side == AFTER && i < scene->nbars; i++)
        add_ghost(out, scene, &scene->bars[i], lane_y);
    for (size_t i = 0; i < scene->narrows; i++)
        add_arrow(out, scene, &scene->arrows[i], side, lane_y);
    return y;
}

/* By how much it crosses, in a line below the rows, between lines that come down from there. */
static int64_t add_crossing(struct buf *out, const struct scene *scene, int64_t top, int64_t y)
{
    if (scene->over == SCENE_NONE || scene->bars[scene->over].row[BEFORE] == SCENE_NO_ROW)
        return y;
    top += ROW * scene->bars[scene->over].row[BEFORE];
    int64_t from = x_of(scene, scene->cross_from_ns), to = x_of(scene, scene->cross_to_ns);
    bool right = to > (LEFT + RIGHT) / 2; /* then there is more room on the left */
    add_line(out, "xl", from, top, from, y + 90);
    add_line(out, "xl", to, top, to, y + 90);
    begin_text(out, "x", right ? from - 50 : to + 50, y + 90, right ? "end" : NULL);
    buf_add_str(out, "crosses by ");
    draw_time(out, scene->by_ns);
    end_text(out);
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
        int64_t ns = zero_ns + i * step_ns, x = x_of(scene, ns);
        if (ns < scene->from_ns || ns > scene->to_ns)
            continue;
        add_line(out, "g", x, top, x, bottom);
        if (x < LABEL_HALF || x > WIDTH - LABEL_HALF)
            continue;
        begin_text(out, "d", x, bottom + 130, "middle");
        buf_add_str(out, i > 0 ? "+" : "");
        if (i)
            draw_time(out, i * step_ns);
        else
            buf_add_char(out, '0');
        end_text(out);
    }
    add_line(out, "a", LEFT, bottom, RIGHT, bottom);
    begin_text(out, "d", LEFT, bottom + 300, NULL);
    buf_add_str(out, "0 is ts ");
    draw_ts(out, zero_ns);
    buf_add_str(out, scene->more ? "; " : "");
    if (scene->more) {
        buf_add_u64(out, scene->more);
        buf_add_str(out, " more slices around are not drawn");
    }
    end_text(out);
}

static void add_heading(struct buf *out, const struct scene *scene, int side, int64_t y)
{
    const struct bar *slice = &scene->bars[scene->slice];
    begin_text(out, "h", LEFT, y + 140, NULL);
    buf_add_str(out, side == BEFORE ? "Before" : "After");
    end_text(out);
    begin_text(out, NULL, LEFT + 560, y + 140, NULL);
    draw_name(out, slice, 45);
    if (side == AFTER) {
        buf_add_str(out, ": ");
        draw_change(out, scene, slice);
    } else if (scene->over != SCENE_NONE) {
        buf_add_str(out, " crosses, so Perfetto drops or misplaces it");
    } else {
        buf_add_str(out, " lies too deep, so Perfetto drops it");
    }
    end_text(out);
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
    draw_change(out, scene, slice);
    buf_add_str(out, ".</desc>");
}

static void begin_svg(struct buf *out, int64_t height, const char *more)
{
    buf_add_str(out, "<svg class=\"lf\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 ");
    markup_tenths(out, height);
    buf_add_char(out, '"');
    markup_attribute(out, "width", WIDTH);
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
        add_rect(out, "bg", 0, 0, WIDTH, height);
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
        add_rect(out, "bg", 0, 0, WIDTH, HEIGHT);
        begin_text(out, NULL, WIDTH / 2, HEIGHT / 2 + 40, "middle");
        markup_text(out, otherwise);
        end_text(out);
        buf_add_str(out, "</svg>");
    }
    buf_add_char(out, '\n');
}
