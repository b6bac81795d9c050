/* How --pretty lays out JSON, for the tests alone: by recursion over the whole text. Shares no code
 * with src/. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stddef.h>

/* Text that is JSON by the letter (strict.h; but strings may hold anything), as Python's json.dumps
 * lays it out with indent=2, and a line feed at the end; lines deeper than 64 levels stand as far
 * in as those of the 64th. Owned by the caller, with a final NUL. */
char *layout_json(const char *text, size_t n, size_t *out_n);

/* Any text without the white space that is outside of strings, but for one blank between two bytes
 * that are no brackets, commas and colons. Two texts that have this in common say the same. Owned
 * by the caller, with a final NUL. */
char *layout_bare(const char *text, size_t n, size_t *out_n);

#endif
