#include "nest.h"

#include "brackets.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 64 };

/* What a byte is outside of strings. */
enum byte_class {
    WORD = 0, /* part of a bare word */
    GAP,      /* white space, comma, colon */
    QUOTE,
    OPENING,
    CLOSING,
    ODD /* jsmn refuses it, or may do so */
};

static enum byte_class class_of(unsigned char b)
{
    switch (b) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case ',':
    case ':':
        return GAP;
    case '"':
        return QUOTE;
    case '{':
    case '[':
        return OPENING;
    case '}':
    case ']':
        return CLOSING;
    case '\\': /* jsmn takes it, but not if there is a bad escape elsewhere (event.c) */
        return ODD;
    default:
        return b < 0x20 || b >= 0x7F ? ODD : WORD;
    }
}

void nest_begin(struct nest *n)
{
    n->odd = n->in_string = n->escaped = n->after_word = false;
    n->depth = n->depth_max = 0;
    n->pos = n->ninner = 0;
}

void nest_free(struct nest *n)
{
    buf_free(&n->brackets);
}

/* An opening bracket at offset `at` of the value. */
static bool open_bracket(struct nest *n, bool object, uint64_t at)
{
    if (!brackets_open(&n->brackets, n->depth, object))
        return false;
    if (++n->depth > n->depth_max)
        n->depth_max = n->depth;
    if (n->depth == 2 && n->ninner < NEST_INNER_MAX)
        n->inner[n->ninner].begin = (uint32_t)at;
    return true;
}

/* A closing bracket at offset `at`. Returns false if it is of the wrong kind. */
static bool close_bracket(struct nest *n, bool object, uint64_t at)
{
    size_t depth = n->depth - 1;
    if (brackets_is_object(&n->brackets, depth) != object)
        return false;
    n->depth = depth;
    if (depth == 1 && n->ninner++ < NEST_INNER_MAX)
        n->inner[n->ninner - 1].end = (uint32_t)at + 1;
    return true;
}

/* The bracket b at offset `at` of the value. */
static inline enum nest_result take_bracket(struct nest *n, char b, uint64_t at)
{
    bool object = b & 0x20; /* { and } have that bit, [ and ] have not */
    if ((b & 6) == 2)       /* { and [ */
        return open_bracket(n, object, at) ? NEST_MORE : NEST_NO_MEMORY;
    if (!close_bracket(n, object, at))
        return NEST_MISMATCH;
    return n->depth ? NEST_MORE : NEST_CLOSED;
}

/* One byte inside a string. */
static enum nest_result take_in_string(struct nest *n, char b)
{
    n->odd |= b == 0; /* ends the text for jsmn */
    if (n->escaped) {
        n->escaped = false;
    } else if (b == '\\') {
        n->escaped = true;
    } else if (b == '"') {
        n->in_string = false;
        return n->depth ? NEST_MORE : NEST_CLOSED;
    }
    return NEST_MORE;
}

static enum nest_result run_plain(struct nest *n, const char *p, size_t len, size_t *used)
{
    enum nest_result result = NEST_MORE;
    size_t i = 0;
    for (; i < len && result == NEST_MORE; i++) {
        if (n->in_string) {
            result = take_in_string(n, p[i]);
            continue;
        }
        enum byte_class class = class_of((unsigned char)p[i]);
        if (class == QUOTE || class == OPENING)
            n->odd |= n->after_word; /* jsmn takes it for part of the word */
        n->odd |= class == ODD;
        n->after_word = class == WORD || class == ODD;
        if (class == QUOTE)
            n->in_string = true;
        else if (class == OPENING || class == CLOSING)
            result = take_bracket(n, p[i], n->pos + i);
    }
    *used = result == NEST_MISMATCH || result == NEST_NO_MEMORY ? i - 1 : i;
    n->pos += *used;
    return result;
}

#ifdef __SSE2__

/* One bit for each of the 64 bytes. */
struct block {
    uint64_t quote, bracket, gap;
    uint64_t backslash, odd, nul; /* only where the block is unusual: else there are none */
    bool unusual;
};

static inline __m128i load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline __m128i equal(__m128i v, char c)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

static inline __m128i either(__m128i a, __m128i b)
{
    return _mm_or_si128(a, b);
}

static inline uint64_t bits_of(__m128i v, int shift)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v) << shift;
}

/* The masks that only an unusual block needs. */
static void classify_more(const char *p, struct block *b)
{
    for (int k = 0; k < BLOCK; k += 16) {
        __m128i v = load(p + k);
        __m128i space = either(equal(v, '\n'), either(equal(v, '\r'), equal(v, '\t')));
        __m128i below = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* signed: and above 0x7F */
        b->backslash |= bits_of(equal(v, '\\'), k);
        b->odd |= bits_of(either(_mm_andnot_si128(space, below), equal(v, 0x7F)), k);
        b->nul |= bits_of(equal(v, 0), k);
    }
}

