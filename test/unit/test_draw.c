/* Text in markup, a scene as SVG, and the page around scenes. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markup.h"
#include "page.h"
#include "units.h"

static struct buf out;

/* What was appended; `out` is empty again after the next call. */
static const char *text(void)
{
    static char *last;
    free(last);
    buf_add_char(&out, 0);
    ck_assert(!out.failed);
    last = out.data;
    out = (struct buf){0};
    return last;
}

START_TEST(markup_is_text)
{
    markup_text(&out, "</script><img src=x onerror=\"a('b')\">&amp;");
    ck_assert_str_eq(text(), "&lt;/script&gt;&lt;img src=x onerror=&#34;a(&#39;b&#39;)&#34;&gt;"
                             "&amp;amp;");
    markup_text(&out, "a\x01z\xFFz\xEF\xBF\xBF\xEF\xBF\xBEz\xC3\xA9");
    ck_assert_str_eq(text(), "a\xEF\xBF\xBDz\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBDz\xC3\xA9");
}
END_TEST

START_TEST(markup_is_cut_by_columns)
{
    ck_assert_uint_eq(markup_columns("ab\xC3\xA9"), 3);
    ck_assert_uint_eq(markup_columns("\xE6\xBC\xA2\xE5\xAD\x97"), 4);
    markup_cut(&out, "abcdef", 6);
    ck_assert_str_eq(text(), "abcdef");
    markup_cut(&out, "abcdef", 5);
    ck_assert_str_eq(text(), "abcd\xE2\x80\xA6");
    markup_cut(&out, "a&b\xE6\xBC\xA2\xE5\xAD\x97", 5);
    ck_assert_str_eq(text(), "a&amp;b\xE2\x80\xA6"); /* no half of what takes two */
    markup_cut(&out, "abc", 1);
    ck_assert_str_eq(text(), "\xE2\x80\xA6");
    markup_cut(&out, "abc", 0);
    ck_assert_str_eq(text(), "");
}
END_TEST

START_TEST(times_are_read_by_people)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {{0, "0 ns"},
                 {999, "999 ns"},
                 {1000, "1 \xC2\xB5s"},
                 {1424, "1.424 \xC2\xB5s"},
                 {-1050, "\xE2\x88\x92"
                         "1.05 \xC2\xB5s"},
                 {1900000, "1.9 ms"},
                 {999999999, "999.999 ms"},
                 {60000000000, "60 s"},
                 {INT64_MAX, "9223372036.854 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char plain[64] = "";
        draw_time(&out, cases[i].ns);
        for (const char *p = text(); *p; p++) /* the blank does not break */
            if (strncmp(p, "\xC2\xA0", 2) == 0)
                plain[strlen(plain)] = ' ', p++;
            else
                plain[strlen(plain)] = *p;
        ck_assert_str_eq(plain, cases[i].text);
    }
    draw_ts(&out, 3120000292799);
    ck_assert_str_eq(text(), "3120000292.799\xC2\xA0\xC2\xB5s");
}
END_TEST

static char evil[] = "</title><script>alert(1)</script>\"'&", lane_name[] = "lane", tid[] = "7";

/* A kernel that is delayed by 20 ns for another one, and a third one that moved. */
static void make_scene(struct scene *scene)
{
    *scene = (struct scene){
        .pid = tid,
        .nlanes = 2,
        .lanes = {{.name = evil, .tid = evil}, {.number = 1, .name = lane_name, .tid = tid}},
        .nbars = 3,
        .over = 0,
        .slice = 1,
        .bars = {{evil, KIND_DEVICE, 1, {1000, 1000}, {2000, 2000}, 0, {0, 0}, false},
                 {evil, KIND_DEVICE, 2, {1980, 2000}, {3000, 3000}, 0, {0, 0}, false},
                 {NULL, KIND_MARK, 3, {1990, 1990}, {INT64_MAX, INT64_MAX}, 1, {0, 0}, false}},
        .narrows = 1,
        .arrows = {{1, false, {1980, 2000}}}};
    scene_lay_out(scene);
}

static size_t count(const char *all, const char *part)
{
    size_t n = 0;
    for (const char *p = all; (p = strstr(p, part)); p += strlen(part))
        n++;
    return n;
}

START_TEST(scene_is_drawn)
{
    struct scene scene;
    make_scene(&scene);
    draw_scene(&out, &scene, 5);
    const char *svg = text();
    ck_assert_uint_eq(count(svg, "<svg"), 1);
    ck_assert_uint_eq(count(svg, "<script"), 0);
    ck_assert_uint_eq(count(svg, "class=\"k4 c\""), 2); /* what crosses or has changed */
    ck_assert_uint_eq(count(svg, "class=\"k4\""), 2);
    ck_assert_uint_eq(count(svg, "class=\"k0 c\""), 2);
    ck_assert_uint_eq(count(svg, "class=\"cx\""), 1);   /* the part that crosses, once */
    ck_assert_uint_eq(count(svg, "class=\"was\""), 1);  /* where it was */
    ck_assert_uint_eq(count(svg, "class=\"fl w\""), 1); /* its arrow, which went to the other one */
    ck_assert_uint_eq(count(svg, "class=\"fl\""), 1);
    ck_assert_uint_eq(count(svg, "crosses by 20\xC2\xA0ns"), 1);
    ck_assert_uint_eq(count(svg, "start delayed by 20\xC2\xA0ns"), 2);
    ck_assert_uint_eq(count(svg, "aria-labelledby=\"t5 d5\""), 1);
    ck_assert_uint_eq(count(svg, "(no name)"), 4);
    ck_assert_uint_eq(count(svg, "x=\"-"), 0);
}
END_TEST

