/* One event with other values: new ids for its thread (id_map.h), shifted times (rebase.h). This
 * happens before anything else looks at the event. */
#ifndef REVALUE_H
#define REVALUE_H

#include "id_map.h"
#include "rebase.h"

/* What to do with every event. */
struct revalue_rules {
    const struct id_map *ids; /* NULL: they stay. Assigned */
    bool times;               /* shift ts, and make numbers of ts and dur that are strings */
    int64_t shift_us;         /* may be 0 */
};

/* One thread's part of it. All zero but for the rules, which outlive it. */
struct revaluer {
    const struct revalue_rules *rules;
    struct id_cache cache;
    struct buf ts; /* reused from event to event */
};

void revaluer_free(struct revaluer *r);

/* Is the event one that makes its thread a row of its own: drawn on it, bound to what is drawn
 * there, or naming it? The others may have a thread, but the viewer does not look at that. */
bool event_is_on_thread(const char *text, const struct event *event);

/*
 * Appends the event text[0, n) with its new values to `out`, and returns true; returns false, and
 * appends nothing, if none changes. With duplicate keys the last one counts, and is changed. An
 * event without a tid gets one where its thread has a new one, right behind its bracket.
 *
 * The ts of an M event, often 0 in all of them, does not fall below 0. Another ts that would, or is
 * no number, stays as it is.
 *
 * If there is no memory, or the thread was not noted, it returns true and out->failed is set.
 */
bool revalue_event(struct revaluer *r, struct buf *out, const char *text, size_t n,
                   const struct event *event);

#endif
