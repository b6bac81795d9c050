#include "torn.h"

#include <string.h>

#include "text.h"

size_t torn_next(const char *text, size_t n, size_t from)
{
    const char *end = text + n, *p = text + from;
    while (p < end && (p = memchr(p, '{', (size_t)(end - p)))) {
        const char *quote = p + 1;
        while (quote < end && text_is_space(*quote))
            quote++;
        if (quote == end || *quote == '"')
            return (size_t)(p - text);
        p = quote;
    }
    return n;
}

/* Does {"ph": stand here? */
static bool begins_with_ph(const char *p, size_t n)
{
    static const char *const tokens[] = {"{", "\"ph\"", ":"};
    const char *end = p + n;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        size_t len = strlen(tokens[i]);
        while (p < end && text_is_space(*p))
            p++;
        if ((size_t)(end - p) < len || memcmp(p, tokens[i], len) != 0)
            return false;
        p += len;
    }
    return true;
}

/* The search, after the text was found to be broken. */
static enum torn_result find_inner(struct shape *s, const char *text, size_t n, size_t *at)
{
    for (size_t i = torn_next(text, n, 1); i < n; i = torn_next(text, n, i + 1)) {
        size_t left = n - i, used;
        *at = i;
        if (begins_with_ph(text + i, left))
            return TORN_YES;
        shape_begin(s, TORN_DEPTH_MAX);
        switch (shape_run(s, text + i, left < TORN_NBYTES_MAX ? left : TORN_NBYTES_MAX, &used)) {
        case SHAPE_CLOSED:
            if (s->has_ph)
                return TORN_YES;
            break;
        case SHAPE_NO_MEMORY:
            return TORN_NO_MEMORY;
        default:
            break;
        }
    }
    return TORN_NO;
}

enum torn_result torn_find(const char *text, size_t n, size_t *at)
{
    struct shape s = {0};
    size_t used;
    enum torn_result result = TORN_NO;
    shape_begin(&s, SIZE_MAX);
    switch (shape_run(&s, text, n, &used)) {
    case SHAPE_BROKEN:
        result = find_inner(&s, text, n, at);
        break;
    case SHAPE_NO_MEMORY:
        result = TORN_NO_MEMORY;
        break;
    default:
        break;
    }
    shape_free(&s);
    return result;
}
