/* Random traces for tests: small, and full of what may matter. */
#ifndef TRACE_RANDOM_H
#define TRACE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A trace that depends on nothing but the seed. Owned by the caller; with a final NUL. */
char *trace_random(uint64_t seed, size_t *n);

/* A snap threshold in ns for it: often one that its crossings lie around. */
int64_t trace_random_threshold(uint64_t seed);

#endif
