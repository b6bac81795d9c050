/* One trace in one call: its report, and what it comes to. */
#ifndef ONE_H
#define ONE_H

#include "arguments.h"

/*
 * Fixes, checks or undoes args->input, with its progress, warnings and report. `output` is NULL of
 * a check. Returns the exit status, or ARGUMENTS_CANCELLED, by args->options.cancel: then it was
 * said what has become of the output.
 */
int one_run(const struct arguments *args, const char *output);

#endif
