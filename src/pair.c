/* To find the B of an E without looking at all that are open, the open ones hang in lists: one list
 * for each way in which an E may ask. An E with name and cat asks for a B with both, for one that
 * lacks the name, the cat, or both; one with a name alone for any B of that name, or without one;
 * and so on. The B that was opened last is at the head of each list. A B hangs in a list of each
 * kind that the track's E ask for, which mostly is one. */
#include "pair.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "sort.h"

/* How an E asks: by both texts, by one of them, by none. */
enum asks { BY_BOTH, BY_NAME, BY_CAT, BY_NONE, ASKS };

#define NONE UINT32_MAX

/* A list of open B. The texts are those of its B, with NOT_ASKED for one that does not matter. */
struct list {
    struct edge_text text;
    uint32_t head; /* a hook, or NONE */
};

#define NOT_ASKED UINT64_C(1)

/* Where an open B hangs in a list. */
struct hook {
    uint32_t above, below; /* hooks, or NONE */
    uint32_t list;         /* NONE: it hangs in none of that kind */
};

/* An open B; those that are free are chained by `edge`. */
struct open {
    uint32_t edge;
    bool used;
    bool taken; /* it has its E, of its own time: for the viewer it is open */
    struct hook hooks[ASKS];
};

/* A B that is taken, where it was put. */
struct zero {
    uint32_t edge, open;
};

struct matcher {
    const struct edge *e;
    bool asked[ASKS]; /* what the track's E ask for */
    struct open *open;
    size_t nopen, open_cap;
    uint32_t free_open; /* or NONE */
    struct list *lists;
    size_t nlists, lists_cap;
    uint32_t *table; /* of the lists by their texts: open addressing, index + 1 or 0 */
    size_t table_size;
    struct zero *zeros; /* in the order of their edges; some may be forgotten */
    size_t nzeros, zeros_cap;
    bool lost; /* as of pair_match */
};

bool edge_less(const struct edge *a, const struct edge *b)
{
    uint64_t track_a = a->place >> 40, track_b = b->place >> 40;
    if (track_a != track_b)
        return track_a < track_b;
    if (a->when != b->when)
        return a->when < b->when;
    return a->place < b->place;
}

static enum asks asks(const struct edge_text *end)
{
    if (end->name == EDGE_ANY)
        return end->cat == EDGE_ANY ? BY_NONE : BY_CAT;
    return end->cat == EDGE_ANY ? BY_NAME : BY_BOTH;
}

/* The texts of the list in which a B hangs for E that ask so. */
static struct edge_text list_text(const struct edge_text *begin, enum asks how)
{
    bool name = how == BY_BOTH || how == BY_NAME, cat = how == BY_BOTH || how == BY_CAT;
    return (struct edge_text){name ? begin->name : NOT_ASKED, cat ? begin->cat : NOT_ASKED};
}

/* The slot of the table for a list, which may be free. The texts are hashes already. */
static size_t find_slot(const struct matcher *m, struct edge_text text)
{
    size_t mask = m->table_size - 1;
    size_t slot = (size_t)(text.name * UINT64_C(0x9E3779B97F4A7C15) + text.cat) & mask;
    for (; m->table[slot]; slot = (slot + 1) & mask) {
        const struct edge_text *other = &m->lists[m->table[slot] - 1].text;
        if (other->name == text.name && other->cat == text.cat)
            break;
    }
    return slot;
}

/* Keeps the table at most half full. */
static bool grow_table(struct matcher *m)
{
    if (2 * (m->nlists + 1) <= m->table_size)
        return true;
    size_t size = m->table_size ? 2 * m->table_size : 64;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    free(m->table);
    m->table = table;
    m->table_size = size;
    for (size_t i = 0; i < m->nlists; i++)
        table[find_slot(m, m->lists[i].text)] = (uint32_t)i + 1;
    return true;
}

/* The index of a list, which is new if need be; NONE if there is no memory. */
static uint32_t get_list(struct matcher *m, struct edge_text text)
{
    if (!grow_table(m))
        return NONE;
    size_t slot = find_slot(m, text);
    if (m->table[slot])
        return m->table[slot] - 1;
    struct list *lists = array_grow(m->lists, &m->lists_cap, m->nlists + 1, sizeof *lists);
    if (!lists)
        return NONE;
    m->lists = lists;
    lists[m->nlists++] = (struct list){text, NONE};
    m->table[slot] = (uint32_t)m->nlists;
    return (uint32_t)m->nlists - 1;
}

