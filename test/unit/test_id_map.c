#include "id_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/model.h"
#include "free_ids.h"
#include "units.h"

static struct event_parser *parser;
static struct id_map *map;
static uint64_t nnoted;

static struct event read_event(const char *text)
{
    struct event event;
    if (!parser)
        parser = event_parser_new();
    ck_assert_int_eq(event_parse(parser, text, strlen(text), NULL, &event), EVENT_OK);
    return event;
}

static void note(const char *text, bool on_thread)
{
    struct event event = read_event(text);
    ck_assert(id_map_note(map, text, &event.pid, &event.tid, on_thread, 100 * nnoted, nnoted));
    nnoted++;
}

static struct new_ids find(struct id_cache *cache, const char *text, bool on_thread)
{
    struct new_ids ids, again;
    struct id_cache fresh = {0};
    struct event event = read_event(text);
    ck_assert(id_map_find(map, cache, text, &event.pid, &event.tid, on_thread, &ids));
    ck_assert(id_map_find(map, &fresh, text, &event.pid, &event.tid, on_thread, &again));
    ck_assert(ids.pid == again.pid && ids.tid == again.tid);
    return ids;
}

static void begin(void)
{
    map = id_map_new();
    nnoted = 0;
}

/* Notes events, all on their threads, and assigns. */
static void note_all(const char *const *texts, size_t n)
{
    begin();
    for (size_t i = 0; i < n; i++)
        note(texts[i], true);
    ck_assert(id_map_assign(map));
}

