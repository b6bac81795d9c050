/* The program's arguments. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "lanefix.h"
#include "progress.h"

enum { EXIT_FINDINGS = 1, EXIT_TROUBLE = 2, EXIT_LOST = 3 };

/* In place of an exit status: the run was cancelled. */
enum { ARGUMENTS_CANCELLED = -1 };

struct arguments {
    struct lanefix_options options;
    const char *input, *output; /* output NULL: to be derived from input */
    const char *undo;           /* the report of the run to undo, or NULL */
    bool check, quiet;          /* check: with options.examine for all, else for crossings alone */
    bool many;                  /* a line of result each: of these, and not of `input` */
    char **traces;
    size_t ntraces;
    const char **soft, **no_snap; /* of the options; these arrays are owned, no other strings are */
    const char *output_dir;       /* or NULL: they are checked, or fixed in place */
    bool recursive;
    enum progress_wish progress;
};

/* Reads them; they point into argv. Returns -1 to go on, else the exit status: after --help and
 * --version, or after an error, of which one line was printed. To be freed after each. */
int arguments_parse(int argc, char **argv, struct arguments *args);
void arguments_free(struct arguments *args);

/* INPUT with .fixed before its .json, .json.gz or .gz; owned by the caller, NULL without memory. */
char *arguments_fixed_name(const char *input);

#endif
