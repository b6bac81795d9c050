/* Where the outputs and reports of many traces go, and that none of them would hide another one or
 * a trace. */
#ifndef TARGETS_H
#define TARGETS_H

#include "arguments.h"
#include "find_traces.h"

/*
 * Gives each trace its output (with -d) and report (with --report), as their names are below those
 * folders. In place, a file that was given more than once, or by a link as well, is taken once: the
 * later ones go from the list. Returns false after an error, of which one line was printed: two
 * files of one name, an output that is a trace, a report that is a single file for many, or no
 * memory. Nothing was written then.
 */
bool targets_set(struct traces *traces, const struct arguments *args);

/* Makes the folder of a file, with those around it. Returns false with errno set. May be called
 * from several threads. */
bool targets_make_folder(const char *file);

/* Is that the name of a folder, or of one to be made? */
bool targets_is_folder(const char *name);

#endif
