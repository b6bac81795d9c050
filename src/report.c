#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "shift.h"
#include "text.h"

enum { SHOWN_NAME_NBYTES_MAX = 128 };

const char *report_rule_name(enum lanefix_snap snap)
{
    static const char *const names[] = {"first", "soft", "least"};
    return names[snap];
}

/* Categories behind what is said of them. */
static void add_categories(struct buf *out, const char *before, const char *const *categories,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_add_str(out, i ? ", " : before);
        text_show(out, categories[i], strlen(categories[i]));
    }
}

/* What the options say of which slice gives way, if it is anything. */
static void add_rules(struct buf *out, const struct lanefix_options *options)
{
    if (options->snap == LANEFIX_SNAP_FIRST && !options->no_snap_count && !options->trim_unfinished)
        return;
    buf_add_str(out, report_rule_name(options->snap));
    add_categories(out, "; soft as well: ", options->soft, options->soft_count);
    add_categories(out, "; times kept: ", options->no_snap, options->no_snap_count);
    buf_add_str(out, options->trim_unfinished ? "; unfinished slices trimmed" : "");
}

struct lanefix_report *report_new(const struct lanefix_options *options, bool check,
                                  const char *output)
{
    struct lanefix_report *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->check = check;
    r->dry_run = options->dry_run;
    r->examine = options->examine || options->repair || options->rebase;
    findings_init(&r->findings);
    r->kernel_key = hash_key_new();
    r->threshold_ns = options->snap_threshold_ns;
    r->first = options->snap == LANEFIX_SNAP_FIRST;
    r->trim_unfinished = options->trim_unfinished;
    add_rules(&r->rules, options);
    text_show(&r->output, output, strlen(output));
    return r;
}

bool report_failed(const struct lanefix_report *r)
{
    return r->heading.failed || r->rules.failed || r->output.failed || r->new_ids.failed;
}

static void free_list(struct report_list *list)
{
    for (size_t i = 0; i < list->nrows; i++)
        free(list->rows[i].text);
}

void lanefix_report_free(struct lanefix_report *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->nkernels; i++)
        free(r->kernels[i].name);
    free(r->kernels);
    free(r->kernel_table);
    findings_free(&r->findings);
    for (size_t i = 0; i < r->ncrossings; i++) {
        free(r->crossings[i].slice.name);
        free(r->crossings[i].over.name);
        free(r->crossings[i].text);
    }
    free_list(&r->moved);
    free_list(&r->snapped);
    buf_free(&r->rules);
    buf_free(&r->heading);
    buf_free(&r->output);
    buf_free(&r->new_ids);
    buf_free(&r->explanation);
    free(r);
}

const struct lanefix_totals *lanefix_report_totals(const struct lanefix_report *r)
{
    return &r->totals;
}

const struct lanefix_finding *lanefix_report_findings(const struct lanefix_report *r, size_t *n)
{
    *n = FINDING_KINDS;
    return r->findings.of;
}

void show_value(struct buf *out, const char *text, const struct value *value, const char *otherwise)
{
    struct buf plain = {0};
    if (value->kind == VALUE_STRING) {
        /* No more of a giant name than can be shown: no escape is longer than 12 bytes for one */
        size_t n = text_cut(text + value->off, value->len, (size_t)12 * (TEXT_SHOWN_MAX + 1));
        text_unescape(&plain, text + value->off, n);
        text_show(out, plain.data, plain.len);
    } else if (value->kind == VALUE_BARE) {
        text_show(out, text + value->off, value->len);
    } else {
        buf_add_str(out, otherwise);
    }
    out->failed |= plain.failed;
    buf_free(&plain);
}

bool show_name(const char *text, const struct value *name, char **out)
{
    struct buf shown = {0};
    *out = NULL;
    if (name->kind != VALUE_STRING && name->kind != VALUE_BARE)
        return true;
    struct value part = *name;
    part.len = (uint32_t)text_cut(text + name->off, name->len, SHOWN_NAME_NBYTES_MAX);
    show_value(&shown, text, &part, "");
    if (part.len < name->len)
        buf_add_str(&shown, TEXT_CUT_MARK);
    buf_add_char(&shown, 0);
    if (shown.failed)
        buf_free(&shown);
    *out = shown.data;
    return shown.data != NULL;
}

void show_id(struct buf *out, const char *id_text)
{
    size_t n = strlen(id_text), quoted = *id_text == '"';
    struct value value = {quoted ? VALUE_STRING
                          : n    ? VALUE_BARE
                                 : VALUE_NONE,
                          (uint32_t)quoted, (uint32_t)(n - 2 * quoted)};
    show_value(out, id_text, &value, "None");
}

