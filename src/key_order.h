/* The order in which a producer writes the keys of its events: which key follows which, learnt from
 * whole events. By it quotes.h tells where a string ends. Pure; nothing is allocated. */
#ifndef KEY_ORDER_H
#define KEY_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEY_ORDER_KEYS_MAX = 64,   /* others are not learnt: one bit each in the sets */
    KEY_ORDER_NBYTES_MAX = 31, /* of a key; longer ones are not learnt */
    KEY_ORDER_PH = 0,          /* the number of "ph" */
    KEY_ORDER_UNKNOWN = -1,    /* instead of a number: none of these, */
    KEY_ORDER_EDGE = -2        /* the event's begin or end */
};

struct key_order {
    unsigned n; /* keys that are known: the format's own, and those learnt */
    struct {
        char text[KEY_ORDER_NBYTES_MAX];
        uint8_t len;
    } keys[KEY_ORDER_KEYS_MAX];
    /* Sets of keys, one bit each: what was seen to follow each key; to begin and to end events. */
    uint64_t next[KEY_ORDER_KEYS_MAX], first, last;
};

/* Knows the format's own keys, and no order. */
void key_order_init(struct key_order *k);

/* The number of a key, as it is written between its quotes; or KEY_ORDER_UNKNOWN. */
int key_order_find(const struct key_order *k, const char *key, size_t n);

/* The same, but a new one is learnt if there is room. */
int key_order_add(struct key_order *k, const char *key, size_t n);

/* Learns that `key` came behind `before`; both may be unknown or an edge. */
void key_order_learn(struct key_order *k, int before, int key);

/* Was anything seen to come behind that key? */
bool key_order_is_learnt(const struct key_order *k, int key);

/* May `key` come behind `before`? It may if it was seen to; and if nothing was seen behind
 * `before`, if it is one of the format's own or the edge. An unknown one may not. */
bool key_order_fits(const struct key_order *k, int before, int key);

#endif