#define NOTE_ALL(...)                                                                              \
    note_all((const char *const[]){__VA_ARGS__},                                                   \
             sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

static void must_become(const char *text, uint32_t pid, uint32_t tid)
{
    struct id_cache cache = {0};
    struct new_ids ids = find(&cache, text, true);
    ck_assert_msg(ids.pid == pid && ids.tid == tid, "%s: %u, %u", text, ids.pid, ids.tid);
}

static void check_row(size_t i, const char *pid, const char *tid, struct new_ids ids,
                      uint64_t nevents, uint64_t event)
{
    struct id_row row = id_map_row(map, i);
    ck_assert_str_eq(row.pid_text, pid);
    ck_assert_str_eq(row.tid_text, tid);
    ck_assert(row.ids.pid == ids.pid && row.ids.tid == ids.tid);
    ck_assert_uint_eq(row.nevents, nevents);
    ck_assert_uint_eq(row.event, event);
    ck_assert_uint_eq(row.off, 100 * event);
}

START_TEST(ids_that_fit_stay)
{
    NOTE_ALL("{\"pid\":1,\"tid\":0}", "{\"pid\":1,\"tid\":7}", "{\"pid\":\"a\",\"tid\":\"-1\"}",
             "{\"pid\":4294967295,\"tid\":4294967295}", "{}", "{\"pid\":0,\"tid\":0}",
             "{\"pid\":2}", "{\"pid\":2,\"tid\":-0.5}", "{\"pid\":NaN,\"tid\":{}}");
    ck_assert_uint_eq(id_map_count(map), 0);
    must_become("{\"pid\":1,\"tid\":0}", 0, 0);
    id_map_free(map);
}
END_TEST

START_TEST(tids_beyond_32_bits_get_free_ones)
{
    NOTE_ALL("{\"pid\":8,\"tid\":139712345678912}", "{\"pid\":8,\"tid\":5}",
             "{\"pid\":8,\"tid\":-1}", "{\"pid\":8,\"tid\":-1.5}", "{\"pid\":9,\"tid\":-1}",
             "{\"pid\":8,\"tid\":7}", "{\"pid\":8,\"tid\":1.39712345678912e14}");
    ck_assert_uint_eq(id_map_count(map), 3);
    /* above 7, but not the pid */
    check_row(0, "8", "139712345678912", (struct new_ids){0, 9}, 2, 0);
    check_row(1, "8", "-1", (struct new_ids){0, 10}, 2, 2);
    check_row(2, "9", "-1", (struct new_ids){0, 1}, 1, 4);
    must_become("{\"tid\":-1,\"pid\":8.0}", 0, 10);
    must_become("{\"tid\":5,\"pid\":8}", 0, 0);
    id_map_free(map);
}
END_TEST

START_TEST(pids_beyond_32_bits_get_free_ones)
{
    /* 4 is a tid of the process, on which its tid 0 would fall */
    NOTE_ALL("{\"pid\":-1,\"tid\":0}", "{\"pid\":-1,\"tid\":4}", "{\"pid\":3,\"tid\":1}",
             "{\"pid\":-1,\"tid\":-1}", "{\"pid\":99999999999999999999999,\"tid\":\"b\"}");
    ck_assert_uint_eq(id_map_count(map), 4);
    check_row(0, "-1", "0", (struct new_ids){5, 0}, 1, 0);
    check_row(1, "-1", "4", (struct new_ids){5, 0}, 1, 1);
    check_row(2, "-1", "-1", (struct new_ids){5, 6}, 1, 3);
    check_row(3, "99999999999999999999999", "\"b\"", (struct new_ids){6, 0}, 1, 4);
    id_map_free(map);
}
END_TEST

START_TEST(a_thread_that_would_fall_on_another_gets_a_tid)
{
    NOTE_ALL("{\"pid\":3,\"tid\":0}", "{\"pid\":3,\"tid\":9}", "{\"pid\":3}",
             "{\"pid\":3,\"tid\":3}", "{\"pid\":\"x\",\"tid\":\"\\u0078\"}",
             "{\"pid\":\"x\",\"tid\":null}");
    ck_assert_uint_eq(id_map_count(map), 2);
    check_row(0, "3", "0", (struct new_ids){0, 10}, 2, 0);
    check_row(1, "\"x\"", "0", (struct new_ids){0, 1}, 1, 5);
    must_become("{\"pid\":3}", 0, 10);
    must_become("{\"pid\":3,\"tid\":3}", 0, 0);
    id_map_free(map);
}
END_TEST

START_TEST(what_is_on_no_thread_is_not_merged)
{
    struct id_cache cache = {0};
    begin(); /* process_name, say */
    note("{\"pid\":3,\"tid\":0}", false);
    note("{\"pid\":3,\"tid\":3}", true);
    note("{\"pid\":4,\"tid\":0}", true);
    note("{\"pid\":4,\"tid\":4}", false);
    note("{\"pid\":5,\"tid\":0}", false);
    note("{\"pid\":5,\"tid\":0}", true);
    note("{\"pid\":5,\"tid\":5}", true);
    note("{\"pid\":6,\"tid\":-6}", false);
    ck_assert(id_map_assign(map));
    ck_assert_uint_eq(id_map_count(map), 2);
    check_row(0, "5", "0", (struct new_ids){0, 6}, 1, 5);
    check_row(1, "6", "-6", (struct new_ids){0, 1}, 1, 7);
    ck_assert_uint_eq(find(&cache, "{\"pid\":5,\"tid\":0}", false).tid, 0);
    ck_assert_uint_eq(find(&cache, "{\"pid\":5,\"tid\":0}", true).tid, 6);
    ck_assert_uint_eq(find(&cache, "{\"pid\":6,\"tid\":-6}", false).tid, 1);
    id_map_free(map);
}
END_TEST

START_TEST(an_endless_number_is_shown_cut)
{
    char text[400], digits[301] = {0};
    memset(digits, '7', 300);
    snprintf(text, sizeof text, "{\"pid\":1,\"tid\":%s}", digits);
    NOTE_ALL(text, "{\"pid\":1,\"tid\":1e400}", "{\"pid\":1,\"tid\":1e401}");
    ck_assert_uint_eq(id_map_count(map), 3);
    snprintf(digits + 64, 4, "...");
    check_row(0, "1", digits, (struct new_ids){0, 2}, 1, 0);
    must_become(text, 0, 2);
    must_become("{\"pid\":1,\"tid\":1e401}", 0, 4);
    id_map_free(map);
}
END_TEST

START_TEST(finds_many)
{
    char text[96];
    struct id_cache cache = {0};
    begin();
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 3000; i++) {
            snprintf(text, sizeof text, "{\"pid\":%u,\"tid\":-%u}", i % 7, 1 + i);
            note(text, true);
        }
    ck_assert(id_map_assign(map));
    ck_assert_uint_eq(id_map_count(map), 3000);
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "{\"pid\":%u,\"tid\":-%u}", i % 7, 1 + i);
        uint32_t nth = 1 + i / 7, pid = i % 7;
        ck_assert_uint_eq(find(&cache, text, true).tid, nth + (pid && nth >= pid));
        ck_assert_uint_eq(id_map_row(map, i).nevents, 2);
    }
    struct event event = read_event("{\"pid\":77,\"tid\":1}");
    struct new_ids ids;
    ck_assert(
        !id_map_find(map, &cache, "{\"pid\":77,\"tid\":1}", &event.pid, &event.tid, true, &ids));
    id_map_free(map);
}
END_TEST

