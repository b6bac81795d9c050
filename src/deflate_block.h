/* Copies deflate blocks and parts of them, as they are but for the bit that says whether a block is
 * the last one (RFC 1951). A part of a block is put into a block of its own, with the same codes.
 */
#ifndef DEFLATE_BLOCK_H
#define DEFLATE_BLOCK_H

#include "bits.h"

/*
 * Appends the codes that stand at bits [from, to) of a block of the file [begin, end) as a block.
 *
 * from, to    places between two codes, as gzwalk_place gives them. `from` may be `begin` and `to`
 *             may be `end` for the whole; if both are the same otherwise, nothing is appended
 * last        whether it is the last block of its stream
 *
 * Returns false with *err on an error. Lack of memory is w->out.failed.
 */
struct deflate_part {
    uint64_t begin, end, from, to;
};
bool deflate_copy(struct bit_reader *r, struct bit_writer *w, const struct deflate_part *part,
                  bool last, struct lanefix_error *err);

#endif
