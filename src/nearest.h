/* A bare token and the JSON number that is nearest to it: `.5` is 0.5, `05` is 5, `+1.e3` is 1e3.
 * Pure. */
#ifndef NEAREST_H
#define NEAREST_H

#include "buf.h"

/* What a token may be. */
enum token_kind {
    TOKEN_NUMBER, /* JSON's, and finite for the viewer */
    TOKEN_HUGE,   /* JSON's, but not finite for the viewer: 1e400 */
    TOKEN_NEAR,   /* none, but one is near */
    TOKEN_OTHER
};

enum token_kind token_kind(const char *token, size_t n);

/* Appends the number that is nearest to a token that is TOKEN_NEAR. Returns false, and appends
 * nothing, if it is not, or the number is not finite for the viewer. (A failed allocation is kept
 * in the buffer.) */
bool nearest_number(struct buf *out, const char *token, size_t n);

#endif
