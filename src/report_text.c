/* The report as lines of text, in the words of the Python tool (spec 8). */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "shift.h"

/* The threshold in us, with as many decimals as it needs but at least one. */
static void add_threshold(struct buf *out, int64_t ns)
{
    char digits[] = {(char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
                     (char)('0' + ns % 10)};
    size_t n = digits[2] != '0' ? 3 : digits[1] != '0' ? 2 : 1;
    buf_add_i64(out, ns / 1000);
    buf_add_char(out, '.');
    buf_add(out, digits, n);
}

/* The order of the reference: the largest shift first. */
static int compare_kernels(const void *a, const void *b)
{
    const struct kernel_summary *x = a, *y = b;
    int64_t shift_x = shift_ns_sum(x->start_shift_ns, x->end_shift_ns);
    int64_t shift_y = shift_ns_sum(y->start_shift_ns, y->end_shift_ns);
    if (shift_x != shift_y)
        return shift_x > shift_y ? -1 : 1;
    if (x->runs != y->runs)
        return x->runs > y->runs ? -1 : 1;
    if (x->moved != y->moved)
        return x->moved > y->moved ? -1 : 1;
    if (x->snapped != y->snapped)
        return x->snapped > y->snapped ? -1 : 1;
    if (x->max_shift_ns != y->max_shift_ns)
        return x->max_shift_ns > y->max_shift_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* "... N more" under a list that was cut. */
static void add_more(struct buf *out, uint64_t total)
{
    if (total > REPORT_ROWS_MAX)
        report_count(out, "  ... ", total - REPORT_ROWS_MAX, " more (--report FILE has all)\n");
}

/* One row of the kernels. `first`: by the rule of that name, starts are never advanced, nor ends
 * delayed. */
static void add_kernel(struct buf *out, const char *name, const struct kernel_summary *k,
                       bool first)
{
    buf_add_str(out, "  ");
    buf_add_str(out, name);
    report_count(out, ": runs=", k->runs, first ? ", total delayed=" : ", total start shift=");
    report_time(out, k->start_shift_ns);
    buf_add_str(out, first ? ", total trimmed=" : ", total end shift=");
    report_time(out, k->end_shift_ns);
    buf_add_str(out, ", total boundary shift=");
    report_time(out, shift_ns_sum(k->start_shift_ns, k->end_shift_ns));
    report_count(out, ", moved=", k->moved, "");
    report_count(out, ", snapped=", k->snapped, "\n");
}

/* The kernels in order; the table is of no use afterwards. */
static bool add_kernels(struct buf *out, const struct lanefix_report *r)
{
    if (!r->nkernels)
        return true;
    struct kernel_summary *sorted = malloc(r->nkernels * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, r->kernels, r->nkernels * sizeof *sorted);
    qsort(sorted, r->nkernels, sizeof *sorted, compare_kernels);
    report_count(out, "kernel timing summary (", r->kernel_runs, " run(s)");
    buf_add_str(out, r->other_kernels.runs ? " across more than " : " across ");
    report_count(out, "", r->nkernels, " kernel name(s)):\n");
    for (size_t i = 0; i < r->nkernels && i < REPORT_ROWS_MAX; i++)
        add_kernel(out, sorted[i].name, &sorted[i], r->first);
    add_more(out, r->nkernels);
    if (r->other_kernels.runs)
        add_kernel(out, "all other kernels", &r->other_kernels, r->first);
    free(sorted);
    return true;
}

static void add_list(struct buf *out, const char *title, const struct report_list *list)
{
    if (!list->total)
        return;
    report_count(out, title, list->total, "):\n");
    for (size_t i = 0; i < list->nrows; i++) {
        buf_add_str(out, "  ");
        buf_add_str(out, list->rows[i].text);
        buf_add_char(out, '\n');
    }
    add_more(out, list->total);
}

static void add_snaps(struct buf *out, const struct lanefix_report *r)
{
    report_count(out, "snapped ", r->totals.snaps,
                 r->trim_unfinished ? " crossing(s) that were sub-" : " sub-");
    add_threshold(out, r->threshold_ns);
    buf_add_str(out, r->trim_unfinished ? "us or of unfinished slices\n" : "us crossing(s)\n");
}

static void add_updated(struct buf *out, const struct lanefix_totals *t)
{
    if (!t->snapped_slices && !t->moved_slices)
        return;
    report_count(out, "updated ", t->snapped_slices + t->moved_slices,
                 " slice(s): total |start shift|=");
    report_time(out, t->start_shift_ns);
    buf_add_str(out, ", total |end shift|=");
    report_time(out, t->end_shift_ns);
    buf_add_str(out, ", total |boundary shift|=");
    report_time(out, shift_ns_sum(t->start_shift_ns, t->end_shift_ns));
    buf_add_char(out, '\n');
}

/* What gives way, where that is not as in the reference. */
static void add_rules(struct buf *out, const struct lanefix_report *r)
{
    if (!r->rules.len)
        return;
    buf_add_str(out, "which slice gives way: ");
    buf_add(out, r->rules.data, r->rules.len);
    buf_add_char(out, '\n');
}

/* The slices that never returned, and what can be done about those that get a lane. */
static void add_unfinished(struct buf *out, const struct lanefix_report *r)
{
    if (!r->totals.unfinished_slices)
        return;
    report_count(out, "", r->totals.unfinished_slices, " slice(s) of ");
    report_count(out, "", r->unfinished_tracks,
                 " thread(s) end exactly where the trace ends: frames that never returned\n");
    if (!r->unfinished_moved || r->trim_unfinished)
        return;
    report_count(
        out, "  ", r->unfinished_moved,
        " of them need lanes; --trim-unfinished ends them with what is around them instead\n");
}

/* The last lines of a check: what was found, and what a fix would do. */
static void add_verdict(struct buf *out, const struct lanefix_report *r)
{
    const struct lanefix_totals *t = &r->totals;
    uint64_t crossings = t->crossings + t->pair_crossings;
    report_count(out, "found ", crossings, " crossing slice(s)");
    if (t->pair_crossings)
        report_count(out, " (", t->pair_crossings, " with B/E pairs)");
    if (t->too_deep)
        report_count(out, " and ", t->too_deep, " too deep to be shown");
    report_count(out, " among ", t->slices, " slices\n");
    if (!crossings && !t->too_deep)
        return;
    report_count(out, "a fix would snap ", t->snapped_slices, " slice(s)");
    report_count(out, ", move ", t->moved_slices, " to ");
    buf_add_u64(out, t->lanes);
    report_count(out, " new lanes and rewrite ", t->flow_endpoints, " flow endpoint(s)\n");
}

/* What a repair has done to ids and times. */
static void add_repairs(struct buf *out, const struct lanefix_report *r)
{
    if (r->totals.ts_shift_us) {
        buf_add_str(out, "shifted every ts by ");
        buf_add_i64(out, -r->totals.ts_shift_us);
        buf_add_str(out, " us\n");
    }
    if (r->totals.new_ids)
        report_count(out, "threads with new ids (", r->totals.new_ids, "):\n");
    buf_add(out, r->new_ids.data, r->new_ids.len);
    add_more(out, r->totals.new_ids);
}

static void add_crossings(struct buf *out, const struct lanefix_report *r)
{
    if (r->ncrossings)
        report_count(out, "largest crossings (", r->ncrossings, "):\n");
    for (size_t i = 0; i < r->ncrossings; i++) {
        buf_add_str(out, "  ");
        buf_add_str(out, r->crossings[i].text);
        buf_add_char(out, '\n');
    }
}

/* The doctor's part: the errors, then the warnings. */
static void add_findings(struct buf *out, const struct lanefix_report *r)
{
    uint64_t kinds[2] = {0};
    for (int error = 1; error >= 0; error--)
        for (int i = 0; i < FINDING_KINDS; i++) {
            const struct lanefix_finding *finding = &r->findings.of[i];
            if (!finding->count || finding->error != error)
                continue;
            kinds[error]++;
            buf_add_str(out, error ? "error: " : "warning: ");
            findings_show(out, finding);
            buf_add_str(out, finding->mended ? "; --repair mends it\n" : "\n");
        }
    if (!kinds[0] && !kinds[1])
        buf_add_str(out, "found nothing that keeps it from showing\n");
    else {
        report_count(out, "found ", kinds[1], " kind(s) of errors and ");
        report_count(out, "", kinds[0], " of warnings\n");
    }
}

static void add_result(struct buf *out, const struct lanefix_report *r)
{
    report_count(out, "rewrote ", r->totals.flow_endpoints,
                 " flow endpoint(s) onto rewritten slice starts/lanes\n");
    buf_add_str(out, r->dry_run ? "would write " : "wrote ");
    buf_add(out, r->output.data, r->output.len);
    report_count(out, ": ", r->totals.slices, " slices");
    report_count(out, ", ", r->totals.lanes, " new lanes\n");
}

int lanefix_report_text(const struct lanefix_report *r, FILE *file)
{
    struct buf out = {0};
    report_count(&out, r->check ? "checking " : "processing ", r->totals.tracks, " track(s)\n");
    add_rules(&out, r);
    buf_add(&out, r->heading.data, r->heading.len);
    add_more(&out, r->track_lines);
    if (!r->check) {
        add_snaps(&out, r);
        add_updated(&out, &r->totals);
    }
    add_unfinished(&out, r);
    add_repairs(&out, r);
    bool ok = add_kernels(&out, r);
    add_list(&out, r->check ? "slices to move (" : "moved slices (", &r->moved);
    add_list(&out, r->check ? "slices to snap (" : "snapped slices (", &r->snapped);
    if (r->check)
        add_verdict(&out, r);
    else
        add_result(&out, r);
    if (r->check && r->examine) {
        add_crossings(&out, r);
        add_findings(&out, r);
    }
    ok = ok && !out.failed && !report_failed(r) && fwrite(out.data, 1, out.len, file) == out.len;
    buf_free(&out);
    return ok ? 0 : -1;
}

int lanefix_report_explanation(const struct lanefix_report *r, FILE *file)
{
    const struct buf *text = &r->explanation;
    if (text->failed)
        return -1;
    return !text->len || fwrite(text->data, 1, text->len, file) == text->len ? 0 : -1;
}
