#include "id_key.h"

#include "decimal.h"
#include "text.h"
#include "viewer_time.h"

struct written_id written_id(const char *text, const struct value *value)
{
    size_t quote = value->kind == VALUE_STRING;
    if (value->kind != VALUE_BARE && value->kind != VALUE_STRING)
        return (struct written_id){text, 0};
    return (struct written_id){text + value->off - quote, value->len + 2 * quote};
}

struct id_key id_key_of_number(uint32_t number)
{
    return (struct id_key){.kind = ID_NUMBER, .number = number};
}

/* A number that the viewer holds is what it makes of it; of another one, the exact whole part. */
static struct id_key read_number(const char *token, size_t n, struct buf *room)
{
    int64_t whole;
    struct decimal d;
    if (number_whole(token, n, &whole) && whole >= 0 && whole <= UINT32_MAX)
        return id_key_of_number((uint32_t)whole);
    if (!number_valid(token, n))
        return id_key_of_number(0);
    struct id_key key = {.kind = ID_BEYOND, .bytes = token, .n = n};
    if (decimal_read(token, n, &d)) {
        if (d.negative)
            buf_add_char(room, '-');
        decimal_add_whole(room, &d);
        key.bytes = room->data;
        key.n = room->len;
    }
    return key;
}

struct id_key id_key_read(struct written_id id, struct buf *room)
{
    if (!id.n)
        return id_key_of_number(0);
    if (*id.text != '"')
        return read_number(id.text, id.n, room);
    struct id_key key = {.kind = ID_STRING, .bytes = id.text + 1, .n = id.n - 2};
    if (memchr(key.bytes, '\\', key.n)) {
        text_unescape(room, key.bytes, key.n);
        key.bytes = room->data;
        key.n = room->len;
    }
    return key;
}

bool id_keys_equal(const struct id_key *a, const struct id_key *b)
{
    return a->kind == b->kind && a->number == b->number && a->n == b->n &&
           (a->n == 0 || memcmp(a->bytes, b->bytes, a->n) == 0);
}

uint64_t id_key_hash(struct hash_key hash_key, const struct id_key *key)
{
    hash_key.k1 ^= (uint64_t)key->kind;
    return key->kind == ID_NUMBER ? hash_bytes(hash_key, &key->number, sizeof key->number)
                                  : hash_bytes(hash_key, key->bytes, key->n);
}
