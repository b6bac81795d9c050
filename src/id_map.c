#include "id_map.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "free_ids.h"
#include "hash_table.h"
#include "id_key.h"
#include "plan.h"
#include "sort.h"
#include "text.h"
#include "track.h"

struct id {
    struct id_key key; /* its bytes stand behind the text */
    char *text;        /* as first written, JSON; owned */
    uint32_t new_pid;  /* or 0 */
};

/* How many events, and the place of the first one. */
struct events {
    uint64_t n, off, event;
};

struct thread {
    uint32_t pid, tid; /* which ids */
    uint32_t new_tid;  /* or 0 */
    struct events all, on_thread;
};

struct id_map {
    struct id *ids;
    size_t ids_cap;
    struct hash_table id_table;
    struct thread *threads; /* in the order of their first events */
    size_t threads_cap;
    struct hash_table thread_table;
    uint32_t *changed; /* the threads that have new ids */
    size_t nchanged;
    size_t text_nbytes;
    bool full;
    struct id_cache last; /* of id_map_note */
    struct hash_key hash_key;
};

struct id_map *id_map_new(void)
{
    struct id_map *map = calloc(1, sizeof *map);
    if (map)
        map->hash_key = hash_key_new();
    return map;
}

void id_map_free(struct id_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->id_table.n; i++)
        free(map->ids[i].text);
    free(map->ids);
    free(map->threads);
    free(map->changed);
    hash_table_free(&map->id_table);
    hash_table_free(&map->thread_table);
    free(map);
}

bool id_map_is_full(const struct id_map *map)
{
    return map->full;
}

static bool is_cached(const struct id_cache *cache, struct written_id pid, struct written_id tid)
{
    return cache->valid && cache->pid_n == pid.n && cache->tid_n == tid.n &&
           memcmp(cache->text, pid.text, pid.n) == 0 &&
           memcmp(cache->text + pid.n, tid.text, tid.n) == 0;
}

static void cache_thread(struct id_cache *cache, struct written_id pid, struct written_id tid,
                         uint32_t thread)
{
    cache->valid = pid.n <= ID_CACHE_NBYTES && tid.n <= ID_CACHE_NBYTES - pid.n;
    if (!cache->valid)
        return;
    cache->thread = thread;
    cache->pid_n = pid.n;
    cache->tid_n = tid.n;
    memcpy(cache->text, pid.text, pid.n);
    memcpy(cache->text + pid.n, tid.text, tid.n);
}

static uint32_t find_id(const struct id_map *map, const struct id_key *key, uint64_t hash)
{
    size_t slot;
    uint32_t i = hash_table_first(&map->id_table, hash, &slot);
    while (i != HASH_TABLE_NONE && !id_keys_equal(&map->ids[i].key, key))
        i = hash_table_next(&map->id_table, hash, &slot);
    return i;
}

/* Appends what to show of an id: a number that fits plainly, one without end cut short. */
static void add_shown(struct buf *out, struct written_id text, const struct id_key *key)
{
    bool cut = key->kind == ID_BEYOND && text.n > TRACK_NUMBER_MAX;
    if (key->kind == ID_NUMBER)
        buf_add_u64(out, key->number);
    else
        buf_add(out, text.text, cut ? TRACK_NUMBER_MAX : text.n);
    if (cut)
        buf_add_str(out, TEXT_CUT_MARK);
    buf_add_char(out, 0);
}

/* A new id; HASH_TABLE_NONE if there is no memory, or more text than may be. */
static uint32_t add_id(struct id_map *map, struct written_id text, const struct id_key *key,
                       uint64_t hash)
{
    map->full = text.n + key->n > TRACKS_TEXT_NBYTES_MAX - map->text_nbytes;
    if (map->full)
        return HASH_TABLE_NONE;
    struct id *ids = array_grow(map->ids, &map->ids_cap, map->id_table.n + 1, sizeof *ids);
    if (!ids)
        return HASH_TABLE_NONE;
    map->ids = ids;
    struct buf block = {0};
    add_shown(&block, text, key);
    size_t shown = block.len;
    buf_add(&block, key->bytes, key->n);
    if (block.failed || !hash_table_add(&map->id_table, hash)) {
        buf_free(&block);
        return HASH_TABLE_NONE;
    }
    buf_fit(&block);
    map->text_nbytes += text.n + key->n;
    uint32_t i = (uint32_t)map->id_table.n - 1;
    ids[i] = (struct id){.key = *key, .text = block.data};
    ids[i].key.bytes = block.data + shown;
    return i;
}

/* The id that is written there; a new one if need be and `add` is not NULL (it is the map). */
static uint32_t id_of(const struct id_map *map, struct id_map *add, struct written_id text,
                      struct buf *room)
{
    struct id_key key = id_key_read(text, room);
    if (room->failed)
        return HASH_TABLE_NONE;
    uint64_t hash = id_key_hash(map->hash_key, &key);
    uint32_t i = find_id(map, &key, hash);
    return i == HASH_TABLE_NONE && add ? add_id(add, text, &key, hash) : i;
}

