/* The program: arguments, messages, exit codes. All else is the library's (lanefix.h). */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lanefix.h"

enum { EXIT_FINDINGS = 1, EXIT_TROUBLE = 2, EXIT_LOST = 3 };

static const char HELP[] =
    "Usage: trace-lanefix [options] [INPUT [OUTPUT]]\n"
    "Rewrite a Chrome or Kineto trace so that Perfetto shows every slice.\n"
    "\n"
    "INPUT is a JSON trace, plain or gzip (default: trace.json); - is standard input.\n"
    "OUTPUT defaults to INPUT with .fixed before its ending (trace.fixed.json), and\n"
    "to standard output where INPUT is -. It may be INPUT itself.\n"
    "\n"
    "  --snap-threshold-us N  shift a boundary by less than N us rather than move the\n"
    "                         slice to a lane of its own (default: 5.0; 0: never)\n"
    "  --check                write nothing; exit 1 if anything crosses\n"
    "  --report FILE          write the whole report to FILE as JSON\n"
    "  --gzip, --no-gzip      compress the output, or not (default: if OUTPUT ends in\n"
    "                         .gz; for standard output, as INPUT is)\n"
    "  --level N              compress all at gzip level N, 0 to 9 (default: from gzip to\n"
    "                         gzip keep the compressed data of what stays, else 1)\n"
    "  --salvage              of a trace that is cut, torn or damaged keep all that is whole,\n"
    "                         and make it JSON again; exit 3 if something was lost\n"
    "  -j, --jobs N           use N threads (default: one for each core there is to use)\n"
    "      --no-sync          do not wait until the output is on the disk\n"
    "      --max-size N       refuse a trace of more than N bytes, uncompressed; N may end\n"
    "                         in K, M, G or T, for powers of 1024 (default: no limit)\n"
    "  -q, --quiet            no report on standard output\n"
    "  -h, --help             this text\n"
    "      --version          the version\n"
    "\n"
    "Exit status: 0 done; 1 --check found crossings; 2 wrong usage, unreadable input,\n"
    "or output not written; 3 done with --salvage, but something was lost.\n";

struct arguments {
    struct lanefix_options options;
    const char *input, *output; /* output NULL: to be derived from input */
    bool check, quiet;
};

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

/* Room for what lanefix_show gives of a name, and for an error's line. */
enum { NAME_ROOM = 4 * 4096 + 8, LINE_ROOM = NAME_ROOM + 1024 };

static int usage_error(const char *message, const char *value)
{
    char shown[NAME_ROOM];
    lanefix_show(value ? value : "", shown, sizeof shown);
    fprintf(stderr, "trace-lanefix: %s%s%s (see trace-lanefix --help)\n", message,
            value ? ": " : "", shown);
    return EXIT_TROUBLE;
}

/* Decimal microseconds -> ns, exactly. A rest below 1 ns is rounded up: shifts are whole ns, so
 * "below 0.5 ns" and "below 1 ns" are the same. Returns false if it is no such number; what int64
 * does not hold is as good as infinite. */
