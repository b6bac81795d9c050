/* Which events stand at some offsets: their numbers and names. Neither is kept for every event, so
 * pass one leaves a mark now and then, from which the events are counted. */
#ifndef PLACES_H
#define PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "kind.h"

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
    char *name;     /* and its name as a person may read it, or NULL. Owned by the caller */
    enum kind kind; /* by its cat and name, as the plan sees it */
    char ph;
    int64_t start_ns, end_ns; /* of an X; of a B, E or flow endpoint start_ns; else, or if they
                                 cannot be read, -1 */
    char *cat;                /* as the name */
};

struct run;

/* Finds the events at places[0, n), which are put into their order. Reads from the run's source
 * anew, by the marks that pass one left; of a repair as that makes them. Returns false with
 * *run->err on an error. */
bool places_find(struct run *run, struct place *places, size_t n);

/* The place at an offset among those that were found; it is one of them. O(log n). */
const struct place *places_get(const struct place *places, size_t n, uint64_t off);

void places_free(struct place *places, size_t n); /* their names and categories */

#endif
