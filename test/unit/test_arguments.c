/* The program's arguments, and what it says of wrong ones. */
#define _POSIX_C_SOURCE 200809L
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hint.h"
#include "options.h"
#include "units.h"

enum { WORDS_MAX = 8, WORD_ROOM = 64 };

/* Parses words, up to a NULL, as if they were all. */
static int parse(const char *const *words, struct arguments *args)
{
    /* What was parsed before stays for a while, since the arguments point there */
    static char rooms[4][WORDS_MAX + 1][WORD_ROOM];
    static unsigned next;
    char(*room)[WORD_ROOM] = rooms[next++ % 4];
    char *argv[WORDS_MAX + 2] = {room[0]};
    int argc = 1;
    snprintf(room[0], WORD_ROOM, "trace-lanefix");
    for (; words[argc - 1]; argc++) {
        snprintf(room[argc], WORD_ROOM, "%s", words[argc - 1]);
        argv[argc] = room[argc];
    }
    optind = 0; /* begin anew, with what glibc keeps between calls */
    return arguments_parse(argc, argv, args);
}

static void check_text(const char *a, const char *b)
{
    ck_assert_str_eq(a ? a : "(none)", b ? b : "(none)");
}

static void check_list(const char *const *a, size_t n, const char *const *b, size_t m)
{
    ck_assert_uint_eq(n, m);
    for (size_t i = 0; i < n; i++)
        ck_assert_str_eq(a[i], b[i]);
}

static void check_same(const struct arguments *a, const struct arguments *b)
{
    const struct lanefix_options *x = &a->options, *y = &b->options;
    ck_assert_int_eq(x->snap_threshold_ns, y->snap_threshold_ns);
    ck_assert_int_eq(x->gzip, y->gzip);
    ck_assert_int_eq(x->level, y->level);
    check_text(x->report_path, y->report_path);
    check_text(x->explain, y->explain);
    ck_assert_uint_eq(x->jobs, y->jobs);
    ck_assert_int_eq(x->salvage, y->salvage);
    ck_assert_int_eq(x->no_sync, y->no_sync);
    ck_assert_uint_eq(x->max_size_nbytes, y->max_size_nbytes);
    ck_assert_int_eq(x->examine, y->examine);
    ck_assert_int_eq(x->repair, y->repair);
    ck_assert_int_eq(x->rebase, y->rebase);
    ck_assert_int_eq(x->pretty, y->pretty);
    ck_assert_int_eq(x->dry_run, y->dry_run);
    ck_assert_int_eq(x->snap, y->snap);
    check_list(x->soft, x->soft_count, y->soft, y->soft_count);
    check_list(x->no_snap, x->no_snap_count, y->no_snap, y->no_snap_count);
    ck_assert_int_eq(x->trim_unfinished, y->trim_unfinished);
    ck_assert_int_eq(x->in_place, y->in_place);
    ck_assert_int_eq(x->keep_original, y->keep_original);
    check_text(a->undo, b->undo);
    check_text(a->output_dir, b->output_dir);
    ck_assert_int_eq(a->many, b->many);
    ck_assert_int_eq(a->recursive, b->recursive);
    check_text(a->input, b->input);
    check_text(a->output, b->output);
    check_text(a->options.html_path, b->options.html_path);
    check_text(a->options.svg_path, b->options.svg_path);
    ck_assert_int_eq(a->check, b->check);
    ck_assert_int_eq(a->quiet, b->quiet);
    ck_assert_int_eq(a->progress, b->progress);
}

static struct option table[OPTIONS_MAX];

static void fill_table(void)
{
    char letters[OPTIONS_LETTERS_ROOM];
    options_for_getopt(table, letters);
}

/* The length of the shortest beginning of a name that is taken for it. */
static size_t shortest(const char *name)
{
    char list[1024];
    size_t n = 1;
    while (name[n] &&
           (hint_beginning(table, name, n, list, sizeof list) > 1 || strcmp(list + 2, name) != 0))
        n++;
    return n;
}