static bool parse_threshold(const char *s, int64_t *ns)
{
    uint64_t value = 0;
    int decimals = -1;
    bool digits = false, rest = false;
    for (; *s; s++) {
        if (*s == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (*s < '0' || *s > '9')
            return false;
        digits = true;
        if (decimals == 3) {
            rest |= *s != '0';
            continue;
        }
        decimals += decimals >= 0;
        value = value > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : value * 10 + (uint64_t)(*s - '0');
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
        value = value > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : value * 10;
    *ns = (int64_t)value + rest;
    return digits;
}

static bool parse_level(const char *s, int *level)
{
    if (s[0] < '0' || s[0] > '9' || s[1])
        return false;
    *level = s[0] - '0';
    return true;
}

static bool parse_jobs(const char *s, unsigned *jobs)
{
    unsigned n = 0;
    for (const char *p = s; *p; p++) {
        if (*p < '0' || *p > '9' || n > LANEFIX_JOBS_MAX)
            return false;
        n = n * 10 + (unsigned)(*p - '0');
    }
    *jobs = n;
    return n >= 1 && n <= LANEFIX_JOBS_MAX;
}

/* A number of bytes with K, M, G or T behind it. */
static bool parse_size(const char *s, uint64_t *nbytes)
{
    static const char units[] = "KMGT";
    uint64_t n = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    const char *unit = p > s && *p ? strchr(units, *p) : NULL;
    for (ptrdiff_t i = unit ? unit - units : -1; i >= 0; i--) {
        if (n > UINT64_MAX / 1024)
            return false;
        n *= 1024;
    }
    *nbytes = n;
    return n > 0 && !p[unit != NULL];
}

static int print_version(void)
{
    char codecs[128];
    lanefix_codecs(codecs, sizeof codecs);
    bool failed = printf("trace-lanefix %s (%s)\n", lanefix_version(), codecs) < 0;
    return failed || fflush(stdout) ? EXIT_TROUBLE : EXIT_SUCCESS;
}

/* What getopt_long does not take, said here: it would print it as it is. */
static int option_error(int result, char **argv)
{
    const char *message = result == ':'   ? "this option takes an argument"
                          : optopt >= 256 ? "this option takes no argument"
                                          : "unrecognized option";
    char letter[] = {'-', (char)optopt, 0};
    return usage_error(message, optopt > 0 && optopt < 256 ? letter : argv[optind - 1]);
}

/* Reads the options. Returns -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct arguments *args)
{
    enum {
        THRESHOLD = 256,
        CHECK,
        REPORT,
        GZIP,
        NO_GZIP,
        LEVEL,
        SALVAGE,
        NO_SYNC,
        MAX_SIZE,
        VERSION
    };
    static const struct option longs[] = {{"snap-threshold-us", required_argument, NULL, THRESHOLD},
                                          {"check", no_argument, NULL, CHECK},
                                          {"report", required_argument, NULL, REPORT},
                                          {"gzip", no_argument, NULL, GZIP},
                                          {"no-gzip", no_argument, NULL, NO_GZIP},
                                          {"level", required_argument, NULL, LEVEL},
                                          {"salvage", no_argument, NULL, SALVAGE},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"no-sync", no_argument, NULL, NO_SYNC},
                                          {"max-size", required_argument, NULL, MAX_SIZE},
                                          {"quiet", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, VERSION},
                                          {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, ":j:qh", longs, NULL)) != -1;) {
        switch (c) {
        case THRESHOLD:
            if (!parse_threshold(optarg, &args->options.snap_threshold_ns))
                return usage_error("--snap-threshold-us takes a number of microseconds, 0 or more",
                                   optarg);
            break;
        case CHECK:
            args->check = true;
            break;
        case REPORT:
            args->options.report_path = optarg;
            break;
        case GZIP:
            args->options.gzip = LANEFIX_GZIP_ON;
            break;
        case NO_GZIP:
            args->options.gzip = LANEFIX_GZIP_OFF;
            break;
        case LEVEL:
            if (!parse_level(optarg, &args->options.level))
                return usage_error("--level takes a number from 0 to 9", optarg);
            break;
        case SALVAGE:
            args->options.salvage = true;
            break;
        case 'j':
            if (!parse_jobs(optarg, &args->options.jobs))
                return usage_error("-j takes a number from 1 to 1024", optarg);
            break;
        case NO_SYNC:
            args->options.no_sync = true;
            break;
        case MAX_SIZE:
            if (!parse_size(optarg, &args->options.max_size_nbytes))
                return usage_error("--max-size takes a number of bytes, 1 or more", optarg);
            break;
        case 'q':
            args->quiet = true;
            break;
        case 'h':
            return fputs(HELP, stdout) < 0 || fflush(stdout) ? EXIT_TROUBLE : EXIT_SUCCESS;
        case VERSION:
            return print_version();
        default:
            return option_error(c, argv);
        }
    }
    return -1;
}

static int parse_arguments(int argc, char **argv, struct arguments *args)
{
    *args = (struct arguments){.options = LANEFIX_OPTIONS_DEFAULT, .input = "trace.json"};
    int status = parse_options(argc, argv, args);
    if (status >= 0)
        return status;
    int n = argc - optind;
    if (n > 2)
        return usage_error("one INPUT and one OUTPUT at most; this is more", argv[optind + 2]);
    if (n > 1 && args->check)
        return usage_error("--check writes no trace, so it takes no OUTPUT", argv[optind + 1]);
    for (int i = optind; i < argc; i++)
        if (!*argv[i])
            return usage_error("a file name is empty", NULL);
    if (n > 0)
        args->input = argv[optind];
    if (n > 1)
        args->output = argv[optind + 1];
    return -1;
}

/* INPUT with .fixed before its .json, .json.gz or .gz; owned by the caller, NULL without memory. */
static char *fixed_name(const char *input)
{
    static const char *const endings[] = {".json.gz", ".json", ".gz", ""};
    static const char fixed[] = ".fixed";
    size_t n = strlen(input);
    if (strcmp(input, "-") == 0)
        return strdup("-");
    char *name = malloc(n + sizeof fixed);
    for (size_t i = 0; name && i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (n < ending || strcmp(input + n - ending, endings[i]) != 0)
            continue;
        memcpy(name, input, n - ending);
        memcpy(name + n - ending, fixed, sizeof fixed - 1);
        memcpy(name + n - ending + sizeof fixed - 1, endings[i], ending + 1);
        break;
    }
    return name;
}

static int report_error(const struct lanefix_error *error, const struct arguments *args,
                        const char *output)
{
    const char *paths[] = {args->input, output, args->options.report_path};
    const char *path = paths[error->file];
    char line[LINE_ROOM];
    if (strcmp(path, "-") == 0)
        path = error->file == LANEFIX_FILE_INPUT ? "standard input" : "standard output";
    lanefix_error_text(error, path, line, sizeof line);
    bool hint = !args->options.salvage && lanefix_salvageable(error);
    fprintf(stderr, "trace-lanefix: %s%s\n", line, hint ? "; --salvage keeps what is whole" : "");
    return EXIT_TROUBLE;
}

static void print_warnings(const struct lanefix_totals *totals, const char *input)
{
    char name[NAME_ROOM];
    lanefix_show(strcmp(input, "-") == 0 ? "standard input" : input, name, sizeof name);
    if (totals->unread_events)
        fprintf(stderr,
                "trace-lanefix: %s: warning: %llu event(s) copied without being understood, the "
                "first at byte %llu, event %llu\n",
                name, (unsigned long long)totals->unread_events,
                (unsigned long long)totals->unread_offset,
                (unsigned long long)totals->unread_event);
    if (totals->garbage_nbytes)
        fprintf(stderr,
                "trace-lanefix: %s: warning: %llu byte(s) of trailing garbage after the gzip "
                "stream ignored\n",
                name, (unsigned long long)totals->garbage_nbytes);
}

/* What --salvage had to leave out. */
static void print_losses(const struct lanefix_totals *totals, const char *input)
{
    unsigned long long places = totals->lost_places, event = totals->lost_event;
    char where[64] = "before the first event";
    if (!places)
        return;
    if (event)
        snprintf(where, sizeof where, "after event %llu", event - 1);
    fprintf(stderr,
            "trace-lanefix: %s: %llu byte(s) lost in %llu place(s), the first %s (byte %llu): %s\n",
            strcmp(input, "-") == 0 ? "standard input" : input,
            (unsigned long long)totals->lost_nbytes, places, where,
            (unsigned long long)totals->lost_offset, totals->lost_reason);
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

static int run(struct arguments *args, const char *output)
{
    struct lanefix_report *report;
    struct lanefix_error error;
    enum lanefix_status status =
        args->check ? lanefix_check(args->input, &args->options, &report, &error)
                    : lanefix_fix(args->input, output, &args->options, &report, &error);
    if (status != LANEFIX_OK && caught_signal)
        die_of_signal();
    if (status != LANEFIX_OK)
        return report_error(&error, args, output);
    const struct lanefix_totals *totals = lanefix_report_totals(report);
    print_warnings(totals, args->input);
    print_losses(totals, args->input);
    int exit_status = print_report(report, args, output);
    if (exit_status == EXIT_SUCCESS && args->check && (totals->crossings || totals->too_deep))
        exit_status = EXIT_FINDINGS;
    if (exit_status != EXIT_TROUBLE && totals->lost_places)
        exit_status = EXIT_LOST;
    lanefix_report_free(report);
    if (exit_status == EXIT_TROUBLE && caught_signal)
        die_of_signal();
    return exit_status;
}

int main(int argc, char **argv)
{
    struct arguments args;
    if (!fill_standard_streams())
        return EXIT_TROUBLE;
    int status = parse_arguments(argc, argv, &args);
    if (status >= 0)
        return status;
    char *output = NULL;
    if (!args.check) {
        output = args.output ? strdup(args.output) : fixed_name(args.input);
        if (!output) {
            fputs("trace-lanefix: out of memory\n", stderr);
            return EXIT_TROUBLE;
        }
    }
    catch_signals();
    args.options.cancel = &caught_signal;
    status = run(&args, output);
    free(output);
    return status;
}
