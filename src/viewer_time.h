/* Time tokens <-> integer nanoseconds, exactly as the viewer reads them (perfetto.md, Numbers).
 * The only file in which floating point occurs: the viewer's own arithmetic is imitated here.
 * Depends on nothing; pure, and safe to call from any thread. */
#ifndef VIEWER_TIME_H
#define VIEWER_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the token a JSON number (RFC 8259)? `05`, `+5`, `.5`, `1.` and `NaN` are not. */
bool number_valid(const char *token, size_t n);

/* The digits after the point of a valid number without exponent; 0 for one with an exponent. */
size_t number_decimals(const char *token, size_t n);

/* The whole part of a valid number, its fraction cut off, as the viewer reads a pid or tid. Returns
 * false if the token is no number or lies outside of int64. */
bool number_whole(const char *token, size_t n, int64_t *whole);

/* Reads a token in microseconds. Returns false where the viewer refuses it (no JSON number, or not
 * finite); else *ns is the viewer's value, which may be negative or wrapped around. */
bool viewer_ns(const char *token, size_t n, int64_t *ns);

/* The smallest value >= ns that a token can be written for. ns >= 0. Below 2^42 us that is ns
 * itself (spec 2). Returns INT64_MAX if there is none. */
int64_t viewer_ns_ceil(int64_t ns);

/* The largest value <= ns that a token can be written for. ns >= 0. */
int64_t viewer_ns_floor(int64_t ns);

/* Longest token that viewer_ns_print writes. */
#define VIEWER_NS_PRINT_MAX 24

/* Writes a token that viewer_ns reads back as `ns`, which is >= 0 and came from viewer_ns_ceil or
 * viewer_ns_floor: with three decimals, or with as few as it needs (spec 7). Returns its length;
 * there is no final NUL. */
size_t viewer_ns_print(char out[VIEWER_NS_PRINT_MAX], int64_t ns, bool three_decimals);

#endif
