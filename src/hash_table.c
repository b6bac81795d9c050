#include "hash_table.h"

#include <stdlib.h>

#include "buf.h"

enum { SLOTS_MIN = 256 };

void hash_table_free(struct hash_table *t)
{
    free(t->hashes);
    free(t->slots);
    *t = (struct hash_table){0};
}

static void put(struct hash_table *t, size_t item)
{
    size_t slot = (size_t)t->hashes[item] & (t->nslots - 1);
    while (t->slots[slot])
        slot = (slot + 1) & (t->nslots - 1);
    t->slots[slot] = (uint32_t)item + 1;
}

static bool grow_slots(struct hash_table *t)
{
    if (2 * (t->n + 1) <= t->nslots)
        return true;
    size_t nslots = t->nslots ? 2 * t->nslots : SLOTS_MIN;
    uint32_t *slots = calloc(nslots, sizeof *slots);
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->nslots = nslots;
    for (size_t i = 0; i < t->n; i++)
        put(t, i);
    return true;
}

bool hash_table_add(struct hash_table *t, uint64_t hash)
{
    if (t->n >= HASH_TABLE_NONE - 1)
        return false;
    uint64_t *hashes = array_grow(t->hashes, &t->cap, t->n + 1, sizeof *hashes);
    if (!hashes)
        return false;
    t->hashes = hashes;
    if (!grow_slots(t))
        return false;
    hashes[t->n] = hash;
    put(t, t->n++);
    return true;
}

/* The first item with that hash from the slot on. */
static uint32_t look(const struct hash_table *t, uint64_t hash, size_t *slot)
{
    for (; t->slots[*slot]; *slot = (*slot + 1) & (t->nslots - 1)) {
        uint32_t item = t->slots[*slot] - 1;
        if (t->hashes[item] == hash)
            return item;
    }
    return HASH_TABLE_NONE;
}

uint32_t hash_table_first(const struct hash_table *t, uint64_t hash, size_t *slot)
{
    if (!t->nslots)
        return HASH_TABLE_NONE;
    *slot = (size_t)hash & (t->nslots - 1);
    return look(t, hash, slot);
}

uint32_t hash_table_next(const struct hash_table *t, uint64_t hash, size_t *slot)
{
    *slot = (*slot + 1) & (t->nslots - 1);
    return look(t, hash, slot);
}
