/* The fixes that are to be shown to a person: the largest ones. Pure. */
#ifndef FIXES_H
#define FIXES_H

#include <stddef.h>
#include <stdint.h>

enum { FIXES_MAX = 50 };

/* A slice that crossed another one, and what became of them is to be shown. */
struct fix {
    uint32_t slice, over; /* indices into the index's slices, as sorted: it, and the open one that
                             it crossed in the trace as it was */
    int64_t by_ns;        /* so little less of one of them, and they would be apart or nested */
};

struct fixes {
    struct fix items[FIXES_MAX]; /* the largest first; of equal ones those seen first */
    size_t n;
    uint64_t total; /* all that were seen */
};

/* Adds one to the list if it is among the largest. */
void fixes_add(struct fixes *fixes, const struct fix *fix);

#endif
