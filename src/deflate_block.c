/* A block is its header and its codes, the last of which is that for the end of the block. The
 * header of a dynamic block has the lengths of all codes, themselves in a code (RFC 1951, 3.2.7).
 * Of all that, only where the header ends and the code for the end matter here: zlib has inflated
 * the block before, so what is wrong in it was noticed. */
#include "deflate_block.h"

#include "error.h"

enum { STORED = 0, FIXED = 1, DYNAMIC = 2, END_OF_BLOCK = 256, LENGTHS_MAX = 286 + 32 };

/* What is known of a block's codes. */
struct header {
    uint32_t type;
    uint64_t codes; /* the bit where they begin */
    uint32_t end;   /* the code for the end of the block, its first bit lowest */
    unsigned end_nbits;
};

/* The codes that belong to lengths: those of one length follow each other in the order of their
 * symbols (3.2.2). Returns that of a symbol, its first bit highest. */
static uint32_t code_of(const uint8_t *lengths, unsigned n, unsigned symbol)
{
    uint32_t code = 0;
    for (unsigned length = 1; length < lengths[symbol]; length++) {
        for (unsigned i = 0; i < n; i++)
            code += lengths[i] == length;
        code <<= 1;
    }
    for (unsigned i = 0; i < symbol; i++)
        code += lengths[i] == lengths[symbol];
    return code;
}

static uint32_t reversed(uint32_t code, unsigned nbits)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < nbits; i++)
        result |= (code >> i & 1) << (nbits - 1 - i);
    return result;
}

/* The next symbol of the code with these lengths, each at most 7. */
static bool get_symbol(struct bit_reader *r, const uint8_t lengths[19], unsigned *symbol,
                       struct lanefix_error *err)
{
    uint32_t code = 0, bit;
    for (unsigned nbits = 1; nbits <= 7; nbits++) {
        if (!bits_get(r, 1, &bit, err))
            return false;
        code = code << 1 | bit;
        for (unsigned i = 0; i < 19; i++) {
            if (lengths[i] == nbits && code_of(lengths, 19, i) == code) {
                *symbol = i;
                return true;
            }
        }
    }
    return fail_changed(err, LANEFIX_NOWHERE);
}

/* The lengths of `n` codes, in the code with the lengths `outer` (3.2.7). */
static bool get_lengths(struct bit_reader *r, const uint8_t outer[19], uint8_t *lengths, unsigned n,
                        struct lanefix_error *err)
{
    for (unsigned i = 0; i < n;) {
        unsigned symbol;
        uint32_t more = 0;
        uint8_t length = 0;
        if (!get_symbol(r, outer, &symbol, err))
            return false;
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        if (!bits_get(r, symbol == 16 ? 2 : symbol == 17 ? 3 : 7, &more, err))
            return false;
        if (symbol == 16 && i)
            length = lengths[i - 1];
        for (unsigned repeat = more + (symbol == 18 ? 11 : 3); repeat; repeat--) {
            if (i == n)
                return fail_changed(err, LANEFIX_NOWHERE);
            lengths[i++] = length;
        }
    }
    return true;
}

static bool get_dynamic(struct bit_reader *r, struct header *h, struct lanefix_error *err)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t outer[19] = {0}, lengths[LENGTHS_MAX + 2] = {0};
    uint32_t nliteral, ndistance, nouter, length;
    if (!bits_get(r, 5, &nliteral, err) || !bits_get(r, 5, &ndistance, err) ||
        !bits_get(r, 4, &nouter, err))
        return false;
    for (unsigned i = 0; i < nouter + 4; i++) {
        if (!bits_get(r, 3, &length, err))
            return false;
        outer[order[i]] = (uint8_t)length;
    }
    nliteral += 257;
    ndistance += 1;
    if (!get_lengths(r, outer, lengths, nliteral + ndistance, err))
        return false;
    h->end_nbits = lengths[END_OF_BLOCK];
    h->end = reversed(code_of(lengths, nliteral, END_OF_BLOCK), h->end_nbits);
    return h->end_nbits || fail_changed(err, LANEFIX_NOWHERE);
}

/* Reads the header of the block at the bit. */
static bool get_header(struct bit_reader *r, uint64_t bit, struct header *h,
                       struct lanefix_error *err)
{
    uint32_t last;
    *h = (struct header){.end = 0, .end_nbits = 7}; /* those of fixed codes */
    if (!bits_seek(r, bit, err) || !bits_get(r, 1, &last, err) || !bits_get(r, 2, &h->type, err))
        return false;
    if (h->type == DYNAMIC && !get_dynamic(r, h, err))
        return false;
    h->codes = bits_at(r);
    if (h->type == STORED) /* to a whole byte, and the length twice */
        h->codes = (h->codes + 7) / 8 * 8 + 32;
    return true;
}

/* The bytes [from, to) of the file as a stored block. */
static bool copy_stored(struct bit_reader *r, struct bit_writer *w, uint64_t from, uint64_t to,
                        bool last, struct lanefix_error *err)
{
    uint64_t n = (to - from) / 8;
    if (n > 0xFFFF)
        return fail_changed(err, LANEFIX_NOWHERE);
    bits_put(w, last, 3);
    bits_align(w);
    bits_put(w, (uint32_t)n, 16);
    bits_put(w, ~(uint32_t)n, 16);
    return bits_seek(r, from, err) && bits_copy(r, w, to - from, err);
}

static bool copy_whole(struct bit_reader *r, struct bit_writer *w, const struct deflate_part *part,
                       bool last, struct lanefix_error *err)
{
    uint32_t head;
    if (!bits_seek(r, part->begin, err) || !bits_get(r, 3, &head, err))
        return false;
    if (head >> 1 == STORED) /* its bytes stand where the file's do */
        return copy_stored(r, w, (part->begin + 3 + 7) / 8 * 8 + 32, part->end, last, err);
    bits_put(w, last | (head & 6), 3);
    return bits_copy(r, w, part->end - part->begin - 3, err);
}

bool deflate_copy(struct bit_reader *r, struct bit_writer *w, const struct deflate_part *part,
                  bool last, struct lanefix_error *err)
{
    struct header h;
    uint64_t from = part->from, to = part->to;
    if (from == to && from != part->begin)
        return true;
    if (from == part->begin && to == part->end)
        return copy_whole(r, w, part, last, err);
    if (!get_header(r, part->begin, &h, err))
        return false;
    if (from < h.codes)
        from = h.codes;
    if (to < from || to > part->end)
        return to <= part->begin || fail_changed(err, LANEFIX_NOWHERE); /* nothing of it */
    if (h.type == STORED)
        return copy_stored(r, w, from, to, last, err);
    bits_put(w, last, 1);
    if (!bits_seek(r, part->begin + 1, err) || !bits_copy(r, w, h.codes - part->begin - 1, err) ||
        !bits_seek(r, from, err) || !bits_copy(r, w, to - from, err))
        return false;
    if (to < part->end)
        bits_put(w, h.end, h.end_nbits);
    return true;
}
