#define _DEFAULT_SOURCE /* getentropy */
#include "hash.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

struct hash_key hash_key_new(void)
{
    struct hash_key key;
    if (getentropy(&key, sizeof key) != 0) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        key = (struct hash_key){(uint64_t)now.tv_nsec, (uintptr_t)&key};
    }
    return key;
}

static uint64_t rotated(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotated(v[1], 13) ^ v[0];
    v[0] = rotated(v[0], 32);
    v[2] += v[3];
    v[3] = rotated(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotated(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotated(v[1], 17) ^ v[2];
    v[2] = rotated(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t hash_bytes(struct hash_key key, const void *bytes, size_t n)
{
    uint64_t v[4] = {key.k0 ^ UINT64_C(0x736F6D6570736575), key.k1 ^ UINT64_C(0x646F72616E646F6D),
                     key.k0 ^ UINT64_C(0x6C7967656E657261), key.k1 ^ UINT64_C(0x7465646279746573)};
    const unsigned char *p = bytes;
    size_t left = n;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word; /* in the machine's order of bytes: no hash leaves the run */
        memcpy(&word, p, 8);
        take_word(v, word);
    }
    uint64_t last = (uint64_t)n << 56;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)p[i] << 8 * i;
    take_word(v, last);
    v[2] ^= 0xFF;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
