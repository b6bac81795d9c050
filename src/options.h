/* The program's options: their names, and what --help says of them. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

/* What getopt_long returns for those without a letter. */
enum {
    OPTIONS_FIRST = 256,
    OPTION_THRESHOLD = OPTIONS_FIRST,
    OPTION_CHECK,
    OPTION_KEEP,
    OPTION_REPORT,
    OPTION_GZIP,
    OPTION_NO_GZIP,
    OPTION_LEVEL,
    OPTION_SALVAGE,
    OPTION_REPAIR,
    OPTION_REBASE,
    OPTION_NO_SYNC,
    OPTION_MAX_SIZE,
    OPTION_UNDO,
    OPTION_VERSION,
    OPTION_PROGRESS,
    OPTION_NO_PROGRESS,
    OPTION_PRETTY,
    OPTION_DRY_RUN,
    OPTION_SNAP,
    OPTION_SOFT,
    OPTION_NO_SNAP,
    OPTION_TRIM_UNFINISHED,
    OPTION_EXPLAIN,
    OPTION_HTML,
    OPTION_SVG
};

/* Room for all, and for their letters. */
enum { OPTIONS_MAX = 64, OPTIONS_LETTERS_ROOM = 2 * OPTIONS_MAX + 2 };

/* Fills what getopt_long takes: a table with its end, and the letters (":" first, so that it is
 * silent). */
void options_for_getopt(struct option table[OPTIONS_MAX], char letters[OPTIONS_LETTERS_ROOM]);

/* Prints --help. Returns false if `out` has an error. */
bool options_print_help(FILE *out);

#endif
