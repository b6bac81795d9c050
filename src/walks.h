/* Several walks through a gzip file (gzwalk.h): one is used, the crew prepares the others at places
 * where it is to go on later. */
#ifndef WALKS_H
#define WALKS_H

#include "crew.h"
#include "gzwalk.h"

struct walks;

/* As gzwalk_new; `pread` is called by several threads at once. */
struct walks *walks_new(const struct gzmap *map, gzwalk_pread *pread, void *context,
                        struct crew *crew);

/* Waits for the crew. NULL is fine. */
void walks_free(struct walks *walks);

/* Lets the crew prepare for walks_to(text). Returns false if it has as many to prepare as there are
 * threads (the one that waits for a place prepares another one), or is one thread alone. */
bool walks_prepare(struct walks *walks, uint64_t text);

/* As gzwalk_to, with what was prepared for there or for a place before it. Places are prepared and
 * gone to in the order of the text. */
bool walks_to(struct walks *walks, uint64_t text, struct lanefix_error *err);

/* The walk that is used. */
struct gzwalk *walks_current(struct walks *walks);

#endif
