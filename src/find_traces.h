/* Many traces: which there are, and where their outputs go. */
#ifndef FIND_TRACES_H
#define FIND_TRACES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace {
    char *path;
    const char *below; /* the part of the path that is kept: behind the folder that was given, or
                          behind the last slash */
    char *output;      /* NULL: there is none, or it is the trace itself */
    char *report;      /* or NULL */
    char *page;        /* or NULL */
    uint64_t nbytes;   /* on the disk; 0 where that is not known */
    const char *wrong; /* why it cannot be read, found out early: a constant string; or NULL */
    int sys_errno;     /* with that, or 0 */
};

struct traces {
    struct trace *items;
    size_t n, cap;
    bool failed;                         /* there was no memory; to be looked at once, in the end */
    const volatile sig_atomic_t *cancel; /* the search ends soon after this becomes non-zero; or
                                            NULL */
};

/* A folder whose files are outputs, and not traces to find: NULL, or one that need not exist. */
enum { FOLDERS_OF_OUTPUTS = 2 };

/*
 * Adds what `path`, as given by the user, stands for: a file, whatever it is called, or "-"; with
 * `recursive`, of a folder every .json and .json.gz below it, in the order of their names. Links to
 * files are followed; hidden files and folders, links to folders, reports (NAME.json.report.json)
 * and what is no regular file are passed over, and so is a folder of outputs, unless it is `path`
 * itself. What cannot be looked at is added as well, and says why. Returns how many were added.
 */
size_t traces_find(struct traces *traces, const char *path, bool recursive,
                   const char *const outputs[FOLDERS_OF_OUTPUTS]);

/* Frees what a trace has. */
void trace_clear(struct trace *trace);

void traces_free(struct traces *traces);

#endif
