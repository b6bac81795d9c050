#include "kind.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "text.h"

static const struct {
    const char *cat;
    enum kind kind;
} KNOWN[] = {
    {"user_annotation", KIND_MARK},
    {"gpu_user_annotation", KIND_MARK},
    {"cuda_sync", KIND_MARK},
    {"Trace", KIND_MARK},
    {"python_function", KIND_PYTHON},
    {"cpu_op", KIND_OP},
    {"Operator", KIND_OP},
    {"cuda_runtime", KIND_RUNTIME},
    {"cuda_driver", KIND_RUNTIME},
    {"Runtime", KIND_RUNTIME},
    {"mtia_runtime", KIND_RUNTIME},
    {"xpu_runtime", KIND_RUNTIME},
    {"glow_runtime", KIND_RUNTIME},
    {"privateuse1_runtime", KIND_RUNTIME},
    {"privateuse1_driver", KIND_RUNTIME},
    {"kernel", KIND_DEVICE},
    {"Kernel", KIND_DEVICE},
    {"gpu_memcpy", KIND_DEVICE},
    {"Memcpy", KIND_DEVICE},
    {"gpu_memset", KIND_DEVICE},
    {"Memset", KIND_DEVICE},
    {"mtia_ccp_events", KIND_DEVICE},
    {"collective_comm", KIND_DEVICE},
};

enum { NKNOWN = sizeof KNOWN / sizeof *KNOWN };

/* Looks one category up. */
static bool find_kind(const char *cat, size_t n, enum kind *kind)
{
    for (size_t i = 0; i < NKNOWN; i++) {
        if (strlen(KNOWN[i].cat) == n && memcmp(KNOWN[i].cat, cat, n) == 0) {
            *kind = KNOWN[i].kind;
            return true;
        }
    }
    return false;
}

/* The next element of a list with commas that goes on at *p, in *cat; false at its end. */
static bool next_cat(const char **p, const char *end, const char **cat, size_t *n)
{
    if (*p >= end)
        return false;
    const char *comma = memchr(*p, ',', (size_t)(end - *p));
    *cat = *p;
    *n = (size_t)((comma ? comma : end) - *p);
    *p = comma ? comma + 1 : end;
    return true;
}

/* The kind by categories. */
static enum kind kind_of_cats(const char *cats, size_t n)
{
    enum kind kind = KIND_OP;
    const char *p = cats, *end = cats + n, *cat;
    for (size_t len; next_cat(&p, end, &cat, &len);)
        if (find_kind(cat, len, &kind))
            break;
    return kind;
}

static bool is_step(const char *text, const struct value *name)
{
    static const char step[] = "ProfilerStep";
    return name->kind == VALUE_STRING && name->len >= sizeof step - 1 &&
           memcmp(text + name->off, step, sizeof step - 1) == 0;
}

/* Is a category among those of a list with commas? */
static bool has_cat(const char *list, const char *cat, size_t n)
{
    const char *p = list, *end = list + strlen(list), *item;
    for (size_t len; next_cat(&p, end, &item, &len);)
        if (n && len == n && memcmp(item, cat, n) == 0)
            return true;
    return false;
}

/* Is one of the categories cats[0, n) named? */
static bool are_named(const char *cats, size_t n, const char *const *lists, size_t nlists)
{
    const char *p = cats, *end = cats + n, *cat;
    for (size_t len; nlists && next_cat(&p, end, &cat, &len);)
        for (size_t i = 0; i < nlists; i++)
            if (has_cat(lists[i], cat, len))
                return true;
    return false;
}

bool kind_byte(const char *text, const struct event *event, const struct kind_rules *rules,
               uint8_t *byte)
{
    struct buf plain = {0};
    const char *cats = text + event->cat.off;
    size_t n = event->cat.kind == VALUE_STRING ? event->cat.len : 0;
    if (n && memchr(cats, '\\', n)) {
        text_unescape(&plain, cats, n);
        cats = plain.data;
        n = plain.len;
    }
    enum kind kind = KIND_OP;
    if (rules->kinds && !plain.failed) {
        bool mark = is_step(text, &event->name) || are_named(cats, n, rules->soft, rules->nsoft);
        kind = mark ? KIND_MARK : kind_of_cats(cats, n);
    }
    *byte = (uint8_t)kind;
    if (!plain.failed && are_named(cats, n, rules->keep, rules->nkeep))
        *byte |= KIND_KEEP_TIMES;
    bool ok = !plain.failed;
    buf_free(&plain);
    return ok;
}

bool kinds_add(struct kinds *kinds, uint64_t off, uint8_t byte)
{
    if (byte == KIND_OP)
        return true;
    uint64_t *items = array_grow(kinds->items, &kinds->cap, kinds->n + 1, sizeof *items);
    if (!items)
        return false;
    assert(!kinds->n || items[kinds->n - 1] >> 8 < off);
    kinds->items = items;
    items[kinds->n++] = off << 8 | byte;
    kinds->nkept += (byte & KIND_KEEP_TIMES) != 0;
    return true;
}

uint8_t kinds_get(const struct kinds *kinds, uint64_t off)
{
    size_t lo = 0, hi = kinds->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (kinds->items[mid] >> 8 < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    bool found = lo < kinds->n && kinds->items[lo] >> 8 == off;
    return found ? (uint8_t)kinds->items[lo] : KIND_OP;
}

void kinds_free(struct kinds *kinds)
{
    free(kinds->items);
    *kinds = (struct kinds){0};
}
