/* Number tokens as the viewer reads them, written down plainly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* A token taken apart: [-]WHOLE[.FRACTION][e[+-]EXPONENT]. */
struct parts {
    bool negative, has_point, has_exponent, exponent_negative;
    const char *whole, *fraction, *exponent;
    size_t nwhole, nfraction, nexponent;
};

static size_t count_digits(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] >= '0' && p[n] <= '9')
        n++;
    return n;
}

/* Returns false if the token is no number by the grammar of JSON. */
static bool take_apart(const char *token, size_t n, struct parts *parts)
{
    const char *p = token, *end = token + n;
    *parts = (struct parts){0};
    if (p < end && *p == '-') {
        parts->negative = true;
        p++;
    }
    parts->whole = p;
    parts->nwhole = count_digits(p, end);
    p += parts->nwhole;
    if (parts->nwhole == 0 || (parts->nwhole > 1 && parts->whole[0] == '0'))
        return false;
    if (p < end && *p == '.') {
        parts->has_point = true;
        parts->fraction = ++p;
        parts->nfraction = count_digits(p, end);
        p += parts->nfraction;
        if (parts->nfraction == 0)
            return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        parts->has_exponent = true;
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            parts->exponent_negative = *p++ == '-';
        parts->exponent = p;
        parts->nexponent = count_digits(p, end);
        p += parts->nexponent;
        if (parts->nexponent == 0)
            return false;
    }
    return p == end;
}

/* The digits as an int64 that wraps. */
static int64_t wrapped(const char *digits, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value = value * 10 + (uint64_t)(digits[i] - '0');
    return (int64_t)value;
}

static uint64_t power_of_ten_wrapped(size_t n)
{
    uint64_t value = 1;
    while (n--)
        value *= 10;
    return value;
}

static bool fits_int64(const struct parts *parts)
{
    const char *limit = parts->negative ? "9223372036854775808" : "9223372036854775807";
    size_t nlimit = strlen(limit);
    return parts->nwhole < nlimit ||
           (parts->nwhole == nlimit && memcmp(parts->whole, limit, nlimit) <= 0);
}

static bool is_integer(const struct parts *parts)
{
    return !parts->has_point && !parts->has_exponent && fits_int64(parts);
}

static int64_t integer_value(const struct parts *parts)
{
    uint64_t magnitude = (uint64_t)wrapped(parts->whole, parts->nwhole);
    return (int64_t)(parts->negative ? 0 - magnitude : magnitude);
}

static double double_value(const struct parts *parts)
{
    double v = (double)wrapped(parts->whole, parts->nwhole);
    if (parts->has_point) {
        uint64_t div = power_of_ten_wrapped(parts->nfraction);
        double fraction = (double)wrapped(parts->fraction, parts->nfraction);
        v += div ? fraction / (double)div : fraction; /* from 64 digits on it wraps to 0 */
    }
    if (parts->has_exponent) {
        /* five digits say as much as any: far beyond what a double holds */
        size_t zeros = 0;
        while (zeros < parts->nexponent && parts->exponent[zeros] == '0')
            zeros++;
        size_t n = parts->nexponent - zeros;
        double e = n > 5 ? 99999.0 : (double)wrapped(parts->exponent + zeros, n);
        v = parts->exponent_negative ? v / pow(10, e) : v * pow(10, e);
    }
    return parts->negative ? -v : v;
}

/* The low 64 bits of a whole double. */
static uint64_t low_bits(double whole)
{
    int exponent;
    double mantissa = frexp(fabs(whole), &exponent); /* 0.5 to 1 */
    uint64_t bits = (uint64_t)ldexp(mantissa, 53);
    int shift = exponent - 53;
    bits = shift >= 64 ? 0 : shift >= 0 ? bits << shift : shift > -64 ? bits >> -shift : 0;
    return whole < 0 ? 0 - bits : bits;
}

bool model_ns(const char *token, size_t n, int64_t *ns)
{
    struct parts parts;
    if (!take_apart(token, n, &parts))
        return false;
    if (is_integer(&parts)) {
        *ns = (int64_t)((uint64_t)integer_value(&parts) * 1000);
        return true;
    }
    double us = double_value(&parts);
    if (isnan(us) || isinf(us))
        return false;
    if (us == floor(us))
        *ns = (int64_t)(low_bits(us) * 1000);
    else
        *ns = llround(us * 1000.0);
    return true;
}

