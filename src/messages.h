/* What the program says on standard error, a line each, behind its name. `name` is the input's, as
 * lanefix_show gives it. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "lanefix.h"

/* Room for what lanefix_show gives of a name, and for an error's line. */
enum { NAME_ROOM = 4 * 4096 + 8, LINE_ROOM = NAME_ROOM + 1024 };

/* An error of the file `path`, as given; and, unless that was asked for, whether --salvage helps.
 */
void message_error(const struct lanefix_error *error, const char *path, bool salvaging);

/* Something about the file `path`, as given; or, if that is empty, about none. */
void message_plain(const char *path, const char *what);

/* What was found in the trace, and whether it was mended. */
void message_findings(const struct lanefix_report *report, const char *name);

/* The same in no more than two lines, the kinds and how many, for many traces. */
void message_kinds(const struct lanefix_finding *findings, size_t n, const char *name);

/* What stood behind the gzip stream, if anything. */
void message_garbage(const struct lanefix_totals *totals, const char *name);

/* What --salvage had to leave out, if anything. */
void message_losses(const struct lanefix_totals *totals, const char *name);

#endif
