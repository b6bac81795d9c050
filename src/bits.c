#include "bits.h"

#include "error.h"

bool bits_seek(struct bit_reader *r, uint64_t bit, struct lanefix_error *err)
{
    uint32_t before;
    r->file_off = bit / 8;
    r->held = 0;
    r->nheld = 0;
    r->used = r->len = 0;
    return bits_get(r, (unsigned)(bit % 8), &before, err);
}

uint64_t bits_at(const struct bit_reader *r)
{
    return (r->file_off - (r->len - r->used)) * 8 - r->nheld;
}

bool bits_get(struct bit_reader *r, unsigned n, uint32_t *value, struct lanefix_error *err)
{
    while (r->nheld < n) {
        if (r->used == r->len) {
            if (!r->pread(r->context, r->file_off, r->chunk, sizeof r->chunk, &r->len, err))
                return false;
            if (!r->len)
                return fail_changed(err, LANEFIX_NOWHERE);
            r->file_off += r->len;
            r->used = 0;
        }
        r->held |= (uint64_t)(unsigned char)r->chunk[r->used++] << r->nheld;
        r->nheld += 8;
    }
    *value = (uint32_t)(r->held & ((UINT64_C(1) << n) - 1));
    r->held >>= n;
    r->nheld -= n;
    return true;
}

void bits_put(struct bit_writer *w, uint32_t value, unsigned n)
{
    char bytes[8];
    size_t nbytes = 0;
    w->held |= ((uint64_t)value & ((UINT64_C(1) << n) - 1)) << w->nheld;
    w->nheld += n;
    for (; w->nheld >= 8; w->nheld -= 8, w->held >>= 8)
        bytes[nbytes++] = (char)(w->held & 0xFF);
    buf_add(&w->out, bytes, nbytes);
}

void bits_align(struct bit_writer *w)
{
    bits_put(w, 0, w->nheld ? 8 - w->nheld : 0);
}

/* As bits_get and bits_put of 32 bits, as often as the bytes that are there allow. */
static uint64_t copy_words(struct bit_reader *r, struct bit_writer *w, uint64_t n)
{
    size_t words = (r->len - r->used) / 4;
    if (words > n / 32)
        words = (size_t)(n / 32);
    if (!words || r->nheld >= 8 || !buf_reserve(&w->out, words * 4))
        return 0;
    const unsigned char *in = (const unsigned char *)r->chunk + r->used;
    char *out = w->out.data + w->out.len;
    uint64_t in_held = r->held, out_held = w->held;
    for (size_t i = 0; i < words; i++, in += 4) {
        uint64_t word =
            in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
        in_held |= word << r->nheld;
        out_held |= (in_held & UINT32_MAX) << w->nheld;
        for (int k = 0; k < 4; k++)
            *out++ = (char)(out_held >> 8 * k & 0xFF);
        in_held >>= 32;
        out_held >>= 32;
    }
    r->held = in_held;
    w->held = out_held;
    r->used += words * 4;
    w->out.len += words * 4;
    return words * 32;
}

bool bits_copy(struct bit_reader *r, struct bit_writer *w, uint64_t n, struct lanefix_error *err)
{
    uint32_t value;
    for (;;) {
        n -= copy_words(r, w, n);
        if (!n)
            break;
        unsigned some = n < 32 ? (unsigned)n : 32;
        if (!bits_get(r, some, &value, err))
            return false;
        bits_put(w, value, some);
        n -= some;
    }
    return true;
}
