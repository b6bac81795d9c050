/* JSON string contents: read, shown, written. All functions are pure; a failed allocation is kept
 * in the buffer (buf.h). "Raw" is what stands between the quotes in the file. */
#ifndef TEXT_H
#define TEXT_H

#include "buf.h"

/* Is it JSON's white space? */
static inline bool text_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Is the bare value true, false or null? */
bool text_is_literal(const char *p, size_t n);

/* The code unit of the \uXXXX that begins at p, of which n bytes are there; -1 if it is none. */
int text_unicode_escape(const char *p, size_t n);

/* The length of the UTF-8 sequence at p, of which n > 0 bytes are there (1 to 4), or 0 if there is
 * none. Refuses overlong forms, surrogates and what lies beyond U+10FFFF. */
size_t text_utf8_length(const char *p, size_t n);

/* Appends what the raw content stands for, as UTF-8. Unknown escapes (C:\Users) stay as they are
 * written; a lone surrogate becomes the three bytes that UTF-8 would have for it. */
void text_unescape(struct buf *out, const char *raw, size_t n);

/* How much of the raw content to take for at most `max` bytes of it, so that no escape and no
 * character is cut in two: n if that is not more. */
size_t text_cut(const char *raw, size_t n, size_t max);

/* What stands behind a text that was cut. */
#define TEXT_CUT_MARK "..."

/* Appends bytes for a person to read in a terminal: control characters and bytes that are no UTF-8
 * as \n, \t or \xNN, what turns the direction of the text around or breaks the line as \uNNNN, all
 * else as it is. Of more than TEXT_SHOWN_MAX bytes only these, and TEXT_CUT_MARK. */
enum { TEXT_SHOWN_MAX = 4096 };
void text_show(struct buf *out, const char *bytes, size_t n);

/* Appends bytes as a JSON string with its quotes: always valid JSON and UTF-8 (what is no UTF-8
 * becomes U+FFFD), with escapes for what text_show does not give as it is. */
void text_json(struct buf *out, const char *bytes, size_t n);

/* Appends bytes as a JSON string from which they come back whatever they are: each is one character
 * of it, as in ISO 8859-1. */
void text_json_bytes(struct buf *out, const char *bytes, size_t n);

#endif
