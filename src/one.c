#define _POSIX_C_SOURCE 200809L
#include "one.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "messages.h"
#include "progress.h"
#include "result.h"

static int print_error(const struct lanefix_error *error, const struct arguments *args,
                       const char *output)
{
    const char *report = args->undo ? args->undo : args->options.report_path;
    const char *paths[] = {args->input, output, report, args->options.html_path,
                           args->options.svg_path};
    if (args->undo && strcmp(args->undo, "-") == 0)
        paths[LANEFIX_FILE_REPORT] = "standard input";
    if (error->code == LANEFIX_ERR_NO_SLICE && error->event == LANEFIX_NOWHERE)
        message_no_slice(error, args->input, args->options.explain);
    else
        message_error(error, paths[error->file], args->options.salvage);
    return EXIT_TROUBLE;
}

static bool is_standard(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* What was asked for: the explanation of a slice, or the report. */
static int print_text(const struct lanefix_report *report, const struct arguments *args, FILE *file)
{
    return args->options.explain ? lanefix_report_explanation(report, file)
                                 : message_report(report, file);
}

/* The report to standard output, or to standard error where that has the trace or another file. */
static int print_report(const struct lanefix_report *report, const struct arguments *args,
                        const char *output)
{
    const struct lanefix_options *options = &args->options;
    bool written = output && !options->dry_run;
    bool taken = (written && is_standard(output)) || is_standard(options->report_path) ||
                 is_standard(options->html_path) || is_standard(options->svg_path);
    FILE *file = taken ? stderr : stdout;
    if (args->quiet || (print_text(report, args, file) == 0 && fflush(file) == 0))
        return EXIT_SUCCESS;
    if (!*args->options.cancel) {
        const char *reason = strerror(errno);
        message_begin_error();
        fprintf(stderr, "cannot write the report%s: %s\n",
                written ? " (the output is in place)" : "", reason);
    }
    return EXIT_TROUBLE;
}

/* Calls the library, and shows how far it is. There is no report of an undo. */
static enum lanefix_status call_library(const struct arguments *args, const char *output,
                                        const char *name, struct lanefix_report **report,
                                        struct lanefix_error *error)
{
    struct lanefix_options options = args->options;
    bool shown_trace =
        output && !options.dry_run && strcmp(output, "-") == 0 && isatty(STDOUT_FILENO);
    struct progress *progress = progress_to_stderr(args->progress, args->quiet || shown_trace);
    struct progress_file file;
    enum lanefix_status status;
    progress_begin_file(progress, &file, name, 0);
    progress_listen(&file, &options);
    if (args->undo)
        status = lanefix_undo(args->undo, args->input, output, &options, error);
    else if (args->check)
        status = lanefix_check(args->input, &options, report, error);
    else
        status = lanefix_fix(args->input, output, &options, report, error);
    progress_end_file(&file);
    progress_free(progress);
    return status;
}

/* The warnings and the report of a run that went well. Returns the exit status. */
static int print_outcome(const struct lanefix_report *report, const struct arguments *args,
                         const char *output, const char *name)
{
    const struct lanefix_totals *totals = lanefix_report_totals(report);
    if (!args->check)
        message_findings(report, name);
    message_garbage(totals, name);
    message_losses(totals, name);
    int status = print_report(report, args, output);
    if (status == EXIT_SUCCESS && totals->lost_places)
        status = EXIT_LOST;
    size_t n;
    const struct lanefix_finding *findings = lanefix_report_findings(report, &n);
    if (status != EXIT_TROUBLE && args->check && result_found_any(totals, findings, n))
        status = EXIT_FINDINGS;
    return status;
}

int one_run(const struct arguments *args, const char *output)
{
    struct lanefix_report *report = NULL;
    struct lanefix_error error;
    char name[NAME_ROOM];
    lanefix_show(strcmp(args->input, "-") == 0 ? "standard input" : args->input, name, sizeof name);
    bool ok = call_library(args, output, name, &report, &error) == LANEFIX_OK;
    bool in_place = ok || (error.code == LANEFIX_ERR_SYNC && error.file == LANEFIX_FILE_OUTPUT);
    int status = EXIT_SUCCESS;
    if (ok && report)
        status = print_outcome(report, args, output, name);
    else if (!ok && !*args->options.cancel)
        status = print_error(&error, args, output);
    lanefix_report_free(report);
    if ((!ok || status == EXIT_TROUBLE) && *args->options.cancel) {
        message_signal(*args->options.cancel, args->options.dry_run ? NULL : output, in_place);
        status = ARGUMENTS_CANCELLED;
    }
    return status;
}
