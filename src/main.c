/* The program: signals, the report, exit codes. All else is the library's (lanefix.h), but for the
 * arguments (arguments.h) and what goes to standard error (messages.h). */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "lanefix.h"
#include "many.h"
#include "messages.h"

static volatile sig_atomic_t caught_signal;

/* A read, write or open that begins to wait just after the library looked at the flag would not
 * notice it; so it is interrupted, by this same handler, every second until the end. */
static void on_signal(int number)
{
    if (number != SIGALRM || !caught_signal)
        caught_signal = number;
    alarm(1);
}

/* Ends of the kind that leave time to tidy up: the library is told, and removes what is half done.
 * No SA_RESTART, so that a read or write that waits comes back. A file that grows beyond the limit
 * is an error like a full disk. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU, SIGALRM};
    struct sigaction action = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN}, old;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == SIGALRM ||
            (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* What is opened must not become a standard stream that the caller has closed. Each gets something
 * that it cannot be used with, so that to use it is an error still. */
static bool fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

/* Ends the process by the signal that was caught, so that the caller sees it. */
static void die_of_signal(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(caught_signal, &action, NULL);
    raise(caught_signal);
}

static int print_error(const struct lanefix_error *error, const struct arguments *args,
                       const char *output)
{
    const char *report = args->undo ? args->undo : args->options.report_path;
    const char *paths[] = {args->input, output, report};
    if (args->undo && strcmp(args->undo, "-") == 0)
        paths[LANEFIX_FILE_REPORT] = "standard input";
    message_error(error, paths[error->file], args->options.salvage);
    return EXIT_TROUBLE;
}

/* The report to standard output, or to standard error where that has the trace or the JSON. */
static int print_report(const struct lanefix_report *report, const struct arguments *args,
                        const char *output)
{
    const char *json = args->options.report_path;
    bool taken = (output && strcmp(output, "-") == 0) || (json && strcmp(json, "-") == 0);
    FILE *file = taken ? stderr : stdout;
    if (args->quiet || (lanefix_report_text(report, file) == 0 && fflush(file) == 0))
        return EXIT_SUCCESS;
    if (!caught_signal)
        fprintf(stderr, "trace-lanefix: cannot write the report%s: %s\n",
                output ? " (the output is in place)" : "", strerror(errno));
    return EXIT_TROUBLE;
}

/* Has a check found anything? */
static bool has_findings(const struct lanefix_report *report)
{
    size_t n;
    const struct lanefix_finding *findings = lanefix_report_findings(report, &n);
    const struct lanefix_totals *totals = lanefix_report_totals(report);
    bool found = totals->crossings || totals->pair_crossings || totals->too_deep;
    for (size_t i = 0; i < n; i++)
        found = found || findings[i].count;
    return found;
}

static int undo(const struct arguments *args, const char *output)
{
    struct lanefix_error error;
    enum lanefix_status status =
        lanefix_undo(args->undo, args->input, output, &args->options, &error);
    if (status != LANEFIX_OK && caught_signal)
        die_of_signal();
    return status == LANEFIX_OK ? EXIT_SUCCESS : print_error(&error, args, output);
}

static int run(const struct arguments *args, const char *output)
{
    struct lanefix_report *report;
    struct lanefix_error error;
    enum lanefix_status status =
        args->check ? lanefix_check(args->input, &args->options, &report, &error)
                    : lanefix_fix(args->input, output, &args->options, &report, &error);
    if (status != LANEFIX_OK && caught_signal)
        die_of_signal();
    if (status != LANEFIX_OK)
        return print_error(&error, args, output);
    const struct lanefix_totals *totals = lanefix_report_totals(report);
    char name[NAME_ROOM];
    lanefix_show(strcmp(args->input, "-") == 0 ? "standard input" : args->input, name, sizeof name);
    if (!args->check)
        message_findings(report, name);
    message_garbage(totals, name);
    message_losses(totals, name);
    int exit_status = print_report(report, args, output);
    if (exit_status == EXIT_SUCCESS && totals->lost_places)
        exit_status = EXIT_LOST;
    if (exit_status != EXIT_TROUBLE && args->check && has_findings(report))
        exit_status = EXIT_FINDINGS;
    lanefix_report_free(report);
    if (exit_status == EXIT_TROUBLE && caught_signal)
        die_of_signal();
    return exit_status;
}

static int run_many(struct arguments *args)
{
    catch_signals();
    args->options.cancel = &caught_signal;
    int status = many_run(args);
    if ((status == MANY_CANCELLED || status == EXIT_TROUBLE) && caught_signal)
        die_of_signal();
    return status;
}

int main(int argc, char **argv)
{
    struct arguments args;
    if (!fill_standard_streams())
        return EXIT_TROUBLE;
    int status = arguments_parse(argc, argv, &args);
    if (status >= 0)
        return status;
    if (args.many)
        return run_many(&args);
    char *output = NULL;
    if (!args.check) {
        output = args.output ? strdup(args.output) : arguments_fixed_name(args.input);
        if (!output) {
            fputs("trace-lanefix: out of memory\n", stderr);
            return EXIT_TROUBLE;
        }
    }
    catch_signals();
    args.options.cancel = &caught_signal;
    status = args.undo ? undo(&args, output) : run(&args, output);
    free(output);
    return status;
}
