#include "free_ids.h"

void free_ids_init(struct free_ids *ids, const uint32_t *used, size_t n, uint32_t avoid)
{
    uint64_t above = n ? (uint64_t)used[n - 1] + 1 : 1;
    *ids = (struct free_ids){
        .used = used, .n = n, .avoid = avoid, .first_above = above, .above = above, .low = 1};
}

/* The smallest id from `low` on that is not in use and was not given as one above all. */
static uint64_t next_low(struct free_ids *ids)
{
    for (;; ids->low++) {
        if (ids->low == ids->first_above && ids->above > ids->first_above)
            ids->low = ids->above;
        while (ids->pos < ids->n && ids->used[ids->pos] < ids->low)
            ids->pos++;
        if (ids->pos == ids->n || ids->used[ids->pos] != ids->low)
            return ids->low++;
    }
}

uint32_t free_ids_next(struct free_ids *ids)
{
    uint64_t id;
    do
        id = ids->above <= FREE_IDS_ROOM_MAX ? ids->above++ : next_low(ids);
    while (id == ids->avoid);
    return id > UINT32_MAX ? 0 : (uint32_t)id;
}
