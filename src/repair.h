/* What becomes of an event before anything else looks at it, where a trace is repaired or rebased:
 * its text mended (mend.h), and given other ids and times (revalue.h). Both passes do it, with one
 * result. */
#ifndef REPAIR_H
#define REPAIR_H

#include "event.h"
#include "mend.h"
#include "revalue.h"

struct repair_rules {
    bool mend;
    struct revalue_rules values;
};

/* Does any event change by them? */
bool repair_rules_any(const struct repair_rules *rules);

/* One thread's part of it. All zero but for the rules and the parser, which outlive it. */
struct repairer {
    const struct repair_rules *rules;
    struct event_parser *parser; /* not owned */
    struct mend mend;
    struct revaluer revaluer;
    struct buf mended, revalued;
    struct nest nest;
};

void repairer_free(struct repairer *r);

/* An event as it is now. */
struct repaired {
    const char *text; /* the text that was given, or room of the repairer's until the next call */
    size_t n;
    bool changed;
    struct event event; /* of that text */
};

/* Repairs the event text[0, n), of which the outline is given. *out is filled on EVENT_OK, and on
 * EVENT_UNREAD (the event is unset); see event_parse. `read`: is out->event wanted? */
enum event_status repair_event(struct repairer *r, const char *text, size_t n,
                               const struct outline *outline, bool read, struct repaired *out);

#endif
