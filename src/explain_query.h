/* Which slices --explain is about: those of a name, or the one that is an event. Pass one notes
 * them (batch.c looks at the names, pass_one.c at the numbers). */
#ifndef EXPLAIN_QUERY_H
#define EXPLAIN_QUERY_H

#include "event.h"
#include "index.h"
#include "lanefix.h"

/* How well a name fits. */
enum match { MATCH_NONE, MATCH_PART, MATCH_WHOLE };

/* What is asked for. */
struct query {
    const char *text; /* as given; outlives it */
    size_t len;
    bool by_event;  /* it is all digits: an event's number, */
    uint64_t event; /* this one; UINT64_MAX: more than any has */
};

struct query query_make(const char *text);

/* Compares an event's name, which is unescaped for that, with the query's. Always MATCH_NONE of one
 * by number. Returns false if there is no memory. */
bool query_match(const struct query *query, const char *text, const struct value *name,
                 enum match *match);

/* The slices found. */
struct matches {
    uint64_t *items; /* offsets, in their order, once resolved; owned */
    size_t n, cap;
    bool whole; /* they have just that name, not just in it */
    /* Of the event with that number, if it was seen: */
    bool seen, is_slice, is_edge, is_unread; /* an X; a B or E that has a time; no JSON */
    char ph;
    uint64_t off;
};

/* Notes an X, or a B (`edge`), whose name fits; offsets increase. Returns false if there is no
 * memory. */
bool matches_add(struct matches *m, uint64_t off, enum match match, bool edge);

/* Once B and E are paired: keeps those that are slices, and of these those of that very name, if
 * there are any. An E stands for its B. Returns false with *err if none is left. */
bool matches_resolve(struct matches *m, const struct query *query, const struct pairs *pairs,
                     struct lanefix_error *err);

/* Is the slice at that offset among them? O(log n). */
bool matches_have(const struct matches *m, uint64_t off);

void matches_free(struct matches *m);

#endif
