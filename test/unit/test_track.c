#include "track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "lanes.h"
#include "units.h"

static struct event_parser *parser;
static struct tracks tracks;

/* The track of an event with these ids (JSON), ph X; also takes note of metadata. */
static uint32_t see(const char *text)
{
    struct event event;
    if (!parser)
        parser = event_parser_new();
    ck_assert_int_eq(event_parse(parser, text, strlen(text), NULL, &event), EVENT_OK);
    uint32_t id = tracks_of_event(&tracks, text, &event.pid, &event.tid);
    ck_assert_uint_ne(id, TRACK_NONE);
    if (event.ph == 'M')
        ck_assert(tracks_note_metadata(&tracks, id, text, &event));
    else
        tracks.items[id].drawn = true;
    return id;
}

START_TEST(tells_threads_apart)
{
    tracks_init(&tracks);
    uint32_t seven = see("{\"pid\":1,\"tid\":7}");
    ck_assert_uint_eq(see("{\"tid\":7,\"pid\":1}"), seven);
    ck_assert_uint_eq(see("{\"pid\":1.0,\"tid\":7.9}"), seven); /* truncated */
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":0.7e1}"), seven);
    ck_assert_uint_ne(see("{\"pid\":1,\"tid\":\"7\"}"), seven);
    ck_assert_uint_ne(see("{\"pid\":2,\"tid\":7}"), seven);
    ck_assert_uint_ne(see("{\"pid\":\"1\",\"tid\":7}"), seven);
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":\"a\\u0062\"}"), see("{\"pid\":1,\"tid\":\"ab\"}"));
    ck_assert_uint_eq(see("{\"pid\":\"Spans\",\"tid\":\"PyTorch Profiler\"}"),
                      see("{\"tid\":\"PyTorch Profiler\",\"pid\":\"Spans\"}"));
    ck_assert_uint_ne(see("{\"pid\":1,\"tid\":4200000000}"), see("{\"pid\":1,\"tid\":4200000001}"));
    tracks_free(&tracks);
}
END_TEST

START_TEST(tid_0_falls_on_the_pid)
{
    tracks_init(&tracks);
    uint32_t main_thread = see("{\"pid\":1,\"tid\":1}");
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":0}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":1}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":null}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":{}}"), main_thread);
    /* what the viewer cannot hold is 0 */
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":-549452224}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":4294967296}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":1e300}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":1,\"tid\":99999999999999999999999999}"), main_thread);
    ck_assert_uint_ne(see("{\"pid\":1,\"tid\":\"\"}"), main_thread);
    ck_assert_uint_eq(see("{\"pid\":\"a\",\"tid\":0}"), see("{\"pid\":\"a\",\"tid\":\"a\"}"));
    ck_assert_str_eq(tracks.items[main_thread].tid_text, "1"); /* as first written */
    ck_assert_uint_eq(see("{}"), see("{\"pid\":0,\"tid\":0}"));
    tracks_free(&tracks);
}
END_TEST

START_TEST(finds_many)
{
    tracks_init(&tracks);
    char text[64];
    for (int round = 0; round < 2; round++)
        for (unsigned i = 1; i <= 3000; i++) {
            snprintf(text, sizeof text, "{\"pid\":%u,\"tid\":\"t%u\"}", i % 7, i);
            ck_assert_uint_eq(see(text), i - 1);
        }
    ck_assert_uint_eq(tracks.n, 3000);
    tracks_free(&tracks);
}
END_TEST

START_TEST(ranks_are_given_on_the_first_slice)
{
    tracks_init(&tracks);
    uint32_t a = see("{\"pid\":1,\"tid\":5}"), b = see("{\"pid\":1,\"tid\":6}");
    ck_assert_uint_eq(tracks_slices_rank(&tracks, b), 0);
    ck_assert_uint_eq(tracks_slices_rank(&tracks, a), 1);
    ck_assert_uint_eq(tracks_slices_rank(&tracks, b), 0);
    ck_assert_ptr_eq(tracks_by_rank(&tracks, 1), &tracks.items[a]);
    tracks_free(&tracks);
}
END_TEST

