/* PLAN_LEAST: which slices of a track move so that others need not be touched. Private to the plan.
 */
#ifndef PLAN_LEAST_H
#define PLAN_LEAST_H

#include "plan_parts.h"

/* Plans the track for trial, without any effect but one: *fates gets an array of p->n bytes, owned
 * by the caller, with FATE_FORCED of those slices. Returns false if there is no memory; *fates may
 * be freed all the same. */
bool plan_least(struct planner *p, uint8_t **fates);

#endif
