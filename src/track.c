#include "track.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "plan.h"
#include "text.h"
#include "viewer_time.h"

void tracks_init(struct tracks *t)
{
    *t = (struct tracks){.last = TRACK_NONE};
}

void tracks_free(struct tracks *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct track *track = &t->items[i];
        free((char *)track->pid.string);
        free((char *)track->tid.string);
        free(track->pid_text);
        free(track->tid_text);
        free(track->name);
        free(track->sort_index);
    }
    free(t->items);
    free(t->by_slices);
    free(t->table);
    free(t->scratch);
    tracks_init(t);
}

int ident_compare(const struct ident *a, const struct ident *b)
{
    if (!a->string || !b->string) {
        if (a->string || b->string)
            return a->string ? 1 : -1;
        return (a->number > b->number) - (a->number < b->number);
    }
    int order = memcmp(a->string, b->string, a->len < b->len ? a->len : b->len);
    if (order == 0)
        return (a->len > b->len) - (a->len < b->len);
    return order < 0 ? -1 : 1;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
    return hash;
}

uint64_t ident_hash(const struct ident *pid, const struct ident *tid)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    const struct ident *ids[] = {pid, tid};
    for (int i = 0; i < 2; i++) {
        hash = hash_bytes(hash, ids[i]->string ? "s" : "n", 1);
        hash = ids[i]->string ? hash_bytes(hash, ids[i]->string, ids[i]->len)
                              : hash_bytes(hash, &ids[i]->number, sizeof ids[i]->number);
    }
    hash ^= hash >> 32; /* FNV's low bits are its weak ones */
    return hash ? hash : 1;
}

/* The table's slot that has (pid, tid), or the empty one where it would go. */
static size_t find_slot(const struct tracks *t, const struct ident *pid, const struct ident *tid)
{
    size_t slot = (size_t)ident_hash(pid, tid) & (t->table_size - 1);
    for (; t->table[slot]; slot = (slot + 1) & (t->table_size - 1)) {
        const struct track *track = &t->items[t->table[slot] - 1];
        if (ident_compare(&track->pid, pid) == 0 && ident_compare(&track->tid, tid) == 0)
            break;
    }
    return slot;
}

bool tracks_has(const struct tracks *t, const struct ident *pid, const struct ident *tid)
{
    return t->table_size && t->table[find_slot(t, pid, tid)];
}

/* Keeps the table at most half full. */
static bool grow_table(struct tracks *t)
{
    if (2 * (t->n + 1) <= t->table_size)
        return true;
    size_t size = t->table_size ? 2 * t->table_size : 256;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(t->table);
    t->table = table;
    t->table_size = size;
    for (size_t i = 0; i < t->n; i++)
        t->table[find_slot(t, &t->items[i].pid, &t->items[i].tid)] = (uint32_t)i + 1;
    return true;
}

