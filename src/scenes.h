/* The scenes (scene.h) of the largest fixes: which slices stand around each of them, and what they
 * were before. */
#ifndef SCENES_H
#define SCENES_H

#include "run.h"
#include "scene.h"

struct scenes {
    struct scene *items; /* owned */
    size_t n;
};

/* Adds those of fixes[0, n), n <= FIXES_MAX, which are the run's and of slices that are there.
 * Reads the input once more, up to the last of them. To be called once, after make_plan. Returns
 * false with *run->err on an error. */
bool scenes_make(struct run *run, const struct fix *fixes, size_t n, struct scenes *scenes);

void scenes_free(struct scenes *scenes);

/* The name of a thread, or of its lane, as a person may read it, in *out, owned by the caller.
 * Returns false if there is no memory. */
bool scenes_track_name(const struct track *track, uint32_t lane, char **out);

/* The same of an id as it was written. */
bool scenes_id(const char *id_text, char **out);

#endif
