/* Has a text the shape of JSON: are keys, colons, commas and brackets where they belong?
 *
 * nest.h sees brackets and strings only, and takes one event that another writer has torn for a
 * longer one. This looks at the order of all tokens, and so it knows where an event stops making
 * sense. What is in strings and bare words is not looked at, and a comma too many before a closing
 * bracket is fine, as it is with jsmn. */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

enum shape_result {
    SHAPE_MORE,   /* all was used, and the value goes on */
    SHAPE_CLOSED, /* the value ends before *used; a bare word is closed by the byte there */
    SHAPE_BROKEN, /* the byte at *used has no place there, or is a bracket that nests too deep */
    SHAPE_NO_MEMORY
};

/* Where in a value it is, that is: what may come next. */
enum shape_state {
    SHAPE_VALUE,
    SHAPE_KEY_OR_END,
    SHAPE_VALUE_OR_END,
    SHAPE_COLON,
    SHAPE_AFTER_VALUE,
    SHAPE_STRING,
    SHAPE_WORD
};

struct shape {
    enum shape_state state;
    bool is_key, escaped; /* of the string that it is in */
    size_t depth, depth_max;
    struct buf brackets; /* brackets.h */
    char key[3];         /* the first bytes of the last key of the outermost object, */
    size_t key_len;      /* and its length as it is written */
    bool has_ph;         /* the outermost object has a "ph" that is a string */
};

/* Makes ready for a value; brackets may nest as deep as depth_max. The struct is zero or was used
 * before. */
void shape_begin(struct shape *s, size_t depth_max);

/* Runs through up to n bytes at p, which follow on those of the call before. */
enum shape_result shape_run(struct shape *s, const char *p, size_t n, size_t *used);

void shape_free(struct shape *s);

#endif
