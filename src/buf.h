/* A growing run of bytes. Its error is sticky: after a failed allocation `failed` is set, further
 * additions do nothing, and the owner checks once at the end. */
#ifndef BUF_H
#define BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
    char *data; /* owned; NULL while cap is 0. Not NUL-terminated */
    size_t len, cap;
    bool failed;
};

/* Makes room for `extra` more bytes. Returns false (and sets failed) if there is none. */
bool buf_reserve(struct buf *b, size_t extra);

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_add_char(struct buf *b, char c);
void buf_add_u64(struct buf *b, uint64_t value);
void buf_add_i64(struct buf *b, int64_t value);
/* A time in ns, not below 0, as us with three decimals. */
void buf_add_us(struct buf *b, int64_t ns);

/* Gives back what is not used. */
void buf_fit(struct buf *b);

/* Inline, so that the length of a constant is one. */
static inline void buf_add_str(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

/* Frees the bytes and makes it an empty buffer again. */
void buf_free(struct buf *b);

/* Grows an array to at least `need` items of `size` bytes, by doubling; `*cap` is its capacity in
 * items. Returns the array, or NULL (the old one is still valid). Untouched capacity costs no
 * memory: large blocks come from the kernel page by page. */
void *array_grow(void *array, size_t *cap, size_t need, size_t size);

#endif
