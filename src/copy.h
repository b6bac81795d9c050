/* The parts of pass two: how bytes get from the window to the sink. */
#ifndef COPY_H
#define COPY_H

#include "run.h"

/* Copies the input up to the offset `end`, or to its end. Without a sink it only goes there.
 */
bool copy_until(struct run *run, uint64_t end);

/* Notes for the report what became of before[0, n), at the window's offset `off`. */
bool copy_note(struct run *run, uint64_t off, const char *before, size_t n, const char *after,
               size_t m);

/* Copies all that is left, which is the input up to its size and no more. */
bool copy_to_end(struct run *run);

/* Copies the whole input, event by event: each as it is repaired, and with its new values where it
 * has a rewrite; the lanes' events behind the last one. */
bool copy_repaired(struct run *run);

/* Makes run->patched the event with its new values, text[0, n) at first, and tells the report. */
bool rewrite_event(struct run *run, const struct rewrite *rewrite, const char *text, size_t n,
                   const struct event *event);

#endif
