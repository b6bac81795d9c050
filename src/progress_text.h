/* How far the work has come, in words. */
#ifndef PROGRESS_TEXT_H
#define PROGRESS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "lanefix.h"

/* Room for a line, but for the name. */
enum { PROGRESS_LABEL_ROOM = 64, PROGRESS_TEXT_ROOM = 160 };

struct progress_figures {
    char label[PROGRESS_LABEL_ROOM];    /* what is under way: "pass 1 of 2" */
    uint64_t done_nbytes, total_nbytes; /* both 0: there is nothing to count; total 0: not known */
    uint64_t rate_nbytes;               /* what the speed is to be of, so much */
    int64_t elapsed_ns;                 /* in that time; the whole of it, so that the estimate of
                                           the time that is left does not jump */
};

/* What one run is at. */
struct progress_figures progress_of_run(const struct lanefix_progress *now, int64_t elapsed_ns);

/* What many runs are at: `ended` of `nfiles` have ended. */
struct progress_figures progress_of_files(unsigned ended, unsigned nfiles, uint64_t done_nbytes,
                                          uint64_t total_nbytes, int64_t elapsed_ns);

/* Puts "NAME: pass 1 of 2:  43 %  512 MB/s  0:12 left" into `room`, cut to `size` bytes with its
 * final NUL and to `columns` of a terminal. The name is left out where there is no room for it; it
 * is one that lanefix_show gave, or NULL. */
void progress_text(const char *name, const struct progress_figures *figures, size_t columns,
                   char *room, size_t size);

#endif
