/* JSON as a stream of tokens, for a document of any size and from anyone: strictly by its grammar,
 * in little memory. (A trace is read otherwise: leniently, cutter.h and event.h.) */
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "source.h"

enum json_token {
    JSON_FAILED, /* with *err filled: what is there is no JSON, or it cannot be read */
    JSON_END,    /* of the document */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY, /* with its colon */
    JSON_STRING,
    JSON_NUMBER,
    JSON_WORD /* true, false, null */
};

/* What may come next. */
enum json_state {
    JSON_STATE_VALUE,
    JSON_STATE_FIRST_KEY, /* or the end of the object */
    JSON_STATE_KEY,
    JSON_STATE_FIRST_ELEMENT, /* or the end of the array */
    JSON_STATE_AFTER          /* a value */
};

enum {
    JSON_DEPTH_MAX = 64,
    JSON_TEXT_MAX = 1 << 20 /* of what is kept of a string or number */
};

struct json_reader {
    struct source *source;
    char *chunk; /* owned: a piece of the document, from `off` on */
    size_t chunk_nbytes, len, used;
    uint64_t off;
    bool at_end; /* nothing follows */
    enum json_state state;
    unsigned depth;   /* of the brackets that are open, */
    uint64_t objects; /* and which of them are objects: the innermost one in the lowest bit */
    /* Of the last key, string, number or word: */
    struct buf text; /* a byte for each character, escapes resolved */
    bool odd;        /* not so: a character beyond U+00FF, bytes that are no UTF-8, or too long */
};

/* At the start of the document, which the source gives. Returns false if there is no memory; either
 * way json_reader_free is to be called. */
bool json_reader_init(struct json_reader *r, struct source *source, size_t chunk_nbytes);
void json_reader_free(struct json_reader *r);

/* The offset of the next byte to look at. */
static inline uint64_t json_reader_off(const struct json_reader *r)
{
    return r->off + r->used;
}

/* Goes to an offset where the reader was, after the token that was an array of the outermost
 * object. Returns false on an error. */
bool json_reader_seek_array(struct json_reader *r, uint64_t off, struct lanefix_error *err);

/* The next token. */
enum json_token json_reader_next(struct json_reader *r, struct lanefix_error *err);

/* Goes behind the value that begins with that token, which was the last one. Returns false on an
 * error. */
bool json_reader_skip(struct json_reader *r, enum json_token token, struct lanefix_error *err);

/* Is the text of the last token this? */
bool json_reader_is(const struct json_reader *r, const char *text);

#endif
