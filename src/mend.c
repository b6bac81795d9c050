#include "mend.h"

#include "brackets.h"
#include "nearest.h"
#include "text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */
#define NOWHERE SIZE_MAX

/* What may come next. */
enum state {
    STATE_KEY,     /* after { or a comma of an object */
    STATE_COLON,   /* after a key */
    STATE_VALUE,   /* after a colon */
    STATE_ELEMENT, /* after [ or a comma of an array */
    STATE_AFTER    /* after a value */
};

/* The event's own keys that matter. */
enum own_key { OWN_OTHER, OWN_PH, OWN_DURATION };

struct mender {
    struct buf *brackets;
    const char *text;
    size_t n, pos; /* of the next byte to look at */
    size_t depth;
    enum state state;
    size_t comma; /* the one before what comes next; or NOWHERE */
    /* The mended text: */
    struct buf *out;
    size_t copied; /* how much of the text it stands for */
    bool changed;
    finding_set found;
    /* Of the outermost object: */
    enum own_key key;
    char ph;
    size_t duration; /* where the value of that key begins, which may be replaced as a whole: in it
                        nothing is mended; or NOWHERE */
};

void mend_free(struct mend *m)
{
    buf_free(&m->brackets);
}

/* ---- the mended text ------------------------------------------------------------------------- */

/* text[begin, end) is left out. Returns whether what stands in its place is to be appended to
 * r->out: it is not where the mended text is not wanted. */
static bool replace(struct mender *r, size_t begin, size_t end, enum finding_kind kind)
{
    bool first = !r->changed;
    r->changed = true;
    r->found |= FINDING_BIT(kind);
    if (!r->out)
        return false;
    if (first)
        buf_reserve(r->out, r->n + 16);
    buf_add(r->out, r->text + r->copied, begin - r->copied);
    r->copied = end;
    return true;
}

/* The same with what stands there; not within a value that may be replaced as a whole. */
static void mend(struct mender *r, size_t begin, size_t end, const char *instead,
                 enum finding_kind kind)
{
    if (r->duration == NOWHERE && replace(r, begin, end, kind))
        buf_add_str(r->out, instead);
}

