#include "key_order.h"

#include <string.h>

/* The format's own; "ph" is the first. */
static const char OWN[][14] = {
    "ph",    "name", "cat", "pid",  "tid",    "ts",      "dur",          "args",  "id",
    "bp",    "s",    "tts", "tdur", "cname",  "bind_id", "flow_in",      "scope", "flow_out",
    "stack", "sf",   "id2", "esf",  "estack", "tidelta", "use_async_tts"};
enum { NOWN = sizeof OWN / sizeof *OWN };

static uint64_t bit(int key)
{
    return UINT64_C(1) << key;
}

void key_order_init(struct key_order *k)
{
    *k = (struct key_order){0};
    for (size_t i = 0; i < NOWN; i++)
        key_order_add(k, OWN[i], strlen(OWN[i]));
}

int key_order_find(const struct key_order *k, const char *key, size_t n)
{
    for (unsigned i = 0; i < k->n; i++)
        if (k->keys[i].len == n && memcmp(k->keys[i].text, key, n) == 0)
            return (int)i;
    return KEY_ORDER_UNKNOWN;
}

int key_order_add(struct key_order *k, const char *key, size_t n)
{
    int known = key_order_find(k, key, n);
    if (known >= 0 || k->n == KEY_ORDER_KEYS_MAX || n > KEY_ORDER_NBYTES_MAX)
        return known;
    memcpy(k->keys[k->n].text, key, n);
    k->keys[k->n].len = (uint8_t)n;
    return (int)k->n++;
}

void key_order_learn(struct key_order *k, int before, int key)
{
    if (before >= 0 && key == KEY_ORDER_EDGE)
        k->last |= bit(before);
    else if (before == KEY_ORDER_EDGE && key >= 0)
        k->first |= bit(key);
    else if (before >= 0 && key >= 0)
        k->next[before] |= bit(key);
}

bool key_order_is_learnt(const struct key_order *k, int key)
{
    return k->next[key] || k->last & bit(key);
}

bool key_order_fits(const struct key_order *k, int before, int key)
{
    if (before == KEY_ORDER_UNKNOWN || key == KEY_ORDER_UNKNOWN)
        return false;
    if (before == KEY_ORDER_EDGE)
        return key >= 0 && (k->first ? k->first & bit(key) : key < NOWN);
    if (key == KEY_ORDER_EDGE)
        return k->last & bit(before) || !key_order_is_learnt(k, before);
    return key_order_is_learnt(k, before) ? k->next[before] & bit(key) : key < NOWN;
}
