/* Judges a repair by what has to hold of every one, whatever the trace: for a test of any bytes. It
 * runs the library itself, which the rest of the model is linked without; hence a header. */
#ifndef JUDGE_REPAIR_H
#define JUDGE_REPAIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanefix.h"
#include "strict.h"

/* Four files: the trace that is there, and three that the judge makes. */
struct repair_files {
    const char *in, *out, *again, *report;
};

/* What was seen, summed up. */
struct repair_counts {
    uint64_t repaired, refused, clean, changed, lost;
};

/* What a run says of itself. */
struct repair_run {
    enum lanefix_status status;
    struct lanefix_report *report; /* owned; or NULL */
    const struct lanefix_totals *totals;
    const struct lanefix_finding *findings;
    size_t nfindings;
};

/* Fixes a file, or checks it if there is no output. */
static struct repair_run repair_run(const char *in, const char *out,
                                    const struct lanefix_options *options)
{
    struct repair_run run = {0};
    run.status = out ? lanefix_fix(in, out, options, &run.report, NULL)
                     : lanefix_check(in, options, &run.report, NULL);
    if (run.report) {
        run.totals = lanefix_report_totals(run.report);
        run.findings = lanefix_report_findings(run.report, &run.nfindings);
    }
    return run;
}

/* The content, owned by the caller; NULL if there is no such file. */
static char *repair_content(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n + 1);
    *n = fread(bytes, 1, *n, file);
    fclose(file);
    return bytes;
}

static bool repair_same(const char *a, const char *b)
{
    size_t an = 0, bn = 0;
    char *at = repair_content(a, &an), *bt = repair_content(b, &bn);
    bool same = at && bt && an == bn && memcmp(at, bt, an) == 0;
    free(at);
    free(bt);
    return same;
}

static bool repair_is_strict(const char *path)
{
    size_t n = 0;
    char *bytes = repair_content(path, &n);
    bool strict = bytes && strict_json(bytes, n);
    free(bytes);
    return strict;
}

static bool repair_nothing_crosses(const struct repair_run *check)
{
    const struct lanefix_totals *totals = check->totals;
    return !totals->crossings && !totals->too_deep && !totals->pair_crossings;
}

static bool repair_is_clean(const struct repair_run *check)
{
    for (size_t i = 0; i < check->nfindings; i++)
        if (check->findings[i].count)
            return false;
    return repair_nothing_crosses(check);
}

/* Of a repair, and of a check of what it made: is all mended that can be, and does it say what is
 * left? Returns the kind of finding that is not as it should be, or NULL. */
static const char *repair_what_is_left(const struct repair_run *repair,
                                       const struct repair_run *check)
{
    for (size_t i = 0; i < repair->nfindings; i++) {
        const struct lanefix_finding *before = &repair->findings[i], *after = &check->findings[i];
        /* of these only a check knows */
        bool of_the_plan = strcmp(before->id, "flow-no-slice") == 0;
        /* far from 0 what is snapped may need decimals where it had none */
        bool may_be_more =
            strcmp(before->id, "rounded-ts") == 0 && repair->totals->snapped_slices > 0;
        if (!of_the_plan && after->count != before->left &&
            !(may_be_more && after->count > before->left))
            return before->id;
    }
    return NULL;
}

/* Does undoing it give the trace again? Of gzip, which may be damaged, what could be read of it. */
static bool repair_undone(const struct repair_files *files, const struct lanefix_options *options)
{
    size_t n = 0;
    char *bytes = repair_content(files->in, &n);
    bool gzip = bytes && n > 1 && memcmp(bytes, "\x1F\x8B", 2) == 0;
    free(bytes);
    return lanefix_undo(files->report, files->out, files->again, options, NULL) == LANEFIX_OK &&
           (gzip || repair_same(files->in, files->again));
}

/* Judges the output of a repair that was made. Returns what is wrong, or NULL. */
static const char *repair_judge_output(const struct repair_files *files,
                                       const struct lanefix_options *options,
                                       const struct repair_run *repair)
{
    struct lanefix_options examine = *options;
    examine.repair = false;
    examine.examine = true;
    if (!repair_is_strict(files->out))
        return "the output is no JSON";
    if (!repair_is_strict(files->report))
        return "the report is no JSON";
    if (!repair_undone(files, options))
        return "undone it is not the trace again";
    const char *wrong = NULL;
    struct repair_run check = repair_run(files->out, NULL, &examine);
    struct repair_run again = repair_run(files->out, files->again, options);
    if (check.status != LANEFIX_OK || again.status != LANEFIX_OK)
        wrong = "the output cannot be read";
    else if (!repair_nothing_crosses(&check))
        wrong = "something crosses in the output";
    else if (!repair_same(files->out, files->again))
        wrong = "repaired again it is another one";
    else if (again.totals->lost_places || again.totals->new_ids || again.totals->ts_shift_us)
        wrong = "repaired again something was done to it";
    else
        wrong = repair_what_is_left(repair, &check);
    lanefix_report_free(check.report);
    lanefix_report_free(again.report);
    return wrong;
}

/* Repairs files->in into files->out with the options, which ask for that and for no gzip. Returns
 * what is wrong with the outcome, or NULL. Counts are added to; the three files may be there
 * then. */
static const char *judge_repair(const struct repair_files *files,
                                const struct lanefix_options *options, struct repair_counts *counts)
{
    struct lanefix_options examine = *options;
    examine.repair = false;
    examine.examine = true;
    struct lanefix_options with_report = *options;
    with_report.report_path = files->report;
    const char *wrong = NULL;
    remove(files->out);
    struct repair_run check = repair_run(files->in, NULL, &examine);
    struct repair_run repair = repair_run(files->in, files->out, &with_report);
    bool clean = check.status == LANEFIX_OK && repair_is_clean(&check);
    if (repair.status != LANEFIX_OK) {
        size_t n;
        char *left = repair_content(files->out, &n);
        counts->refused++;
        if (left || clean)
            wrong = left ? "an output with an error" : "what is clean is refused";
        free(left);
    } else {
        counts->repaired++;
        counts->clean += clean;
        counts->changed += !repair_same(files->in, files->out);
        counts->lost += repair.totals->lost_places > 0;
        if (clean && !repair_same(files->in, files->out))
            wrong = "what is clean was changed";
        else
            wrong = repair_judge_output(files, options, &repair);
    }
    lanefix_report_free(check.report);
    lanefix_report_free(repair.report);
    return wrong;
}

#endif