/* What is wrong here: this if it is the event's own, else a matter of its args. */
static enum finding_kind own_or_args(const struct mender *r, enum finding_kind own)
{
    return r->depth == 1 ? own : FINDING_BAD_ARGS;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* The first byte from `i` on that is a quote, a backslash, a control character or no ASCII; n if
 * there is none. */
static inline size_t skip_plain(const char *text, size_t i, size_t n)
{
#ifdef __SSE2__
    for (; n - i >= 16; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
        __m128i other = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                     _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
        /* signed: and above 0x7F */
        other = _mm_or_si128(other, _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
        int bits = _mm_movemask_epi8(other);
        if (bits)
            return i + (size_t)__builtin_ctz((unsigned)bits);
    }
#endif
    while (i < n && (unsigned char)text[i] >= 0x20 && (unsigned char)text[i] < 0x80 &&
           text[i] != '"' && text[i] != '\\')
        i++;
    return i;
}

/* The surrogate escape at `i`, and the one that makes a pair with it. Returns where it ends. */
static size_t run_surrogate(struct mender *r, size_t i, int unit)
{
    int low = text_unicode_escape(r->text + i + 6, r->n - i - 6);
    bool pair = unit < 0xDC00 && low >= 0xDC00 && low < 0xE000;
    size_t end = i + (pair ? 12 : 6);
    bool own = r->depth == 1 && r->duration == NOWHERE;
    if (own && replace(r, i, end, FINDING_SURROGATE)) {
        if (pair)
            text_unescape(r->out, r->text + i, end - i);
        else
            buf_add_str(r->out, REPLACEMENT);
    }
    return end;
}

/* The escape at `i`; returns where it ends. */
static size_t run_escape(struct mender *r, size_t i)
{
    if (i + 1 < r->n && r->text[i + 1] && strchr("\"\\/bfnrt", r->text[i + 1]))
        return i + 2;
    int unit = text_unicode_escape(r->text + i, r->n - i);
    if (unit < 0) {
        mend(r, i, i, "\\", FINDING_BAD_ESCAPE);
        return i + 1;
    }
    return unit < 0xD800 || unit >= 0xE000 ? i + 6 : run_surrogate(r, i, unit);
}

static void escape_control(struct mender *r, size_t i)
{
    static const char letters[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    unsigned char b = (unsigned char)r->text[i];
    char escape[] = "\\u0000";
    if (letters[b]) {
        escape[1] = letters[b];
        escape[2] = 0;
    } else {
        escape[4] = (char)('0' + (b >> 4));
        escape[5] = "0123456789abcdef"[b & 15];
    }
    mend(r, i, i + 1, escape, FINDING_CONTROL);
}

/* From an opening quote to behind the closing one. Returns false if there is none. */
static bool run_string(struct mender *r)
{
    size_t i = r->pos + 1;
    while ((i = skip_plain(r->text, i, r->n)) < r->n) {
        char b = r->text[i];
        if (b == '"') {
            r->pos = i + 1;
            return true;
        }
        if (b == '\\') {
            i = run_escape(r, i);
        } else if ((unsigned char)b < 0x20) {
            escape_control(r, i++);
        } else {
            size_t len = text_utf8_length(r->text + i, r->n - i);
            if (!len)
                mend(r, i, i + 1, REPLACEMENT, FINDING_BAD_UTF8);
            i += len ? len : 1;
        }
    }
    return false;
}

/* ---- bare values ----------------------------------------------------------------------------- */

/* In place of text[begin, end): the number nearest to a token, or something else. */
static void replace_number(struct mender *r, size_t begin, size_t end, const char *token, size_t n,
                           const char *otherwise, enum finding_kind kind)
{
    if (replace(r, begin, end, kind) && !nearest_number(r->out, token, n))
        buf_add_str(r->out, otherwise);
}

/* The value of dur, tts or tdur is text[r->duration, r->pos). */
static void settle_duration(struct mender *r)
{
    size_t begin = r->duration, n = r->pos - begin;
    const char *token = r->text + begin;
    bool bare = !n || !strchr("\"{[", *token);
    if (!bare) {
        n = *token == '"' ? n - 2 : 0;
        token++;
    }
    r->duration = NOWHERE;
    if (token_kind(token, n) != TOKEN_NUMBER)
        replace_number(r, begin, r->pos, token, n, "0",
                       bare && !text_is_literal(token, n) ? FINDING_BAD_NUMBER : FINDING_BAD_DUR);
}

/* Any other bare value, text[begin, end). */
static void settle_bare(struct mender *r, size_t begin, size_t end)
{
    const char *token = r->text + begin;
    size_t n = end - begin;
    enum token_kind kind = token_kind(token, n);
    bool good = kind == TOKEN_NUMBER || (kind == TOKEN_HUGE && r->depth > 1) ||
                (kind == TOKEN_OTHER && text_is_literal(token, n));
    if (!good)
        replace_number(r, begin, end, token, n, "null", own_or_args(r, FINDING_BAD_NUMBER));
}

enum word_class { WORD_PART, WORD_END, WORD_BREAK };

static inline enum word_class word_class(char b)
{
    switch (b) {
    case ',':
    case '}':
    case ']':
        return WORD_END;
    case '"':
    case '\'':
    case '{':
    case '[':
    case ':':
    case '\\':
        return WORD_BREAK;
    default:
        return (unsigned char)b < ' ' && !text_is_space(b) ? WORD_BREAK : WORD_PART;
    }
}

/* A bare value, up to the comma or bracket behind it; there may be blanks within. Returns false if
 * there is something else that ends it, so that quotes or the like are missing. */
static bool run_bare(struct mender *r)
{
    size_t begin = r->pos, i = begin;
    while (i < r->n && word_class(r->text[i]) == WORD_PART)
        i++;
    if (i == r->n || word_class(r->text[i]) == WORD_BREAK)
        return false;
    while (text_is_space(r->text[i - 1]))
        i--;
    r->pos = i;
    if (r->duration == NOWHERE)
        settle_bare(r, begin, i);
    return true;
}

/* ---- the grammar ----------------------------------------------------------------------------- */

static bool in_object(const struct mender *r)
{
    return brackets_is_object(r->brackets, r->depth - 1);
}

static bool open_bracket(struct mender *r, bool object)
{
    if (!brackets_open(r->brackets, r->depth, object))
        return false;
    r->depth++;
    r->pos++;
    r->state = object ? STATE_KEY : STATE_ELEMENT;
    r->comma = NOWHERE;
    return true;
}

static void end_value(struct mender *r)
{
    r->state = STATE_AFTER;
    if (r->duration != NOWHERE && r->depth == 1)
        settle_duration(r);
}

static bool close_bracket(struct mender *r, char b)
{
    if (in_object(r) != (b == '}'))
        return false;
    r->depth--;
    r->pos++;
    if (r->depth)
        end_value(r);
    return true;
}

static enum own_key own_key(const char *key, size_t n)
{
    switch (n) {
    case 2:
        return memcmp(key, "ph", n) == 0 ? OWN_PH : OWN_OTHER;
    case 3:
        return memcmp(key, "dur", n) == 0 || memcmp(key, "tts", n) == 0 ? OWN_DURATION : OWN_OTHER;
    case 4:
        return memcmp(key, "tdur", n) == 0 ? OWN_DURATION : OWN_OTHER;
    default:
        return OWN_OTHER;
    }
}

static bool run_key(struct mender *r)
{
    const char *key = r->text + r->pos + 1;
    if (key[-1] != '"' || !run_string(r))
        return false;
    r->state = STATE_COLON;
    if (r->depth > 1)
        return true;
    r->key = own_key(key, (size_t)(r->text + r->pos - key) - 1);
    return true;
}

static bool run_value(struct mender *r)
{
    char b = r->text[r->pos];
    if (r->depth == 1 && r->key == OWN_PH)
        r->ph = r->text[r->pos + (b == '"' && r->pos + 1 < r->n)];
    if (r->depth == 1 && r->key == OWN_DURATION)
        r->duration = r->pos;
    if (b == '{' || b == '[')
        return open_bracket(r, b == '{');
    if (!(b == '"' ? run_string(r) : run_bare(r)))
        return false;
    end_value(r);
    return true;
}

/* A colon was there, and now a comma or bracket is. */
static void miss_value(struct mender *r)
{
    if (r->depth == 1 && r->key == OWN_DURATION)
        r->duration = r->pos;
    else
        mend(r, r->pos, r->pos, "null", own_or_args(r, FINDING_BAD_NUMBER));
    end_value(r);
}

/* The place of a key or element. Of several commas the last one stays. */
static bool run_item(struct mender *r, char b)
{
    enum finding_kind kind = own_or_args(r, FINDING_COMMAS);
    bool closing = b == '}' || b == ']';
    if (closing || b == ',') {
        if (r->comma != NOWHERE)
            mend(r, r->comma, r->comma + 1, "", kind);
        if (closing)
            return close_bracket(r, b);
        if (r->comma == NOWHERE)
            mend(r, r->pos, r->pos + 1, "", kind);
        else
            r->comma = r->pos;
        r->pos++;
        return true;
    }
    return r->state == STATE_KEY ? run_key(r) : run_value(r);
}

/* The byte b, which is no white space. Returns false if it has no place there. */
static bool step(struct mender *r, char b)
{
    switch (r->state) {
    case STATE_COLON:
        r->state = STATE_VALUE;
        r->pos++;
        return b == ':';
    case STATE_VALUE:
        if (b != ',' && b != '}')
            return b != ']' && run_value(r);
        miss_value(r);
        return true;
    case STATE_AFTER:
        if (b != ',')
            return (b == '}' || b == ']') && close_bracket(r, b);
        r->comma = r->pos++;
        r->state = in_object(r) ? STATE_KEY : STATE_ELEMENT;
        return true;
    default:
        return run_item(r, b);
    }
}

/* Returns false if it cannot be mended, or there is no memory. */
static bool run(struct mender *r)
{
    if (!r->n || r->text[0] != '{' || !open_bracket(r, true))
        return false;
    while (r->depth) {
        while (r->pos < r->n && text_is_space(r->text[r->pos]))
            r->pos++;
        if (r->pos == r->n || !step(r, r->text[r->pos]))
            return false;
    }
    return r->pos == r->n;
}

enum mend_result mend_event(struct mend *m, const char *text, size_t n, struct buf *out,
                            finding_set *found)
{
    struct mender r = {.brackets = &m->brackets,
                       .text = text,
                       .n = n,
                       .out = out,
                       .comma = NOWHERE,
                       .duration = NOWHERE};
    size_t before = out ? out->len : 0;
    bool good = run(&r);
    const finding_set args = FINDING_BIT(FINDING_BAD_ARGS);
    if (r.found & args && (r.ph == 'C' || r.ph == 'M'))
        r.found ^= args | FINDING_BIT(FINDING_LOOP);
    *found = r.found;
    if (out && good && r.changed)
        buf_add(out, text + r.copied, n - r.copied);
    if (m->brackets.failed || (out && r.changed && out->failed)) {
        mend_free(m);
        return MEND_NO_MEMORY;
    }
    if (out && !good)
        out->len = before;
    return !good ? MEND_CANNOT : r.changed ? MEND_DONE : MEND_SAME;
}
