#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "flow.h"
#include "patch.h"
#include "text.h"
#include "torn.h"

/* A buffer that one giant event has grown beyond this is given back. */
enum { KEPT_NBYTES = 1 << 22 };

bool batch_init(struct batch *b, struct hash_key key)
{
    *b = (struct batch){.job.run = batch_read, .parser = event_parser_new(), .key = key};
    return b->parser != NULL;
}

void batch_free(struct batch *b)
{
    free(b->text);
    free(b->items);
    free(b->spans);
    free(b->metadata);
    event_parser_free(b->parser);
}

char *batch_room(struct batch *b, size_t n)
{
    char *text = array_grow(b->text, &b->cap, b->len + n, 1);
    if (!text)
        return NULL;
    b->text = text;
    return text + b->len;
}

void batch_shrink(struct batch *b)
{
    if (b->cap <= KEPT_NBYTES)
        return;
    free(b->text);
    b->text = NULL;
    b->cap = b->len = 0;
}

bool batch_begin(struct batch *b, const struct batch *before, uint64_t keep)
{
    batch_shrink(b);
    b->nitems = b->nspans = b->nmetadata = b->len = 0;
    b->off = keep;
    size_t done = before ? (size_t)(keep - before->off) : 0, n = before ? before->len - done : 0;
    if (!n)
        return true;
    char *room = batch_room(b, n);
    if (!room)
        return false;
    memcpy(room, before->text + done, n);
    b->len = n;
    return true;
}

void batch_drop(struct batch *b, uint64_t keep)
{
    size_t done = (size_t)(keep - b->off);
    if (!done)
        return;
    memmove(b->text, b->text + done, b->len - done);
    b->len -= done;
    b->off = keep;
}

bool batch_add(struct batch *b, const struct cut *cut)
{
    struct outline outline = event_outline(cut->nest);
    struct item *items = array_grow(b->items, &b->items_cap, b->nitems + 1, sizeof *items);
    if (!items)
        return false;
    b->items = items;
    if (outline.ninner) {
        struct span *spans =
            array_grow(b->spans, &b->spans_cap, b->nspans + outline.ninner, sizeof *spans);
        if (!spans)
            return false;
        b->spans = spans;
        memcpy(spans + b->nspans, outline.inner, outline.ninner * sizeof *spans);
    }
    items[b->nitems++] = (struct item){.off = cut->off,
                                       .len = cut->len,
                                       .inner = (uint32_t)b->nspans,
                                       .ninner = outline.ninner,
                                       .too_deep = outline.too_deep,
                                       .odd = cut->nest->odd};
    b->nspans += outline.ninner;
    return true;
}

static bool add_metadata(struct batch *b, struct item *item, const struct event *event)
{
    struct event *metadata =
        array_grow(b->metadata, &b->metadata_cap, b->nmetadata + 1, sizeof *metadata);
    if (!metadata)
        return false;
    b->metadata = metadata;
    item->metadata = (uint32_t)b->nmetadata;
    metadata[b->nmetadata++] = *event;
    return true;
}

/* The hash of a name or category, or EDGE_ANY. Returns false if there is no memory. */
static bool hash_value(const struct batch *b, const char *text, const struct value *value,
                       uint64_t *hash)
{
    const char *raw = text + value->off;
    bool null = value->kind == VALUE_BARE && value->len == 4 && memcmp(raw, "null", 4) == 0;
    *hash = EDGE_ANY;
    if (value->kind == VALUE_NONE || null)
        return true;
    struct buf plain = {0};
    if (value->kind == VALUE_STRING && memchr(raw, '\\', value->len)) {
        text_unescape(&plain, raw, value->len);
        *hash = edge_text_hash(hash_bytes(b->key, plain.data, plain.len));
    } else {
        *hash = edge_text_hash(hash_bytes(b->key, raw, value->len));
    }
    bool ok = !plain.failed;
    buf_free(&plain);
    return ok;
}

/* A B or an E. Returns false if there is no memory. */
static bool take_edge(const struct batch *b, struct item *item, const char *text,
                      const struct event *event)
{
    item->kind = ITEM_DRAWN;
    if (!event_is_edge(text, event, &item->start_ns))
        return true;
    item->kind = event->ph == 'B' ? ITEM_BEGIN : ITEM_END;
    return hash_value(b, text, &event->name, &item->edge.name) &&
           hash_value(b, text, &event->cat, &item->edge.cat);
}

/* An event that is understood. Returns false if there is no memory. */
static bool take_event(struct batch *b, struct item *item, const char *text,
                       const struct event *event)
{
    struct event_times times;
    item->pid = event->pid;
    item->tid = event->tid;
    if (event_is_slice(text, event, &times)) {
        item->kind = ITEM_SLICE;
        item->start_ns = times.start_ns;
        item->end_ns = times.start_ns + times.dur_ns;
    } else if (event_is_flow(text, event, &item->start_ns)) {
        item->kind = ITEM_FLOW;
        item->owner = event_binds_enclosing(text, event) ? FLOW_ENCLOSING : FLOW_NEXT;
    } else if (event->ph == 'M') {
        item->kind = ITEM_THREAD;
        return add_metadata(b, item, event);
    } else if (event->ph == 'B' || event->ph == 'E') {
        return take_edge(b, item, text, event);
    } else if (event->ph && strchr("iIR", event->ph)) {
        item->kind = ITEM_DRAWN;
    }
    return true;
}

/* Notes of an event that can not be what its writer meant whether another one has torn it. Returns
 * false if there is no memory. */
static bool look_for_torn(struct item *item, const char *text)
{
    size_t at;
    enum torn_result result = torn_find(text, item->len, &at);
    if (result == TORN_YES) {
        item->kind = ITEM_TORN;
        item->torn_at = (uint32_t)at;
    }
    return result != TORN_NO_MEMORY;
}

/* Returns false if there is no memory. */
static bool read_item(struct batch *b, struct item *item)
{
    const char *text = batch_text(b, item);
    struct outline outline = {NULL, item->ninner, item->too_deep};
    if (item->ninner)
        outline.inner = b->spans + item->inner;
    struct event event;
    bool ok = true;
    switch (event_parse(b->parser, text, item->len, &outline, &event)) {
    case EVENT_OK:
        ok = take_event(b, item, text, &event);
        break;
    case EVENT_UNREAD:
        item->kind = ITEM_UNREAD;
        break;
    case EVENT_NO_MEMORY:
        return false;
    }
    bool strange = item->odd || item->kind == ITEM_UNREAD;
    return ok && (!strange || look_for_torn(item, text));
}

void batch_read(struct job *job)
{
    struct batch *b = (struct batch *)job;
    b->no_memory = false;
    for (size_t i = 0; i < b->nitems && !b->no_memory; i++)
        b->no_memory = !read_item(b, &b->items[i]);
}