static inline struct block classify(const char *p)
{
    struct block b = {0};
    __m128i unusual = _mm_setzero_si128();
#pragma GCC unroll 4
    for (int k = 0; k < BLOCK; k += 16) {
        __m128i v = load(p + k);
        __m128i folded = either(v, _mm_set1_epi8(0x20));  /* [ to {, ] to } */
        __m128i next = _mm_add_epi8(v, _mm_set1_epi8(1)); /* 0x7F and above become negative */
        __m128i odd = _mm_andnot_si128(equal(v, '\n'), _mm_cmplt_epi8(next, _mm_set1_epi8(0x21)));
        __m128i space = _mm_cmplt_epi8(next, _mm_set1_epi8(0x22)); /* or odd, so no matter */
        b.quote |= bits_of(equal(v, '"'), k);
        b.bracket |= bits_of(either(equal(folded, '{'), equal(folded, '}')), k);
        b.gap |= bits_of(either(space, either(equal(v, ','), equal(v, ':'))), k);
        unusual = either(unusual, either(odd, equal(v, '\\')));
    }
    b.unusual = _mm_movemask_epi8(unusual) != 0;
    if (b.unusual)
        classify_more(p, &b);
    return b;
}

/* Bit i of the result: the exclusive or of the bits 0 to i. */
static inline uint64_t prefix_xor(uint64_t x)
{
#pragma GCC unroll 6
    for (int shift = 1; shift < 64; shift *= 2)
        x ^= x << shift;
    return x;
}

/* The bytes after a backslash that is not escaped itself, if all of them lie in strings; *after
 * tells whether the block's last byte is one of the backslashes. */
static inline uint64_t escaped_bytes(const struct nest *n, uint64_t backslash, bool *after)
{
    uint64_t escaped = n->escaped;
    *after = false;
    for (; backslash; backslash &= backslash - 1) {
        uint64_t bit = backslash & -backslash;
        if (escaped & bit)
            continue;
        escaped |= bit << 1;
        *after = bit >> 63;
    }
    return escaped;
}

/* Runs through one block. Returns false, and has done nothing, if it cannot: a backslash lies
 * outside of strings. */
static bool run_block(struct nest *n, const char *p, const struct block *b, size_t *used,
                      enum nest_result *result)
{
    bool escaped_after = false;
    uint64_t quotes = b->quote;
    if (b->backslash || n->escaped)
        quotes &= ~escaped_bytes(n, b->backslash, &escaped_after);
    uint64_t string = prefix_xor(quotes) ^ (n->in_string ? ~UINT64_C(0) : 0);
    if (b->backslash & ~string)
        return false;
    uint64_t opens = quotes & string; /* quotes that open a string */
    uint64_t brackets = b->bracket & ~string & ~quotes;
    /* bytes after which no bare word goes on; inside of strings it does not matter */
    uint64_t no_word = quotes | b->bracket | b->gap | string;
    uint64_t word_before = ~no_word << 1 | n->after_word;
    uint64_t odd = (b->odd & ~string) | (b->nul & string) | (opens & word_before);
    size_t i = BLOCK;
    *result = NEST_MORE;
    for (uint64_t left = brackets; left && *result == NEST_MORE; left &= left - 1) {
        i = (size_t)__builtin_ctzll(left);
        bool opening = (p[i] & 6) == 2;
        odd |= opening ? word_before & UINT64_C(1) << i : 0;
        *result = take_bracket(n, p[i], n->pos + i);
    }
    if (*result == NEST_MORE) {
        n->in_string = string >> 63;
        n->after_word = ~no_word >> 63;
        n->escaped = escaped_after;
        i = BLOCK;
    } else {
        odd &= (UINT64_C(2) << i) - 1; /* what lies behind is not ours */
        n->in_string = n->after_word = n->escaped = false;
        i += *result == NEST_CLOSED;
    }
    n->odd |= odd != 0;
    n->pos += i;
    *used = i;
    return true;
}

#endif

enum nest_result nest_run(struct nest *n, const char *p, size_t len, size_t *used)
{
    enum nest_result result = NEST_MORE;
    size_t done = 0;
    while (done < len && result == NEST_MORE) {
        size_t step = len - done, some;
        if (!n->depth && !n->in_string)
            step = 1; /* the first byte says which it is */
#ifdef __SSE2__
        if (step >= BLOCK && !n->plain_only && n->depth) {
            struct block block = classify(p + done);
            step = BLOCK;
            if (run_block(n, p + done, &block, &some, &result)) {
                done += some;
                continue;
            }
        }
#endif
        result = run_plain(n, p + done, step, &some);
        done += some;
    }
    *used = done;
    return result;
}
