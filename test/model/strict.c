#include "strict.h"

#include <stdint.h>
#include <string.h>

#include "model.h"

struct reader {
    const unsigned char *p, *end;
    int depth;
    bool fussy; /* about the event's own members */
};

static bool read_value(struct reader *r, bool duration);

static void skip_space(struct reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
        r->p++;
}

static bool take(struct reader *r, unsigned char wanted)
{
    skip_space(r);
    if (r->p == r->end || *r->p != wanted)
        return false;
    r->p++;
    return true;
}

/* One character of more than one byte, by the table of RFC 3629. */
static bool read_character(struct reader *r)
{
    static const struct {
        unsigned char first, last, low, high;
        int more;
    } rows[] = {{0xC2, 0xDF, 0x80, 0xBF, 0}, {0xE0, 0xE0, 0xA0, 0xBF, 1},
                {0xE1, 0xEC, 0x80, 0xBF, 1}, {0xED, 0xED, 0x80, 0x9F, 1},
                {0xEE, 0xEF, 0x80, 0xBF, 1}, {0xF0, 0xF0, 0x90, 0xBF, 2},
                {0xF1, 0xF3, 0x80, 0xBF, 2}, {0xF4, 0xF4, 0x80, 0x8F, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (*r->p < rows[i].first || *r->p > rows[i].last)
            continue;
        if (r->end - r->p < 2 + rows[i].more || r->p[1] < rows[i].low || r->p[1] > rows[i].high)
            return false;
        for (int k = 2; k < 2 + rows[i].more; k++)
            if (r->p[k] < 0x80 || r->p[k] > 0xBF)
                return false;
        r->p += 2 + rows[i].more;
        return true;
    }
    return false;
}

static bool read_escape(struct reader *r)
{
    if (r->end - r->p < 2)
        return false;
    if (r->p[1] != 'u') {
        r->p += 2;
        return r->p[-1] && strchr("\"\\/bfnrt", r->p[-1]);
    }
    if (r->end - r->p < 6)
        return false;
    for (int i = 2; i < 6; i++)
        if (!r->p[i] || !strchr("0123456789abcdefABCDEF", r->p[i]))
            return false;
    bool surrogate = (r->p[2] | 0x20) == 'd' && r->p[3] >= '8'; /* the letters come behind it */
    r->p += 6;
    return !(surrogate && r->fussy && r->depth == 1);
}

static bool read_string(struct reader *r)
{
    if (!take(r, '"'))
        return false;
    while (r->p < r->end) {
        if (*r->p == '"') {
            r->p++;
            return true;
        }
        bool good = *r->p >= 0x20;
        if (*r->p == '\\')
            good = read_escape(r);
        else if (*r->p >= 0x80)
            good = read_character(r);
        else
            r->p++;
        if (!good)
            return false;
    }
    return false;
}

static bool is_digit(const struct reader *r)
{
    return r->p < r->end && *r->p >= '0' && *r->p <= '9';
}

static bool read_digits(struct reader *r)
{
    if (!is_digit(r))
        return false;
    while (is_digit(r))
        r->p++;
    return true;
}

static bool read_number(struct reader *r)
{
    int64_t ns;
    const unsigned char *begin = r->p;
    if (r->p < r->end && *r->p == '-')
        r->p++;
    if (r->p < r->end && *r->p == '0')
        r->p++;
    else if (!read_digits(r))
        return false;
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        if (!read_digits(r))
            return false;
    }
    if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
        r->p++;
        if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
            r->p++;
        if (!read_digits(r))
            return false;
    }
    return !r->fussy || r->depth != 1 || model_ns((const char *)begin, (size_t)(r->p - begin), &ns);
}

static bool read_object(struct reader *r)
{
    if (take(r, '}'))
        return true;
    do {
        skip_space(r);
        const char *key = (const char *)r->p + 1;
        if (!read_string(r))
            return false;
        size_t n = (size_t)((const char *)r->p - key) - 1;
        bool duration = r->fussy && r->depth == 1 &&
                        ((n == 3 && (!memcmp(key, "dur", 3) || !memcmp(key, "tts", 3))) ||
                         (n == 4 && !memcmp(key, "tdur", 4)));
        if (!take(r, ':') || !read_value(r, duration))
            return false;
    } while (take(r, ','));
    return take(r, '}');
}

static bool read_array(struct reader *r)
{
    if (take(r, ']'))
        return true;
    do
        if (!read_value(r, false))
            return false;
    while (take(r, ','));
    return take(r, ']');
}

static bool read_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool read_value(struct reader *r, bool duration)
{
    int64_t ns;
    skip_space(r);
    const char *begin = (const char *)r->p;
    if (r->p == r->end)
        return false;
    if (*r->p == '"')
        return read_string(r) &&
               (!duration || model_ns(begin + 1, (size_t)((const char *)r->p - begin) - 2, &ns));
    if (*r->p == '-' || is_digit(r))
        return read_number(r);
    if (duration)
        return false;
    if (*r->p == '{' || *r->p == '[') {
        bool object = *r->p++ == '{';
        r->depth++;
        bool good = object ? read_object(r) : read_array(r);
        r->depth--;
        return good;
    }
    return read_word(r, "true") || read_word(r, "false") || read_word(r, "null");
}

static bool read_all(const char *text, size_t n, bool fussy)
{
    struct reader r = {(const unsigned char *)text, (const unsigned char *)text + n, 0, fussy};
    bool good = read_value(&r, false);
    skip_space(&r);
    return good && r.p == r.end;
}

bool strict_json(const char *text, size_t n)
{
    return read_all(text, n, false);
}

bool strict_event(const char *text, size_t n)
{
    return n >= 2 && text[0] == '{' && text[n - 1] == '}' && read_all(text, n, true);
}
