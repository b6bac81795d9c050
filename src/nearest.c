#include "nearest.h"

#include "viewer_time.h"

/* What looks like a number, in its parts; each may be empty. */
struct form {
    bool plus, minus, point;
    const char *whole, *fraction;
    size_t nwhole, nfraction;
    const char *exponent; /* its sign and digits; NULL if there is none */
};

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Takes the token apart. Returns false if it does not look like a number. */
static bool take_apart(const char *p, const char *end, struct form *f)
{
    *f = (struct form){0};
    if (p < end && (*p == '+' || *p == '-')) {
        f->plus = *p == '+';
        f->minus = *p++ == '-';
    }
    f->whole = p;
    p = skip_digits(p, end);
    f->nwhole = (size_t)(p - f->whole);
    f->point = p < end && *p == '.';
    p += f->point;
    f->fraction = p;
    p = skip_digits(p, end);
    f->nfraction = (size_t)(p - f->fraction);
    if (!f->nwhole && !f->nfraction)
        return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        f->exponent = ++p;
        p += p < end && (*p == '+' || *p == '-');
        const char *digits = p;
        p = skip_digits(p, end);
        if (p == digits)
            return false;
    }
    return p == end;
}

static bool is_finite(const char *token, size_t n)
{
    int64_t ns;
    return viewer_ns(token, n, &ns);
}

enum token_kind token_kind(const char *token, size_t n)
{
    struct form f;
    if (!take_apart(token, token + n, &f))
        return TOKEN_OTHER;
    bool zero = f.nwhole && f.whole[0] == '0';
    if (f.plus || !f.nwhole || (zero && f.nwhole > 1) || (f.point && !f.nfraction))
        return TOKEN_NEAR;
    return !f.exponent || is_finite(token, n) ? TOKEN_NUMBER : TOKEN_HUGE;
}

bool nearest_number(struct buf *out, const char *token, size_t n)
{
    struct form f;
    const char *end = token + n;
    size_t begin = out->len;
    if (!take_apart(token, end, &f))
        return false;
    for (; f.nwhole && *f.whole == '0'; f.nwhole--)
        f.whole++;
    if (f.minus)
        buf_add_char(out, '-');
    if (f.nwhole)
        buf_add(out, f.whole, f.nwhole);
    else
        buf_add_char(out, '0');
    if (f.nfraction) {
        buf_add_char(out, '.');
        buf_add(out, f.fraction, f.nfraction);
    }
    if (f.exponent) {
        buf_add_char(out, 'e');
        buf_add(out, f.exponent, (size_t)(end - f.exponent));
        if (!out->failed && !is_finite(out->data + begin, out->len - begin)) {
            out->len = begin;
            return false;
        }
    }
    return true;
}
