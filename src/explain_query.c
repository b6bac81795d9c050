#include "explain_query.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "text.h"

struct query query_make(const char *text)
{
    struct query q = {.text = text, .len = strlen(text)};
    q.by_event = q.len > 0;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9') {
            q.by_event = false;
            break;
        }
        unsigned digit = (unsigned)(*p - '0');
        q.event = q.event > (UINT64_MAX - digit) / 10 ? UINT64_MAX : q.event * 10 + digit;
    }
    return q;
}

static bool contains(const char *text, size_t n, const char *part, size_t m)
{
    for (const char *p = text, *end = text + n; (size_t)(end - p) >= m; p++) {
        p = memchr(p, part[0], (size_t)(end - p) - m + 1);
        if (!p)
            return false;
        if (memcmp(p, part, m) == 0)
            return true;
    }
    return false;
}

static enum match compare(const struct query *query, const char *name, size_t n)
{
    if (n == query->len && memcmp(name, query->text, n) == 0)
        return MATCH_WHOLE;
    return query->len && contains(name, n, query->text, query->len) ? MATCH_PART : MATCH_NONE;
}

bool query_match(const struct query *query, const char *text, const struct value *name,
                 enum match *match)
{
    *match = MATCH_NONE;
    if (query->by_event || (name->kind != VALUE_STRING && name->kind != VALUE_BARE))
        return true;
    const char *raw = text + name->off;
    if (name->kind == VALUE_BARE || !memchr(raw, '\\', name->len)) {
        *match = compare(query, raw, name->len);
        return true;
    }
    struct buf plain = {0};
    text_unescape(&plain, raw, name->len);
    if (!plain.failed)
        *match = compare(query, plain.data, plain.len);
    bool ok = !plain.failed;
    buf_free(&plain);
    return ok;
}

/* Until matches_resolve the lowest bits of an item say how it fits, and whether it is a B. */
enum { MATCH_BITS = 3, MATCH_MASK = 3, MATCH_EDGE = 4 };

bool matches_add(struct matches *m, uint64_t off, enum match match, bool edge)
{
    uint64_t *items = array_grow(m->items, &m->cap, m->n + 1, sizeof *items);
    if (!items)
        return false;
    m->items = items;
    items[m->n++] = off << MATCH_BITS | (edge ? MATCH_EDGE : 0) | (uint64_t)match;
    return true;
}

void matches_free(struct matches *m)
{
    free(m->items);
    *m = (struct matches){0};
}

bool matches_have(const struct matches *m, uint64_t off)
{
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->items[mid] < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->n && m->items[lo] == off;
}

/* The first pair from *next on whose B stands at or behind an offset: is it that one? */
static bool has_pair(const struct pairs *pairs, size_t *next, uint64_t off)
{
    while (*next < pairs->n && pairs->items[*next].begin_off < off)
        ++*next;
    return *next < pairs->n && pairs->items[*next].begin_off == off;
}

/* What an event is that is no slice. */
static const char *other_event(const struct matches *m)
{
    if (m->is_unread)
        return "the event to explain cannot be understood, so it is no slice";
    switch (m->ph) {
    case 'X':
        return "the event to explain is no slice: an X without a ts and dur that can be read";
    case 'B':
        return "the event to explain is no slice: a B without its E, or with it at one time";
    case 'E':
        return "the event to explain is no slice: an E without its B, or with it at one time";
    case 's':
    case 't':
    case 'f':
        return "the event to explain is no slice: an endpoint of a flow arrow";
    case 'M':
        return "the event to explain is no slice: metadata";
    case 'C':
        return "the event to explain is no slice: a counter";
    case 'i':
    case 'I':
    case 'R':
        return "the event to explain is no slice: an instant";
    default:
        return "the event to explain is no slice";
    }
}

/* The event with the number becomes the slice that it is, or that it begins or ends. */
static bool resolve_event(struct matches *m, const struct query *query, const struct pairs *pairs,
                          struct lanefix_error *err)
{
    if (!m->seen)
        return fail(err, LANEFIX_ERR_NO_SLICE, "no event has that number");
    uint64_t off = m->off;
    bool found = m->is_slice;
    for (size_t i = 0; !found && m->is_edge && i < pairs->n; i++) {
        found = pairs->items[i].begin_off == m->off || pairs->items[i].end_off == m->off;
        off = pairs->items[i].begin_off;
    }
    if (!found)
        return fail_at(err, LANEFIX_ERR_NO_SLICE, other_event(m), m->off, query->event);
    if (!matches_add(m, off, MATCH_WHOLE, false))
        return fail_memory(err);
    m->items[0] = off;
    m->whole = true;
    return true;
}

bool matches_resolve(struct matches *m, const struct query *query, const struct pairs *pairs,
                     struct lanefix_error *err)
{
    if (query->by_event)
        return resolve_event(m, query, pairs, err);
    size_t next = 0, nslices = 0, n = 0;
    m->whole = false;
    for (size_t i = 0; i < m->n; i++) {
        uint64_t item = m->items[i];
        if ((item & MATCH_EDGE) && !has_pair(pairs, &next, item >> MATCH_BITS))
            continue;
        m->items[nslices++] = item;
        m->whole |= (item & MATCH_MASK) == MATCH_WHOLE;
    }
    for (size_t i = 0; i < nslices; i++)
        if (!m->whole || (m->items[i] & MATCH_MASK) == MATCH_WHOLE)
            m->items[n++] = m->items[i] >> MATCH_BITS;
    m->n = n;
    return n || fail(err, LANEFIX_ERR_NO_SLICE, "no slice has that name");
}
