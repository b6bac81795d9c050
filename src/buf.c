#include "buf.h"

#include <stdlib.h>
#include <string.h>

void *array_grow(void *array, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return array;
    size_t wanted = *cap < 16 ? 16 : *cap;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2)
            return NULL;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / size)
        return NULL;
    void *grown = realloc(array, wanted * size);
    if (grown)
        *cap = wanted;
    return grown;
}

bool buf_reserve(struct buf *b, size_t extra)
{
    if (b->failed || extra > SIZE_MAX - b->len) {
        b->failed = true;
        return false;
    }
    if (b->len + extra <= b->cap)
        return true;
    char *grown = array_grow(b->data, &b->cap, b->len + extra, 1);
    if (!grown) {
        b->failed = true;
        return false;
    }
    b->data = grown;
    return true;
}

void buf_fit(struct buf *b)
{
    char *fit = b->len ? realloc(b->data, b->len) : NULL;
    if (fit) {
        b->data = fit;
        b->cap = b->len;
    }
}

void buf_add(struct buf *b, const void *bytes, size_t n)
{
    if (n && buf_reserve(b, n)) {
        memcpy(b->data + b->len, bytes, n);
        b->len += n;
    }
}

void buf_add_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_add_u64(struct buf *b, uint64_t value)
{
    char digits[20];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + value % 10);
    while (value /= 10);
    buf_add(b, digits + n, sizeof digits - n);
}

void buf_add_i64(struct buf *b, int64_t value)
{
    if (value < 0)
        buf_add_char(b, '-');
    buf_add_u64(b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void buf_add_us(struct buf *b, int64_t ns)
{
    buf_add_i64(b, ns / 1000);
    buf_add_char(b, '.');
    for (int64_t unit = 100; unit; unit /= 10)
        buf_add_char(b, (char)('0' + ns / unit % 10));
}

void buf_free(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}
