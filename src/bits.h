/* Bits of a file in and bits out, the lowest of a byte first, as deflate has them. */
#ifndef BITS_H
#define BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "gzwalk.h"

struct bit_reader {
    gzwalk_pread *pread; /* given by the owner, as is the context */
    void *context;
    uint64_t file_off; /* of the next byte of the file to read */
    uint64_t held;     /* bits that were read, `nheld` of them */
    unsigned nheld;
    size_t used, len;
    char chunk[1 << 14];
};

/* Goes to a bit of the file. Returns false with *err on an error, as do the others. */
bool bits_seek(struct bit_reader *r, uint64_t bit, struct lanefix_error *err);

/* Where it is. */
uint64_t bits_at(const struct bit_reader *r);

/* The next n <= 32 bits. The end of the file is LANEFIX_ERR_CHANGED: who asks knows that they are
 * there. */
bool bits_get(struct bit_reader *r, unsigned n, uint32_t *value, struct lanefix_error *err);

struct bit_writer {
    struct buf out; /* whole bytes; to be taken and emptied by the owner, who frees it */
    uint64_t held;
    unsigned nheld; /* fewer than 8 */
};

/* Appends the n <= 32 low bits of a value. Without memory out.failed is set. */
void bits_put(struct bit_writer *w, uint32_t value, unsigned n);

/* Appends zero bits up to a whole byte. */
void bits_align(struct bit_writer *w);

/* Copies n bits. */
bool bits_copy(struct bit_reader *r, struct bit_writer *w, uint64_t n, struct lanefix_error *err);

#endif