START_TEST(the_last_name_and_the_first_sort_index_count)
{
    tracks_init(&tracks);
    uint32_t id = see("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":5,\"ts\":10,"
                      "\"args\":{\"name\":\"at 10\"}}");
    see("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":5,\"args\":{\"name\":\"at 0\"}}");
    ck_assert_str_eq(tracks.items[id].name, "at 10");
    see("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":5,\"ts\":10,\"args\":{\"name\":"
        "\"b\"}}");
    see("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":5,\"ts\":11,\"args\":{\"name\":"
        "\"\"}}"); /* no name */
    ck_assert_str_eq(tracks.items[id].name, "b");
    see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":5,\"ts\":3,"
        "\"args\":{\"sort_index\":30}}");
    see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":5,"
        "\"args\":{\"sort_index\":20}}");
    see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":5,"
        "\"args\":{\"sort_index\":10}}");
    ck_assert_int_eq(tracks.items[id].sort_index, 20);
    ck_assert_int_eq(tracks.items[id].sort_kind, SORT_NUMBER);
    uint32_t quoted = see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":6,"
                          "\"args\":{\"sort_index\":\"7\"}}"); /* as Bazel writes it */
    ck_assert_int_eq(tracks.items[quoted].sort_index, 7);
    ck_assert_int_eq(tracks.items[quoted].sort_kind, SORT_STRING);
    see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":6,\"ts\":1,"
        "\"args\":{\"sort_index\":-1.9}}"); /* which a viewer that passes over strings takes */
    ck_assert_int_eq(tracks.items[quoted].sort_index, -1);
    see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":6,"
        "\"args\":{\"sort_index\":\"5\"}}");
    ck_assert_int_eq(tracks.items[quoted].sort_index, -1);
    uint32_t huge = see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":7,"
                        "\"args\":{\"sort_index\":1e30}}");
    ck_assert_int_eq(tracks.items[huge].sort_index, INT64_MIN);
    uint32_t none = see("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":8,"
                        "\"args\":{\"sort_index\":\"x\"}}");
    ck_assert_int_eq(tracks.items[none].sort_kind, SORT_NONE);
    see("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":5,\"args\":{\"name\":\"p\"}}");
    ck_assert_str_eq(tracks.items[id].name, "b");
    tracks_free(&tracks);
}
END_TEST

/* A number may be written with a million digits, and each lane of the thread would have them again.
 */
START_TEST(endless_numbers_are_not_kept)
{
    tracks_init(&tracks);
    char text[400], zeros[101];
    memset(zeros, '0', 100);
    zeros[100] = 0;
    snprintf(text, sizeof text, "{\"pid\":7.%s,\"tid\":1e%s}", zeros, zeros);
    uint32_t id = see(text);
    ck_assert_str_eq(tracks.items[id].pid_text, "7");
    ck_assert_str_eq(tracks.items[id].tid_text, "1");
    ck_assert_uint_eq(see("{\"pid\":7,\"tid\":1}"), id);
    ck_assert_uint_gt(tracks.text_nbytes, 3);
    tracks_free(&tracks);
}
END_TEST

/* So that nobody can choose threads that all fall on one slot. */
START_TEST(hashes_have_a_key)
{
    struct hash_key key = {1, 2}, other = {1, 3};
    char bytes[40] = "0123456789012345678901234567890123456";
    for (size_t n = 0; n < 38; n++) {
        uint64_t hash = hash_bytes(key, bytes, n);
        ck_assert_uint_eq(hash_bytes(key, bytes, n), hash);
        ck_assert_uint_ne(hash_bytes(other, bytes, n), hash);
        ck_assert_uint_ne(hash_bytes(key, bytes, n + 1), hash);
        for (size_t i = 0; i < n; i++) {
            bytes[i] ^= 1;
            ck_assert_uint_ne(hash_bytes(key, bytes, n), hash);
            bytes[i] ^= 1;
        }
    }
    struct tracks one, two;
    struct ident pid = {.number = 1}, tid = {.number = 2};
    tracks_init(&one);
    tracks_init(&two);
    ck_assert_uint_ne(tracks_hash(&one, &pid, &tid), tracks_hash(&two, &pid, &tid));
    ck_assert_uint_ne(tracks_hash(&one, &pid, &tid), tracks_hash(&one, &tid, &pid));
}
END_TEST

