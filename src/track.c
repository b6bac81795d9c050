#include "track.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "plan.h"
#include "text.h"
#include "viewer_time.h"

void tracks_init(struct tracks *t)
{
    *t = (struct tracks){.last = TRACK_NONE, .key = hash_key_new()};
}

void tracks_free(struct tracks *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct track *track = &t->items[i];
        free(track->pid_text);
        free(track->name);
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

static uint64_t ident_hash(struct hash_key key, const struct ident *id)
{
    key.k1 ^= !id->string;
    return id->string ? hash_bytes(key, id->string, id->len)
                      : hash_bytes(key, &id->number, sizeof id->number);
}

uint64_t tracks_hash(const struct tracks *t, const struct ident *pid, const struct ident *tid)
{
    struct hash_key key = t->key;
    key.k0 ^= ident_hash(t->key, pid);
    uint64_t hash = ident_hash(key, tid);
    return hash ? hash : 1;
}

/* The table's slot that has (pid, tid), or the empty one where it would go. */
static size_t find_slot(const struct tracks *t, const struct ident *pid, const struct ident *tid)
{
    size_t slot = (size_t)tracks_hash(t, pid, tid) & (t->table_size - 1);
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

/* A piece of text, as the trace has it. */
struct written {
    const char *text;
    size_t n;
};

static char *append(char *to, const char *text, size_t n)
{
    memcpy(to, text, n);
    to[n] = 0;
    return to + n + 1;
}

/* Copies the string of an id to `to`; returns the end of it. */
static char *append_ident(char *to, struct ident *id)
{
    const char *string = id->string;
    if (!string)
        return to;
    id->string = to;
    return append(to, string, id->len);
}

/* May n more bytes of text be kept? */
static bool may_keep(struct tracks *t, size_t n)
{
    t->text_full = n > TRACKS_TEXT_NBYTES_MAX - t->text_nbytes;
    return !t->text_full;
}

/* A new track; TRACK_NONE as tracks_of_event. */
static uint32_t add_track(struct tracks *t, const struct ident *pid, const struct ident *tid,
                          struct written pid_text, struct written tid_text)
{
    size_t n = pid_text.n + 1 + tid_text.n + 1;
    n += pid->string ? pid->len + 1 : 0;
    n += tid->string ? tid->len + 1 : 0;
    if (t->n >= TRACKS_MAX || !may_keep(t, n))
        return TRACK_NONE;
    struct track *items = array_grow(t->items, &t->cap, t->n + 1, sizeof *items);
    if (!items)
        return TRACK_NONE;
    t->items = items;
    char *texts = grow_table(t) ? malloc(n) : NULL;
    if (!texts)
        return TRACK_NONE;
    struct track *track = &items[t->n];
    *track =
        (struct track){.pid = *pid, .tid = *tid, .pid_text = texts, .slices_rank = TRACK_NO_SLICES};
    track->tid_text = append(texts, pid_text.text, pid_text.n);
    char *end = append(track->tid_text, tid_text.text, tid_text.n);
    append_ident(append_ident(end, &track->pid), &track->tid);
    t->text_nbytes += n;
    t->table[find_slot(t, pid, tid)] = (uint32_t)++t->n;
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
            id.len = (uint32_t)(out->len - 1);
        }
    }
    return id;
}

/* A value where it stands, with the quotes of a string; nothing if it is absent or nested. */
static struct written written(const char *text, const struct value *value)
{
    bool quoted = value->kind == VALUE_STRING;
    size_t n = value->kind == VALUE_BARE || quoted ? value->len + 2 * (size_t)quoted : 0;
    return (struct written){text + value->off - quoted, n};
}

/* The text to keep of an id. A lane would have it again and again, so no endless number. */
static struct written kept(struct written text, const struct ident *id, struct buf *room)
{
    if (id->string || text.n <= TRACK_NUMBER_MAX)
        return text;
    buf_add_u64(room, id->number);
    return (struct written){room->data, room->len};
}

