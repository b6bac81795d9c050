/* What is left of a run among many: a line, and some figures for the sum. */
#ifndef RESULT_H
#define RESULT_H

#include "arguments.h"
#include "find_traces.h"
#include "progress.h"

struct result {
    bool done;                  /* all below is known */
    struct lanefix_error error; /* its code is LANEFIX_OK, or that of the run */
    struct lanefix_totals totals;
    struct lanefix_finding *findings; /* of what was found, without names; owned */
    size_t nfindings;
    int64_t time_ns;
};

/* All of them. */
struct sum {
    uint64_t traces, fixed, unchanged, failed, lost, found; /* of a check: found, or unchanged */
    uint64_t crossings, nbytes;
    bool interrupted; /* a run was cancelled */
};

/* Fixes or checks a trace with that many threads. Makes the folders of its outputs. May be called
 * from several threads. */
void result_run(struct result *result, const struct trace *trace, const struct arguments *args,
                unsigned jobs, struct progress *progress);

/* Adds it to the sum, and says what came out: the line of result to standard output, errors and
 * warnings to standard error. Returns false if standard output has an error. */
bool result_print(const struct result *result, const struct trace *trace,
                  const struct arguments *args, struct sum *sum);

/* The last line. Returns false if standard output has an error. */
bool result_print_sum(const struct sum *sum, const struct arguments *args, int64_t time_ns);

/* Has a check found anything? Of `findings` those with a count of 0 were not found. */
bool result_found_any(const struct lanefix_totals *totals, const struct lanefix_finding *findings,
                      size_t n);

void result_free(struct result *result);

#endif
