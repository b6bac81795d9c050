#include "quotes.h"

#include <stdlib.h>

#include "text.h"
#include "torn.h"

#define NOWHERE SIZE_MAX

void quotes_init(struct quotes *q)
{
    *q = (struct quotes){0};
    key_order_init(&q->order);
}

void quotes_free(struct quotes *q)
{
    free(q->places);
    nest_free(&q->nest);
    shape_free(&q->shape);
    mend_free(&q->mend);
    buf_free(&q->escaped);
}

/* A piece of text that is walked through. */
struct walk {
    struct quotes *q;
    const char *text;
    size_t n, pos;
    bool at_end;
    bool no_memory;
    int key; /* the number of the last one (key_order.h) */
};

/* ---- what stands somewhere ------------------------------------------------------------------- */

static size_t skip_space(const struct walk *w, size_t at)
{
    while (at < w->n && text_is_space(w->text[at]))
        at++;
    return at;
}

/* Is the byte b at *at, or behind the white space there? Then *at is behind it. */
static bool take(const struct walk *w, size_t *at, char b)
{
    size_t i = skip_space(w, *at);
    if (i == w->n || w->text[i] != b)
        return false;
    *at = i + 1;
    return true;
}

/* The first quote from `at` on that is not escaped; NOWHERE if there is none. */
static size_t next_quote(const struct walk *w, size_t at)
{
    for (; at < w->n; at++) {
        if (w->text[at] == '"')
            return at;
        at += w->text[at] == '\\';
    }
    return NOWHERE;
}

/* Does a key stand at `at`, and a colon behind it? Then *key is its number. */
static bool is_key(const struct walk *w, size_t at, int *key)
{
    if (!take(w, &at, '"'))
        return false;
    size_t end = next_quote(w, at);
    if (end == NOWHERE)
        return false;
    *key = key_order_find(&w->q->order, w->text + at, end - at);
    end++;
    return take(w, &end, ':');
}

/* Does an event end behind the } that stands before `at`? */
static bool is_event_end(const struct walk *w, size_t at)
{
    int key;
    while (take(w, &at, ','))
        ;
    if (take(w, &at, '{'))
        return is_key(w, at, &key) && key_order_fits(&w->q->order, KEY_ORDER_EDGE, key);
    if (!take(w, &at, ']'))
        return false;
    if (w->at_end && skip_space(w, at) == w->n)
        return true;
    return take(w, &at, '}') || (take(w, &at, ',') && take(w, &at, '"'));
}

enum ending { END_NONE, END_MEMBER, END_EVENT };

/* What ends behind the quote at `at`? With END_MEMBER, *key is the number of the next key. */
static enum ending ending_at(const struct walk *w, size_t at, int *key)
{
    at++;
    if (take(w, &at, ','))
        return is_key(w, at, key) ? END_MEMBER : END_NONE;
    *key = KEY_ORDER_EDGE;
    return take(w, &at, '}') && is_event_end(w, at) ? END_EVENT : END_NONE;
}

