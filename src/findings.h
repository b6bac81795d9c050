/* What was found in a trace, kind by kind: how many, and where the first one stands. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "buf.h"
#include "event.h"
#include "finding.h"
#include "lanefix.h"

struct findings {
    struct lanefix_finding of[FINDING_KINDS]; /* their names are owned; without the texts */
};

void findings_init(struct findings *f);
void findings_free(struct findings *f);

/* n > 0 of a kind, the first of them at that offset of the trace, which has that number among the
 * events, or LANEFIX_NOWHERE. Of several calls the least offset counts, and its name is none until
 * findings_name is called. Returns true if this one is the first, so that a name is wanted. */
bool findings_add(struct findings *f, enum finding_kind kind, uint64_t n, uint64_t off,
                  uint64_t event);

/* The same of each kind of a set, for one event, with its name. Returns false if there is no
 * memory. */
bool findings_add_set(struct findings *f, finding_set set, uint64_t off, uint64_t event,
                      const char *text, const struct value *name);

/* Names the first one of a kind by its event. Returns false if there is no memory. */
bool findings_name(struct findings *f, enum finding_kind kind, const char *text,
                   const struct value *name);

/* The kinds that were found. */
finding_set findings_set(const struct findings *f);

/* Appends a line for a person to read, without line break: what, how many, the first place, what
 * the viewer does. */
void findings_show(struct buf *out, const struct lanefix_finding *finding);

#endif