START_TEST(file_stands_alone)
{
    struct scene scene;
    make_scene(&scene);
    draw_file(&out, &scene, "nothing");
    const char *svg = text();
    ck_assert(strncmp(svg, "<?xml ", 6) == 0);
    ck_assert_uint_eq(count(svg, "<style>"), 1);
    ck_assert_uint_eq(count(svg, "id=\"lf4\""), 1);
    draw_file(&out, NULL, "<nothing>");
    ck_assert_uint_eq(count(text(), ">&lt;nothing&gt;</text>"), 1);
}
END_TEST

START_TEST(change_in_words)
{
    struct scene scene;
    make_scene(&scene);
    draw_change(&out, &scene, &scene.bars[0]);
    ck_assert_str_eq(text(), "not changed");
    draw_change(&out, &scene, &scene.bars[2]);
    ck_assert_str_eq(text(), "moved to lane 1 (tid 7)");
    scene.bars[0].start_ns[AFTER] = 500;
    scene.bars[0].end_ns[AFTER] = 1500;
    draw_change(&out, &scene, &scene.bars[0]);
    ck_assert_str_eq(text(), "start advanced by 500\xC2\xA0ns, end trimmed by 500\xC2\xA0ns");
}
END_TEST

enum { MANY = 2000 };

/* A page with 50 scenes and many threads, all names as long as they are shown. */
static void write_large_page(const char *name)
{
    static struct scene scenes[50];
    static struct page_track tracks[MANY];
    struct lanefix_totals totals = {.crossings = 70, .slices = 100, .tracks = MANY + 5};
    char *names = strdup(name);
    for (int i = 0; i < 50; i++) {
        struct scene *scene = &scenes[i];
        *scene = (struct scene){.pid = names, .nlanes = 4, .nbars = SCENE_BARS_MAX, .slice = 1};
        for (int k = 0; k < 4; k++)
            scene->lanes[k] = (struct scene_lane){.name = names, .tid = names};
        for (int64_t k = 0; k < SCENE_BARS_MAX; k++)
            scene->bars[k] = (struct bar){.name = names,
                                          .start_ns = {k * 100, k * 100 + 10},
                                          .end_ns = {k * 100 + 120, k * 100 + 110},
                                          .lane = (uint32_t)(k % 4)};
        scene_lay_out(scene);
    }
    for (int i = 0; i < MANY; i++)
        tracks[i] = (struct page_track){.name = names, .pid = names, .tid = names};
    struct page page = {names, false, false, &totals, tracks, MANY, scenes, 50, 70, false, NULL};
    page_write(&out, &page);
    free(names);
}

START_TEST(page_is_never_too_large)
{
    char name[1001];
    memset(name, '"', sizeof name - 1); /* five bytes each, as markup */
    name[sizeof name - 1] = 0;
    write_large_page(name);
    ck_assert_uint_lt(out.len, PAGE_NBYTES_MAX);
    const char *page = text();
    size_t drawn = count(page, "<article"), rows = count(page, "<tr><th scope=\"row\"><bdi>");
    char more[100];
    ck_assert_uint_gt(drawn, 0);
    ck_assert_uint_lt(drawn, 50);
    snprintf(more, sizeof more, ">%zu more, none of them larger", 70 - drawn);
    ck_assert_ptr_nonnull(strstr(page, more));
    ck_assert_uint_gt(rows, 100);
    ck_assert_ptr_nonnull(strstr(page, "more threads, in none of which more crosses"));
    write_large_page("short");
    ck_assert_uint_lt(out.len, PAGE_NBYTES_MAX);
    ck_assert_uint_eq(count(text(), "<article"), 50);
}
END_TEST

START_TEST(page_of_a_clean_trace)
{
    static char name[] = "main", pid[] = "1";
    struct lanefix_totals totals = {.slices = 1234567, .tracks = 1};
    struct page_track track = {name, pid, pid, 1234567, 0, 0, 0, 0, 0};
    struct page page = {"a<b.json", true, false, &totals, &track, 1, NULL, 0, 0, false, NULL};
    page_write(&out, &page);
    const char *html = text();
    ck_assert_ptr_nonnull(strstr(html, "<h1><bdi>a&lt;b.json</bdi></h1>"));
    ck_assert_ptr_nonnull(strstr(html, "Nothing crosses"));
    ck_assert_uint_eq(count(html, "1\xE2\x80\xAF"
                                  "234\xE2\x80\xAF"
                                  "567"),
                      2);
    ck_assert_uint_eq(count(html, "<article"), 0);
    ck_assert_ptr_null(strstr(html, "left out"));
}
END_TEST

Suite *draw_suite(void)
{
    const TTest *const tests[] = {markup_is_text,           markup_is_cut_by_columns,
                                  times_are_read_by_people, scene_is_drawn,
                                  file_stands_alone,        change_in_words,
                                  page_is_never_too_large,  page_of_a_clean_trace};
    return SUITE_OF("draw", tests);
}
