#include "kind.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

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

enum kind kind_of(const char *text, const struct event *event)
{
    static const char step[] = "ProfilerStep";
    enum kind kind = KIND_OP;
    const struct value *name = &event->name, *cat = &event->cat;
    if (name->kind == VALUE_STRING && name->len >= sizeof step - 1 &&
        memcmp(text + name->off, step, sizeof step - 1) == 0)
        return KIND_MARK;
    if (cat->kind != VALUE_STRING)
        return KIND_OP;
    const char *p = text + cat->off, *end = p + cat->len;
    for (const char *comma; p < end; p = comma + 1) {
        comma = memchr(p, ',', (size_t)(end - p));
        if (!comma)
            comma = end;
        if (find_kind(p, (size_t)(comma - p), &kind) || comma == end)
            break;
    }
    return kind;
}

bool kinds_add(struct kinds *kinds, uint64_t off, uint8_t byte)
{
    if (byte == KIND_OP)
        return true;
    uint64_t *items = array_grow(kinds->items, &kinds->cap, kinds->n + 1, sizeof *items);
    if (!items)
        return false;
    kinds->items = items;
    items[kinds->n++] = off << 8 | byte;
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
