/* JSON by the letter, for the tests alone: RFC 8259, and what the viewer wants of an event. Shares
 * no code with src/. Recursive: not for texts that nest a hundred thousand deep. */
#ifndef STRICT_H
#define STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* Is it one value, in UTF-8, with nothing but white space around it? */
bool strict_json(const char *text, size_t n);

/* Is it such an object that the viewer refuses none of its own members: no number that is not
 * finite, dur, tts and tdur numbers or strings that are, no surrogate escapes in keys and strings?
 */
bool strict_event(const char *text, size_t n);

#endif