static char *copy_text(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

/* A copy whose string is owned. Returns false if there is no memory. */
static bool copy_ident(struct ident *copy, const struct ident *id)
{
    *copy = *id;
    if (id->string)
        copy->string = copy_text(id->string, id->len);
    return !id->string || copy->string;
}

/* A new track; TRACK_NONE if there is no memory. */
static uint32_t add_track(struct tracks *t, const struct ident *pid, const struct ident *tid,
                          const char *pid_text, size_t pid_len, const char *tid_text,
                          size_t tid_len)
{
    struct track *items = array_grow(t->items, &t->cap, t->n + 1, sizeof *items);
    if (!items)
        return TRACK_NONE;
    t->items = items;
    if (t->n >= TRACKS_MAX || !grow_table(t))
        return TRACK_NONE;
    struct track *track = &items[t->n];
    *track = (struct track){.slices_rank = TRACK_NO_SLICES};
    t->n++; /* from here on tracks_free frees what it has */
    bool ok = copy_ident(&track->pid, pid) && copy_ident(&track->tid, tid);
    track->pid_text = copy_text(pid_text, pid_len);
    track->tid_text = copy_text(tid_text, tid_len);
    if (!ok || !track->pid_text || !track->tid_text)
        return TRACK_NONE;
    t->table[find_slot(t, pid, tid)] = (uint32_t)t->n;
    return (uint32_t)t->n - 1;
}

/* A number as the viewer reads an id: truncated; 0 outside of 32 bits. */
static uint32_t ident_number(const char *token, size_t n)
{
    int64_t whole;
    if (!number_whole(token, n, &whole) || whole < 0 || whole > UINT32_MAX)
        return 0;
    return (uint32_t)whole;
}

/* The id of a value. The content of a string is put into `out`, where the id points. */
static struct ident read_ident(const char *text, const struct value *value, struct buf *out)
{
    struct ident id = {0};
    if (value->kind == VALUE_BARE) {
        id.number = ident_number(text + value->off, value->len);
    } else if (value->kind == VALUE_STRING) {
        text_unescape(out, text + value->off, value->len);
        buf_add_char(out, 0); /* so that there is a string even if it is empty */
        if (!out->failed) {
            id.string = out->data;
            id.len = out->len - 1;
        }
    }
    return id;
}

/* Where a value stands, with the quotes of a string; nothing if it is absent or nested. */
static const char *written(const char *text, const struct value *value, size_t *n)
{
    bool quoted = value->kind == VALUE_STRING;
    *n = value->kind == VALUE_BARE || quoted ? value->len + 2 * (size_t)quoted : 0;
    return text + value->off - quoted;
}

/* Events of one thread often follow each other: is this one's pid and tid written as the last's? */
static bool same_as_last(struct tracks *t, const char *pid, size_t pid_len, const char *tid,
                         size_t tid_len)
{
    return t->last != TRACK_NONE && t->scratch_len == pid_len + 1 + tid_len &&
           memcmp(t->scratch, pid, pid_len) == 0 && t->scratch[pid_len] == 0 &&
           memcmp(t->scratch + pid_len + 1, tid, tid_len) == 0;
}

static bool remember_last(struct tracks *t, const char *pid, size_t pid_len, const char *tid,
                          size_t tid_len, uint32_t id)
{
    char *scratch = array_grow(t->scratch, &t->scratch_cap, pid_len + 1 + tid_len, 1);
    if (!scratch)
        return false;
    t->scratch = scratch;
    t->scratch_len = pid_len + 1 + tid_len;
    memcpy(scratch, pid, pid_len);
    scratch[pid_len] = 0;
    memcpy(scratch + pid_len + 1, tid, tid_len);
    t->last = id;
    return true;
}

static uint32_t find_or_add(struct tracks *t, const struct ident *pid, const struct ident *tid,
                            const char *pid_text, size_t pid_len, const char *tid_text,
                            size_t tid_len)
{
    if (t->table_size) {
        size_t slot = find_slot(t, pid, tid);
        if (t->table[slot])
            return t->table[slot] - 1;
    }
    return add_track(t, pid, tid, pid_text, pid_len, tid_text, tid_len);
}

uint32_t tracks_of_event(struct tracks *t, const char *text, const struct value *pid_value,
                         const struct value *tid_value)
{
    size_t pid_len, tid_len;
    const char *pid_text = written(text, pid_value, &pid_len);
    const char *tid_text = written(text, tid_value, &tid_len);
    if (same_as_last(t, pid_text, pid_len, tid_text, tid_len))
        return t->last;
    struct buf pid_string = {0}, tid_string = {0};
    struct ident pid = read_ident(text, pid_value, &pid_string);
    struct ident tid = read_ident(text, tid_value, &tid_string);
    if (!tid.string && tid.number == 0)
        tid = pid; /* tid 0 or missing: the main thread */
    uint32_t id = TRACK_NONE;
    if (!pid_string.failed && !tid_string.failed)
        id = find_or_add(t, &pid, &tid, pid_text, pid_len, tid_text, tid_len);
    buf_free(&pid_string);
    buf_free(&tid_string);
    if (id != TRACK_NONE && !remember_last(t, pid_text, pid_len, tid_text, tid_len, id))
        return TRACK_NONE;
    return id;
}

uint32_t tracks_slices_rank(struct tracks *t, uint32_t id)
{
    struct track *track = &t->items[id];
    if (track->slices_rank == TRACK_NO_SLICES) {
        uint32_t *ids = array_grow(t->by_slices, &t->by_slices_cap, t->nby_slices + 1, sizeof *ids);
        if (!ids)
            return TRACK_NONE;
        t->by_slices = ids;
        ids[t->nby_slices] = id;
        track->slices_rank = (uint32_t)t->nby_slices++;
    }
    return track->slices_rank;
}

const struct track *tracks_by_rank(const struct tracks *t, uint32_t rank)
{
    return &t->items[t->by_slices[rank]];
}

static bool replace(char **old, const char *text, size_t n)
{
    char *copy = copy_text(text, n);
    if (!copy)
        return false;
    free(*old);
    *old = copy;
    return true;
}

bool tracks_note_metadata(struct tracks *t, uint32_t id, const char *text,
                          const struct event *event)
{
    struct track *track = &t->items[id];
    int64_t ts_ns = 0;
    if (event->ts.kind == VALUE_BARE || event->ts.kind == VALUE_STRING)
        if (!viewer_ns(text + event->ts.off, event->ts.len, &ts_ns))
            ts_ns = 0;
    const struct value *name = &event->arg_name, *sort = &event->arg_sort_index;
    if (value_is(text, &event->name, "thread_name") && name->kind == VALUE_STRING &&
        (!track->name || ts_ns >= track->name_ts_ns)) {
        track->name_ts_ns = ts_ns;
        return replace(&track->name, text + name->off, name->len);
    }
    if (value_is(text, &event->name, "thread_sort_index") &&
        (sort->kind == VALUE_BARE || sort->kind == VALUE_STRING) &&
        number_valid(text + sort->off, sort->len) &&
        (!track->sort_index || ts_ns < track->sort_ts_ns)) {
        size_t n;
        const char *token = written(text, sort, &n); /* Bazel writes "10014", with quotes */
        track->sort_ts_ns = ts_ns;
        return replace(&track->sort_index, token, n);
    }
    return true;
}
