#define _POSIX_C_SOURCE 200809L
#include "result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "targets.h"

typedef unsigned long long ull;

static void set_error(struct result *result, enum lanefix_file file, const char *message,
                      int sys_errno)
{
    result->error = (struct lanefix_error){.code = LANEFIX_ERR_OPEN,
                                           .file = file,
                                           .message = message,
                                           .offset = LANEFIX_NOWHERE,
                                           .event = LANEFIX_NOWHERE,
                                           .sys_errno = sys_errno};
}

/* The report's figures; what else it has is freed with it, so that hundreds that wait for their
 * turn take no room. */
static void take_figures(struct result *result, const struct lanefix_report *report)
{
    size_t n;
    const struct lanefix_finding *findings = lanefix_report_findings(report, &n);
    result->totals = *lanefix_report_totals(report);
    for (size_t i = 0; i < n; i++)
        result->nfindings += findings[i].count > 0;
    result->findings = calloc(result->nfindings + 1, sizeof *result->findings);
    if (!result->findings) {
        result->nfindings = 0;
        set_error(result, LANEFIX_FILE_INPUT, "done, but out of memory for its result", 0);
        return;
    }
    for (size_t i = 0, kept = 0; i < n; i++)
        if (findings[i].count) {
            result->findings[kept] = findings[i];
            result->findings[kept++].name = NULL;
        }
}

static bool make_folder(struct result *result, const char *file, enum lanefix_file which)
{
    if (!file || targets_make_folder(file))
        return true;
    set_error(result, which, "cannot make its folder", errno);
    return false;
}

void result_run(struct result *result, const struct trace *trace, const struct arguments *args,
                unsigned jobs, struct progress *progress)
{
    struct lanefix_options options = args->options;
    struct lanefix_report *report = NULL;
    struct progress_file file;
    int64_t begun_ns = progress_clock();
    options.jobs = jobs;
    options.report_path = trace->report;
    options.html_path = trace->page;
    progress_begin_file(progress, &file, NULL, trace->nbytes);
    progress_listen(&file, &options);
    if (trace->wrong)
        set_error(result, LANEFIX_FILE_INPUT, trace->wrong, trace->sys_errno);
    else if ((options.dry_run || make_folder(result, trace->output, LANEFIX_FILE_OUTPUT)) &&
             make_folder(result, trace->report, LANEFIX_FILE_REPORT) &&
             make_folder(result, trace->page, LANEFIX_FILE_PAGE)) {
        if (args->check)
            lanefix_check(trace->path, &options, &report, &result->error);
        else
            lanefix_fix(trace->path, trace->output ? trace->output : trace->path, &options, &report,
                        &result->error);
    }
    progress_end_file(&file);
    if (report)
        take_figures(result, report);
    lanefix_report_free(report);
    result->time_ns = progress_clock() - begun_ns;
}

static uint64_t all_crossings(const struct lanefix_totals *t)
{
    return t->crossings + t->pair_crossings + t->too_deep;
}

bool result_found_any(const struct lanefix_totals *totals, const struct lanefix_finding *findings,
                      size_t n)
{
    bool found = all_crossings(totals) > 0;
    for (size_t i = 0; i < n; i++)
        found = found || findings[i].count;
    return found;
}

static bool found_any(const struct result *result)
{
    return result_found_any(&result->totals, result->findings, result->nfindings);
}

/* What a check has found: kinds and how many. */
static void print_found(const struct result *result)
{
    const struct lanefix_totals *t = &result->totals;
    uint64_t crossings = t->crossings + t->pair_crossings;
    fputs(found_any(result) ? "found " : "found nothing", stdout);
    for (size_t i = 0; i < result->nfindings; i++)
        printf("%s%llu %s", i ? ", " : "", (ull)result->findings[i].count, result->findings[i].id);
    if (result->nfindings) /* crossings are among them */
        return;
    if (crossings)
        printf("%llu crossing", (ull)crossings);
    if (t->too_deep)
        printf("%s%llu too-deep", crossings ? ", " : "", (ull)t->too_deep);
}

static void print_fixed(const struct lanefix_totals *t)
{
    printf("%llu crossings: ", (ull)all_crossings(t));
    if (t->unchanged)
        fputs("unchanged", stdout);
    else
        printf("%llu snapped, %llu moved to %llu lanes", (ull)t->snapped_slices,
               (ull)t->moved_slices, (ull)t->lanes);
}

/* The end of a line. */
static bool print_time(int64_t time_ns)
{
    int64_t tenths = (time_ns + 50000000) / 100000000;
    printf("; %lld.%lld s\n", (long long)(tenths / 10), (long long)(tenths % 10));
    return fflush(stdout) == 0 && !ferror(stdout);
}

static bool print_line(const struct result *result, const char *name, bool check)
{
    printf("%s: ", name);
    if (result->error.code != LANEFIX_OK)
        fputs("failed", stdout);
    else if (check)
        print_found(result);
    else
        print_fixed(&result->totals);
    if (result->totals.lost_places)
        printf("; %llu bytes lost in %llu places", (ull)result->totals.lost_nbytes,
               (ull)result->totals.lost_places);
    return print_time(result->time_ns);
}

static void add_to_sum(struct sum *sum, const struct result *result, const struct trace *trace,
                       bool check)
{
    const struct lanefix_totals *totals = &result->totals;
    bool failed = result->error.code != LANEFIX_OK;
    bool found = check ? found_any(result) : !totals->unchanged;
    sum->traces++;
    sum->nbytes += trace->nbytes;
    sum->failed += failed;
    sum->crossings += all_crossings(totals);
    sum->found += !failed && check && found;
    sum->fixed += !failed && !check && found;
    sum->unchanged += !failed && !found;
    /* as of a single one: that it is torn is a finding of a check */
    sum->lost += !failed && totals->lost_places && !(check && found);
    sum->interrupted |= result->error.code == LANEFIX_ERR_CANCELLED;
}

bool result_print(const struct result *result, const struct trace *trace,
                  const struct arguments *args, struct sum *sum)
{
    const char *paths[] = {trace->path, trace->output ? trace->output : trace->path, trace->report,
                           trace->page};
    char name[NAME_ROOM];
    lanefix_show(strcmp(trace->path, "-") == 0 ? "standard input" : trace->path, name, sizeof name);
    add_to_sum(sum, result, trace, args->check);
    if (result->error.code == LANEFIX_ERR_CANCELLED)
        return true;
    if (result->error.code != LANEFIX_OK) {
        message_error(&result->error, paths[result->error.file], args->options.salvage);
    } else {
        if (!args->check)
            message_kinds(result->findings, result->nfindings, name);
        message_garbage(&result->totals, name);
        message_losses(&result->totals, name);
    }
    return args->quiet || print_line(result, name, args->check);
}

bool result_print_sum(const struct sum *sum, const struct arguments *args, int64_t time_ns)
{
    if (args->quiet)
        return true;
    if (args->check)
        printf("%llu traces: %llu with findings, %llu with none", (ull)sum->traces, (ull)sum->found,
               (ull)sum->unchanged);
    else
        printf("%llu traces: %llu fixed, %llu unchanged", (ull)sum->traces, (ull)sum->fixed,
               (ull)sum->unchanged);
    printf(", %llu failed, %llu lost something; %llu crossings; %llu bytes", (ull)sum->failed,
           (ull)sum->lost, (ull)sum->crossings, (ull)sum->nbytes);
    return print_time(time_ns);
}

void result_free(struct result *result)
{
    free(result->findings);
}
