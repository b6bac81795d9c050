/* The text of a trace -> its events. Read leniently, where the tool means to be lenient: stray and
 * missing commas, elements of any kind, a missing ] of a bare array. Within an event the grammar is
 * that of JSON, but for bare words (NaN), escapes and control characters of any kind. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* Deeper values are taken as unreadable. */
enum { DEPTH_MAX = 900 };

struct cursor {
    const char *text;
    size_t pos, end;
};

typedef void (*member_function)(void *to, const char *text, const struct model_value *key,
                                const struct model_value *value);

void *model_grow(void *items, size_t *cap, size_t n, size_t item_nbytes)
{
    if (n < *cap)
        return items;
    *cap = n < 16 ? 32 : 2 * n;
    items = realloc(items, *cap * item_nbytes);
    if (!items)
        abort();
    return items;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool ends_word(char c)
{
    return is_space(c) || (c && strchr(",:\"[]{}", c));
}

static void skip_space(struct cursor *c)
{
    while (c->pos < c->end && is_space(c->text[c->pos]))
        c->pos++;
}

/* The next byte that is no white space, or -1. */
static int peek(struct cursor *c)
{
    skip_space(c);
    return c->pos < c->end ? (unsigned char)c->text[c->pos] : -1;
}

static bool take(struct cursor *c, char wanted)
{
    if (peek(c) != wanted)
        return false;
    c->pos++;
    return true;
}

/* From an opening quote to behind the closing one. */
static bool skip_string(struct cursor *c)
{
    for (c->pos++; c->pos < c->end; c->pos++) {
        if (c->text[c->pos] == '\\')
            c->pos++;
        else if (c->text[c->pos] == '"')
            break;
    }
    if (c->pos >= c->end)
        return false;
    c->pos++;
    return true;
}

/* From an opening bracket to behind the one that closes it; what lies between need be no JSON. */
static bool skip_brackets(struct cursor *c)
{
    char *open = NULL;
    size_t depth = 0, cap = 0;
    bool fits = true;
    do {
        char b = c->text[c->pos];
        if (b == '"') {
            fits = skip_string(c);
            continue;
        }
        c->pos++;
        if (b == '{' || b == '[') {
            open = model_grow(open, &cap, depth, 1);
            open[depth++] = b;
        } else if (b == '}' || b == ']') {
            depth--;
            fits = open && open[depth] == (b == '}' ? '{' : '[');
        }
    } while (fits && depth && c->pos < c->end);
    free(open);
    return fits && !depth;
}

/* Any value that is no event. */
static bool skip_value(struct cursor *c)
{
    char b = c->text[c->pos];
    if (b == '"')
        return skip_string(c);
    if (b == '{' || b == '[')
        return skip_brackets(c);
    for (c->pos++; c->pos < c->end && !ends_word(c->text[c->pos]);)
        c->pos++;
    return true;
}

/* ---- one event ------------------------------------------------------------------------------- */

static bool read_value(struct cursor *c, int depth, struct model_value *value);

/* What lies between { and }, the first of which is taken. */
static bool read_members(struct cursor *c, int depth, member_function on_member, void *to)
{
    if (take(c, '}'))
        return true;
    do {
        struct model_value key, value;
        if (peek(c) != '"' || !read_value(c, depth, &key) || !take(c, ':') ||
            !read_value(c, depth, &value))
            return false;
        if (on_member)
            on_member(to, c->text, &key, &value);
    } while (take(c, ','));
    return take(c, '}');
}

static bool read_elements(struct cursor *c, int depth)
{
    struct model_value value;
    if (take(c, ']'))
        return true;
    do
        if (!read_value(c, depth, &value))
            return false;
    while (take(c, ','));
    return take(c, ']');
}

static bool read_word(struct cursor *c)
{
    size_t begin = c->pos;
    for (; c->pos < c->end && !ends_word(c->text[c->pos]); c->pos++) {
        unsigned char b = (unsigned char)c->text[c->pos]; /* char may be signed, or not */
        if (b <= ' ' || b >= 127)
            return false;
    }
    return c->pos > begin;
}

static bool read_value(struct cursor *c, int depth, struct model_value *value)
{
    int b = peek(c);
    size_t begin = c->pos;
    bool good;
    if (b == '"') {
        good = skip_string(c);
        *value = (struct model_value){MODEL_STRING, begin + 1, c->pos - begin - 2};
        return good;
    }
    if (b == '{' || b == '[') {
        c->pos++;
        good = depth < DEPTH_MAX &&
               (b == '{' ? read_members(c, depth + 1, NULL, NULL) : read_elements(c, depth + 1));
        *value = (struct model_value){MODEL_NESTED, begin, c->pos - begin};
        return good;
    }
    good = b >= 0 && read_word(c);
    *value = (struct model_value){MODEL_BARE, begin, c->pos - begin};
    return good;
}

bool model_is(const char *text, const struct model_value *value, const char *string)
{
    return value->kind == MODEL_STRING && value->len == strlen(string) &&
           memcmp(text + value->off, string, value->len) == 0;
}

static void note_member(void *to, const char *text, const struct model_value *key,
                        const struct model_value *value)
{
    struct model_event *e = to;
    const struct {
        const char *key;
        struct model_value *field;
    } fields[] = {{"ph", &e->ph},   {"name", &e->name}, {"cat", &e->cat}, {"ts", &e->ts},
                  {"dur", &e->dur}, {"pid", &e->pid},   {"tid", &e->tid}, {"bp", &e->bp},
                  {"s", &e->scope}, {"args", &e->args}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (model_is(text, key, fields[i].key))
            *fields[i].field = *value; /* of several the last one counts */
}

static void note_arg(void *to, const char *text, const struct model_value *key,
                     const struct model_value *value)
{
    struct model_event *e = to;
    if (model_is(text, key, "name"))
        e->arg_name = *value;
    if (model_is(text, key, "sort_index"))
        e->arg_sort_index = *value;
}

void model_read_event(const char *text, size_t off, size_t end, struct model_event *event)
{
    struct cursor c = {text, off, end};
    *event = (struct model_event){.off = off, .end = end};
    bool good = take(&c, '{') && read_members(&c, 1, note_member, event) && c.pos == end &&
                !memchr(text + off, 0, end - off);
    if (!good) {
        *event = (struct model_event){.off = off, .end = end};
        return;
    }
    event->readable = true;
    if (event->args.kind == MODEL_NESTED && text[event->args.off] == '{') {
        c = (struct cursor){text, event->args.off + 1, end};
        read_members(&c, 2, note_arg, event);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What lies between [ and ] of an array of events. A bare array need not have its ]. */
static bool read_array(struct model *m, size_t *cap, struct cursor *c, bool bare)
{
    for (;;) {
        int b = peek(c);
        size_t off = c->pos;
        if (b < 0)
            return bare;
        if (b == '{') {
            if (!skip_brackets(c))
                return false;
            m->events = model_grow(m->events, cap, m->nevents, sizeof *m->events);
            model_read_event(m->text, off, c->pos, &m->events[m->nevents++]);
        } else if (b == ']') {
            c->pos++;
            return true;
        } else if (b == ',') {
            c->pos++;
        } else if (b == '}' || !skip_value(c)) {
            return false;
        }
    }
}

static bool is_events_key(const char *text, size_t begin, size_t end)
{
    struct model_id key =
        model_id_of(text, &(struct model_value){MODEL_STRING, begin + 1, end - begin - 2});
    bool is = key.len == 11 && memcmp(key.string, "traceEvents", 11) == 0;
    free(key.string);
    return is;
}

/* What lies between { and } of the outer object. */
static bool read_outer(struct model *m, size_t *cap, struct cursor *c)
{
    bool any_array = false;
    for (;;) {
        int b = peek(c);
        size_t begin = c->pos;
        if (b == ',') {
            c->pos++;
            continue;
        }
        if (b == '}') {
            c->pos++;
            return any_array;
        }
        if (b != '"' || !skip_string(c))
            return false;
        bool events = is_events_key(m->text, begin, c->pos);
        if (!take(c, ':'))
            return false;
        b = peek(c);
        if (events && b == '[') {
            c->pos++;
            any_array = true;
            if (!read_array(m, cap, c, false))
                return false;
        } else if (b < 0 || b == ',' || b == '}' || b == ']' || !skip_value(c)) {
            return false;
        }
    }
}

bool model_read_events(struct model *m)
{
    struct cursor c = {m->text, 0, m->n};
    size_t cap = 0;
    bool good = false;
    if (m->n >= 3 && memcmp(m->text, "\xEF\xBB\xBF", 3) == 0)
        c.pos = 3;
    if (take(&c, '['))
        good = read_array(m, &cap, &c, true);
    else if (take(&c, '{'))
        good = read_outer(m, &cap, &c);
    for (size_t i = 0; i < m->nevents; i++)
        m->nunreadable += !m->events[i].readable;
    return good && peek(&c) < 0;
}
