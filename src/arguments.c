#define _POSIX_C_SOURCE 200809L
#include "arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"
#include "hint.h"
#include "messages.h"
#include "options.h"
#include "parse.h"

static int usage_error(const char *message, const char *value)
{
    char shown[NAME_ROOM];
    lanefix_show(value ? value : "", shown, sizeof shown);
    message_begin_error();
    fprintf(stderr, "%s%s%s (see trace-lanefix --help)\n", message, value ? ": " : "", shown);
    return EXIT_TROUBLE;
}

static int print_version(void)
{
    char codecs[128];
    lanefix_codecs(codecs, sizeof codecs);
    const char *built_from = build_description();
    bool failed = printf("trace-lanefix %s (%s%s%s)\n", lanefix_version(), built_from,
                         *built_from ? "; " : "", codecs) < 0;
    return failed || fflush(stdout) ? EXIT_TROUBLE : EXIT_SUCCESS;
}

/* The same, with more to say of the value than that there is --help. */
static int usage_error_hint(const char *message, const char *value, const char *before,
                            const char *hint, const char *behind)
{
    char shown[NAME_ROOM], shown_hint[NAME_ROOM];
    lanefix_show(value, shown, sizeof shown);
    lanefix_show(hint, shown_hint, sizeof shown_hint);
    message_begin_error();
    fprintf(stderr, "%s: %s (%s%s%s)\n", message, shown, before, shown_hint, behind);
    return EXIT_TROUBLE;
}

/* A word that is no option as it is. Returns -1, and prints nothing, if it is not like one either.
 */
static int unknown_option(const char *word, const struct option *table)
{
    char list[1024];
    const char *name = word + strspn(word, "-");
    size_t n = hint_name_length(name);
    size_t found = hint_beginning(table, name, n, list, sizeof list);
    if (found > 1)
        return usage_error_hint("ambiguous option", word, "", list, "");
    const char *nearest = hint_nearest(table, name, n);
    if (found)
        return usage_error_hint("unrecognized option", word, "did you mean ", list, "?");
    if (nearest)
        return usage_error_hint("unrecognized option", word, "did you mean --", nearest, "?");
    return -1;
}

/* Is a word a cluster of letters to getopt, but likely to have been meant as a name? */
static bool lacks_a_dash(const char *word)
{
    return word[0] == '-' && word[1] != '-' && hint_name_length(word) > 3;
}

/* The word that has a letter which is no option. getopt is behind it if that was its last one. */
static const char *word_of_letter(int argc, char **argv, char letter)
{
    const char *before = argv[optind - 1];
    size_t n = strlen(before);
    bool last = n > 1 && before[0] == '-' && before[1] != '-' && before[n - 1] == letter;
    return last || optind >= argc ? before : argv[optind];
}

/* What getopt_long does not take, said here: it would print it as it is. */
static int option_error(int result, int argc, char **argv, const struct option *table)
{
    const char *word = argv[optind - 1];
    if (result == ':')
        return usage_error("this option takes an argument", word);
    if (optopt && strncmp(word, "--", 2) == 0 && strchr(word, '='))
        return usage_error("this option takes no argument", word);
    char letter[] = {'-', (char)optopt, 0};
    if (optopt)
        word = word_of_letter(argc, argv, letter[1]);
    int status = !optopt || lacks_a_dash(word) ? unknown_option(word, table) : -1;
    return status >= 0 ? status : usage_error("unrecognized option", optopt ? letter : word);
}

/* Is the argument that an option has got, as a word of its own, an option itself? */
static bool is_option(const char *word, const struct option *table)
{
    char list[1024];
    if (strncmp(word, "--", 2) == 0)
        return hint_beginning(table, word + 2, hint_name_length(word + 2), list, sizeof list) == 1;
    bool letter = word[0] == '-' && word[1] && !word[2];
    while (letter && table->name && table->val != word[1])
        table++;
    return letter && table->name;
}

/* An option that takes no argument. Returns false if it is none of them. */
static bool take_flag(int option, struct arguments *args)
{
    switch (option) {
    case OPTION_GZIP:
        args->options.gzip = LANEFIX_GZIP_ON;
        return true;
    case OPTION_NO_GZIP:
        args->options.gzip = LANEFIX_GZIP_OFF;
        return true;
    case OPTION_SALVAGE:
        args->options.salvage = true;
        return true;
    case OPTION_REPAIR:
        args->options.repair = true;
        return true;
    case OPTION_REBASE:
        args->options.rebase = true;
        return true;
    case OPTION_PRETTY:
        args->options.pretty = true;
        return true;
    case OPTION_DRY_RUN:
        args->options.dry_run = true;
        return true;
    case OPTION_TRIM_UNFINISHED:
        args->options.trim_unfinished = true;
        return true;
    case OPTION_NO_SYNC:
        args->options.no_sync = true;
        return true;
    case OPTION_KEEP:
        args->options.keep_original = true;
        return true;
    case 'i':
        args->options.in_place = true;
        return true;
    case 'r':
        args->recursive = true;
        return true;
    case OPTION_PROGRESS:
        args->progress = PROGRESS_ON;
        return true;
    case OPTION_NO_PROGRESS:
        args->progress = PROGRESS_OFF;
        return true;
    case 'q':
        args->quiet = true;
        return true;
    default:
        return false;
    }
}