/* Hooks are numbered: those of the open B k are k * ASKS and the following. */
static struct hook *get_hook(const struct matcher *m, uint32_t hook)
{
    return &m->open[hook / ASKS].hooks[hook % ASKS];
}

static bool hang(struct matcher *m, uint32_t k, enum asks how)
{
    struct hook *hook = &m->open[k].hooks[how];
    *hook = (struct hook){NONE, NONE, NONE};
    if (!m->asked[how])
        return true;
    uint32_t list = get_list(m, list_text(&m->e[m->open[k].edge].text, how));
    if (list == NONE)
        return false;
    *hook = (struct hook){NONE, m->lists[list].head, list};
    if (hook->below != NONE)
        get_hook(m, hook->below)->above = k * ASKS + how;
    m->lists[list].head = k * ASKS + how;
    return true;
}

static bool note_zero(struct matcher *m, struct zero zero)
{
    struct zero *zeros = array_grow(m->zeros, &m->zeros_cap, m->nzeros + 1, sizeof *zeros);
    if (!zeros)
        return false;
    m->zeros = zeros;
    zeros[m->nzeros++] = zero;
    return true;
}

/* A B. */
static bool take_begin(struct matcher *m, uint32_t edge, bool taken)
{
    uint32_t k = m->free_open;
    if (k != NONE) {
        m->free_open = m->open[k].edge;
    } else {
        struct open *open = array_grow(m->open, &m->open_cap, m->nopen + 1, sizeof *open);
        if (!open)
            return false;
        m->open = open;
        k = (uint32_t)m->nopen++;
    }
    m->open[k].edge = edge;
    m->open[k].used = true;
    m->open[k].taken = taken;
    if (taken && !note_zero(m, (struct zero){edge, k}))
        return false;
    for (enum asks how = 0; how < ASKS; how++)
        if (!hang(m, k, how))
            return false;
    return true;
}

static void take_off(struct matcher *m, uint32_t k)
{
    for (int how = 0; how < ASKS; how++) {
        struct hook *hook = &m->open[k].hooks[how];
        if (hook->list == NONE)
            continue;
        if (hook->below != NONE)
            get_hook(m, hook->below)->above = hook->above;
        if (hook->above != NONE)
            get_hook(m, hook->above)->below = hook->below;
        else
            m->lists[hook->list].head = hook->below;
    }
    m->open[k].edge = m->free_open;
    m->open[k].used = m->open[k].taken = false;
    m->free_open = k;
}

/* Of the open B k and the one that a list was opened last with, the one opened later. */
static uint32_t later(const struct matcher *m, uint32_t k, struct edge_text text)
{
    size_t slot = find_slot(m, text);
    uint32_t head = m->table[slot] ? m->lists[m->table[slot] - 1].head : NONE;
    if (head == NONE)
        return k;
    uint32_t other = head / ASKS;
    return k == NONE || m->open[other].edge > m->open[k].edge ? other : k;
}

/* The open B that an E ends, or NONE. */
static uint32_t find_begin(const struct matcher *m, const struct edge_text *end)
{
    if (!m->table_size)
        return NONE;
    enum asks how = asks(end);
    struct edge_text any = {EDGE_ANY, EDGE_ANY}, without_name = {EDGE_ANY, end->cat},
                     without_cat = {end->name, EDGE_ANY};
    uint32_t k = later(m, NONE, list_text(end, how));
    if (how == BY_BOTH || how == BY_NAME)
        k = later(m, k, list_text(&without_name, how));
    if (how == BY_BOTH || how == BY_CAT)
        k = later(m, k, list_text(&without_cat, how));
    return how == BY_BOTH ? later(m, k, any) : k;
}

/* Forgets a B, which may be forgotten already. */
static void forget(struct matcher *m, struct zero zero)
{
    struct open *open = &m->open[zero.open];
    if (open->edge == zero.edge && open->taken)
        take_off(m, zero.open);
}