static void add_ids(struct buf *out, const char *pid_text, const char *tid_text)
{
    buf_add_str(out, " pid=");
    show_id(out, pid_text);
    if (tid_text) {
        buf_add_str(out, " tid=");
        show_id(out, tid_text);
    }
}

void report_time(struct buf *out, int64_t ns)
{
    if (ns > 0 && ns < 1000) {
        buf_add_i64(out, ns);
        buf_add_str(out, "ns");
        return;
    }
    buf_add_us(out, ns);
    buf_add_str(out, "us");
}

void report_count(struct buf *out, const char *before, uint64_t n, const char *after)
{
    buf_add_str(out, before);
    buf_add_u64(out, n);
    buf_add_str(out, after);
}

void report_add_track(struct lanefix_report *r, const struct track *track,
                      const struct plan_stats *stats)
{
    r->totals.crossings += stats->crossings;
    r->totals.pair_crossings += stats->pair_crossings;
    r->totals.too_deep += stats->too_deep;
    r->totals.snaps += stats->snaps;
    r->totals.moved_slices += stats->moved;
    r->totals.lanes += stats->lanes - 1;
    r->totals.unfinished_slices += stats->unfinished;
    r->unfinished_tracks += stats->unfinished > 0;
    if (stats->lanes == 1 && !stats->snaps)
        return;
    if (r->track_lines++ >= REPORT_ROWS_MAX)
        return;
    struct buf *out = &r->heading;
    buf_add_char(out, ' ');
    add_ids(out, track->pid_text, track->tid_text);
    if (r->check)
        report_count(out, ": ", stats->crossings + stats->pair_crossings, " crossing slice(s)\n");
    else {
        report_count(out, ": ", stats->lanes, " lane(s)");
        report_count(out, ", ", stats->moved, " slice(s) moved");
        report_count(out, ", ", stats->snaps, " snapped\n");
    }
}

void report_add_unfinished(struct lanefix_report *r, uint64_t moved)
{
    r->unfinished_moved += moved;
}

static int64_t start_shift(const struct slice_change *c)
{
    return shift_ns_between(c->start_ns, c->new_start_ns);
}

static int64_t end_shift(const struct slice_change *c)
{
    return shift_ns_between(c->end_ns, c->new_end_ns);
}

/* What happened to the slice, as the reference says it. */
static void describe(struct buf *out, const struct slice_change *c)
{
    if (c->tid_text) {
        report_count(out, "moved to lane ", c->lane, " (tid ");
        show_id(out, c->track->tid_text);
        buf_add_str(out, " -> ");
        show_id(out, c->tid_text);
        buf_add_char(out, ')');
        return;
    }
    int64_t start = start_shift(c), end = end_shift(c);
    if (start) {
        buf_add_str(out, "start ");
        buf_add_str(out, c->new_start_ns < c->start_ns ? "advanced by " : "delayed by ");
        report_time(out, start);
    }
    if (end) {
        buf_add_str(out, start ? ", end " : "end ");
        buf_add_str(out, c->new_end_ns < c->end_ns ? "trimmed by " : "delayed by ");
        report_time(out, end);
    }
}

/* Keeps the row if it is among the first of its list. */
static bool add_row(struct report_list *list, const struct slice_change *c)
{
    list->total++;
    size_t n = list->nrows;
    if (n == REPORT_ROWS_MAX && list->rows[n - 1].slice < c->slice)
        return true;
    struct buf text = {0};
    show_value(&text, c->text, &c->event->name, "<unnamed>");
    add_ids(&text, c->track->pid_text, c->tid_text ? NULL : c->track->tid_text);
    buf_add_str(&text, ": ");
    describe(&text, c);
    buf_add_char(&text, 0);
    if (text.failed) {
        buf_free(&text);
        return false;
    }
    if (n == REPORT_ROWS_MAX)
        free(list->rows[--n].text);
    for (; n > 0 && list->rows[n - 1].slice > c->slice; n--)
        list->rows[n] = list->rows[n - 1];
    list->rows[n] = (struct report_row){c->slice, text.data};
    if (list->nrows < REPORT_ROWS_MAX)
        list->nrows++;
    return true;
}

