#include "page.h"

#include "draw.h"
#include "markup.h"
#include "shift.h"

/* The figures have so much of the page at most, then the rows of threads, and the rest is for what
 * is always there. */
enum { FIGURES_NBYTES_MAX = 700000, ROWS_NBYTES_MAX = 960000 };

/* Rows below a picture for others than the two that it is about. */
enum { OTHERS_MAX = 4 };

/* Longer names and ids are cut. */
enum { NAME_COLUMNS = 160, ID_COLUMNS = 40, RULES_COLUMNS = 1000 };

static void add_count(struct buf *out, uint64_t n)
{
    struct buf digits = {0};
    buf_add_u64(&digits, n);
    for (size_t i = 0; i < digits.len; i++) {
        if (i && (digits.len - i) % 3 == 0)
            buf_add_str(out, "\xE2\x80\xAF"); /* a narrow blank that does not break */
        buf_add_char(out, digits.data[i]);
    }
    out->failed |= digits.failed;
    buf_free(&digits);
}

/* Text of the trace, which may run from right to left. */
static void add_name(struct buf *out, const char *text, size_t columns)
{
    buf_add_str(out, "<bdi>");
    markup_cut(out, text, columns);
    buf_add_str(out, "</bdi>");
}

static void add_bar_name(struct buf *out, const struct bar *bar)
{
    add_name(out, bar->name ? bar->name : "(no name)", NAME_COLUMNS);
}

static void add_head(struct buf *out, const struct page *page)
{
    buf_add_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    buf_add_str(out, PAGE_POLICY);
    buf_add_str(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
                     "initial-scale=1\">\n<title>");
    markup_cut(out, page->input, NAME_COLUMNS);
    buf_add_str(out, " \xC2\xB7 trace-lanefix</title>\n<style>");
    buf_add_str(out, DRAW_STYLE);
    buf_add_str(out, "</style>\n<style>");
    buf_add_str(out, PAGE_STYLE);
    buf_add_str(out, "</style>\n</head>\n<body>\n"
                     "<a class=\"skip\" href=\"#fixes\">Skip to the fixes</a>\n"
                     "<a class=\"skip\" href=\"#threads\">Skip to the threads</a>\n"
                     "<svg class=\"lf\" width=\"0\" height=\"0\" aria-hidden=\"true\">");
    buf_add_str(out, DRAW_PATTERNS);
    buf_add_str(out, "</svg>\n");
}

static uint64_t all_crossings(const struct lanefix_totals *t)
{
    return t->crossings + t->pair_crossings;
}

static void add_figure(struct buf *out, const char *what, uint64_t n)
{
    buf_add_str(out, "<div><dt>");
    buf_add_str(out, what);
    buf_add_str(out, "</dt><dd>");
    add_count(out, n);
    buf_add_str(out, "</dd></div>\n");
}

static void add_shift(struct buf *out, const struct lanefix_totals *t)
{
    buf_add_str(out, "<div><dt>total shift of boundaries</dt><dd>");
    draw_time(out, shift_ns_sum(t->start_shift_ns, t->end_shift_ns));
    buf_add_str(out, "</dd></div>\n");
}

static void add_sentence(struct buf *out, const struct page *page)
{
    const struct lanefix_totals *t = page->totals;
    buf_add_str(out, "<p>");
    if (!all_crossings(t) && !t->too_deep) {
        buf_add_str(out, "Nothing crosses: Perfetto shows every slice.</p>\n");
        return;
    }
    add_count(out, all_crossings(t) + t->too_deep);
    buf_add_str(out, " of ");
    add_count(out, t->slices);
    buf_add_str(out, t->too_deep
                         ? " slices cross others of their thread or lie too deep, so Perfetto "
                           "drops or misplaces them. "
                         : " slices cross others of their thread, so Perfetto drops or "
                           "misplaces them. ");
    if (page->check || page->dry_run)
        buf_add_str(out, "No trace was written; this is what a fix would do.</p>\n");
    else
        buf_add_str(out, "In the trace that was written it shows every slice.</p>\n");
}

static void add_totals(struct buf *out, const struct page *page)
{
    const struct lanefix_totals *t = page->totals;
    buf_add_str(out, "<header>\n<h1>");
    add_name(out, page->input, NAME_COLUMNS);
    buf_add_str(out, "</h1>\n");
    add_sentence(out, page);
    if (page->rules) {
        buf_add_str(out, "<p>Which slice gives way: ");
        add_name(out, page->rules, RULES_COLUMNS);
        buf_add_str(out, "</p>\n");
    }
    buf_add_str(out, "<dl class=\"sum\">\n");
    add_figure(out, "slices", t->slices);
    add_figure(out, "threads with slices", t->tracks);
    add_figure(out, "crossings", all_crossings(t));
    if (t->too_deep)
        add_figure(out, "lie too deep", t->too_deep);
    add_figure(out, "slices snapped", t->snapped_slices);
    add_figure(out, "slices moved", t->moved_slices);
    add_figure(out, "new lanes", t->lanes);
    add_shift(out, t);
    if (!page->check)
        add_figure(out, "flow endpoints moved", t->flow_endpoints);
    if (t->unfinished_slices)
        add_figure(out, "slices that never returned", t->unfinished_slices);
    if (t->lost_places)
        add_figure(out, "places where something was lost", t->lost_places);
    buf_add_str(out, "</dl>\n</header>\n");
}