/* An E ends the open B k: the viewer closes with it what was opened since. That matters for pairs
 * without length alone: else the E of each is still awaited. */
static void match(struct matcher *m, uint32_t k, uint32_t edge, uint32_t *partner)
{
    uint32_t begin = m->open[k].edge;
    partner[edge] = begin;
    partner[begin] = edge;
    while (m->nzeros && m->zeros[m->nzeros - 1].edge > begin)
        forget(m, m->zeros[--m->nzeros]);
    take_off(m, k);
}

/* An E; it may find none. */
static void take_end(struct matcher *m, uint32_t edge, uint32_t *partner)
{
    for (;;) {
        uint32_t k = find_begin(m, &m->e[edge].text);
        if (k == NONE)
            return;
        assert(m->open); /* since k is one of them */
        if (!m->open[k].taken) {
            match(m, k, edge, partner);
            return;
        }
        m->lost = true;
        take_off(m, k);
    }
}

/* Of the edges e[i, end) of one time, the E in e[i, begins): those that have found none get a B of
 * that time before them in the file. `m` has none open, and has none afterwards. */
static bool match_at_once(struct matcher *m, uint32_t i, uint32_t begins, uint32_t end,
                          uint32_t *partner)
{
    for (uint32_t k = begins; k <= end; k++) {
        for (; i < begins && (k == end || m->e[i].place < m->e[k].place); i++)
            if (partner[i] == EDGE_ALONE)
                take_end(m, i, partner);
        if (k < end && !take_begin(m, k, false))
            return false;
    }
    for (uint32_t k = 0; k < m->nopen; k++)
        if (m->open[k].used)
            take_off(m, k);
    m->nopen = 0;
    m->free_open = NONE;
    return true;
}

/* The edges e[i, end) of one time. */
static bool take_group(struct matcher *m, struct matcher *at_once, uint32_t i, uint32_t end,
                       uint32_t *partner)
{
    uint32_t begins = i;
    bool alone = false;
    for (; begins < end && !edge_begins(&m->e[begins]); begins++) {
        take_end(m, begins, partner);
        alone |= partner[begins] == EDGE_ALONE;
    }
    if (alone && begins < end && !match_at_once(at_once, i, begins, end, partner))
        return false;
    for (uint32_t k = begins; k < end; k++)
        if (!take_begin(m, k, partner[k] != EDGE_ALONE))
            return false;
    return true;
}

static void free_matcher(struct matcher *m)
{
    free(m->open);
    free(m->lists);
    free(m->table);
    free(m->zeros);
}

bool pair_match(const struct edge *e, size_t n, uint32_t *partner, bool *lost)
{
    struct matcher m = {.e = e, .free_open = NONE};
    for (size_t i = 0; i < n; i++) {
        partner[i] = EDGE_ALONE;
        if (!edge_begins(&e[i]))
            m.asked[asks(&e[i].text)] = true;
    }
    struct matcher at_once = m;
    bool ok = true;
    for (uint32_t i = 0, end; ok && i < n; i = end) {
        for (end = i + 1; end < n && edge_ts_ns(&e[end]) == edge_ts_ns(&e[i]);)
            end++;
        ok = take_group(&m, &at_once, i, end, partner);
    }
    *lost = m.lost;
    free_matcher(&m);
    free_matcher(&at_once);
    return ok;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool pair_less(const struct pair *a, const struct pair *b)
{
    return a->begin_off < b->begin_off;
}

DEFINE_SORT(sort_pairs, struct pair, pair_less)

bool pairs_add(struct pairs *pairs, struct pair pair)
{
    struct pair *items = array_grow(pairs->items, &pairs->cap, pairs->n + 1, sizeof *items);
    if (!items)
        return false;
    pairs->items = items;
    items[pairs->n++] = pair;
    return true;
}

void pairs_sort(struct pairs *pairs)
{
    sort_pairs(pairs->items, pairs->n);
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->items);
    *pairs = (struct pairs){0};
}

const struct pair *pairs_get(const struct pairs *pairs, uint64_t begin_off)
{
    size_t lo = 0, hi = pairs->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (pairs->items[mid].begin_off < begin_off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return &pairs->items[lo];
}