static size_t kernel_slot(const struct lanefix_report *r, const char *name)
{
    size_t mask = r->kernel_table_size - 1;
    size_t slot = (size_t)hash_bytes(r->kernel_key, name, strlen(name)) & mask;
    while (r->kernel_table[slot] && strcmp(r->kernels[r->kernel_table[slot] - 1].name, name) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

/* Keeps the table at most half full. */
static bool grow_kernel_table(struct lanefix_report *r)
{
    if (2 * (r->nkernels + 1) <= r->kernel_table_size)
        return true;
    size_t size = r->kernel_table_size ? 2 * r->kernel_table_size : 64;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(r->kernel_table);
    r->kernel_table = table;
    r->kernel_table_size = size;
    for (size_t i = 0; i < r->nkernels; i++)
        table[kernel_slot(r, r->kernels[i].name)] = (uint32_t)i + 1;
    return true;
}

/* The summary of a kernel by its name, which is taken over; NULL if there is no memory. */
static struct kernel_summary *find_kernel(struct lanefix_report *r, char *name)
{
    struct kernel_summary *kernels =
        array_grow(r->kernels, &r->kernels_cap, r->nkernels + 1, sizeof *kernels);
    if (kernels)
        r->kernels = kernels;
    if (!kernels || !grow_kernel_table(r)) {
        free(name);
        return NULL;
    }
    size_t slot = kernel_slot(r, name), n = strlen(name) + 1;
    if (r->kernel_table[slot]) {
        free(name);
    } else if (r->nkernels == REPORT_KERNELS_MAX ||
               r->kernel_names_nbytes + n > REPORT_NAMES_NBYTES_MAX) {
        free(name);
        return &r->other_kernels;
    } else {
        r->kernel_names_nbytes += n;
        kernels[r->nkernels++] = (struct kernel_summary){.name = name};
        r->kernel_table[slot] = (uint32_t)r->nkernels;
    }
    return &kernels[r->kernel_table[slot] - 1];
}

static bool add_kernel(struct lanefix_report *r, const struct slice_change *c)
{
    struct buf name = {0};
    show_value(&name, c->text, &c->event->name, "<unnamed>");
    buf_add_char(&name, 0);
    if (name.failed) {
        buf_free(&name);
        return false;
    }
    buf_fit(&name);
    struct kernel_summary *k = find_kernel(r, name.data);
    if (!k)
        return false;
    int64_t start = start_shift(c), end = end_shift(c);
    k->runs++;
    k->moved += c->tid_text != NULL;
    k->snapped += c->tid_text == NULL;
    k->start_shift_ns = shift_ns_sum(k->start_shift_ns, start);
    k->end_shift_ns = shift_ns_sum(k->end_shift_ns, end);
    if (shift_ns_sum(start, end) > k->max_shift_ns)
        k->max_shift_ns = shift_ns_sum(start, end);
    r->kernel_runs++;
    return true;
}

bool report_add_slice(struct lanefix_report *r, const struct slice_change *c)
{
    struct lanefix_totals *t = &r->totals;
    t->start_shift_ns = shift_ns_sum(t->start_shift_ns, start_shift(c));
    t->end_shift_ns = shift_ns_sum(t->end_shift_ns, end_shift(c));
    r->totals.snapped_slices += c->tid_text == NULL;
    if (value_is(c->text, &c->event->cat, "kernel"))
        return add_kernel(r, c);
    return add_row(c->tid_text ? &r->moved : &r->snapped, c);
}

/* An id and what it is now. */
static void add_new_id(struct buf *out, const char *key, const char *id_text, uint32_t new_id)
{
    buf_add_str(out, key);
    show_id(out, id_text);
    if (new_id)
        report_count(out, " -> ", new_id, "");
}

void report_add_new_ids(struct lanefix_report *r, const struct id_map *ids)
{
    size_t n = id_map_count(ids);
    r->totals.new_ids = n;
    for (size_t i = 0; i < n && i < REPORT_ROWS_MAX; i++) {
        struct id_row row = id_map_row(ids, i);
        add_new_id(&r->new_ids, "  pid=", row.pid_text, row.ids.pid);
        add_new_id(&r->new_ids, " tid=", row.tid_text, row.ids.tid);
        report_count(&r->new_ids, ": ", row.nevents, " event(s)\n");
    }
}

static void add_crossing_event(struct buf *out, const struct crossing_event *event)
{
    buf_add_str(out, event->name ? event->name : "<unnamed>");
    report_count(out, " (byte ", event->off, "");
    report_count(out, ", event ", event->event, ")");
}

bool report_add_crossing(struct lanefix_report *r, const struct crossing_row *row)
{
    struct buf text = {0};
    struct crossing_row *added = &r->crossings[r->ncrossings++];
    *added = *row;
    add_crossing_event(&text, &row->slice);
    add_ids(&text, row->track->pid_text, row->track->tid_text);
    buf_add_str(&text, ": crosses ");
    add_crossing_event(&text, &row->over);
    buf_add_str(&text, " by ");
    report_time(&text, row->by_ns);
    buf_add_char(&text, 0);
    added->text = text.data;
    return !text.failed;
}
