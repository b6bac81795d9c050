/* Bytes -> the places of whole events.
 *
 * The cutter runs over the trace's outer JSON (spec 10): an object with traceEvents arrays, or a
 * bare array. It looks at brackets and strings only; what is in an event is event.h's business. It
 * is fed with a growing window of the input, and gives the same cuts however that is sliced.
 *
 *     for (;;)
 *         switch (cutter_next(&c, window, len, window_off, at_end, &cut)) {
 *         case CUT_MORE:  keep what lies at c.keep and after, read more (or set at_end)
 *         case CUT_EVENT: cut says where it stands; the window holds it whole
 *         case CUT_END:   the trace is complete
 *         case CUT_ERROR: c.error says why
 *         }
 */
#ifndef CUTTER_H
#define CUTTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "lanefix.h"
#include "nest.h"

enum cut_result { CUT_MORE, CUT_EVENT, CUT_END, CUT_ERROR };

/* An event. The window holds the gap before it too, if that is at most CUTTER_GAP_MAX long. */
struct cut {
    uint64_t off;
    uint32_t len;
    uint64_t gap_off;        /* end of the event before in the same array, or of the array's [ */
    const struct nest *nest; /* its inner spans, relative to off, and more (nest.h); until the next
                                call */
};

enum { CUTTER_GAP_MAX = 256 };

/* Where the cutter is in the outer JSON. */
enum cutter_state {
    CUTTER_START, /* before the first bracket */
    CUTTER_KEY,   /* in the outer object, before a key or } */
    CUTTER_IN_KEY,
    CUTTER_COLON,
    CUTTER_VALUE,
    CUTTER_ELEMENT, /* in an event array, before an element or ] */
    CUTTER_SKIP,    /* in a bracket or string that is no event; back to `after` at its end */
    CUTTER_WORD,    /* the same for a number, true, ... */
    CUTTER_EVENT_BODY,
    CUTTER_DONE /* after the last bracket */
};

struct cutter {
    enum cutter_state state, after;
    uint64_t pos;  /* offset of the next byte to look at */
    uint64_t keep; /* the window must hold what lies from here on */
    uint64_t gap_off, event_off;
    uint64_t scalar_end; /* where an element that is a string or a bare word has ended */
    size_t torn_check;   /* the length of the event from which on it is looked at again (torn.h) */
    uint64_t events;     /* whole ones so far */
    bool bare, any_array;
    struct nest nest; /* the event, other value or key that is under way */
    struct buf key;
    struct lanefix_error error;
};

void cutter_init(struct cutter *c);
void cutter_free(struct cutter *c);

/* Goes on to the next cut. window[0, len) are the bytes from offset window_off on, which is at most
 * c->keep; at_end says that no more follow. On CUT_ERROR, c->error is filled; see lanefix.h. */
enum cut_result cutter_next(struct cutter *c, const char *window, size_t len, uint64_t window_off,
                            bool at_end, struct cut *cut);

/* Is that, unescaped and without its quotes, the key of an event array? */
bool cutter_is_events_key(const struct buf *key);

#endif
