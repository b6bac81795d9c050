#include "text.h"

#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool text_is_literal(const char *p, size_t n)
{
    return (n == 4 && (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0)) ||
           (n == 5 && memcmp(p, "false", 5) == 0);
}

int text_unicode_escape(const char *p, size_t n)
{
    if (n < 6 || p[0] != '\\' || p[1] != 'u')
        return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        int digit = hex_digit(p[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static void add_utf8(struct buf *out, unsigned code)
{
    if (code < 0x80) {
        buf_add_char(out, (char)code);
        return;
    }
    if (code < 0x800) {
        buf_add_char(out, (char)(0xC0 | code >> 6));
    } else {
        if (code < 0x10000) {
            buf_add_char(out, (char)(0xE0 | code >> 12));
        } else {
            buf_add_char(out, (char)(0xF0 | code >> 18));
            buf_add_char(out, (char)(0x80 | (code >> 12 & 0x3F)));
        }
        buf_add_char(out, (char)(0x80 | (code >> 6 & 0x3F)));
    }
    buf_add_char(out, (char)(0x80 | (code & 0x3F)));
}

/* Appends the \uXXXX (or pair of them) at p. Returns its length, or 0 if it is none. */
static size_t add_unicode(struct buf *out, const char *p, size_t n)
{
    int unit = text_unicode_escape(p, n);
    if (unit < 0)
        return 0;
    if (unit >= 0xD800 && unit < 0xDC00) {
        int low = text_unicode_escape(p + 6, n - 6);
        if (low >= 0xDC00 && low < 0xE000) {
            add_utf8(out, 0x10000 + ((unsigned)unit - 0xD800) * 0x400 + ((unsigned)low - 0xDC00));
            return 12;
        }
    }
    add_utf8(out, (unsigned)unit);
    return 6;
}

void text_unescape(struct buf *out, const char *raw, size_t n)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    for (size_t i = 0; i < n;) {
        const char *slash = memchr(raw + i, '\\', n - i);
        size_t plain = slash ? (size_t)(slash - raw) - i : n - i;
        buf_add(out, raw + i, plain);
        i += plain;
        if (i >= n)
            break;
        size_t used = add_unicode(out, raw + i, n - i);
        if (used) {
            i += used;
            continue;
        }
        const char *letter = i + 1 < n ? memchr(letters, raw[i + 1], sizeof letters - 1) : NULL;
        if (letter) {
            buf_add_char(out, values[letter - letters]);
            i += 2;
        } else {
            buf_add_char(out, raw[i++]);
        }
    }
}

size_t text_utf8_length(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x80)
        return 1;
    size_t len = u[0] >= 0xC2 && u[0] < 0xE0   ? 2
                 : u[0] >= 0xE0 && u[0] < 0xF0 ? 3
                 : u[0] >= 0xF0 && u[0] < 0xF5 ? 4
                                               : 0;
    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((u[i] & 0xC0) != 0x80)
            return 0;
    if ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ||
        (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F))
        return 0;
    return len;
}

/* The character that the UTF-8 sequence of 1 to 3 bytes at p stands for; 0xFFFD for a longer one.
 */
static unsigned character(const char *p, size_t len)
{
    const unsigned char *u = (const unsigned char *)p;
    switch (len) {
    case 1:
        return u[0];
    case 2:
        return (u[0] & 0x1Fu) << 6 | (u[1] & 0x3Fu);
    case 3:
        return (u[0] & 0x0Fu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu);
    default:
        return 0xFFFD;
    }
}

/* C0, DEL and C1: what a terminal may act upon. */
static bool is_control(unsigned c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* What makes other text look different from what it is: the characters with the property
 * Bidi_Control, and those that break a line. */
static bool is_deceptive(unsigned c)
{
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

static void add_hex(struct buf *out, const char *prefix, unsigned value)
{
    buf_add_str(out, prefix);
    buf_add_char(out, "0123456789abcdef"[value >> 4 & 15]);
    buf_add_char(out, "0123456789abcdef"[value & 15]);
}

static void add_escaped(struct buf *out, unsigned c)
{
    add_hex(out, "\\u", c >> 8);
    add_hex(out, "", c);
}

size_t text_cut(const char *raw, size_t n, size_t max)
{
    if (n <= max)
        return n;
    for (size_t done = 0;;) {
        const char *p = raw + done;
        size_t len = text_utf8_length(p, n - done), step = len ? len : 1;
        int unit = text_unicode_escape(p, n - done);
        if (unit >= 0)
            step = unit >= 0xD800 && unit < 0xDC00 ? 12 : 6; /* most likely a pair */
        else if (*p == '\\')
            step = 2;
        if (step > max - done)
            return done;
        done += step;
    }
}

void text_show(struct buf *out, const char *bytes, size_t n)
{
    size_t shown = n;
    if (n > TEXT_SHOWN_MAX) {
        shown = TEXT_SHOWN_MAX;
        while (shown > TEXT_SHOWN_MAX - 3 && ((unsigned char)bytes[shown] & 0xC0) == 0x80)
            shown--;
    }
    for (size_t i = 0; i < shown;) {
        size_t len = text_utf8_length(bytes + i, n - i);
        unsigned c = len ? character(bytes + i, len) : 0;
        if (len && is_deceptive(c)) {
            add_escaped(out, c);
            i += len;
            continue;
        }
        if (len && !is_control(c)) {
            buf_add(out, bytes + i, len);
            i += len;
            continue;
        }
        for (size_t end = i + (len ? len : 1); i < end; i++) {
            if (bytes[i] == '\n')
                buf_add_str(out, "\\n");
            else if (bytes[i] == '\t')
                buf_add_str(out, "\\t");
            else
                add_hex(out, "\\x", (unsigned char)bytes[i]);
        }
    }
    if (shown < n)
        buf_add_str(out, TEXT_CUT_MARK);
}

void text_json(struct buf *out, const char *bytes, size_t n)
{
    buf_add_char(out, '"');
    for (size_t i = 0; i < n;) {
        size_t len = text_utf8_length(bytes + i, n - i);
        if (!len) {
            buf_add_str(out, "\xEF\xBF\xBD");
            i++;
            continue;
        }
        unsigned c = character(bytes + i, len);
        if (c == '"' || c == '\\') {
            buf_add_char(out, '\\');
            buf_add_char(out, bytes[i]);
        } else if (is_control(c) || is_deceptive(c)) {
            add_escaped(out, c);
        } else {
            buf_add(out, bytes + i, len);
        }
        i += len;
    }
    buf_add_char(out, '"');
}

void text_json_bytes(struct buf *out, const char *bytes, size_t n)
{
    static const char letters[32] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
    buf_add_char(out, '"');
    for (size_t i = 0; i < n;) {
        unsigned char b = (unsigned char)bytes[i];
        size_t plain = 0;
        while (i + plain < n && (b = (unsigned char)bytes[i + plain]) >= 0x20 && b < 0x7F &&
               b != '"' && b != '\\')
            plain++;
        buf_add(out, bytes + i, plain);
        i += plain;
        if (i++ == n)
            break;
        if (b == '"' || b == '\\' || (b < 0x20 && letters[b])) {
            buf_add_char(out, '\\');
            buf_add(out, b < 0x20 ? letters + b : bytes + i - 1, 1);
        } else if (is_control(b)) {
            add_escaped(out, b);
        } else {
            add_utf8(out, b);
        }
    }
    buf_add_char(out, '"');
}
