#include "options.h"

#include <string.h>

/* In the order of --help. */
struct option_row {
    const char *group;    /* the heading above it, or NULL */
    int value;            /* its letter, or OPTION_... */
    const char *name;     /* the long one */
    const char *argument; /* "N", "this|that"; "[=N]" where it may be absent; NULL: it takes none */
    const char *text;     /* lines of 53 columns at most */
};

static const struct option_row ROWS[] = {
    {"What to do", OPTION_CHECK, "check", "[=crossings]",
     "write nothing; say what keeps the trace from showing\n"
     "in Perfetto (or what crosses, alone); exit 1 if\n"
     "something does"},
    {NULL, OPTION_DRY_RUN, "dry-run", NULL, "write no trace; report what a fix would do"},
    {NULL, OPTION_EXPLAIN, "explain", "SLICE",
     "write no trace; say what becomes of SLICE, a name or\n"
     "the number of an event, and why"},
    {NULL, OPTION_UNDO, "undo", "REPORT",
     "make of INPUT, which a run wrote, what that run read\n"
     "again, by what it reported with --report"},
    {"Which slice gives way", OPTION_THRESHOLD, "snap-threshold-us", "N",
     "shift a boundary by less than N us rather than move\n"
     "the slice to a lane of its own (default: 5.0;\n"
     "0: never)"},
    {NULL, OPTION_SNAP, "snap", "first|soft|least",
     "which of two slices that cross gives way; first: the\n"
     "later one (default); soft: the softer one, of marks,\n"
     "Python, operators, runtime, kernels; least: the one\n"
     "that leaves the fewest slices touched"},
    {NULL, OPTION_SOFT, "soft", "CAT",
     "with --snap=soft, take slices of the category CAT for\n"
     "marks too; may be given again"},
    {NULL, OPTION_NO_SNAP, "no-snap", "CAT",
     "never change the times of slices of the category CAT,\n"
     "but move them; may be given again"},
    {NULL, OPTION_TRIM_UNFINISHED, "trim-unfinished", NULL,
     "let slices that never returned, so that they end with\n"
     "the trace, end with what is around them, however far\n"
     "that is"},
    {"Many traces", 'd', "output-dir", "DIR",
     "write to DIR, under the name of each TRACE; a line of\n"
     "result each"},
    {NULL, 'i', "in-place", NULL,
     "replace each TRACE in which something is to be fixed;\n"
     "a line of result each"},
    {NULL, OPTION_KEEP, "keep", NULL, "with -i: leave the original as TRACE.orig"},
    {NULL, 'r', "recursive", NULL,
     "a TRACE that is a folder stands for every .json and\n"
     ".json.gz below it"},
    {"Broken and strange traces", OPTION_SALVAGE, "salvage", NULL,
     "of a trace that is cut, torn or damaged keep all that\n"
     "is whole, and make it JSON again; exit 3 if something\n"
     "was lost"},
    {NULL, OPTION_REPAIR, "repair", NULL,
     "mend what --check finds and can be mended, --salvage\n"
     "among it"},
    {NULL, OPTION_REBASE, "rebase", NULL,
     "shift all ts by one constant, to begin at 0, and add\n"
     "it to baseTimeNanoseconds"},
    {"Output", OPTION_GZIP, "gzip", NULL,
     "compress it, whatever its name (default: if OUTPUT\n"
     "ends in .gz; for standard output, as INPUT is)"},
    {NULL, OPTION_NO_GZIP, "no-gzip", NULL, "do not compress it"},
    {NULL, OPTION_LEVEL, "level", "N",
     "compress all at gzip level N, 0 to 9 (default: from\n"
     "gzip to gzip keep the compressed data of what stays,\n"
     "else 1)"},
    {NULL, OPTION_PRETTY, "pretty", NULL, "lay it out anew: indented, one value a line"},
    {NULL, OPTION_NO_SYNC, "no-sync", NULL, "do not wait until it is on the disk"},
    {"Messages", OPTION_REPORT, "report", "FILE",
     "write the whole report to FILE as JSON; of many\n"
     "traces to FILE/NAME.report.json, if FILE is a folder\n"
     "or ends in /"},
    {NULL, OPTION_HTML, "html", "FILE",
     "draw the largest fixes in a page, FILE; of many\n"
     "traces in FILE/NAME.html, as for --report"},
    {NULL, OPTION_SVG, "svg", "FILE",
     "draw the largest fix, or with --explain that of\n"
     "SLICE, in a picture, FILE"},
    {NULL, 'q', "quiet", NULL,
     "no report, or lines of result, on standard output,\n"
     "and no progress"},
    {NULL, OPTION_PROGRESS, "progress", NULL,
     "say how far it is, where there is no terminal in a\n"
     "line a minute (default: on a terminal, if it takes\n"
     "more than a second)"},
    {NULL, OPTION_NO_PROGRESS, "no-progress", NULL, "do not"},
    {NULL, 'h', "help", NULL, "this text"},
    {NULL, OPTION_VERSION, "version", NULL, "the version"},
    {"Resources", 'j', "jobs", "N",
     "use N threads, shared among many traces by their\n"
     "sizes (default: one for each core there is to use)"},
    {NULL, OPTION_MAX_SIZE, "max-size", "N",
     "refuse a trace of more than N bytes, uncompressed; N\n"
     "may end in K, M, G or T, for powers of 1024 (default:\n"
     "no limit)"},
};