static void add_key_item(struct buf *out, const char *class_name, const char *what)
{
    buf_add_str(out, "<li><svg class=\"lf\" width=\"30\" height=\"16\" aria-hidden=\"true\">"
                     "<rect class=\"");
    buf_add_str(out, class_name);
    buf_add_str(out, "\" x=\"1\" y=\"1\" width=\"28\" height=\"14\"/></svg>");
    buf_add_str(out, what);
    buf_add_str(out, "</li>\n");
}

static void add_key(struct buf *out)
{
    buf_add_str(out, "<ul class=\"key\" aria-label=\"Key\">\n");
    for (int kind = KIND_DEVICE; kind >= KIND_MARK; kind--) {
        char class_name[] = {'k', (char)('0' + kind), 0};
        add_key_item(out, class_name, draw_kind_name((enum kind)kind));
    }
    add_key_item(out, "cx", "the part that crosses");
    add_key_item(out, "was", "where it was");
    buf_add_str(out, "</ul>\n");
}

/* In a word, to filter by. */
static const char *kind_of_fix(const struct scene *scene)
{
    const struct bar *slice = &scene->bars[scene->slice];
    const struct bar *over = scene->over == SCENE_NONE ? slice : &scene->bars[scene->over];
    if (slice->lane)
        return "moved";
    if (bar_retimed(slice))
        return "snapped";
    if (over->lane)
        return "the other moved";
    if (bar_retimed(over))
        return "the other snapped";
    return "settled by others";
}

static void add_title(struct buf *out, const struct scene *scene, unsigned n)
{
    const struct bar *slice = &scene->bars[scene->slice];
    const struct scene_lane *track = &scene->lanes[0];
    buf_add_str(out, "<div class=\"words\"><h3 id=\"h");
    buf_add_u64(out, n);
    buf_add_str(out, "\">");
    buf_add_u64(out, n);
    buf_add_str(out, ". ");
    add_bar_name(out, slice);
    if (scene->over != SCENE_NONE) {
        buf_add_str(out, " crosses ");
        add_bar_name(out, &scene->bars[scene->over]);
        buf_add_str(out, " by ");
        draw_time(out, scene->by_ns);
    } else {
        buf_add_str(out, scene->too_deep ? " lies too deep" : " crosses nothing");
    }
    buf_add_str(out, "</h3>\n<p class=\"dim\"><span class=\"tag\">");
    buf_add_str(out, kind_of_fix(scene));
    buf_add_str(out, "</span> ");
    add_name(out, track->name, NAME_COLUMNS);
    buf_add_str(out, " (pid ");
    add_name(out, scene->pid, ID_COLUMNS);
    buf_add_str(out, ", tid ");
    add_name(out, track->tid, ID_COLUMNS);
    buf_add_str(out, ")</p></div>\n");
}

static void add_cell(struct buf *out, int64_t ns, bool is_ts)
{
    buf_add_str(out, "<td class=\"n\">");
    if (is_ts)
        draw_ts(out, ns);
    else
        draw_time(out, ns);
    buf_add_str(out, "</td>");
}

static void add_times(struct buf *out, const struct scene *scene, const struct bar *bar)
{
    buf_add_str(out, "<tr><th scope=\"row\">");
    add_bar_name(out, bar);
    buf_add_str(out, " <span class=\"dim\">(event ");
    buf_add_u64(out, bar->event);
    buf_add_str(out, ", ");
    buf_add_str(out, draw_kind_name(bar->kind));
    buf_add_str(out, ")</span></th>");
    add_cell(out, bar->start_ns[BEFORE], true);
    add_cell(out, bar->end_ns[BEFORE] - bar->start_ns[BEFORE], false);
    buf_add_str(out, "<td>");
    draw_change(out, scene, bar);
    buf_add_str(out, "</td></tr>\n");
}

