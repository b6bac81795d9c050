/* Which events stand at some offsets: their numbers and names. Neither is kept for every event, so
 * pass one leaves a mark now and then, from which the events are counted. */
#ifndef PLACES_H
#define PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "source.h"

/* An event's offset and number. */
struct mark {
    uint64_t off, event;
};

struct marks {
    struct mark *items; /* in their order; owned */
    size_t n, cap;
};

/* Adds one if the last is far enough away. Returns false if there is no memory. */
bool marks_add(struct marks *marks, uint64_t off, uint64_t event);
void marks_free(struct marks *marks);

/* An event that is looked for. */
struct place {
    uint64_t off;
    uint64_t event; /* filled: its number, */
    char *name;     /* its name as a person may read it, or NULL, */
    char *cat;      /* and its category. Owned by the caller */
};

/* Finds the events at places[0, n), which are put into their order. Reads from the source anew.
 * Returns false with *err on an error. */
bool places_find(struct place *places, size_t n, const struct marks *marks, struct source *source,
                 size_t chunk_nbytes, struct event_parser *parser, struct lanefix_error *err);

#endif
