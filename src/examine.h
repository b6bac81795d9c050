/* What the viewer makes of an event's own members (perfetto.md): whether there is something in them
 * that it refuses, skips or rounds. Pure. */
#ifndef EXAMINE_H
#define EXAMINE_H

#include "event.h"
#include "finding.h"

/* Of a key or the content of a string, as it is written. */
finding_set examine_string(const char *p, size_t n);

/* Of a bare value that is no time. */
finding_set examine_bare(const char *p, size_t n);

/* Of a dur, tts or tdur that is there. */
finding_set examine_clock(const char *text, const struct value *value);

/* Of ts, and of dur, of any event. */
finding_set examine_times(const char *text, const struct event *event);

/* The same where ts and an X's dur are known to be readable and not negative. */
finding_set examine_good_times(const char *text, const struct event *event, int64_t start_ns);

/* Of a pid or tid: is it a number that the viewer cannot hold? */
finding_set examine_id(const char *text, const struct value *id);

#endif
