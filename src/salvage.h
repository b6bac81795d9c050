/* Finds what is whole in a broken trace (--salvage), and mends what is between the events
 * (--repair).
 *
 * Kept are the elements of the event arrays and the members of the outer object that have the shape
 * of JSON (shape.h), and events that have not but are read like any other: what is wrong with them
 * lies in their args. An event must be understood (event.h). Where something else stands, it is
 * left out up to the next event, and the commas around it are mended; where the trace ends too
 * early, or its outer JSON makes no sense, what follows on the last whole thing is left out, and
 * the brackets that are open are closed. So what comes of it is JSON, as far as what stands within
 * the events is. An event that begins in a broken one is looked for within the limits of torn.h.
 *
 * To repair is stricter and keeps more. An event is kept if mend.h can mend it, which is done
 * later, as it is read; or if it can once the quotes in its strings are escaped (quotes.h), which
 * is done here, by losses that are empty and have a backslash instead. Elements that are no objects
 * go, and commas too many; missing ones are put in. Separators that are right stay to the byte. */
#ifndef SALVAGE_H
#define SALVAGE_H

#include "event.h"
#include "finding.h"
#include "losses.h"
#include "source.h"

enum salvage_result {
    SALVAGE_DONE,
    SALVAGE_NOTHING, /* there is no whole event (to repair: and something is lost) */
    SALVAGE_ERROR    /* *err is filled */
};

#define SALVAGE_UNMENDABLE "an event cannot be mended"

/* What was mended of a trace, by kinds: FINDING_NO_OBJECT, _COMMAS, _LAST_COMMA, _NO_COMMA, _START,
 * _NO_BRACKET, _BAD_MEMBER, and FINDING_UNREAD for events whose quotes were escaped. None of it
 * counts as lost. */
struct salvage_mends {
    uint64_t n[FINDING_KINDS];
    /* Of the first of each: its place in the trace as it is, and the whole events before it. */
    uint64_t off[FINDING_KINDS], events[FINDING_KINDS];
};

/* Reads the whole source, which is at its first byte, in pieces of chunk_nbytes. Adds to *losses,
 * which are none. The parser is used and not kept. To repair, mends is given, all zero; to salvage
 * only, it is NULL. */
enum salvage_result salvage_scan(struct source *source, size_t chunk_nbytes,
                                 struct event_parser *parser, struct losses *losses,
                                 struct salvage_mends *mends, struct lanefix_error *err);

#endif
