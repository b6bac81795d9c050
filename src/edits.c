#include "edits.h"

struct edit value_edit(const struct value *value, const char *text, size_t text_len)
{
    uint32_t quote = value->kind == VALUE_STRING;
    return (struct edit){value->off - quote, value->len + 2 * quote, text, text_len};
}

struct edit member_edit(struct buf *room, const char *key, const struct value *value,
                        const char *json)
{
    bool absent = value->kind == VALUE_NONE;
    if (absent) {
        buf_add_char(room, '"');
        buf_add_str(room, key);
        buf_add_str(room, "\":");
    }
    buf_add_str(room, json);
    if (!absent)
        return value_edit(value, room->data, room->len);
    buf_add_char(room, ',');
    return (struct edit){1, 0, room->data, room->len};
}

static void put_in_order(struct edit *edits, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && edits[j].off < edits[j - 1].off; j--) {
            struct edit swapped = edits[j];
            edits[j] = edits[j - 1];
            edits[j - 1] = swapped;
        }
}

void edits_apply(struct buf *out, const char *text, size_t n, struct edit *edits, size_t count)
{
    size_t done = 0;
    put_in_order(edits, count);
    for (size_t i = 0; i < count; i++) {
        buf_add(out, text + done, edits[i].off - done);
        buf_add(out, edits[i].text, edits[i].text_len);
        done = edits[i].off + edits[i].len;
    }
    buf_add(out, text + done, n - done);
}
