/* Ids that are not in use yet, one after the other: those right above all that are, as long as
 * their lanes get numbers too (tid * 1000 + lane, see lanes.h); else the smallest ones. Pure. */
#ifndef FREE_IDS_H
#define FREE_IDS_H

#include <stddef.h>
#include <stdint.h>

/* Above this id lanes have no number of 32 bits. */
enum { FREE_IDS_ROOM_MAX = UINT32_MAX / 1000 - 1 };

struct free_ids {
    const uint32_t *used; /* sorted; outlives this */
    size_t n, pos;
    uint32_t avoid;
    uint64_t first_above, above, low;
};

/* `used` in ascending order, the same one may be there twice; `avoid` is not given either. */
void free_ids_init(struct free_ids *ids, const uint32_t *used, size_t n, uint32_t avoid);

/* The next one, never 0 nor one that was given before; 0 if there is none left. */
uint32_t free_ids_next(struct free_ids *ids);

#endif
