#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "markup.h"

#include "text.h"

/* The character of n > 0 bytes at p. */
static unsigned decode(const char *p, size_t n)
{
    unsigned c = (unsigned char)*p;
    if (n > 1)
        c &= 0x7Fu >> n;
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3Fu);
    return c;
}

static size_t width(unsigned c)
{
    return c >= 0x1100 ? 2 : 1;
}

/* The length of the character at p, a NUL-terminated text; what is no UTF-8 is one byte. */
static size_t length(const char *p)
{
    size_t n = text_utf8_length(p, strnlen(p, 4));
    return n ? n : 1;
}

size_t markup_columns(const char *text)
{
    size_t columns = 0;
    for (const char *p = text; *p; p += length(p))
        columns += width(decode(p, length(p)));
    return columns;
}

static void add_character(struct buf *out, const char *p, size_t n)
{
    unsigned c = decode(p, n);
    bool text = text_utf8_length(p, n) == n && c >= 0x20 && c != 0x7F && c != 0xFFFE && c != 0xFFFF;
    if (!text) /* XML has no place for it */
        buf_add_str(out, "\xEF\xBF\xBD");
    else if (c == '&')
        buf_add_str(out, "&amp;");
    else if (c == '<')
        buf_add_str(out, "&lt;");
    else if (c == '>')
        buf_add_str(out, "&gt;");
    else if (c == '"')
        buf_add_str(out, "&#34;");
    else if (c == '\'')
        buf_add_str(out, "&#39;");
    else
        buf_add(out, p, n);
}

void markup_text(struct buf *out, const char *text)
{
    for (const char *p = text; *p; p += length(p))
        add_character(out, p, length(p));
}

void markup_cut(struct buf *out, const char *text, size_t columns)
{
    if (markup_columns(text) <= columns) {
        markup_text(out, text);
        return;
    }
    size_t used = 1;
    for (const char *p = text; used + width(decode(p, length(p))) <= columns; p += length(p)) {
        add_character(out, p, length(p));
        used += width(decode(p, length(p)));
    }
    if (columns)
        buf_add_str(out, "\xE2\x80\xA6");
}

void markup_tenths(struct buf *out, int64_t tenths)
{
    if (tenths < 0) {
        buf_add_char(out, '-');
        tenths = -tenths;
    }
    buf_add_i64(out, tenths / 10);
    if (tenths % 10) {
        buf_add_char(out, '.');
        buf_add_char(out, (char)('0' + tenths % 10));
    }
}

void markup_attribute(struct buf *out, const char *name, int64_t tenths)
{
    buf_add_char(out, ' ');
    buf_add_str(out, name);
    buf_add_str(out, "=\"");
    markup_tenths(out, tenths);
    buf_add_char(out, '"');
}
