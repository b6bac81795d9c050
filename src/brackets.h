/* The open brackets of a nested value, one bit a level: is it an object? The bits stand in a
 * buffer, the depth is kept by the caller. */
#ifndef BRACKETS_H
#define BRACKETS_H

#include "buf.h"

/* Opens one at that depth (0: the outermost). Returns false if there is no memory. */
static inline bool brackets_open(struct buf *bits, size_t depth, bool object)
{
    size_t byte = depth / 8, bit = depth % 8;
    if (byte == bits->len)
        buf_add_char(bits, 0);
    if (bits->failed)
        return false;
    unsigned others = (unsigned char)bits->data[byte] & ~(1u << bit);
    bits->data[byte] = (char)(others | (unsigned)object << bit);
    return true;
}

/* Is the open one at that depth an object? */
static inline bool brackets_is_object(const struct buf *bits, size_t depth)
{
    return bits->data[depth / 8] >> depth % 8 & 1;
}

#endif
