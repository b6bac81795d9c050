#include "decimal.h"

#include "viewer_time.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent of a valid number that ends there; INT64_MAX if it is beyond all use. */
static int64_t exponent(const char *p, const char *end)
{
    bool minus = *p == '-';
    int64_t value = 0;
    for (p += *p == '-' || *p == '+'; p < end; p++) {
        if (value > INT64_MAX / 100)
            return minus ? -value : INT64_MAX;
        value = value * 10 + (*p - '0');
    }
    return minus ? -value : value;
}

/* Digit i of all; there are zeros on both sides of them. */
static unsigned digit(const struct decimal *d, int64_t i)
{
    if (i < 0 || (uint64_t)i >= d->ndigits)
        return 0;
    size_t at = (size_t)i < d->nwhole ? (size_t)i : (size_t)i + 1;
    return (unsigned)(d->digits[at] - '0');
}

/* The decimals to keep: as many as are written; with an exponent, as many as it needs. */
static unsigned count_fraction(const struct decimal *d, bool as_written)
{
    int64_t n = (int64_t)d->ndigits - d->point;
    n = n < 0 ? 0 : n < DECIMAL_FRACTION_MAX ? n : DECIMAL_FRACTION_MAX;
    while (!as_written && n > 0 && digit(d, d->point + n - 1) == 0)
        n--;
    return (unsigned)n;
}

bool decimal_read(const char *token, size_t n, struct decimal *d)
{
    if (!number_valid(token, n))
        return false;
    const char *p = token, *end = token + n;
    *d = (struct decimal){.negative = *p == '-'};
    p += d->negative;
    d->digits = p;
    while (p < end && is_digit(*p))
        p++;
    d->nwhole = d->ndigits = (size_t)(p - d->digits);
    if (p < end && *p == '.') {
        const char *first = ++p;
        while (p < end && is_digit(*p))
            p++;
        d->ndigits += (size_t)(p - first);
    }
    d->point = (int64_t)d->nwhole;
    bool as_written = p == end;
    if (!as_written) {
        int64_t e = exponent(p + 1, end);
        if (e > DECIMAL_EXPONENT_MAX)
            return false;
        d->point += e;
    }
    d->nfraction = count_fraction(d, as_written);
    return true;
}

bool decimal_has_fraction(const struct decimal *d)
{
    for (unsigned i = 0; i < d->nfraction; i++)
        if (digit(d, d->point + i))
            return true;
    return false;
}

bool decimal_is_whole(const struct decimal *d)
{
    for (int64_t i = d->point > 0 ? d->point : 0; (uint64_t)i < d->ndigits; i++)
        if (digit(d, i))
            return false;
    return true;
}

/* Is it written without an exponent, and so short before the point that this fits 64 bits? */
static bool is_plain(const struct decimal *d)
{
    return d->point == (int64_t)d->nwhole && d->nwhole < 19;
}

bool decimal_whole(const struct decimal *d, uint64_t *whole)
{
    *whole = 0;
    if (is_plain(d)) { /* nearly all are */
        for (size_t i = 0; i < d->nwhole; i++)
            *whole = *whole * 10 + (uint64_t)(d->digits[i] - '0');
        return true;
    }
    for (int64_t i = 0; i < d->point; i++) {
        unsigned next = digit(d, i);
        if (*whole > (UINT64_MAX - next) / 10)
            return false;
        *whole = *whole * 10 + next;
    }
    return true;
}

void decimal_add_whole(struct buf *out, const struct decimal *d)
{
    int64_t i = 0;
    while (i < d->point - 1 && digit(d, i) == 0)
        i++;
    if (d->point <= 0) {
        buf_add_char(out, '0');
    } else if (buf_reserve(out, (size_t)(d->point - i))) {
        for (; i < d->point; i++)
            out->data[out->len++] = (char)('0' + digit(d, i));
    }
}

void decimal_add_fraction(struct buf *out, const struct decimal *d, bool complement)
{
    if (!d->nfraction || !buf_reserve(out, d->nfraction + 1))
        return;
    char *to = out->data + out->len;
    if (is_plain(d) && !complement) {
        buf_add(out, d->digits + d->nwhole, d->nfraction + 1);
        return;
    }
    to[0] = '.';
    unsigned borrowed = 0;
    for (unsigned i = d->nfraction; i > 0; i--) {
        unsigned next = digit(d, d->point + i - 1);
        if (complement) {
            next += borrowed;
            borrowed = next > 0;
            next = (10 - next) % 10;
        }
        to[i] = (char)('0' + next);
    }
    out->len += d->nfraction + 1;
}

void decimal_increase(struct buf *out, size_t from, uint64_t by)
{
    size_t i = out->len;
    for (; i > from && by; i--) {
        uint64_t sum = (uint64_t)(out->data[i - 1] - '0') + by % 10;
        out->data[i - 1] = (char)('0' + sum % 10);
        by = by / 10 + sum / 10;
    }
    if (!by)
        return;
    struct buf front = {0};
    buf_add_u64(&front, by);
    if (!front.failed && buf_reserve(out, front.len)) {
        memmove(out->data + from + front.len, out->data + from, out->len - from);
        memcpy(out->data + from, front.data, front.len);
        out->len += front.len;
    }
    out->failed |= front.failed;
    buf_free(&front);
}

void decimal_decrease(struct buf *out, size_t from, uint64_t by)
{
    for (size_t i = out->len; i > from && by; i--) {
        uint64_t have = (uint64_t)(out->data[i - 1] - '0'), take = by % 10;
        by = by / 10 + (have < take);
        out->data[i - 1] = (char)('0' + (have + 10 - take) % 10);
    }
    size_t zeros = 0;
    while (from + zeros + 1 < out->len && out->data[from + zeros] == '0')
        zeros++;
    if (zeros) {
        memmove(out->data + from, out->data + from + zeros, out->len - from - zeros);
        out->len -= zeros;
    }
}