size_t model_decimals(const char *token, size_t n)
{
    struct parts parts;
    return take_apart(token, n, &parts) && !parts.has_exponent ? parts.nfraction : 0;
}

/* What the text of ns with three decimals is read as. */
static int64_t read_as(int64_t ns)
{
    char token[32];
    size_t n = sizeof token;
    uint64_t left = (uint64_t)ns;
    for (int digits = 0; digits < 4 || left; digits++) {
        token[--n] = (char)('0' + left % 10);
        left /= 10;
        if (digits == 2)
            token[--n] = '.';
    }
    int64_t back = 0;
    if (!model_ns(token + n, sizeof token - n, &back))
        abort();
    return back;
}

/* How far from ns the nearest writable value may be: more than the grid of the doubles there. */
static int64_t reach(int64_t ns)
{
    int64_t us = ns / 1000;
    return us < INT64_C(1) << 42 ? 0 : us < INT64_C(1) << 51 ? 600 : 4500;
}

int64_t model_ns_ceil(int64_t ns)
{
    int64_t value, best = INT64_MAX;
    for (int64_t x = ns - reach(ns); x <= ns + reach(ns); x++)
        if ((value = read_as(x)) >= ns && value < best)
            best = value;
    return best;
}

int64_t model_ns_floor(int64_t ns)
{
    int64_t value, best = 0;
    for (int64_t x = ns - reach(ns); x <= ns + reach(ns); x++)
        if ((value = read_as(x)) <= ns && value > best)
            best = value;
    return best;
}

/* ---- ids ------------------------------------------------------------------------------------- */

static int hex_value(const char *digits, size_t n)
{
    int value = 0;
    if (n < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *all = "0123456789abcdef0123456789ABCDEF";
        const char *at = digits[i] ? strchr(all, digits[i]) : NULL;
        if (!at)
            return -1;
        value = value * 16 + (int)(at - all) % 16;
    }
    return value;
}

static size_t put_utf8(char *out, int code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    int n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--, code /= 64)
        out[i] = (char)(0x80 + code % 64);
    out[0] = (char)((n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0) + code);
    return (size_t)n;
}

/* The \uXXXX at p, with the second half of a pair. Returns its length in the text, or 0. */
static size_t unicode_escape(const char *p, size_t n, int *code)
{
    if (n < 6 || p[0] != '\\' || p[1] != 'u')
        return 0;
    *code = hex_value(p + 2, n - 2);
    if (*code < 0)
        return 0;
    if (*code / 0x400 == 0x36 && n >= 12 && p[6] == '\\' && p[7] == 'u') {
        int low = hex_value(p + 8, n - 8);
        if (low >= 0 && low / 0x400 == 0x37) {
            *code = 0x10000 + *code % 0x400 * 0x400 + low % 0x400;
            return 12;
        }
    }
    return 6;
}

/* The content of a string, with unknown escapes as they stand. */
static size_t unescape(const char *raw, size_t n, char *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    size_t len = 0;
    for (size_t i = 0; i < n;) {
        int code;
        size_t used = unicode_escape(raw + i, n - i, &code);
        const char *known =
            raw[i] == '\\' && i + 1 < n && raw[i + 1] && !used ? strchr(from, raw[i + 1]) : NULL;
        if (used) {
            len += put_utf8(out + len, code);
            i += used;
        } else if (known) {
            out[len++] = to[known - from];
            i += 2;
        } else {
            out[len++] = raw[i++];
        }
    }
    return len;
}

struct model_id model_id_of(const char *text, const struct model_value *value)
{
    struct model_id id = {0};
    struct parts parts;
    if (value->kind == MODEL_STRING) {
        id.string = malloc(value->len + 1);
        if (!id.string)
            abort();
        id.len = unescape(text + value->off, value->len, id.string);
    } else if (value->kind == MODEL_BARE && take_apart(text + value->off, value->len, &parts) &&
               fits_int64(&parts)) {
        /* cut off behind the point; 0 if it is not a number of 32 bits */
        double whole =
            is_integer(&parts) ? (double)integer_value(&parts) : trunc(double_value(&parts));
        if (whole >= 0 && whole <= 4294967295.0)
            id.number = (uint32_t)whole;
    }
    return id;
}

bool model_id_equal(const struct model_id *a, const struct model_id *b)
{
    if (!a->string || !b->string)
        return !a->string && !b->string && a->number == b->number;
    return a->len == b->len && memcmp(a->string, b->string, a->len) == 0;
}