/* What may have been meant by a rule that there is not: another one; or, as --snap was short for
 * it once, the threshold. Returns as usage_error. */
static int unknown_rule(const char *message, const char *value)
{
    int64_t ns;
    const char *nearest =
        parse_threshold(value, &ns) ? "--snap-threshold-us" : parse_nearest_rule(value);
    return nearest ? usage_error_hint(message, value, "did you mean ", nearest, "?")
                   : usage_error(message, value);
}

/* Adds a category to a list of n. Returns what is wrong, or NULL. */
static const char *add_category(const char ***list, size_t *n, const char *value)
{
    const char **longer = NULL;
    if (!value[strspn(value, ",")])
        return "the name of a category is empty";
    longer = realloc(*list, (*n + 1) * sizeof *longer);
    if (!longer)
        return "out of memory";
    *list = longer;
    longer[(*n)++] = value;
    return NULL;
}

/* An option that says which slice gives way, as take_value. */
static const char *take_rule(int option, const char *value, struct arguments *args)
{
    struct lanefix_options *options = &args->options;
    const char *wrong;
    switch (option) {
    case OPTION_SNAP:
        return parse_rule(value, &options->snap) ? NULL : "--snap takes first, soft or least";
    case OPTION_SOFT:
        wrong = add_category(&args->soft, &options->soft_count, value);
        options->soft = args->soft;
        return wrong;
    default: /* OPTION_NO_SNAP */
        wrong = add_category(&args->no_snap, &options->no_snap_count, value);
        options->no_snap = args->no_snap;
        return wrong;
    }
}

/* An option that takes one, which is `value`. Returns what is wrong with that, or NULL. */
static const char *take_value(int option, char *value, struct arguments *args)
{
    struct lanefix_options *options = &args->options;
    switch (option) {
    case OPTION_THRESHOLD:
        return parse_threshold(value, &options->snap_threshold_ns)
                   ? NULL
                   : "--snap-threshold-us takes a number of microseconds, 0 or more";
    case OPTION_SNAP:
    case OPTION_SOFT:
    case OPTION_NO_SNAP:
        return take_rule(option, value, args);
    case OPTION_LEVEL:
        return parse_level(value, &options->level) ? NULL : "--level takes a number from 0 to 9";
    case 'd':
        args->output_dir = value;
        return *value ? NULL : "-d takes the name of a folder";
    case 'j':
        return parse_jobs(value, &options->jobs) ? NULL : "-j takes a number from 1 to 1024";
    case OPTION_MAX_SIZE:
        return parse_size(value, &options->max_size_nbytes)
                   ? NULL
                   : "--max-size takes a number of bytes, 1 or more";
    case OPTION_CHECK: /* which may have none */
        args->check = true;
        options->examine = !value;
        return !value || strcmp(value, "crossings") == 0 ? NULL
                                                         : "--check looks for all or =crossings";
    case OPTION_EXPLAIN:
        options->explain = value;
        return *value ? NULL : "--explain takes the name of a slice, or the number of an event";
    case OPTION_UNDO:
        args->undo = value;
        return *value ? NULL : "a file name is empty";
    case OPTION_HTML:
        options->html_path = value;
        return NULL;
    case OPTION_SVG:
        options->svg_path = value;
        return NULL;
    default: /* REPORT */
        options->report_path = value;
        return NULL;
    }
}

/* Reads the options. Returns -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct arguments *args)
{
    struct option table[OPTIONS_MAX];
    char letters[OPTIONS_LETTERS_ROOM];
    options_for_getopt(table, letters);
    for (int c; (c = getopt_long(argc, argv, letters, table, NULL)) != -1;) {
        if (c == 'h')
            return options_print_help(stdout) && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_TROUBLE;
        if (c == OPTION_VERSION)
            return print_version();
        if (c == ':' || c == '?')
            return option_error(c, argc, argv, table);
        if (take_flag(c, args))
            continue;
        bool separate = optarg == argv[optind - 1];
        if (separate && is_option(argv[optind - 1], table))
            return usage_error_hint("this option takes an argument", argv[optind - 2], "",
                                    argv[optind - 1], " is an option");
        const char *wrong = take_value(c, optarg, args);
        if (wrong && lacks_a_dash(argv[optind - 1]) && unknown_option(argv[optind - 1], table) >= 0)
            return EXIT_TROUBLE;
        if (wrong && c == OPTION_SNAP)
            return unknown_rule(wrong, optarg);
        if (wrong)
            return usage_error(wrong, optarg);
    }
    return -1;
}

/* What does not go with --undo, which has so many file names; NULL if all is well. */
static const char *wrong_with_undo(const struct arguments *args)
{
    const struct lanefix_options *options = &args->options;
    if (args->check || options->salvage || options->repair || options->rebase || options->pretty ||
        options->report_path)
        return "--undo takes neither --check, --salvage, --repair, --rebase, --pretty nor --report";
    if (options->html_path || options->svg_path)
        return "--undo draws nothing, so it takes neither --html nor --svg";
    if (args->output_dir || options->in_place || args->recursive)
        return "--undo takes one trace, so neither -d, -i nor -r";
    if (options->dry_run)
        return "--undo makes no report, so it takes no --dry-run";
    if (args->ntraces < 2)
        return "--undo takes an INPUT and an OUTPUT";
    return NULL;
}