/* All ids that a list of used ones leaves, below a limit. */
static void check_free_ids(const uint32_t *used, size_t n, uint32_t avoid, const uint32_t *expected,
                           size_t nexpected)
{
    struct free_ids ids;
    free_ids_init(&ids, used, n, avoid);
    for (size_t i = 0; i < nexpected; i++)
        ck_assert_uint_eq(free_ids_next(&ids), expected[i]);
}

START_TEST(which_ids_are_free)
{
    check_free_ids(NULL, 0, 0, (uint32_t[]){1, 2, 3}, 3);
    check_free_ids((uint32_t[]){0, 0}, 2, 1, (uint32_t[]){2, 3}, 2);
    check_free_ids((uint32_t[]){3, 5, 5}, 3, 7, (uint32_t[]){6, 8, 9}, 3);
    /* no lane of those above had a number */
    check_free_ids((uint32_t[]){0, 1, 3, 3, 4294967295}, 5, 4, (uint32_t[]){2, 5, 6}, 3);
    check_free_ids((uint32_t[]){4294966}, 1, 0, (uint32_t[]){1, 2}, 2);
    /* nor of more above than there are: those given are not given again */
    struct free_ids ids;
    uint32_t used = 4294960;
    free_ids_init(&ids, &used, 1, 0);
    for (uint32_t i = 4294961; i <= FREE_IDS_ROOM_MAX; i++)
        ck_assert_uint_eq(free_ids_next(&ids), i);
    bool in_order = true;
    for (uint32_t i = 1; i < 4294960; i++)
        in_order = in_order && free_ids_next(&ids) == i;
    ck_assert(in_order);
    ck_assert_uint_eq(free_ids_next(&ids), FREE_IDS_ROOM_MAX + 1);
}
END_TEST

/* ---- at random ------------------------------------------------------------------------------- */

/* How an id is written, and what it means. */
struct spelling {
    const char *token, *means; /* token NULL: absent. b...: it does not fit */
};

static const struct spelling spellings[] = {
    {NULL, "n0"},
    {"0", "n0"},
    {"null", "n0"},
    {"-0.25", "n0"},
    {"1", "n1"},
    {"1.0", "n1"},
    {"1.5", "n1"},
    {"2", "n2"},
    {"0.2e1", "n2"},
    {"3", "n3"},
    {"4294967295", "n4294967295"},
    {"4294966", "n4294966"},
    {"-1", "b-1"},
    {"-1.75", "b-1"},
    {"-1e0", "b-1"},
    {"-2", "b-2"},
    {"4294967296", "b4294967296"},
    {"139712345678912", "b139712345678912"},
    {"-139712345678912", "b-139712345678912"},
    {"1.39712345678912e14", "b139712345678912"},
    {"100000000000000000000000000000000000001", "b1...1"},
    {"100000000000000000000000000000000000002", "b1...2"},
    {"\"a\"", "sa"},
    {"\"\\u0061\"", "sa"},
    {"\"1\"", "s1"},
    {"\"-1\"", "s-1"},
    {"\"\"", "s"},
};
enum { NSPELLINGS = sizeof spellings / sizeof *spellings, EVENTS_MAX = 16 };

struct random_event {
    const struct spelling *pid, *tid;
    bool on_thread;
    struct new_ids ids;
    char text[128];
};

/* The event with what the map made of its ids. */
static void write_random(struct random_event *e)
{
    char *p = e->text, *end = e->text + sizeof e->text;
    p += snprintf(p, (size_t)(end - p), "{\"ph\":\"X\"");
    if (e->ids.pid)
        p += snprintf(p, (size_t)(end - p), ",\"pid\":%u", e->ids.pid);
    else if (e->pid->token)
        p += snprintf(p, (size_t)(end - p), ",\"pid\":%s", e->pid->token);
    if (e->ids.tid)
        p += snprintf(p, (size_t)(end - p), ",\"tid\":%u", e->ids.tid);
    else if (e->tid->token)
        p += snprintf(p, (size_t)(end - p), ",\"tid\":%s", e->tid->token);
    snprintf(p, (size_t)(end - p), "}");
}