static uint64_t hash_of_thread(const struct id_map *map, uint32_t pid, uint32_t tid)
{
    uint64_t both = (uint64_t)pid << 32 | tid;
    return hash_bytes(map->hash_key, &both, sizeof both);
}

static uint32_t find_thread(const struct id_map *map, uint32_t pid, uint32_t tid)
{
    size_t slot;
    uint64_t hash = hash_of_thread(map, pid, tid);
    uint32_t i = hash_table_first(&map->thread_table, hash, &slot);
    while (i != HASH_TABLE_NONE && (map->threads[i].pid != pid || map->threads[i].tid != tid))
        i = hash_table_next(&map->thread_table, hash, &slot);
    return i;
}

/* A new thread; HASH_TABLE_NONE as add_id. */
static uint32_t add_thread(struct id_map *map, uint32_t pid, uint32_t tid)
{
    size_t n = map->thread_table.n;
    map->full = n >= TRACKS_MAX;
    if (map->full)
        return HASH_TABLE_NONE;
    struct thread *threads = array_grow(map->threads, &map->threads_cap, n + 1, sizeof *threads);
    if (!threads)
        return HASH_TABLE_NONE;
    map->threads = threads;
    if (!hash_table_add(&map->thread_table, hash_of_thread(map, pid, tid)))
        return HASH_TABLE_NONE;
    threads[n] = (struct thread){.pid = pid, .tid = tid};
    return (uint32_t)n;
}

/* The thread of an event; `add` as for id_of. */
static uint32_t thread_of(const struct id_map *map, struct id_map *add, struct written_id pid_text,
                          struct written_id tid_text)
{
    struct buf room[2] = {{0}};
    uint32_t thread = HASH_TABLE_NONE, pid = id_of(map, add, pid_text, &room[0]);
    uint32_t tid = pid == HASH_TABLE_NONE ? pid : id_of(map, add, tid_text, &room[1]);
    if (tid != HASH_TABLE_NONE) {
        thread = find_thread(map, pid, tid);
        if (thread == HASH_TABLE_NONE && add)
            thread = add_thread(add, pid, tid);
    }
    buf_free(&room[0]);
    buf_free(&room[1]);
    return thread;
}

static void count_event(struct events *events, uint64_t off, uint64_t event)
{
    if (events->n++ == 0) {
        events->off = off;
        events->event = event;
    }
}

bool id_map_note(struct id_map *map, const char *text, const struct value *pid,
                 const struct value *tid, bool on_thread, uint64_t off, uint64_t event)
{
    struct written_id pid_text = written_id(text, pid), tid_text = written_id(text, tid);
    if (!is_cached(&map->last, pid_text, tid_text)) {
        uint32_t i = thread_of(map, map, pid_text, tid_text);
        if (i == HASH_TABLE_NONE)
            return false;
        cache_thread(&map->last, pid_text, tid_text, i);
        map->last.thread = i;
    }
    struct thread *thread = &map->threads[map->last.thread];
    count_event(&thread->all, off, event);
    if (on_thread)
        count_event(&thread->on_thread, off, event);
    return true;
}

/* Is it an id that does not fit? */
static bool is_beyond(const struct id_map *map, uint32_t id)
{
    return map->ids[id].key.kind == ID_BEYOND;
}

static bool is_number(const struct id_map *map, uint32_t id)
{
    return map->ids[id].key.kind == ID_NUMBER;
}

/* Does the process have an event with that tid? */
static bool has_tid(const struct id_map *map, uint32_t pid, uint32_t tid)
{
    struct id_key key = id_key_of_number(tid);
    uint32_t id = find_id(map, &key, id_key_hash(map->hash_key, &key));
    return id != HASH_TABLE_NONE && find_thread(map, pid, id) != HASH_TABLE_NONE;
}

static bool u32_less(const uint32_t *a, const uint32_t *b)
{
    return *a < *b;
}
DEFINE_SORT(sort_u32, uint32_t, u32_less)

/* Gives each pid that does not fit a free one. That is no tid of its process either: a thread with
 * tid 0 would fall on that one. `used` has room for all threads. */
static bool assign_pids(struct id_map *map, uint32_t *used)
{
    struct free_ids free_pids;
    size_t n = 0;
    for (size_t i = 0; i < map->thread_table.n; i++)
        if (is_number(map, map->threads[i].pid))
            used[n++] = map->ids[map->threads[i].pid].key.number;
    sort_u32(used, n);
    free_ids_init(&free_pids, used, n, 0);
    for (size_t i = 0; i < map->thread_table.n; i++) {
        uint32_t pid = map->threads[i].pid;
        if (!is_beyond(map, pid) || map->ids[pid].new_pid)
            continue;
        do
            map->ids[pid].new_pid = free_ids_next(&free_pids);
        while (map->ids[pid].new_pid && has_tid(map, pid, map->ids[pid].new_pid));
        if (!map->ids[pid].new_pid)
            return false;
    }
    return true;
}