enum { NROWS = sizeof ROWS / sizeof *ROWS };
enum { TEXT_COLUMN = 26 };

void options_for_getopt(struct option table[OPTIONS_MAX], char letters[OPTIONS_LETTERS_ROOM])
{
    _Static_assert((int)NROWS < (int)OPTIONS_MAX, "room for all, and an end");
    *letters++ = ':';
    for (int i = 0; i < NROWS; i++) {
        const struct option_row *row = &ROWS[i];
        int argument = !row->argument            ? no_argument
                       : row->argument[0] == '[' ? optional_argument
                                                 : required_argument;
        table[i] = (struct option){row->name, argument, NULL, row->value};
        if (row->value >= OPTIONS_FIRST)
            continue;
        *letters++ = (char)row->value;
        if (argument == required_argument)
            *letters++ = ':';
    }
    *letters = 0;
    table[NROWS] = (struct option){0};
}

static void print_row(const struct option_row *row, FILE *out)
{
    char letter[] = {'-', (char)row->value, ',', 0};
    const char *argument = row->argument ? row->argument : "";
    const char *space = *argument && *argument != '[' ? " " : "";
    if (row->group)
        fprintf(out, "\n%s:\n", row->group);
    int column = fprintf(out, "  %3s --%s%s%s", row->value < OPTIONS_FIRST ? letter : "", row->name,
                         space, argument);
    for (const char *line = row->text; *line; column = 0) {
        int n = (int)strcspn(line, "\n");
        if (column >= TEXT_COLUMN) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%*s%.*s\n", TEXT_COLUMN - column, "", n, line);
        line += n + (line[n] != 0);
    }
}

bool options_print_help(FILE *out)
{
    fputs("Usage: trace-lanefix [options] [INPUT [OUTPUT]]\n"
          "       trace-lanefix [options] -d DIR|-i|--check TRACE...\n"
          "Rewrite a Chrome or Kineto trace so that Perfetto shows every slice.\n"
          "\n"
          "INPUT is a JSON trace, plain or gzip (default: trace.json); - is standard\n"
          "input.\n"
          "OUTPUT defaults to INPUT with .fixed before its ending (trace.fixed.json), and\n"
          "to standard output where INPUT is -. It may be INPUT itself.\n",
          out);
    for (int i = 0; i < NROWS; i++)
        print_row(&ROWS[i], out);
    fputs("\n"
          "Exit status: 0 done; 1 --check found something; 2 wrong usage, unreadable\n"
          "input, or output not written; 3 done with --salvage or --repair, but\n"
          "something was lost.\n",
          out);
    return !ferror(out);
}
