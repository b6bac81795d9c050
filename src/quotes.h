/* Quotes that are not escaped within an event's strings: "name":"{"device": "cpu"}(12): run".
 *
 * Where such a string ends is a guess unless what follows makes it certain, and a wrong guess makes
 * a wrong trace. So it is found by rules that leave no choice, and where they do not hold the event
 * is given up:
 *
 * - Only an event's own strings are looked at, not its args; and not its "ph".
 * - A string whose first quote has ,"KEY": or the event's end behind it ends there, as always.
 * - Else it ends at the first quote behind which ,"KEY": stands with a key that is known (the
 *   format's, or one that a whole event had), or the event's end; and that key, or the end, must
 *   have been seen behind this one in a whole event. Where nothing was seen behind it, one of the
 *   format's will do; but then no quote in the string has a comma behind it.
 * - The event's end is a } with another event behind it, which begins with a key that events
 *   begin with, or the end of the array, with what belongs behind that.
 * - Within the string, from its first quote on, no event ends, and no known key stands in quotes,
 *   or without the first one before a colon: that is a member of the event, or of another that has
 *   torn it.
 * - No known key stands twice, "ph" is there, and the whole, with its quotes escaped, can be mended
 *   (mend.h).
 *
 * A name that holds ","ph":" itself is cut there. Then "ph" mostly stands twice, or what follows
 * makes no sense, and the event is given up; only a name that holds a whole row of members which
 * the event has not, in the producer's order, is taken for those members, as any reader would. */
#ifndef QUOTES_H
#define QUOTES_H

#include "buf.h"
#include "key_order.h"
#include "mend.h"
#include "nest.h"
#include "shape.h"

/* How much of the text is looked at. */
enum { QUOTES_NBYTES_MAX = 1 << 20 };

/* Zero at first, but for the order of keys; then reused. */
struct quotes {
    struct key_order order;
    uint32_t *places; /* owned: where the quotes stand that are to be escaped, in the event */
    size_t n, cap;
    struct nest nest;
    struct shape shape;
    struct mend mend;
    struct buf escaped; /* the event with them escaped */
};

enum quotes_result {
    QUOTES_FOUND,
    QUOTES_NONE, /* there are none, or they are not certain */
    QUOTES_NO_MEMORY
};

void quotes_init(struct quotes *q);
void quotes_free(struct quotes *q);

/* Learns the order of keys from an event text[0, n) that is whole. Returns false without memory. */
bool quotes_learn(struct quotes *q, const char *text, size_t n);

/* The same from all events that are whole in the text, wherever they begin. */
bool quotes_learn_ahead(struct quotes *q, const char *text, size_t n);

/*
 * Looks for an event with such quotes at text[0], which is a {. The text is what the trace has from
 * there on, at most QUOTES_NBYTES_MAX bytes of it; at_end: all of it.
 *
 * Returns QUOTES_FOUND with q->places, at least one, and in *end where the event ends; on
 * QUOTES_NONE, *end is how far it had to look.
 */
enum quotes_result quotes_find(struct quotes *q, const char *text, size_t n, bool at_end,
                               size_t *end);

#endif
