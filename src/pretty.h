/* Lays out JSON anew while it passes by: two blanks for each level, ": " behind a key, one value a
 * line, {} and [] where there is nothing within, a line feed at the end; as Python's json.dumps
 * does with indent=2.
 *
 * White space between tokens is all that changes: strings, numbers and whatever else stands there
 * stay as they are written. So it need not be JSON. Where a comma is missing between two strings or
 * bare words, or one of them is no such word, there is one blank if there was white space, and
 * nothing where there was none, lest two become one or one two. What comes out does not depend on
 * how the bytes that come in are sliced, and stays as it is when it is laid out again. Memory is of
 * one size, whatever comes in. */
#ifndef PRETTY_H
#define PRETTY_H

#include <stdbool.h>
#include <stddef.h>

/* Lines of deeper levels stand as far in as these, so that no nest makes the output quadratic: each
 * token brings at most one line break and so many blanks. */
enum { PRETTY_LEVELS_MAX = 64 };

struct pretty;

/* What takes the bytes; returns false if it cannot, which ends the matter. */
typedef bool pretty_put(void *context, const char *bytes, size_t n);

/* NULL if there is no memory. `put` is called with `context`. */
struct pretty *pretty_new(pretty_put *put, void *context);

/* NULL is fine. */
void pretty_free(struct pretty *p);

/* Takes the next bytes. Returns false if `put` did. */
bool pretty_write(struct pretty *p, const char *bytes, size_t n);

/* The text is complete. Returns false if `put` did. */
bool pretty_finish(struct pretty *p);

#endif