/* What does not go with --explain, which is about one trace and writes none; NULL if all is well.
 */
static const char *wrong_with_explain(const struct arguments *args)
{
    if (args->undo)
        return "--explain is about what a fix does, so it takes no --undo";
    if (args->check)
        return "--explain says more than --check of one slice, so it goes without";
    if (args->output_dir || args->options.in_place || args->recursive)
        return "--explain takes one trace, so neither -d, -i nor -r";
    if (args->ntraces > 1)
        return "--explain writes no trace, so it takes one INPUT and no OUTPUT";
    return NULL;
}

/* Do these options go together? Returns what is wrong, or NULL. */
static const char *check_options(const struct arguments *args)
{
    const struct lanefix_options *options = &args->options;
    const char *wrong = options->explain ? wrong_with_explain(args) : NULL;
    if (wrong)
        return wrong;
    if (args->check && (options->repair || options->rebase))
        return "--check writes nothing, so it takes neither --repair nor --rebase";
    if (args->check && (options->pretty || options->dry_run))
        return "--check writes nothing, so it takes neither --pretty nor --dry-run";
    if (args->check && (args->output_dir || options->in_place))
        return "--check writes nothing, so it takes neither -d nor -i";
    if (args->output_dir && options->in_place)
        return "-i replaces the traces themselves, so it does not go with -d";
    if (options->keep_original && !options->in_place)
        return "--keep is for -i, which replaces the original";
    if (args->recursive && !args->output_dir && !options->in_place && !args->check)
        return "-r takes many traces, so it needs -d DIR, -i or --check";
    if (options->soft_count && options->snap != LANEFIX_SNAP_SOFT)
        return "--soft says what gives way with --snap=soft, so it needs that";
    if (args->many && options->report_path && strcmp(options->report_path, "-") == 0)
        return "of many traces the reports go to a folder: --report DIR/";
    if (args->many && options->html_path && strcmp(options->html_path, "-") == 0)
        return "of many traces the pages go to a folder: --html DIR/";
    if (args->many && options->svg_path)
        return "--svg draws one fix of one trace, so it takes neither -d, -i nor many traces";
    return args->undo ? wrong_with_undo(args) : NULL;
}

/* And the names? The same. *name is the one it is about, or NULL. */
static const char *check_names(const struct arguments *args, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < args->ntraces; i++) {
        if (!*args->traces[i])
            return "a file name is empty";
        if (!args->check && args->many && strcmp(args->traces[i], "-") == 0)
            return "standard input has no name to write to, so - does not go with -d or -i";
    }
    if (args->ntraces <= 2 || args->many)
        return NULL;
    *name = args->traces[2];
    return "one INPUT and one OUTPUT at most (-d DIR and -i take many); this is more";
}

int arguments_parse(int argc, char **argv, struct arguments *args)
{
    static char input[] = "trace.json", *inputs[] = {input};
    *args = (struct arguments){.options = LANEFIX_OPTIONS_DEFAULT, .input = input};
    int status = parse_options(argc, argv, args);
    if (status >= 0)
        return status;
    int n = argc - optind;
    args->traces = n > 0 ? argv + optind : inputs;
    args->ntraces = n > 0 ? (size_t)n : 1;
    args->many =
        args->output_dir || args->options.in_place || (args->check && (args->recursive || n > 1));
    const char *name = NULL, *wrong = check_options(args);
    if (!wrong && args->many && n == 0) /* such as of a pattern that fits nothing */
        wrong = "-d, -i and -r take the traces by name; none is given";
    if (!wrong)
        wrong = check_names(args, &name);
    if (wrong)
        return usage_error(wrong, name);
    args->options.dry_run |= args->options.explain != NULL;
    if (n > 0)
        args->input = argv[optind];
    if (n > 1)
        args->output = argv[optind + 1];
    return -1;
}

void arguments_free(struct arguments *args)
{
    free(args->soft);
    free(args->no_snap);
}

char *arguments_fixed_name(const char *input)
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
