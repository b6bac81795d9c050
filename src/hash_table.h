/* Finds items by their hashes: the items are the caller's, numbered from 0 in the order in which
 * they were added. Open addressing, at most half full. */
#ifndef HASH_TABLE_H
#define HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: an empty one. */
struct hash_table {
    uint64_t *hashes; /* of each item; owned */
    size_t n, cap;
    uint32_t *slots; /* item + 1, or 0; owned */
    size_t nslots;   /* a power of two, or 0 */
};

#define HASH_TABLE_NONE UINT32_MAX

void hash_table_free(struct hash_table *t);

/* Adds the next item, number t->n. Returns false, and nothing is added, if there is no memory or
 * no number left. */
bool hash_table_add(struct hash_table *t, uint64_t hash);

/* The first item with that hash, and from it the next one, or HASH_TABLE_NONE. `slot` is kept for
 * the next call. */
uint32_t hash_table_first(const struct hash_table *t, uint64_t hash, size_t *slot);
uint32_t hash_table_next(const struct hash_table *t, uint64_t hash, size_t *slot);

#endif
