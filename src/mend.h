/* One event's text -> the same event as JSON that the viewer reads (--repair).
 *
 * Mended is what stands within the event; one whose brackets, quotes, colons or commas are not
 * there cannot be. What an event's own keys and strings may hold, and what its args, is not the
 * same, since the viewer reads them with two parsers (perfetto.md). The rules:
 *
 *   own bare values   a literal or a finite number stays, else the nearest number, else null
 *   dur, tts, tdur    what is no number, nor a string that is one: the nearest number, else 0
 *   own strings, keys surrogate escapes become UTF-8, lone ones U+FFFD
 *   args (and all that nests in brackets): bare values that are no JSON: the same, of any size
 *   everywhere        backslashes that escape nothing are doubled, raw control characters escaped,
 *                     bytes that are no UTF-8 become U+FFFD each; commas too many go, a missing
 *                     value becomes null
 *
 * What comes of it needs no mending. White space and all else stays to the byte. It takes linear
 * time. */
#ifndef MEND_H
#define MEND_H

#include "buf.h"
#include "finding.h"

enum mend_result {
    MEND_SAME,   /* nothing is wrong with it */
    MEND_DONE,   /* it was mended */
    MEND_CANNOT, /* it cannot be mended */
    MEND_NO_MEMORY
};

/* Room that is reused from event to event: zero at first. Not shared between threads. */
struct mend {
    struct buf brackets; /* brackets.h */
};

void mend_free(struct mend *m);

/*
 * Mends the event text[0, n), from its { to its }; any bytes are safe.
 *
 * out    the mended text is appended to it; on anything but MEND_DONE it is as it was. NULL: only
 *        what is wrong is asked for
 * found  gets the kinds of what is wrong with the event: nothing on MEND_SAME; on MEND_CANNOT those
 *        before the place that cannot be mended
 *
 * On MEND_NO_MEMORY, out->failed may be set.
 */
enum mend_result mend_event(struct mend *m, const char *text, size_t n, struct buf *out,
                            finding_set *found);

/* The same for a member of the outer object, from its key to the end of its value; out may be NULL.
 * On MEND_DONE, out->failed may be set. */
enum mend_result mend_member(struct mend *m, const char *text, size_t n, struct buf *out);

#endif