Suite *track_suite(void)
{
    const TTest *const tests[] = {tells_threads_apart,
                                  tid_0_falls_on_the_pid,
                                  finds_many,
                                  ranks_are_given_on_the_first_slice,
                                  the_last_name_and_the_first_sort_index_count,
                                  endless_numbers_are_not_kept,
                                  hashes_have_a_key};
    return SUITE_OF("track", tests);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static struct lanes lanes;

/* Gives `n` lanes to one track and none to the others; the ids stand in `lanes` afterwards. */
static void give_lanes(uint32_t track, uint32_t n)
{
    tracks_slices_rank(&tracks, track);
    ck_assert(lanes_init(&lanes, 1));
    ck_assert(lanes_add(&lanes, &tracks, track, n));
    ck_assert(lanes_arrange(&lanes, &tracks));
}

static void check_lane_ids(const char *const *events, size_t nevents, const char *const *ids,
                           uint32_t nids)
{
    char room[LANE_ROOM];
    tracks_init(&tracks);
    uint32_t first = see(events[0]);
    for (size_t i = 1; i < nevents; i++)
        see(events[i]);
    give_lanes(first, nids);
    for (uint32_t i = 0; i < nids; i++)
        ck_assert_str_eq(lane_tid(lanes_get(&lanes, 0, i + 1), room), ids[i]);
    lanes_free(&lanes);
    tracks_free(&tracks);
}

#define IDS(...)                                                                                   \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define COUNT(A) (sizeof(A) / sizeof *(A))
#define CHECK_LANE_IDS(EVENTS, ...)                                                                \
    check_lane_ids(EVENTS, COUNT(EVENTS), IDS(__VA_ARGS__), COUNT(IDS(__VA_ARGS__)))

START_TEST(lane_ids)
{
    static const char *const plain[] = {"{\"pid\":0,\"tid\":7}"};
    CHECK_LANE_IDS(plain, "7001", "7002", "7003");
    static const char *const taken[] = {"{\"pid\":1,\"tid\":1}", "{\"pid\":1,\"tid\":1001}",
                                        "{\"pid\":1,\"tid\":\"1 lane 1\"}",
                                        "{\"pid\":2,\"tid\":1002}"};
    CHECK_LANE_IDS(taken, "\"1 lane 1 #2\"", "1002");
    static const char *const string[] = {"{\"pid\":1,\"tid\":\"worker\"}",
                                         "{\"pid\":1,\"tid\":\"worker lane \\u0031\"}"};
    CHECK_LANE_IDS(string, "\"worker lane 1 #2\"", "\"worker lane 2\"");
    static const char *const quoted[] = {"{\"pid\":1,\"tid\":\"7\"}"};
    CHECK_LANE_IDS(quoted, "\"7 lane 1\"");
    static const char *const negative[] = {"{\"pid\":1,\"tid\":-549452224}"};
    CHECK_LANE_IDS(negative, "\"-549452224 lane 1\"");
    static const char *const large[] = {"{\"pid\":1,\"tid\":4200000000}"};
    CHECK_LANE_IDS(large, "\"4200000000 lane 1\"");
    static const char *const largest[] = {"{\"pid\":1,\"tid\":4294967}"};
    CHECK_LANE_IDS(largest, "4294967001");
    static const char *const fraction[] = {"{\"pid\":1,\"tid\":7.5}"};
    CHECK_LANE_IDS(fraction, "\"7.5 lane 1\"");
    static const char *const zero[] = {"{\"pid\":1,\"tid\":0}"};
    CHECK_LANE_IDS(zero, "\"0 lane 1\"", "2"); /* 1 is the pid, so the main thread */
    static const char *const missing[] = {"{\"pid\":3}"};
    CHECK_LANE_IDS(missing, "3001");
    char room[LANE_ROOM];
    /* 1000 lanes of tid 7 run into those that tid 8 would have */
    tracks_init(&tracks);
    uint32_t seven = see("{\"pid\":0,\"tid\":7}"), eight = see("{\"pid\":0,\"tid\":8}");
    tracks_slices_rank(&tracks, seven);
    tracks_slices_rank(&tracks, eight);
    ck_assert(lanes_init(&lanes, 2));
    ck_assert(lanes_add(&lanes, &tracks, seven, 1001) && lanes_add(&lanes, &tracks, eight, 1));
    ck_assert_str_eq(lane_tid(lanes_get(&lanes, 0, 1001), room), "8001");
    ck_assert_str_eq(lane_tid(lanes_get(&lanes, 1, 1), room), "\"8 lane 1\"");
    lanes_free(&lanes);
    tracks_free(&tracks);
}
END_TEST

/* The M events that are written for one lane of the first event's thread. */
static void check_lane_events(const char *const *events, size_t n, struct layout *layout,
                              const char *expected)
{
    tracks_init(&tracks);
    uint32_t first = see(events[0]);
    for (size_t i = 1; i < n; i++)
        see(events[i]);
    give_lanes(first, 1);
    struct lanefix_error err;
    struct sink_options options = {.gzip = false};
    struct sink *sink = sink_open(scratch("lanes"), &options, &err);
    ck_assert_ptr_nonnull(sink);
    ck_assert(lanes_write(&lanes, &tracks, layout, sink, NULL, 0, &err) &&
              sink_finish(sink, &err) && sink_commit(sink, &err));
    sink_free(sink);
    size_t len;
    char *text = read_file(scratch("lanes"), &len);
    ck_assert_str_eq(text, expected);
    free(text);
    lanes_free(&lanes);
    tracks_free(&tracks);
}

START_TEST(lane_events)
{
    struct layout layout = {0};
    ck_assert(layout_note(&layout, ",", 1, "{\"a\":1}", 7));
    static const char *const sorted[] = {"{\"pid\":0,\"tid\":7}",
                                         "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":"
                                         "7,\"args\":{\"name\":\"stream 7\"}}",
                                         "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":0,"
                                         "\"tid\":7,\"args\":{\"sort_index\":-3}}"};
    check_lane_events(sorted, COUNT(sorted), &layout,
                      ",{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":7001,"
                      "\"args\":{\"name\":\"stream 7 lane 1\"}}"
                      ",{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":7001,"
                      "\"args\":{\"sort_index\":-3}}");
    /* the lane of a thread without a name would stand above it if they had one index */
    static const char *const other[] = {"{\"pid\":0,\"tid\":7}",
                                        "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":0,"
                                        "\"tid\":8,\"args\":{\"sort_index\":1}}"};
    check_lane_events(other, COUNT(other), &layout,
                      ",{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":7,"
                      "\"args\":{\"sort_index\":0}}"
                      ",{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":7001,"
                      "\"args\":{\"name\":\"tid 7 lane 1\"}}"
                      ",{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":7001,"
                      "\"args\":{\"sort_index\":1}}");
    buf_free(&layout.separator);
}
END_TEST

/* No sort index in the process: each thread that is drawn gets one, in the viewer's order. */
START_TEST(rows_without_sort_index)
{
    struct layout layout = {0};
    ck_assert(layout_note(&layout, ",\n  ", 4, "{\"a\": 1}", 8));
    static const char *const events[] = {
        "{\"pid\":5,\"tid\":9}",
        "{\"pid\":5,\"tid\":7}",
        "{\"pid\":5,\"tid\":0}",
        "{\"pid\":5,\"tid\":\"s\"}",
        "{\"pid\":6,\"tid\":1}",
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":9,\"args\":{\"name\":\"n\"}}",
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":5,\"tid\":8,\"args\":{\"name\":\"o\"}}"};
    check_lane_events(
        events, COUNT(events), &layout,
        ",\n  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 5, \"tid\": 9, \"args\": "
        "{\"sort_index\": 1}}"
        ",\n  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 5, \"tid\": 7, \"args\": "
        "{\"sort_index\": 3}}"
        ",\n  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 5, \"tid\": 0, \"args\": "
        "{\"sort_index\": 0}}"
        ",\n  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 5, \"tid\": \"s\", "
        "\"args\": "
        "{\"sort_index\": 2}}"
        ",\n  {\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 5, \"tid\": 9001, \"args\": "
        "{\"name\": \"n lane 1\"}}"
        ",\n  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": 5, \"tid\": 9001, "
        "\"args\": "
        "{\"sort_index\": 1}}");
    buf_free(&layout.separator);
}
END_TEST

static void check_separator(const char *gap, const char *expected)
{
    struct layout layout = {0};
    ck_assert(layout_note(&layout, gap, gap ? strlen(gap) : 300, "{}", 2));
    ck_assert(layout_note(&layout, gap, gap ? strlen(gap) : 300, "{}", 2));
    ck_assert_uint_eq(layout.separator.len, strlen(expected));
    ck_assert_mem_eq(layout.separator.data, expected, strlen(expected));
    buf_free(&layout.separator);
}

START_TEST(separators)
{
    check_separator(",", ",");
    check_separator(",\n  ", ",\n  ");
    check_separator("\n, ", "\n, ");
    check_separator("\n  ", ",\n  "); /* the first event: what stands behind the [ */
    check_separator("", ",");
    check_separator(",5,\n", ",\n");
    check_separator(",,\n", ",\n");
    check_separator(NULL, ","); /* too long to be kept */
}
END_TEST

Suite *lanes_suite(void)
{
    const TTest *const tests[] = {lane_ids, lane_events, rows_without_sort_index, separators};
    return SUITE_OF("lanes", tests);
}
