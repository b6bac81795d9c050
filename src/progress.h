/* The line that shows how far the work has come: drawn anew and anew on a terminal once it has
 * lasted a second, or a plain line a minute. Several runs, in as many threads, may share one. Where
 * a struct progress is taken NULL is fine, and nothing is shown. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "lanefix.h"

/* What the user wants, and what that comes to. */
enum progress_wish { PROGRESS_AUTO, PROGRESS_ON, PROGRESS_OFF };
enum progress_style { PROGRESS_NONE, PROGRESS_PLAIN, PROGRESS_DRAWN };

/* `quiet` means no progress unless that was asked for by name; `can_draw` as terminal.h says. */
enum progress_style progress_style(enum progress_wish wish, bool quiet, bool can_draw);

/* ns of a clock that does not jump. */
int64_t progress_clock(void);

struct progress_options {
    FILE *out; /* not buffered */
    bool drawn;
    int64_t first_ns, interval_ns; /* after so long for the first time, and then so far apart */
};

/* As a style has it; not for PROGRESS_NONE. */
struct progress_options progress_options(enum progress_style style, FILE *out);

struct progress;

/* Begins at `now_ns` of progress_clock. Returns NULL if there is no memory. */
struct progress *progress_new(const struct progress_options *options, int64_t now_ns);

/* From now on it is shown while nothing is heard, too: what waits for the disk or a pipe, and the
 * plan, are silent. Without a thread to be had for that, it is not. */
void progress_start(struct progress *progress);

/* One that is started, to standard error; NULL if there is none to show. `quiet` as above. */
struct progress *progress_to_stderr(enum progress_wish wish, bool quiet);

/* What is done at every tick, at a time that is given. */
void progress_tick_at(struct progress *progress, int64_t now_ns);

/* Erases the line, and frees. No run may be under way. */
void progress_free(struct progress *progress);

/* There will be so many files, with so many bytes as they are stored in all: what is shown is how
 * many of these are done, not what a run is at. To be called before the first run. */
void progress_expect(struct progress *progress, unsigned nfiles, uint64_t nbytes);

/* A run's part, owned by who runs it. */
struct progress_file {
    struct progress *progress;
    const char *name;
    uint64_t nbytes, counted_nbytes; /* of the file, and how many of them count as done */
    struct lanefix_progress now;
    int64_t step_ns; /* when the step that is under way began */
};

/* A run begins, of a file of so many bytes as it is stored (which matters after progress_expect
 * alone). The name is one that lanefix_show gave, or NULL, and lives as long as the run. */
void progress_begin_file(struct progress *progress, struct progress_file *file, const char *name,
                         uint64_t nbytes);

/* Lets a run with these options, of a file that was begun, be heard. */
void progress_listen(struct progress_file *file, struct lanefix_options *options);

/* It has ended, well or not: it counts as done. */
void progress_end_file(struct progress_file *file);

/* How far a run is: what to put into options->progress, with `file` as its data. */
void progress_hear(void *file, const struct lanefix_progress *now);

/* The same at a time that is given. */
void progress_hear_at(struct progress_file *file, const struct lanefix_progress *now,
                      int64_t now_ns);

/* For whoever prints a line to the same terminal: erases the one that is drawn, and draws none
 * until progress_release, which is to follow soon since the runs wait for it. */
void progress_hold(struct progress *progress);
void progress_release(struct progress *progress);

#endif
