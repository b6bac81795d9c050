/* SipHash-1-3 with a key of the run's own: what stands in a trace cannot be made to fall on one
 * slot of a table. What comes out of a run must not depend on a hash. */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
    uint64_t k0, k1;
};

/* A key that nobody knows. */
struct hash_key hash_key_new(void);

uint64_t hash_bytes(struct hash_key key, const void *bytes, size_t n);

#endif
