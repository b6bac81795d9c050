/* The pictures of a run: a page of the largest fixes (page.h), and a file with one of them
 * (draw.h). Each appears under its name only when it is whole.
 *
 * The order of calls: open, add_track (in the order of the ranks), draw (when all is planned),
 * keep_old (where that is to be), finish (when all is written), commit, free. All but keep_old and
 * free return false with *run->err on an error; all do nothing where nothing was asked for, and
 * pictures is NULL. */
#ifndef PICTURES_H
#define PICTURES_H

#include "run.h"

struct pictures;

/* Are pictures asked for? Then pass one leaves marks, and make_plan collects the largest fixes. */
bool pictures_wanted(const struct lanefix_options *options);

/* Opens the files. `input` is its name, to be shown. */
bool pictures_open(struct run *run, const char *input);

/* A thread with n slices, of which the plan is made. */
bool pictures_add_track(struct run *run, const struct track *track, uint64_t n,
                        const struct plan_stats *stats);

/* Finds what is to be drawn; reads the input for it. */
bool pictures_draw(struct run *run);

/* The trace is left alone: gives up the files whose names one has that holds something. */
void pictures_keep_old(struct run *run);

/* Writes them: all that can fail for want of room. */
bool pictures_finish(struct run *run);

/* Gives the files their names. */
bool pictures_commit(struct run *run);

void pictures_free(struct pictures *pictures);

#endif