/* Does the quote at `at`, in a string that begins at `begin`, end a key that is known? */
static bool ends_key(const struct walk *w, size_t begin, size_t at)
{
    size_t key = at, behind = at + 1;
    while (key > begin && !strchr("\"{[,: \t\n\r", w->text[key - 1]))
        key--;
    if (key_order_find(&w->q->order, w->text + key, at - key) < 0)
        return false;
    return take(w, &behind, ':') || (key > begin && w->text[key - 1] == '"');
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* From a key at w->pos to the value behind it. */
static bool walk_key(struct walk *w, bool learn)
{
    if (!take(w, &w->pos, '"'))
        return false;
    size_t end = next_quote(w, w->pos);
    if (end == NOWHERE)
        return false;
    struct key_order *order = &w->q->order;
    const char *key = w->text + w->pos;
    size_t n = end - w->pos;
    int before = w->key;
    w->key = learn ? key_order_add(order, key, n) : key_order_find(order, key, n);
    if (learn)
        key_order_learn(order, before, w->key);
    w->pos = end + 1;
    if (!take(w, &w->pos, ':'))
        return false;
    w->pos = skip_space(w, w->pos);
    return w->pos < w->n;
}

/* From a value in brackets or quotes, or a bare one, to behind it. */
static bool walk_value(struct walk *w)
{
    char b = w->text[w->pos];
    if (b != '{' && b != '[' && b != '"') {
        while (w->pos < w->n && w->text[w->pos] != ',' && w->text[w->pos] != '}')
            w->pos++;
        return true;
    }
    size_t used;
    nest_begin(&w->q->nest);
    enum nest_result result = nest_run(&w->q->nest, w->text + w->pos, w->n - w->pos, &used);
    w->no_memory = result == NEST_NO_MEMORY;
    w->pos += used;
    return result == NEST_CLOSED;
}

bool quotes_learn(struct quotes *q, const char *text, size_t n)
{
    struct walk w = {.q = q, .text = text, .n = n, .pos = 1, .key = KEY_ORDER_EDGE};
    while (walk_key(&w, true) && walk_value(&w) && take(&w, &w.pos, ','))
        ;
    if (take(&w, &w.pos, '}'))
        key_order_learn(&q->order, w.key, KEY_ORDER_EDGE);
    return !w.no_memory;
}

bool quotes_learn_ahead(struct quotes *q, const char *text, size_t n)
{
    for (size_t i = torn_next(text, n, 0), used; i < n; i = torn_next(text, n, i)) {
        shape_begin(&q->shape, TORN_DEPTH_MAX);
        enum shape_result result = shape_run(&q->shape, text + i, n - i, &used);
        bool event = result == SHAPE_CLOSED && q->shape.has_ph;
        if (result == SHAPE_NO_MEMORY || (event && !quotes_learn(q, text + i, used)))
            return false;
        i += event ? used : 1;
    }
    return true;
}

static bool add_place(struct walk *w, size_t at)
{
    struct quotes *q = w->q;
    uint32_t *places = array_grow(q->places, &q->cap, q->n + 1, sizeof *places);
    w->no_memory = !places;
    if (!places)
        return false;
    q->places = places;
    places[q->n++] = (uint32_t)at;
    return true;
}

/* Does an event end in text[at, end), which is a part of a string? */
static bool holds_event_end(const struct walk *w, size_t at, size_t end)
{
    for (; at < end; at++)
        if (w->text[at] == '}' && is_event_end(w, at + 1))
            return true;
    return false;
}

/* May the quote at `at` be one that is not escaped, in a string that begins at `begin`? */
static bool may_be_inner(const struct walk *w, size_t begin, size_t at)
{
    size_t behind = at + 1;
    if (w->key < 0 || w->key == KEY_ORDER_PH || ends_key(w, begin, at))
        return false;
    return key_order_is_learnt(&w->q->order, w->key) || !take(w, &behind, ',');
}

/* From a string to behind it, wherever that is; its quotes are added to the places. Returns false
 * if its end is not certain. */
static bool walk_string(struct walk *w)
{
    int key;
    size_t begin = w->pos + 1, at = next_quote(w, begin), before = at;
    bool first = true;
    for (; at != NOWHERE; at = next_quote(w, at + 1), first = false) {
        if (holds_event_end(w, before + 1, at))
            return false;
        enum ending ending = ending_at(w, at, &key);
        if (ending == END_EVENT || (ending == END_MEMBER && (first || key >= 0)))
            break;
        w->pos = before = at;
        if (!may_be_inner(w, begin, at) || !add_place(w, at))
            return false;
    }
    w->pos = at == NOWHERE ? w->n : at + 1;
    return at != NOWHERE && (first || key_order_fits(&w->q->order, w->key, key));
}

/* From the { to behind the }. Returns false if the event is not certain. */
static bool walk_event(struct walk *w)
{
    uint64_t seen = 0;
    do {
        if (!walk_key(w, false))
            return false;
        uint64_t bit = w->key < 0 ? 0 : UINT64_C(1) << w->key;
        if (seen & bit || !(w->text[w->pos] == '"' ? walk_string(w) : walk_value(w)))
            return false;
        seen |= bit;
    } while (take(w, &w->pos, ','));
    return take(w, &w->pos, '}') && seen & UINT64_C(1) << KEY_ORDER_PH && is_event_end(w, w->pos);
}

/* Can text[0, n) be mended once the quotes are escaped? */
static bool is_mendable(struct walk *w, size_t n)
{
    struct quotes *q = w->q;
    finding_set found;
    size_t done = 0;
    q->escaped.len = 0;
    for (size_t i = 0; i < q->n; i++) {
        buf_add(&q->escaped, w->text + done, q->places[i] - done);
        buf_add_char(&q->escaped, '\\');
        done = q->places[i];
    }
    buf_add(&q->escaped, w->text + done, n - done);
    w->no_memory = q->escaped.failed;
    if (w->no_memory)
        return false;
    enum mend_result result = mend_event(&q->mend, q->escaped.data, q->escaped.len, NULL, &found);
    w->no_memory = result == MEND_NO_MEMORY;
    return result == MEND_SAME || result == MEND_DONE;
}

enum quotes_result quotes_find(struct quotes *q, const char *text, size_t n, bool at_end,
                               size_t *end)
{
    struct walk w = {
        .q = q, .text = text, .n = n, .pos = 1, .at_end = at_end, .key = KEY_ORDER_EDGE};
    q->n = 0;
    bool found = walk_event(&w) && q->n && is_mendable(&w, w.pos);
    *end = w.pos;
    return w.no_memory ? QUOTES_NO_MEMORY : found ? QUOTES_FOUND : QUOTES_NONE;
}
