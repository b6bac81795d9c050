/* Finds what is whole in a broken trace (--salvage).
 *
 * Kept are the elements of the event arrays and the members of the outer object that have the shape
 * of JSON (shape.h), and events that have not but are read like any other: what is wrong with them
 * lies in their args. An event must be understood (event.h). Where something else stands, it is
 * left out up to the next event, and the commas around it are mended; where the trace ends too
 * early, or its outer JSON makes no sense, what follows on the last whole thing is left out, and
 * the brackets that are open are closed. So what comes of it is JSON, as far as what stands within
 * the events is. An event that begins in a broken one is looked for within the limits of torn.h. */
#ifndef SALVAGE_H
#define SALVAGE_H

#include "event.h"
#include "losses.h"
#include "source.h"

enum salvage_result {
    SALVAGE_DONE,
    SALVAGE_NOTHING, /* there is no whole event */
    SALVAGE_ERROR    /* *err is filled */
};

/* Reads the whole source, which is at its first byte, in pieces of chunk_nbytes. Adds to *losses,
 * which are none. The parser is used and not kept. */
enum salvage_result salvage_scan(struct source *source, size_t chunk_nbytes,
                                 struct event_parser *parser, struct losses *losses,
                                 struct lanefix_error *err);

#endif
