#include "pretty.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    OUT_NBYTES = 1 << 16,
    BLANKS_MAX = 2 * PRETTY_LEVELS_MAX,
    BLOCK = 16,
    ROOM_MIN = 1 + BLANKS_MAX + BLOCK /* for what stands before a token, and a bracket */
};

/* What a byte is outside of strings. */
enum byte_class { WORD, SPACE, QUOTE, OPENING, CLOSING, COMMA, COLON };

static const unsigned char CLASSES[256] = {
    [' '] = SPACE,   ['\t'] = SPACE,  ['\n'] = SPACE,  ['\r'] = SPACE,
    ['"'] = QUOTE,   ['{'] = OPENING, ['['] = OPENING, ['}'] = CLOSING,
    [']'] = CLOSING, [','] = COMMA,   [':'] = COLON,
};

/* What the last token was. */
enum last { NOTHING, AN_OPENING, A_CLOSING, A_COMMA, A_COLON, A_STRING, A_WORD };

struct pretty {
    pretty_put *put;
    void *context;
    size_t depth;
    uint64_t arrays; /* bit d: of the first 64 levels, the one with d around it is an array */
    enum last last;
    bool space; /* white space has followed */
    bool in_string, escaped;
    size_t len; /* of what is in `out` */
    char out[OUT_NBYTES];
};

struct pretty *pretty_new(pretty_put *put, void *context)
{
    struct pretty *p = malloc(sizeof *p);
    if (!p)
        return NULL;
    memset(p, 0, offsetof(struct pretty, out)); /* no need to touch all of that */
    p->put = put;
    p->context = context;
    return p;
}

void pretty_free(struct pretty *p)
{
    free(p);
}

static bool flush(struct pretty *p)
{
    size_t n = p->len;
    p->len = 0;
    return !n || p->put(p->context, p->out, n);
}

/* ---- white space; these append at `to` and return where that ends ------------------------------
 */

static inline char *put_line(const struct pretty *p, char *to)
{
#define BLANKS_16 "                "
    static const char line[] =
        "\n" BLANKS_16 BLANKS_16 BLANKS_16 BLANKS_16 BLANKS_16 BLANKS_16 BLANKS_16 BLANKS_16;
    _Static_assert(sizeof line == BLANKS_MAX + 2, "a line break, the blanks and a NUL");
    size_t n = 1 + 2 * (p->depth < PRETTY_LEVELS_MAX ? p->depth : PRETTY_LEVELS_MAX);
    memcpy(to, line, BLOCK); /* of a fixed length, which is faster; most lines need no more */
    if (n > BLOCK)
        memcpy(to + BLOCK, line + BLOCK, n - BLOCK);
    return to + n;
}

/* Before an opening bracket, a string or a bare word. */
static inline char *put_gap(const struct pretty *p, char *to, bool opening)
{
    switch (p->last) {
    case NOTHING:
        return to;
    case AN_OPENING:
    case A_CLOSING:
    case A_COMMA:
        return put_line(p, to);
    case A_COLON:
        break;
    case A_STRING: /* a comma is missing */
    case A_WORD:
        if (!p->space)
            return to;
        if (opening)
            return put_line(p, to);
        break;
    }
    *to = ' ';
    return to + 1;
}

/* ---- tokens ------------------------------------------------------------------------------------
 */

static bool in_array(const struct pretty *p)
{
    return p->depth && p->depth <= 64 && (p->arrays >> (p->depth - 1) & 1);
}

static inline void enter(struct pretty *p, char b)
{
    if (p->depth < 64) {
        uint64_t bit = UINT64_C(1) << p->depth;
        p->arrays = b == '[' ? p->arrays | bit : p->arrays & ~bit;
    }
    p->depth++;
}

/* A token that is one byte, with what stands before it. */
static inline char *put_token(struct pretty *p, char *to, char b)
{
    switch (CLASSES[(unsigned char)b]) {
    case QUOTE:
        to = put_gap(p, to, false);
        p->last = A_STRING;
        p->in_string = true;
        break;
    case OPENING:
        to = put_gap(p, to, true);
        p->last = AN_OPENING;
        enter(p, b);
        break;
    case CLOSING:
        p->depth -= p->depth > 0;
        if (p->last != AN_OPENING)
            to = put_line(p, to);
        p->last = A_CLOSING;
        break;
    case COMMA:
        p->last = A_COMMA;
        break;
    default:
        p->last = A_COLON;
        break;
    }
    p->space = false;
    *to = b;
    return to + 1;
}

/* A bare word, or more of it: the first bytes of from[0, n) are of it. Returns how many went to
 * *to, which moves on. A colon in an array separates nothing, so it is part of one. */
static inline size_t put_word(struct pretty *p, char **to, const char *from, size_t n)
{
    if (p->last != A_WORD || p->space)
        *to = put_gap(p, *to, false);
    p->last = A_WORD;
    p->space = false;
    size_t room = (size_t)(p->out + OUT_NBYTES - *to), i = 0;
    do
        *(*to)++ = from[i++];
    while (i < n && i < room && CLASSES[(unsigned char)from[i]] == WORD);
    return i;
}

/* ---- strings -----------------------------------------------------------------------------------
 */

/* Copies the first bytes of from[0, n), up to a quote or backslash. Returns how many. */
static inline size_t copy_plain(char *to, const char *from, size_t n)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; n - i >= BLOCK; i += BLOCK) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        _mm_storeu_si128((__m128i *)(void *)(to + i), v);
        int bits = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                                  _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
        if (bits)
            return i + (size_t)__builtin_ctz((unsigned)bits);
    }
#endif
    for (; i < n && from[i] != '"' && from[i] != '\\'; i++)
        to[i] = from[i];
    return i;
}

/* Goes on in a string, up to its end or as far as there is room. Returns how many bytes of
 * from[0, n) went to *to, which moves on. */
static inline size_t put_string(struct pretty *p, char **to, const char *from, size_t n)
{
    char *begin = *to;
    size_t room = (size_t)(p->out + OUT_NBYTES - begin), most = n < room ? n : room, i = 0;
    while (i < most && p->in_string) {
        if (!p->escaped)
            i += copy_plain(begin + i, from + i, most - i);
        if (i == most)
            break;
        char b = from[i];
        begin[i++] = b;
        p->in_string = p->escaped || b != '"';
        p->escaped = !p->escaped && b == '\\';
    }
    *to = begin + i;
    return i;
}

/* ------------------------------------------------------------------------------------------------
 */

bool pretty_write(struct pretty *p, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (OUT_NBYTES - p->len < ROOM_MIN && !flush(p))
            return false;
        char *to = p->out + p->len;
        unsigned char class = CLASSES[(unsigned char)bytes[i]];
        if (p->in_string) {
            i += put_string(p, &to, bytes + i, n - i);
        } else if (class == SPACE) {
            p->space = true;
            i++;
        } else if (class == WORD || (class == COLON && in_array(p))) {
            i += put_word(p, &to, bytes + i, n - i);
        } else {
            to = put_token(p, to, bytes[i++]);
        }
        p->len = (size_t)(to - p->out);
    }
    return true;
}

bool pretty_finish(struct pretty *p)
{
    if (!p->in_string && p->last != NOTHING) {
        if (OUT_NBYTES == p->len && !flush(p))
            return false;
        p->out[p->len++] = '\n';
    }
    return flush(p);
}