/* A thread among those of all processes: by process, then by first event. */
struct member {
    uint32_t pid, thread;
};

static bool member_less(const struct member *a, const struct member *b)
{
    return a->pid != b->pid ? a->pid < b->pid : a->thread < b->thread;
}
DEFINE_SORT(sort_members, struct member, member_less)

/* Does the viewer take the thread for another one: for that with tid == pid? A pid that is new is
 * no tid of its process. */
static bool falls_on_another(const struct id_map *map, const struct thread *thread)
{
    if (!is_number(map, thread->tid) || map->ids[thread->tid].key.number != 0 ||
        thread->tid == thread->pid || !thread->on_thread.n)
        return false;
    uint32_t other = find_thread(map, thread->pid, thread->pid);
    return !is_beyond(map, thread->pid) && other != HASH_TABLE_NONE &&
           map->threads[other].on_thread.n;
}

/* Gives the threads of one process free tids where need be. `used` has room for them all. */
static bool assign_tids(struct id_map *map, const struct member *members, size_t n, uint32_t *used)
{
    size_t nused = 0, nwanted = 0;
    for (size_t i = 0; i < n; i++) {
        const struct thread *thread = &map->threads[members[i].thread];
        if (is_number(map, thread->tid))
            used[nused++] = map->ids[thread->tid].key.number;
        nwanted += is_beyond(map, thread->tid) || falls_on_another(map, thread);
    }
    if (!nwanted)
        return true;
    const struct id *pid = &map->ids[members[0].pid];
    struct free_ids free_tids;
    sort_u32(used, nused);
    free_ids_init(&free_tids, used, nused, pid->new_pid ? pid->new_pid : pid->key.number);
    for (size_t i = 0; i < n; i++) {
        struct thread *thread = &map->threads[members[i].thread];
        if (!is_beyond(map, thread->tid) && !falls_on_another(map, thread))
            continue;
        thread->new_tid = free_ids_next(&free_tids);
        if (!thread->new_tid)
            return false;
    }
    return true;
}

static bool assign_all(struct id_map *map, struct member *members, uint32_t *used)
{
    size_t n = map->thread_table.n;
    if (!assign_pids(map, used))
        return false;
    for (size_t i = 0; i < n; i++)
        members[i] = (struct member){map->threads[i].pid, (uint32_t)i};
    sort_members(members, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && members[end].pid == members[i].pid; end++)
            ;
        if (!assign_tids(map, members + i, end - i, used))
            return false;
    }
    for (size_t i = 0; i < n; i++)
        if (map->ids[map->threads[i].pid].new_pid || map->threads[i].new_tid)
            map->changed[map->nchanged++] = (uint32_t)i;
    return true;
}

bool id_map_assign(struct id_map *map)
{
    size_t n = map->thread_table.n;
    if (!n)
        return true;
    struct member *members = malloc(n * sizeof *members);
    uint32_t *used = malloc(n * sizeof *used);
    map->changed = malloc(n * sizeof *map->changed);
    bool ok = members && used && map->changed && assign_all(map, members, used);
    free(members);
    free(used);
    return ok;
}

bool id_map_find(const struct id_map *map, struct id_cache *cache, const char *text,
                 const struct value *pid, const struct value *tid, bool on_thread,
                 struct new_ids *ids)
{
    struct written_id pid_text = written_id(text, pid), tid_text = written_id(text, tid);
    *ids = (struct new_ids){0};
    uint32_t i = cache->thread;
    if (!is_cached(cache, pid_text, tid_text)) {
        i = thread_of(map, NULL, pid_text, tid_text);
        if (i == HASH_TABLE_NONE)
            return false;
        cache_thread(cache, pid_text, tid_text, i);
    }
    const struct thread *thread = &map->threads[i];
    ids->pid = map->ids[thread->pid].new_pid;
    if (on_thread || is_beyond(map, thread->tid))
        ids->tid = thread->new_tid;
    return true;
}

size_t id_map_count(const struct id_map *map)
{
    return map->nchanged;
}

struct id_row id_map_row(const struct id_map *map, size_t i)
{
    const struct thread *thread = &map->threads[map->changed[i]];
    const struct id *pid = &map->ids[thread->pid], *tid = &map->ids[thread->tid];
    bool all = pid->new_pid || is_beyond(map, thread->tid);
    const struct events *events = all ? &thread->all : &thread->on_thread;
    return (struct id_row){.pid_text = pid->text,
                           .tid_text = tid->text,
                           .ids = {pid->new_pid, thread->new_tid},
                           .nevents = events->n,
                           .off = events->off,
                           .event = events->event};
}

bool id_row_merged(const struct id_row *row)
{
    return !row->ids.pid && row->ids.tid && strcmp(row->tid_text, "0") == 0;
}