/* Does the viewer take them for one thread? (threads: for one process) */
static bool one_for_viewer(const struct random_event *a, const struct random_event *b, bool threads)
{
    const struct random_event *events[2] = {a, b};
    struct model_id pid[2], tid[2];
    for (int i = 0; i < 2; i++) {
        struct model_event event;
        model_read_event(events[i]->text, 0, strlen(events[i]->text), &event);
        ck_assert(event.readable);
        pid[i] = model_id_of(events[i]->text, &event.pid);
        tid[i] = model_id_of(events[i]->text, &event.tid);
        if (!tid[i].string && tid[i].number == 0)
            tid[i] = model_id_of(events[i]->text, &event.pid);
    }
    bool same = model_id_equal(&pid[0], &pid[1]) && (!threads || model_id_equal(&tid[0], &tid[1]));
    for (int i = 0; i < 2; i++) {
        free(pid[i].string);
        free(tid[i].string);
    }
    return same;
}

static bool must_change_tid(const struct random_event *events, size_t n, size_t i)
{
    const struct random_event *e = &events[i];
    if (*e->tid->means == 'b')
        return true;
    if (strcmp(e->tid->means, "n0") != 0 || !e->on_thread || *e->pid->means == 'b' ||
        strcmp(e->pid->means, "n0") == 0)
        return false;
    for (size_t k = 0; k < n; k++)
        if (events[k].on_thread && strcmp(events[k].pid->means, e->pid->means) == 0 &&
            strcmp(events[k].tid->means, e->pid->means) == 0)
            return true;
    return false;
}

static void check_pair(const struct random_event *a, const struct random_event *b)
{
    bool one_process = strcmp(a->pid->means, b->pid->means) == 0;
    bool one_thread = one_process && strcmp(a->tid->means, b->tid->means) == 0;
    ck_assert_msg(one_for_viewer(a, b, false) == one_process, "%s %s", a->text, b->text);
    if (a->on_thread && b->on_thread)
        ck_assert_msg(one_for_viewer(a, b, true) == one_thread, "%s %s", a->text, b->text);
    else if (one_thread && strcmp(a->tid->means, "n0") != 0)
        ck_assert_msg(one_for_viewer(a, b, true), "%s %s", a->text, b->text);
}

/* Notes all of them, and what they become, in which nothing is to be changed. */
static size_t assign_random(struct random_event *events, size_t n)
{
    begin();
    for (size_t i = 0; i < n; i++)
        note(events[i].text, events[i].on_thread);
    ck_assert(id_map_assign(map));
    size_t nchanged = 0, nrows = 0;
    struct id_cache cache = {0};
    for (size_t i = 0; i < n; i++) {
        events[i].ids = find(&cache, events[i].text, events[i].on_thread);
        nchanged += events[i].ids.pid || events[i].ids.tid;
    }
    for (size_t i = 0; i < id_map_count(map); i++)
        nrows += id_map_row(map, i).nevents;
    ck_assert_uint_eq(nrows, nchanged);
    id_map_free(map);
    return nchanged;
}

static void check_random(uint64_t *state)
{
    struct random_event events[EVENTS_MAX];
    size_t n = 1 + random_below(state, EVENTS_MAX), few = 1 + random_below(state, 8);
    uint64_t some[8];
    for (size_t i = 0; i < few; i++)
        some[i] = random_below(state, NSPELLINGS);
    for (size_t i = 0; i < n; i++) {
        events[i] = (struct random_event){.pid = &spellings[some[random_below(state, few)]],
                                          .tid = &spellings[some[random_below(state, few)]],
                                          .on_thread = random_below(state, 4) > 0};
        write_random(&events[i]);
    }
    assign_random(events, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(events[i].ids.pid != 0, *events[i].pid->means == 'b');
        ck_assert_msg((events[i].ids.tid != 0) == must_change_tid(events, n, i), "%s",
                      events[i].text);
    }
    for (size_t i = 0; i < n; i++)
        write_random(&events[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            check_pair(&events[i], &events[k]);
    ck_assert_uint_eq(assign_random(events, n), 0);
}

START_TEST(no_two_threads_are_one_for_the_viewer)
{
    uint64_t state = 11;
    for (int i = 0; i < 1500; i++)
        check_random(&state);
}
END_TEST

Suite *id_map_suite(void)
{
    const TTest *const tests[] = {ids_that_fit_stay,
                                  tids_beyond_32_bits_get_free_ones,
                                  pids_beyond_32_bits_get_free_ones,
                                  a_thread_that_would_fall_on_another_gets_a_tid,
                                  what_is_on_no_thread_is_not_merged,
                                  an_endless_number_is_shown_cut,
                                  finds_many,
                                  which_ids_are_free,
                                  no_two_threads_are_one_for_the_viewer};
    return SUITE_OF("id_map", tests);
}
