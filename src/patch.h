/* The edits of one event: its text with other values for ts, dur and tid, and no other change
 * (spec 7). Pure. */
#ifndef PATCH_H
#define PATCH_H

#include "buf.h"
#include "event.h"

/* What an event says of its time, in ns. */
struct event_times {
    int64_t start_ns, dur_ns;
};

/* Is the event a slice (spec 1): ph X, ts and dur readable and not negative, and an end that int64
 * holds? */
bool event_is_slice(const char *text, const struct event *event, struct event_times *times);

/* Is it a flow endpoint (ph s, t or f) with a ts that the viewer keeps? */
bool event_is_flow(const char *text, const struct event *event, int64_t *ts_ns);

/* Is it a B or an E with a ts that the viewer keeps? */
bool event_is_edge(const char *text, const struct event *event, int64_t *ts_ns);

/* Does a flow endpoint bind to the slice around it, not to the next one? */
bool event_binds_enclosing(const char *text, const struct event *event);

/* New values for an event. Those that equal the old ones leave the text as it is. */
struct patch {
    int64_t start_ns, dur_ns; /* dur_ns: -1 for an event without dur */
    const char *tid_text;     /* JSON; NULL: the tid stays */
};

/* Appends the patched text of an event, `n` bytes long, to `out`. `old` are its times before
 * (dur_ns -1 without dur). An event without tid gets one, right behind its bracket. */
void patch_event(struct buf *out, const char *text, size_t n, const struct event *event,
                 const struct event_times *old, const struct patch *patch);

#endif
