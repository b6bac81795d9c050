/* The slices that cross by most, for the report of a check. */
#ifndef CROSSINGS_H
#define CROSSINGS_H

#include <stddef.h>
#include <stdint.h>

enum { CROSSINGS_MAX = 10 };

/* A slice and the open one that it crosses. */
struct crossing {
    int64_t by_ns;          /* so little less of one of them, and they would be apart or nested */
    uint64_t off, over_off; /* of their events */
    uint32_t track;         /* its rank (track.h) */
};

struct crossings {
    struct crossing worst[CROSSINGS_MAX]; /* the largest first; of equal ones those seen first */
    size_t n;
    uint64_t first_off, first_deep_off; /* the least offset of one that crosses, and of one that
                                           lies too deep; UINT64_MAX: there is none */
};

void crossings_init(struct crossings *c);

/* Adds one to the list if it is among the worst. */
void crossings_add(struct crossings *c, const struct crossing *crossing);

/* Something crosses, or lies too deep, at an offset. */
void crossings_note(struct crossings *c, uint64_t off);
void crossings_note_deep(struct crossings *c, uint64_t off);

#endif