/* What an option needs beside it and the input; a second name does no harm to any. */
static const char *company_of(int option)
{
    return option == OPTION_KEEP      ? "-i"
           : option == 'r'            ? "--check"
           : option == OPTION_SOFT    ? "--snap=soft"
           : option == OPTION_EXPLAIN ? "-q" /* it takes one input alone */
                                      : "in";
}

/* A value for an option that takes one. */
static const char *value_of(int option)
{
    return option == OPTION_SNAP ? "least" : "3";
}

START_TEST(takes_every_option_in_every_form)
{
    size_t nvalues = 0;
    fill_table();
    for (const struct option *option = table; option->name; option++) {
        if (option->val == 'h' || option->val == OPTION_VERSION)
            continue;
        char whole[40], joined[WORD_ROOM], brief[40], brief_joined[WORD_ROOM];
        bool value = option->has_arg == required_argument;
        int n = (int)shortest(option->name);
        const char *equals = value ? "=" : "", *joined_value = value ? value_of(option->val) : "";
        const char *word = value ? joined_value : NULL; /* the last one, or none */
        const char *also = company_of(option->val);
        snprintf(whole, sizeof whole, "--%s", option->name);
        snprintf(joined, sizeof joined, "%s%s%s", whole, equals, joined_value);
        snprintf(brief, sizeof brief, "--%.*s", n, option->name);
        snprintf(brief_joined, sizeof brief_joined, "%s%s%s", brief, equals, joined_value);
        nvalues += value;
        struct arguments expected, args;
        const char *const forms[][WORDS_MAX] = {
            {also, "in", joined},      {also, "in", whole, word},  {also, "in", brief_joined},
            {also, "in", brief, word}, {also, joined, "--", "in"}, {also, brief_joined, "--", "in"},
        };
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            ck_assert_int_eq(parse((const char *[]){also, joined, "in", NULL}, &expected), -1);
            ck_assert_str_eq(expected.input, "in");
            ck_assert_msg(parse(forms[i], &args) == -1, "%s", joined);
            check_same(&args, &expected);
            arguments_free(&args);
            if (i + 1 < sizeof forms / sizeof *forms)
                arguments_free(&expected);
        }
        struct arguments none;
        ck_assert_int_eq(parse((const char *[]){"in", NULL}, &none), -1);
        if (value) /* it is of account */
            ck_assert(none.options.level != expected.options.level ||
                      none.options.jobs != expected.options.jobs ||
                      none.options.max_size_nbytes != expected.options.max_size_nbytes ||
                      none.options.snap_threshold_ns != expected.options.snap_threshold_ns ||
                      none.options.report_path != expected.options.report_path ||
                      none.options.snap != expected.options.snap ||
                      none.options.no_snap_count != expected.options.no_snap_count ||
                      none.options.explain != expected.options.explain ||
                      none.options.html_path != expected.options.html_path ||
                      none.options.svg_path != expected.options.svg_path ||
                      none.undo != expected.undo || none.output_dir != expected.output_dir);
        arguments_free(&expected);
    }
    ck_assert_uint_ge(nvalues, 5);
}
END_TEST

START_TEST(takes_lists)
{
    struct arguments args;
    ck_assert_int_eq(parse((const char *[]){"--soft=a", "--no-snap", "kernel", "--snap=least",
                                            "--snap=soft", "--soft", "b,c", "--soft=a", NULL},
                           &args),
                     -1);
    check_list(args.options.soft, args.options.soft_count, (const char *[]){"a", "b,c", "a"}, 3);
    check_list(args.options.no_snap, args.options.no_snap_count, (const char *[]){"kernel"}, 1);
    ck_assert_int_eq(args.options.snap, LANEFIX_SNAP_SOFT);
    arguments_free(&args);
}
END_TEST

START_TEST(two_dashes_end_the_options)
{
    struct arguments args;
    ck_assert_int_eq(parse((const char *[]){"-q", "--", "--check", "-o", NULL}, &args), -1);
    ck_assert_str_eq(args.input, "--check");
    ck_assert_str_eq(args.output, "-o");
    ck_assert(args.quiet && !args.check);
    ck_assert_int_eq(parse((const char *[]){"in", "-qj3", "-", NULL}, &args), -1);
    ck_assert_str_eq(args.output, "-");
    ck_assert(args.quiet && args.options.jobs == 3);
    ck_assert_int_eq(parse((const char *[]){"--no-progress", "--progress", NULL}, &args), -1);
    ck_assert_int_eq(args.progress, PROGRESS_ON); /* the last one counts */
}
END_TEST

