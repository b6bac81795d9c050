#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "examine.h"
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

void batch_examine(struct batch *b, bool deep)
{
    b->examine = true;
    b->deep = deep;
    event_parser_examine(b->parser, true);
}

void batch_note_kinds(struct batch *b, const struct kind_rules *rules)
{
    b->kind_rules = rules;
}

void batch_repair(struct batch *b, const struct repair_rules *rules)
{
    b->repair = true;
    b->repairer = (struct repairer){.rules = rules, .parser = b->parser};
}

void batch_free(struct batch *b)
{
    free(b->text);
    free(b->items);
    free(b->spans);
    free(b->metadata);
    event_parser_free(b->parser);
    mend_free(&b->mend);
    repairer_free(&b->repairer);
    buf_free(&b->repaired);
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
    buf_free(&b->repaired);
}

bool batch_begin(struct batch *b, const struct batch *before, uint64_t keep)
{
    batch_shrink(b);
    b->nitems = b->nspans = b->nmetadata = b->len = b->repaired.len = 0;
    b->ts_range = (struct ts_range){0};
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
    item->ph = event->ph;
    item->on_thread = b->deep && event_is_on_thread(text, event);
    bool slice = event->ph == 'X' || event->ph == 'B';
    if (b->kind_rules && slice && !kind_byte(text, event, b->kind_rules, &item->kind_byte))
        return false;
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

/* A hash of what a flow's endpoints have in common (perfetto.md, Flow arrows). */
static uint64_t hash_flow(struct hash_key key, const char *text, const struct event *event)
{
    uint64_t parts[] = {hash_bytes(key, text + event->id.off, event->id.len),
                        hash_bytes(key, text + event->cat.off, event->cat.len),
                        hash_bytes(key, text + event->name.off, event->name.len)};
    return hash_bytes(key, parts, sizeof parts);
}

/* Adds what is wrong with the text of an event. Returns false if there is no memory. */
static bool examine_text(struct batch *b, struct item *item, const char *text)
{
    finding_set found = 0;
    enum mend_result result = mend_event(&b->mend, text, item->len, NULL, &found);
    item->found |= found;
    item->unmendable = result == MEND_CANNOT;
    if (item->unmendable && !item->found)
        item->found = FINDING_BIT(FINDING_BAD_ARGS);
    return result != MEND_NO_MEMORY;
}

/* Notes what is wrong with an event that is understood. Returns false if there is no memory. */
static bool examine(struct batch *b, struct item *item, const char *text, const struct event *event)
{
    bool good_times = item->kind == ITEM_SLICE || item->kind == ITEM_FLOW;
    item->name = event->name;
    item->found =
        event->found | examine_id(text, &event->pid) | examine_id(text, &event->tid) |
        (good_times ? examine_good_times(text, event, item->start_ns) : examine_times(text, event));
    if (b->deep && event->ph != 'M' &&
        (event->ts.kind == VALUE_BARE || event->ts.kind == VALUE_STRING))
        ts_range_note(&b->ts_range, text + event->ts.off, event->ts.len,
                      event->ts.kind == VALUE_STRING);
    item->starts_flow = b->deep && item->kind == ITEM_FLOW && event->ph == 's';
    if (item->starts_flow)
        item->flow_hash = hash_flow(b->key, text, event);
    /* For bad args of these two the viewer reads for ever */
    bool look = b->deep || event->ph == 'C' || event->ph == 'M';
    return !look || examine_text(b, item, text);
}

/* Reads an event, as it is or as it is repaired. */
static enum event_status parse_item(struct batch *b, struct item *item, struct event *event)
{
    const char *text = batch_text(b, item);
    struct outline outline = {NULL, item->ninner, item->too_deep};
    if (item->ninner)
        outline.inner = b->spans + item->inner;
    if (!b->repair)
        return event_parse(b->parser, text, item->len, &outline, event);
    struct repaired repaired;
    enum event_status status =
        repair_event(&b->repairer, text, item->len, &outline, true, &repaired);
    *event = repaired.event;
    item->repaired = status != EVENT_NO_MEMORY && repaired.changed;
    if (!item->repaired)
        return status;
    item->repaired_at = b->repaired.len;
    item->len = (uint32_t)repaired.n;
    buf_add(&b->repaired, repaired.text, repaired.n);
    return b->repaired.failed ? EVENT_NO_MEMORY : status;
}

/* Returns false if there is no memory. */
static bool read_item(struct batch *b, struct item *item)
{
    struct event event;
    enum event_status status = parse_item(b, item, &event);
    if (status == EVENT_NO_MEMORY)
        return false;
    const char *text = batch_text(b, item);
    if (status == EVENT_OK) {
        if (!take_event(b, item, text, &event) || (b->examine && !examine(b, item, text, &event)))
            return false;
        bool may_match = b->query && (item->kind == ITEM_SLICE || item->kind == ITEM_BEGIN);
        if (may_match && !query_match(b->query, text, &event.name, &item->match))
            return false;
    } else {
        item->kind = ITEM_UNREAD;
        item->found = FINDING_BIT(FINDING_UNREAD);
        if (b->deep && !examine_text(b, item, text)) /* it may be mended even so */
            return false;
    }
    bool strange = item->odd || item->kind == ITEM_UNREAD;
    return !strange || b->repair || look_for_torn(item, text);
}

void batch_read(struct job *job)
{
    struct batch *b = (struct batch *)job;
    b->no_memory = false;
    for (size_t i = 0; i < b->nitems && !b->no_memory; i++)
        b->no_memory = !read_item(b, &b->items[i]);
}
