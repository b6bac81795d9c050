/* A pid or tid as the trace means it (id_map.h): what tells it from others. Pure. */
#ifndef ID_KEY_H
#define ID_KEY_H

#include "buf.h"
#include "event.h"
#include "hash.h"

enum id_kind {
    ID_NUMBER, /* one that the viewer holds */
    ID_BEYOND, /* another number */
    ID_STRING
};

/* A pid or tid: what tells it from others. */
struct id_key {
    enum id_kind kind;
    uint32_t number;   /* of ID_NUMBER; else 0 */
    const char *bytes; /* ID_BEYOND: the whole number, written plainly; ID_STRING: the content */
    size_t n;
};

/* An id, as the trace has it: with the quotes of a string; n is 0 if it is absent or nested. */
struct written_id {
    const char *text;
    size_t n;
};

/* The id of an event that is that value. */
struct written_id written_id(const char *text, const struct value *value);

/* Reads an id. The key points into its text or into `room`, which is empty; a failed allocation is
 * kept there. */
struct id_key id_key_read(struct written_id id, struct buf *room);

/* The key of a number that the viewer holds. */
struct id_key id_key_of_number(uint32_t number);

bool id_keys_equal(const struct id_key *a, const struct id_key *b);
uint64_t id_key_hash(struct hash_key hash_key, const struct id_key *key);

#endif