START_TEST(every_option_has_a_name_of_its_own)
{
    fill_table();
    for (const struct option *a = table; a->name; a++) {
        ck_assert_str_eq(hint_nearest(table, a->name, strlen(a->name)), a->name);
        for (const struct option *b = a + 1; b->name; b++) {
            ck_assert_str_ne(a->name, b->name);
            ck_assert_int_ne(a->val, b->val);
        }
    }
}
END_TEST

START_TEST(hints_at_the_nearest_name)
{
    static const struct option names[] = {{"repair", 0, NULL, 0},
                                          {"rebase", 0, NULL, 1},
                                          {"report", 1, NULL, 2},
                                          {"no-sync", 0, NULL, 3},
                                          {"snap-threshold-us", 1, NULL, 4},
                                          {"jobs", 1, NULL, 5},
                                          {"aaaa", 0, NULL, 6},
                                          {"aaab", 0, NULL, 7},
                                          {0}};
    static const struct {
        const char *word, *hint;
    } rows[] = {
        {"repiar", "repair"}, /* swapped */
        {"epair", "repair"},   {"reppair", "repair"},
        {"rapair", "repair"},  {"erpari", "repair"}, /* twice: a third of its letters */
        {"xypair", "repair"},  {"xyzair", NULL},     /* more than that */
        {"nosync", "no-sync"}, {"snap_threshold", "snap-threshold-us"},
        {"job", "jobs"},       {"jo", NULL}, /* too short to tell from others */
        {"kobs", "jobs"},      {"klbs", NULL},
        {"aaac", "aaaa"}, /* the first of two */
        {"aabb", "aaab"},      {"", NULL},
        {"x", NULL},           {"a-name-that-is-longer-than-any-of-an-option", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_text(hint_nearest(names, rows[i].word, strlen(rows[i].word)), rows[i].hint);
}
END_TEST

START_TEST(lists_what_begins_so)
{
    static const struct option names[] = {
        {"no", 0, NULL, 0}, {"no-gzip", 0, NULL, 1}, {"no-sync", 0, NULL, 2}, {0}};
    char room[100], small[8];
    ck_assert_uint_eq(hint_beginning(names, "no-", 3, room, sizeof room), 2);
    ck_assert_str_eq(room, "--no-gzip, --no-sync");
    ck_assert_uint_eq(hint_beginning(names, "no-s=x", 4, room, sizeof room), 1);
    ck_assert_str_eq(room, "--no-sync");
    ck_assert_uint_eq(hint_beginning(names, "no", 2, room, sizeof room), 1); /* as getopt_long */
    ck_assert_str_eq(room, "--no");
    ck_assert_uint_eq(hint_beginning(names, "x", 1, room, sizeof room), 0);
    ck_assert_uint_eq(hint_beginning(names, "", 0, room, sizeof room), 0);
    ck_assert_uint_eq(hint_beginning(names, "n", 1, small, sizeof small), 3);
    ck_assert_str_eq(small, "--no, -");
}
END_TEST

/* What is printed of wrong words, on standard error. */
START_TEST(says_what_is_wrong)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *line;
    } rows[] = {
        {{"--repiar"}, "unrecognized option: --repiar (did you mean --repair?)"},
        {{"--repiar=1"}, "unrecognized option: --repiar=1 (did you mean --repair?)"},
        {{"--xyzzy"}, "unrecognized option: --xyzzy (see trace-lanefix --help)"},
        {{"-x"}, "unrecognized option: -x (see trace-lanefix --help)"},
        {{"-qx"}, "unrecognized option: -x (see trace-lanefix --help)"},
        {{"-check"}, "unrecognized option: -check (did you mean --check?)"},
        {{"-q", "-check=crossings"},
         "unrecognized option: -check=crossings (did you mean --check?)"},
        {{"-quiet"}, "unrecognized option: -quiet (did you mean --quiet?)"},
        {{"-jobs=4"}, "unrecognized option: -jobs=4 (did you mean --jobs?)"},
        {{"-j4x"}, "-j takes a number from 1 to 1024: 4x (see trace-lanefix --help)"},
        {{"---gzip"}, "unrecognized option: ---gzip (did you mean --gzip?)"},
        {{"--=x"}, "unrecognized option: --=x (see trace-lanefix --help)"},
        {{"--no-"}, "ambiguous option: --no- (--no-"},
        {{"--report", "--check"}, "this option takes an argument: --report (--check is an option)"},
        {{"--report", "-q"}, "this option takes an argument: --report (-q is an option)"},
        {{"--report"}, "this option takes an argument: --report (see trace-lanefix --help)"},
        {{"--salvage=1"}, "this option takes no argument: --salvage=1 (see trace-lanefix --help)"},
        {{"--quiet=1"}, "this option takes no argument: --quiet=1 (see trace-lanefix --help)"},
        {{"--level=12"}, "--level takes a number from 0 to 9: 12 (see trace-lanefix --help)"},
        {{"--snap=sotf"}, "--snap takes first, soft or least: sotf (did you mean soft?)"},
        {{"--snap", "2.5"}, "--snap takes first, soft or least: 2.5 (did you mean --snap-thr"},
        {{"--snap="}, "--snap takes first, soft or least:  (see trace-lanefix --help)"},
        {{"--snap=any"}, "--snap takes first, soft or least: any (see trace-lanefix --help)"},
        {{"--no-snap", "a", "--no-snap=,"}, "the name of a category is empty: , (see trace-"},
        {{"--soft", "a"}, "--soft says what gives way with --snap=soft, so it needs that (see"},
        {{"--\033[2J"}, "unrecognized option: --\\x1b[2J (see trace-lanefix --help)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arguments args;
        char expected[200];
        size_t n;
        fflush(stderr);
        int before = dup(STDERR_FILENO);
        ck_assert_ptr_nonnull(freopen(scratch("stderr"), "w", stderr));
        int status = parse(rows[i].words, &args);
        fflush(stderr);
        ck_assert_int_eq(dup2(before, STDERR_FILENO), STDERR_FILENO);
        close(before);
        char *line = read_file(scratch("stderr"), &n);
        arguments_free(&args);
        ck_assert_int_eq(status, EXIT_TROUBLE);
        int length = snprintf(expected, sizeof expected, "trace-lanefix: %s", rows[i].line);
        ck_assert_msg(strncmp(line, expected, (size_t)length) == 0, "%s", line);
        ck_assert_ptr_eq(strchr(line, '\n'), line + n - 1);
        free(line);
    }
}
END_TEST

/* A file's name may look like an option where it cannot be one. */
START_TEST(takes_strange_names)
{
    struct arguments args;
    ck_assert_int_eq(parse((const char *[]){"--report", "-", "in", NULL}, &args), -1);
    ck_assert_str_eq(args.options.report_path, "-");
    ck_assert_int_eq(parse((const char *[]){"--report=--check", "in", NULL}, &args), -1);
    ck_assert_str_eq(args.options.report_path, "--check");
    ck_assert_int_eq(parse((const char *[]){"--report", "-z", "in", NULL}, &args), -1);
    ck_assert_str_eq(args.options.report_path, "-z");
}
END_TEST

START_TEST(help_is_narrow)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert(options_print_help(out));
    ck_assert_int_eq(fclose(out), 0);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") < 80, "%s", line);
    free(text);
}
END_TEST

Suite *arguments_suite(void)
{
    const TTest *const tests[] = {
        takes_every_option_in_every_form,
        takes_lists,
        two_dashes_end_the_options,
        every_option_has_a_name_of_its_own,
        hints_at_the_nearest_name,
        lists_what_begins_so,
        says_what_is_wrong,
        takes_strange_names,
        help_is_narrow,
    };
    return SUITE_OF("arguments", tests);
}