static void add_fix(struct buf *out, const struct scene *scene, unsigned n)
{
    buf_add_str(out, "<article class=\"fix\" aria-labelledby=\"h");
    buf_add_u64(out, n);
    buf_add_str(out, "\">\n");
    add_title(out, scene, n);
    buf_add_str(out, "<figure><div class=\"scroll\" tabindex=\"0\">");
    draw_scene(out, scene, n);
    buf_add_str(
        out, "</div></figure>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th "
             "scope=\"col\">slice</th>"
             "<th class=\"n\" scope=\"col\">start</th><th class=\"n\" scope=\"col\">duration</th>"
             "<th scope=\"col\">what became of it</th></tr></thead><tbody>\n");
    add_times(out, scene, &scene->bars[scene->slice]);
    if (scene->over != SCENE_NONE)
        add_times(out, scene, &scene->bars[scene->over]);
    size_t others = 0;
    for (size_t i = 0; i < scene->nbars; i++) {
        if (i == scene->slice || i == scene->over || !bar_changed(&scene->bars[i]))
            continue;
        if (others++ < OTHERS_MAX)
            add_times(out, scene, &scene->bars[i]);
    }
    buf_add_str(out, "</tbody></table></div>\n");
    if (others > OTHERS_MAX) {
        buf_add_str(out, "<p class=\"dim\">");
        buf_add_u64(out, others - OTHERS_MAX);
        buf_add_str(out, " more of the slices above have changed.</p>\n");
    }
    buf_add_str(out, "</article>\n");
}

static void add_fixes(struct buf *out, const struct page *page)
{
    size_t drawn = 0;
    uint64_t left = page->fixes;
    buf_add_str(out, "<h2 id=\"fixes\" tabindex=\"-1\">The largest fixes</h2>\n");
    if (page->nscenes)
        add_key(out);
    else
        buf_add_str(out, "<p>Nothing crosses, so there is nothing to draw.</p>\n");
    for (; drawn < page->nscenes; drawn++) {
        struct buf fix = {0};
        add_fix(&fix, &page->scenes[drawn], (unsigned)drawn + 1);
        bool fits = out->len + fix.len <= FIGURES_NBYTES_MAX;
        if (fits)
            buf_add(out, fix.data, fix.len);
        out->failed |= fix.failed;
        buf_free(&fix);
        if (!fits)
            break;
        left -= left && page->scenes[drawn].over != SCENE_NONE;
    }
    if (left) {
        buf_add_str(out, "<p class=\"dim\">");
        add_count(out, left);
        buf_add_str(out, page->explained ? " more are not drawn.</p>\n"
                                         : " more, none of them larger, are not drawn.</p>\n");
    }
}

static void add_row(struct buf *out, const struct page_track *t)
{
    const uint64_t counts[] = {t->slices, t->crossings, t->snapped, t->moved, t->lanes};
    buf_add_str(out, "<tr><th scope=\"row\">");
    add_name(out, t->name, 80);
    buf_add_str(out, "</th><td>");
    add_name(out, t->pid, ID_COLUMNS);
    buf_add_str(out, "</td><td>");
    add_name(out, t->tid, ID_COLUMNS);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        buf_add_str(out, "</td><td class=\"n\">");
        add_count(out, counts[i]);
    }
    buf_add_str(out, "</td></tr>\n");
}

static void add_threads(struct buf *out, const struct page *page)
{
    size_t n = 0;
    buf_add_str(out, "<h2 id=\"threads-title\">Threads</h2>\n"
                     "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                     "aria-labelledby=\"threads-title\">\n<table id=\"threads\" tabindex=\"-1\">"
                     "<thead><tr><th scope=\"col\">thread</th><th scope=\"col\">pid</th>"
                     "<th scope=\"col\">tid</th><th class=\"n\" scope=\"col\">slices</th>"
                     "<th class=\"n\" scope=\"col\">crossings</th>"
                     "<th class=\"n\" scope=\"col\">snapped</th>"
                     "<th class=\"n\" scope=\"col\">moved</th>"
                     "<th class=\"n\" scope=\"col\">new lanes</th></tr></thead><tbody>\n");
    for (; n < page->ntracks && out->len < ROWS_NBYTES_MAX; n++)
        add_row(out, &page->tracks[n]);
    buf_add_str(out, "</tbody></table>\n</div>\n");
    if (n < page->totals->tracks) {
        buf_add_str(out, "<p class=\"dim\">");
        add_count(out, page->totals->tracks - n);
        buf_add_str(out, " more threads, in none of which more crosses, are left out.</p>\n");
    }
}

void page_write(struct buf *out, const struct page *page)
{
    add_head(out, page);
    add_totals(out, page);
    buf_add_str(out,
                "<main>\n<form class=\"bar\" role=\"search\" hidden>\n"
                "<label for=\"filter\">Filter</label>\n"
                "<input id=\"filter\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" "
                "placeholder=\"a name, a thread, moved, snapped\">\n"
                "<output for=\"filter\" aria-live=\"polite\"></output>\n"
                "<span class=\"dim\"><kbd>/</kbd> to type, <kbd>Esc</kbd> to clear</span>\n"
                "</form>\n");
    add_fixes(out, page);
    add_threads(out, page);
    buf_add_str(out, "</main>\n<footer><p>Drawn by trace-lanefix " LANEFIX_VERSION
                     ". The part of a slice that crosses is hatched; bars with a ragged side go on "
                     "beyond what is shown.</p></footer>\n<script>");
    buf_add_str(out, PAGE_SCRIPT);
    buf_add_str(out, "</script>\n</body>\n</html>\n");
}
