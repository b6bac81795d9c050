/* What the program says on standard error, a line each, behind its name. `name` is the input's, as
 * lanefix_show gives it. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "lanefix.h"

/* Room for what lanefix_show gives of a name, and for an error's line. */
enum { NAME_ROOM = 4 * 4096 + 8, LINE_ROOM = NAME_ROOM + 1024 };

/* Begins a line on standard error that says why there is no output: the program's name, in red
 * where there are colours. */
void message_begin_error(void);

/* An error of the file `path`, as given; and, unless that was asked for, whether --salvage helps.
 */
void message_error(const struct lanefix_error *error, const char *path, bool salvaging);

/* That no slice, or event, of the file `path` is the one to explain. */
void message_no_slice(const struct lanefix_error *error, const char *path, const char *explain);

/* What else is wrong with the file `path`, as given; or, if that is empty, with none. */
void message_plain(const char *path, const char *what);

/* What was found in the trace, and whether it was mended. */
void message_findings(const struct lanefix_report *report, const char *name);

/* The same in no more than two lines, the kinds and how many, for many traces. */
void message_kinds(const struct lanefix_finding *findings, size_t n, const char *name);

/* What stood behind the gzip stream, if anything. */
void message_garbage(const struct lanefix_totals *totals, const char *name);

/* What --salvage had to leave out, if anything. */
void message_losses(const struct lanefix_totals *totals, const char *name);

/* The report as lines of text, with colours where `out` has them. Returns as lanefix_report_text.
 */
int message_report(const struct lanefix_report *report, FILE *out);

/* That the run has ended by a signal, and what this means for the output: one that was put in its
 * place already, or not. `output` is as given, or NULL of a check. Nothing of SIGPIPE, as usual. */
void message_signal(int number, const char *output, bool in_place);

/* The same of many traces, so many of which are done. */
void message_signal_of_many(int number, uint64_t done, uint64_t n);

#endif
