/* The values of options. Each function returns false, with its result unset, if the text is no such
 * value. */
#ifndef PARSE_H
#define PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "lanefix.h"

/* Decimal microseconds -> ns, exactly. A rest below 1 ns is rounded up: shifts are whole ns, so
 * "below 0.5 ns" and "below 1 ns" are the same. What int64 does not hold is as good as infinite. */
bool parse_threshold(const char *s, int64_t *ns);

/* 0 to 9. */
bool parse_level(const char *s, int *level);

/* 1 to LANEFIX_JOBS_MAX. */
bool parse_jobs(const char *s, unsigned *jobs);

/* A number of bytes, 1 or more, with K, M, G or T behind it or nothing. */
bool parse_size(const char *s, uint64_t *nbytes);

/* Which slice gives way: first, soft or least. */
bool parse_rule(const char *s, enum lanefix_snap *snap);

/* The one of these that a text is like, or NULL. */
const char *parse_nearest_rule(const char *s);

#endif