/* Events of one thread often follow each other: is this one's pid and tid written as the last's? */
static bool same_as_last(const struct tracks *t, struct written pid, struct written tid)
{
    return t->last != TRACK_NONE && t->scratch_len == pid.n + 1 + tid.n &&
           memcmp(t->scratch, pid.text, pid.n) == 0 && t->scratch[pid.n] == 0 &&
           memcmp(t->scratch + pid.n + 1, tid.text, tid.n) == 0;
}

static bool remember_last(struct tracks *t, struct written pid, struct written tid, uint32_t id)
{
    char *scratch = array_grow(t->scratch, &t->scratch_cap, pid.n + tid.n + 2, 1);
    if (!scratch)
        return false;
    t->scratch = scratch;
    t->scratch_len = pid.n + 1 + tid.n;
    append(append(scratch, pid.text, pid.n), tid.text, tid.n);
    t->last = id;
    return true;
}

uint32_t tracks_of_event(struct tracks *t, const char *text, const struct value *pid_value,
                         const struct value *tid_value)
{
    struct written pid_text = written(text, pid_value), tid_text = written(text, tid_value);
    if (same_as_last(t, pid_text, tid_text))
        return t->last;
    struct buf room[4] = {{0}};
    struct ident pid = read_ident(text, pid_value, &room[0]);
    struct ident tid = read_ident(text, tid_value, &room[1]), key = tid;
    if (!tid.string && tid.number == 0)
        key = pid; /* tid 0 or missing: the main thread */
    uint32_t id = TRACK_NONE;
    struct written pid_kept = kept(pid_text, &pid, &room[2]);
    struct written tid_kept = kept(tid_text, &tid, &room[3]);
    bool failed = room[0].failed || room[1].failed || room[2].failed || room[3].failed;
    size_t slot = t->table_size && !failed ? find_slot(t, &pid, &key) : 0;
    if (t->table_size && !failed && t->table[slot])
        id = t->table[slot] - 1;
    else if (!failed)
        id = add_track(t, &pid, &key, pid_kept, tid_kept);
    for (size_t i = 0; i < sizeof room / sizeof *room; i++)
        buf_free(&room[i]);
    if (id != TRACK_NONE && !remember_last(t, pid_text, tid_text, id))
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

static bool replace(struct tracks *t, char **old, struct written text)
{
    size_t n = text.n + 1;
    if (*old)
        t->text_nbytes -= strlen(*old) + 1;
    free(*old);
    *old = may_keep(t, n) ? malloc(n) : NULL;
    if (!*old)
        return false;
    append(*old, text.text, text.n);
    t->text_nbytes += n;
    return true;
}

/* A number beyond int64 counts as the least there is: that is what converting it comes to. */
static void note_sort_index(struct track *track, const char *text, const struct value *value,
                            int64_t ts_ns)
{
    enum sort_kind kind = value->kind == VALUE_BARE     ? SORT_NUMBER
                          : value->kind == VALUE_STRING ? SORT_STRING
                                                        : SORT_NONE;
    if (kind == SORT_NONE || kind < track->sort_kind ||
        !number_valid(text + value->off, value->len))
        return;
    if (kind == track->sort_kind && ts_ns >= track->sort_ts_ns)
        return;
    track->sort_kind = kind;
    track->sort_ts_ns = ts_ns;
    if (!number_whole(text + value->off, value->len, &track->sort_index))
        track->sort_index = INT64_MIN;
}

bool tracks_note_metadata(struct tracks *t, uint32_t id, const char *text,
                          const struct event *event)
{
    struct track *track = &t->items[id];
    int64_t ts_ns = 0;
    if (event->ts.kind == VALUE_BARE || event->ts.kind == VALUE_STRING)
        if (!viewer_ns(text + event->ts.off, event->ts.len, &ts_ns))
            ts_ns = 0;
    const struct value *name = &event->arg_name;
    if (value_is(text, &event->name, "thread_name") && name->kind == VALUE_STRING && name->len &&
        (!track->name || ts_ns >= track->name_ts_ns)) {
        track->name_ts_ns = ts_ns;
        return replace(t, &track->name, (struct written){text + name->off, name->len});
    }
    if (value_is(text, &event->name, "thread_sort_index"))
        note_sort_index(track, text, &event->arg_sort_index, ts_ns);
    return true;
}
