#include "pictures.h"

#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "error.h"
#include "outfile.h"
#include "page.h"
#include "scenes.h"
#include "text.h"

/* Rows of the page's table of threads. */
enum { TRACKS_MAX_SHOWN = 500 };

struct thread {
    const struct track *track; /* lives as long as the run */
    uint64_t slices;
    struct plan_stats stats;
};

struct pictures {
    struct sink *page, *file;                /* NULL: it is not asked for */
    struct buf input;                        /* its name, to be shown */
    struct thread threads[TRACKS_MAX_SHOWN]; /* the worst first */
    size_t nthreads;
    struct scenes scenes; /* those of the page, and of the file the first */
    uint64_t fixes;
};

bool pictures_wanted(const struct lanefix_options *options)
{
    return options->html_path || options->svg_path;
}

static bool open_file(struct run *run, const char *path, enum lanefix_file file, struct sink **sink)
{
    const struct lanefix_options *options = run->options;
    struct sink_options sink_options = {
        .out = {.file = file, .sync = !options->no_sync, .cancel = options->cancel}};
    if (path)
        *sink = sink_open(path, &sink_options, run->err);
    return !path || *sink;
}

bool pictures_open(struct run *run, const char *input)
{
    const struct lanefix_options *options = run->options;
    if (!pictures_wanted(options))
        return true;
    struct pictures *p = run->pictures = calloc(1, sizeof *p);
    if (!p)
        return fail_memory(run->err);
    if (strcmp(input, "-") == 0)
        input = "standard input";
    text_show(&p->input, input, strlen(input));
    buf_add_char(&p->input, 0);
    if (p->input.failed)
        return fail_memory(run->err);
    return open_file(run, options->html_path, LANEFIX_FILE_PAGE, &p->page) &&
           open_file(run, options->svg_path, LANEFIX_FILE_PICTURE, &p->file);
}

static uint64_t badness(const struct plan_stats *stats)
{
    return stats->crossings + stats->pair_crossings + stats->too_deep;
}

bool pictures_add_track(struct run *run, const struct track *track, uint64_t n,
                        const struct plan_stats *stats)
{
    struct pictures *p = run->pictures;
    struct thread *t = p ? p->threads : NULL;
    if (!t || !n)
        return true;
    size_t last = p->nthreads;
    if (last == TRACKS_MAX_SHOWN && badness(&t[last - 1].stats) >= badness(stats))
        return true;
    size_t i = last < TRACKS_MAX_SHOWN ? p->nthreads++ : last - 1;
    for (; i > 0 && badness(&t[i - 1].stats) < badness(stats); i--)
        t[i] = t[i - 1];
    t[i] = (struct thread){track, n, *stats};
    return true;
}

/* Those of the slice that is explained come first; the largest ones follow, but for those that are
 * there already. Returns how many. */
static size_t list_fixes(const struct run *run, struct fix list[FIXES_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < run->explained.n; i++)
        list[n++] = run->explained.items[i];
    for (size_t i = 0; i < run->fixes.n && n < FIXES_MAX; i++) {
        const struct fix *fix = &run->fixes.items[i];
        size_t k = 0;
        while (k < run->explained.n && (list[k].slice != fix->slice || list[k].over != fix->over))
            k++;
        if (k == run->explained.n)
            list[n++] = *fix;
    }
    return n;
}

bool pictures_draw(struct run *run)
{
    struct pictures *p = run->pictures;
    struct fix list[FIXES_MAX];
    if (!p)
        return true;
    size_t n = list_fixes(run, list);
    p->fixes = run->fixes.total;
    return scenes_make(run, list, p->page || !n ? n : 1, &p->scenes);
}

static void keep_old(struct sink **sink, const char *path)
{
    if (!*sink || !outfile_holds_some(path))
        return;
    sink_free(*sink);
    *sink = NULL;
}

void pictures_keep_old(struct run *run)
{
    struct pictures *p = run->pictures;
    if (!p)
        return;
    keep_old(&p->page, run->options->html_path);
    keep_old(&p->file, run->options->svg_path);
}

/* The rows of the table; the caller frees their texts, as many as *n says. */
static bool make_rows(const struct pictures *p, struct page_track *rows, size_t *n)
{
    bool ok = true;
    for (*n = 0; ok && *n < p->nthreads;) {
        const struct thread *t = &p->threads[*n];
        struct page_track *row = &rows[(*n)++];
        *row = (struct page_track){.slices = t->slices,
                                   .crossings = t->stats.crossings + t->stats.pair_crossings,
                                   .too_deep = t->stats.too_deep,
                                   .snapped = t->stats.snaps,
                                   .moved = t->stats.moved,
                                   .lanes = t->stats.lanes - 1};
        ok = scenes_track_name(t->track, 0, &row->name) &&
             scenes_id(t->track->pid_text, &row->pid) && scenes_id(t->track->tid_text, &row->tid);
    }
    return ok;
}

static bool write_out(struct run *run, struct sink *sink, const struct buf *text)
{
    if (text->failed)
        return fail_memory(run->err);
    return sink_write(sink, text->data, text->len, run->err) && sink_finish(sink, run->err);
}

static bool write_page(struct run *run, const struct pictures *p)
{
    struct page_track *rows = calloc(TRACKS_MAX_SHOWN, sizeof *rows);
    struct buf text = {0}, rules = {0};
    size_t n = 0;
    buf_add(&rules, run->report->rules.data, run->report->rules.len);
    buf_add_char(&rules, 0);
    struct page page = {.input = p->input.data,
                        .check = run->report->check,
                        .dry_run = run->report->dry_run,
                        .totals = &run->report->totals,
                        .tracks = rows,
                        .scenes = p->scenes.items,
                        .nscenes = p->scenes.n,
                        .fixes = p->fixes,
                        .explained = run->explained.n > 0,
                        .rules = run->report->rules.len ? rules.data : NULL};
    bool ok = rows && !rules.failed && make_rows(p, rows, &n);
    page.ntracks = n;
    if (ok)
        page_write(&text, &page);
    ok = ok ? write_out(run, p->page, &text) : fail_memory(run->err);
    for (size_t i = 0; i < n; i++) {
        free(rows[i].name);
        free(rows[i].pid);
        free(rows[i].tid);
    }
    free(rows);
    buf_free(&rules);
    buf_free(&text);
    return ok;
}

static bool write_file(struct run *run, const struct pictures *p)
{
    struct buf text = {0};
    bool other = run->options->explain && !run->explained.n; /* than the one that was asked for */
    draw_file(&text, p->scenes.n && !other ? p->scenes.items : NULL,
              other ? "The slice crosses nothing." : "Nothing crosses.");
    bool ok = write_out(run, p->file, &text);
    buf_free(&text);
    return ok;
}

bool pictures_finish(struct run *run)
{
    const struct pictures *p = run->pictures;
    return !p || ((!p->page || write_page(run, p)) && (!p->file || write_file(run, p)));
}

bool pictures_commit(struct run *run)
{
    const struct pictures *p = run->pictures;
    return !p || ((!p->page || sink_commit(p->page, run->err)) &&
                  (!p->file || sink_commit(p->file, run->err)));
}

void pictures_free(struct pictures *p)
{
    if (!p)
        return;
    sink_free(p->page);
    sink_free(p->file);
    scenes_free(&p->scenes);
    buf_free(&p->input);
    free(p);
}
