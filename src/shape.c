#include "shape.h"

#include <string.h>

#include "brackets.h"
#include "text.h"

void shape_begin(struct shape *s, size_t depth_max)
{
    s->state = SHAPE_VALUE;
    s->depth = 0;
    s->depth_max = depth_max;
    s->key_len = 0;
    s->has_ph = false;
}

void shape_free(struct shape *s)
{
    buf_free(&s->brackets);
}

static bool in_object(const struct shape *s)
{
    return s->depth && brackets_is_object(&s->brackets, s->depth - 1);
}

static enum shape_result open_bracket(struct shape *s, bool object)
{
    if (s->depth == s->depth_max)
        return SHAPE_BROKEN;
    if (!brackets_open(&s->brackets, s->depth, object))
        return SHAPE_NO_MEMORY;
    s->depth++;
    s->state = object ? SHAPE_KEY_OR_END : SHAPE_VALUE_OR_END;
    return SHAPE_MORE;
}

static enum shape_result end_value(struct shape *s)
{
    s->state = SHAPE_AFTER_VALUE;
    return s->depth ? SHAPE_MORE : SHAPE_CLOSED;
}

static enum shape_result close_bracket(struct shape *s, bool object)
{
    if (!s->depth || in_object(s) != object)
        return SHAPE_BROKEN;
    s->depth--;
    return end_value(s);
}

static enum shape_result begin_value(struct shape *s, char b)
{
    bool of_ph = s->depth == 1 && s->key_len == 2 && memcmp(s->key, "ph", 2) == 0;
    switch (b) {
    case '"':
        s->has_ph |= of_ph && in_object(s);
        s->state = SHAPE_STRING;
        s->is_key = s->escaped = false;
        return SHAPE_MORE;
    case '{':
    case '[':
        return open_bracket(s, b == '{');
    case '}':
    case ']':
    case ',':
    case ':':
        return SHAPE_BROKEN;
    default:
        s->state = SHAPE_WORD;
        return SHAPE_MORE;
    }
}

static enum shape_result begin_key(struct shape *s, char b)
{
    if (b == '}')
        return close_bracket(s, true);
    if (b != '"')
        return SHAPE_BROKEN;
    s->state = SHAPE_STRING;
    s->is_key = true;
    s->escaped = false;
    if (s->depth == 1)
        s->key_len = 0;
    return SHAPE_MORE;
}

static enum shape_result after_value(struct shape *s, char b)
{
    if (b == ',')
        s->state = in_object(s) ? SHAPE_KEY_OR_END : SHAPE_VALUE_OR_END;
    else if (b == '}' || b == ']')
        return close_bracket(s, b == '}');
    else
        return SHAPE_BROKEN;
    return SHAPE_MORE;
}

/* A byte that is no white space, between strings and bare words. */
static enum shape_result step(struct shape *s, char b)
{
    switch (s->state) {
    case SHAPE_KEY_OR_END:
        return begin_key(s, b);
    case SHAPE_COLON:
        s->state = SHAPE_VALUE;
        return b == ':' ? SHAPE_MORE : SHAPE_BROKEN;
    case SHAPE_AFTER_VALUE:
        return after_value(s, b);
    case SHAPE_VALUE_OR_END:
        if (b == ']')
            return close_bracket(s, false);
        return begin_value(s, b);
    default:
        return begin_value(s, b);
    }
}

/* Runs on in a string, from p[i] on; returns where it is then. */
static size_t run_string(struct shape *s, const char *p, size_t n, size_t i,
                         enum shape_result *result)
{
    bool own_key = s->is_key && s->depth == 1;
    for (; i < n; i++) {
        if (s->escaped) {
            s->escaped = false;
        } else if (p[i] == '\\') {
            s->escaped = true;
        } else if (p[i] == '"') {
            *result = s->is_key ? SHAPE_MORE : end_value(s);
            if (s->is_key)
                s->state = SHAPE_COLON;
            return i + 1;
        }
        if (own_key && s->key_len++ < sizeof s->key)
            s->key[s->key_len - 1] = p[i];
    }
    return i;
}

static bool ends_word(char b)
{
    return text_is_space(b) || b == ',' || b == '}' || b == ']';
}

/* The same in a bare word. Anything that is neither part of one nor its end breaks it. */
static size_t run_word(struct shape *s, const char *p, size_t n, size_t i,
                       enum shape_result *result)
{
    for (; i < n && !ends_word(p[i]); i++) {
        if ((unsigned char)p[i] < ' ' || strchr("\"{[:\\", p[i])) {
            *result = SHAPE_BROKEN;
            return i;
        }
    }
    if (i < n)
        *result = end_value(s);
    return i;
}

enum shape_result shape_run(struct shape *s, const char *p, size_t n, size_t *used)
{
    enum shape_result result = SHAPE_MORE;
    size_t i = 0;
    while (i < n && result == SHAPE_MORE) {
        if (s->state == SHAPE_STRING) {
            i = run_string(s, p, n, i, &result);
        } else if (s->state == SHAPE_WORD) {
            i = run_word(s, p, n, i, &result);
        } else if (text_is_space(p[i])) {
            i++;
        } else {
            result = step(s, p[i]);
            /* a word is looked at again from its first byte */
            i += result != SHAPE_BROKEN && s->state != SHAPE_WORD;
        }
    }
    *used = i;
    return result;
}
