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
#include "finding.h"
#include "lanefix.h"
#include "nest.h"

enum cut_result { CUT_MORE, CUT_EVENT, CUT_MEMBER, CUT_END, CUT_ERROR };

/* An event, or a member of the outer object (its key and value). Of an event the window holds the
 * gap before it too, if that is at most CUTTER_GAP_MAX long. */
struct cut {
    uint64_t off;
    uint32_t len;
    uint64_t gap_off;        /* end of the event before in the same array, or of the array's [ */
    const struct nest *nest; /* its inner spans, relative to off, and more (nest.h); until the next
                                call */
};

enum {
    CUTTER_GAP_MAX = 256,
    CUTTER_MEMBER_MAX = 1 << 24 /* longer members are not given */
};

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

/* What stands around the events and should not be there: each of the kinds of findings from
 * CUTTER_NOTES_BEGIN to before CUTTER_NOTES_END. */
enum { CUTTER_NOTES_BEGIN = FINDING_NO_OBJECT, CUTTER_NOTES_END = FINDING_START + 1 };

struct cutter_note {
    uint64_t count, off, event; /* the place of the first one */
};

/* What was last in an event array, or in the outer object. */
enum cutter_last { CUTTER_LAST_NOTHING, CUTTER_LAST_ELEMENT, CUTTER_LAST_COMMA };

struct cutter {
    enum cutter_state state, after;
    uint64_t pos;  /* offset of the next byte to look at */
    uint64_t keep; /* the window must hold what lies from here on */
    uint64_t gap_off, event_off;
    uint64_t scalar_end; /* where an element that is a string or a bare word has ended */
    size_t torn_check;   /* the length of the event from which on it is looked at again (torn.h) */
    uint64_t events;     /* whole ones so far */
    bool bare, any_array;
    bool in_base; /* in the value of base */
    bool members; /* set by the caller: are other members of the outer object wanted, too? */
    uint64_t member_off;
    enum cutter_last last, last_member;
    struct cutter_note notes[CUTTER_NOTES_END - CUTTER_NOTES_BEGIN];
    struct nest nest; /* the event, other value or key that is under way */
    struct buf key;
    /* The last "baseTimeNanoseconds" of the outer object: its value as it is written, if that is
     * neither a string nor in brackets nor very long; and where it stands. */
    struct buf base;
    uint64_t base_off, base_end; /* base_end 0: there is none */
    uint64_t object_off;         /* where the outer object begins */
    struct lanefix_error error;
};

void cutter_init(struct cutter *c);
void cutter_free(struct cutter *c);

/* Begins at the offset of an event, which has that number. */
void cutter_resume(struct cutter *c, uint64_t off, uint64_t event);

/* Goes on to the next cut. window[0, len) are the bytes from offset window_off on, which is at most
 * c->keep; at_end says that no more follow. On CUT_ERROR, c->error is filled; see lanefix.h. */
enum cut_result cutter_next(struct cutter *c, const char *window, size_t len, uint64_t window_off,
                            bool at_end, struct cut *cut);

/* Is that, unescaped and without its quotes, the key of an event array? */
bool cutter_is_events_key(const struct buf *key);

/* The key of what is to be added to every ts, in ns. */
#define CUTTER_BASE_KEY "baseTimeNanoseconds"

#endif
