/* What a check says beyond the counts: which slices cross by most, and what the places that the
 * plan found are called. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "run.h"

/* To be called after make_plan, before pass_two. Reads some places of the trace anew. Returns false
 * with *run->err filled on an error. */
bool doctor_name_places(struct run *run);

#endif
