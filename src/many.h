/* Many traces in one call: a line of result each, the threads shared among them. */
#ifndef MANY_H
#define MANY_H

#include "arguments.h"

/*
 * Fixes or checks all that args->traces stand for, whatever becomes of each, and prints a line for
 * each, in their order, and a sum. Returns the exit status, the worst that any has, or
 * ARGUMENTS_CANCELLED, by args->options.cancel: then it was said, all runs have ended, and what was
 * not done is as it was. The signals that
 * end the program have to be caught by a handler that sets the flag, SIGALRM among them.
 */
int many_run(const struct arguments *args);

#endif
