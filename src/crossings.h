/* Where the first slices stand that cross, or lie too deep, for the report of a check. The largest
 * crossings are among the fixes (fixes.h). */
#ifndef CROSSINGS_H
#define CROSSINGS_H

#include <stdint.h>

struct crossings {
    uint64_t first_off, first_deep_off; /* the least offset of one that crosses, and of one that
                                           lies too deep; UINT64_MAX: there is none */
};

void crossings_init(struct crossings *c);

/* Something crosses, or lies too deep, at an offset. */
void crossings_note(struct crossings *c, uint64_t off);
void crossings_note_deep(struct crossings *c, uint64_t off);

#endif
