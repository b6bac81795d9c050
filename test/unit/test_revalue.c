#include "revalue.h"

#include <string.h>

#include "edits.h"
#include "units.h"

static struct event_parser *parser;

static struct event read_event(const char *text)
{
    struct event event;
    if (!parser)
        parser = event_parser_new();
    ck_assert_int_eq(event_parse(parser, text, strlen(text), NULL, &event), EVENT_OK);
    return event;
}

/* expected NULL: nothing changes. */
static void check_with(struct revaluer *r, const char *text, const char *expected)
{
    struct event event = read_event(text);
    struct buf out = {0};
    buf_add_char(&out, '>');
    bool changed = revalue_event(r, &out, text, strlen(text), &event);
    ck_assert(!out.failed);
    buf_add_char(&out, 0);
    ck_assert_msg(changed == (expected != NULL), "%s: %s", text, out.data);
    ck_assert_str_eq(out.data + 1, expected ? expected : "");
    buf_free(&out);
}

static void check_times(int64_t shift_us, const char *text, const char *expected)
{
    struct revalue_rules rules = {.times = true, .shift_us = shift_us};
    struct revaluer r = {.rules = &rules};
    check_with(&r, text, expected);
    rules.shift_us = 0;
    if (expected)
        check_with(&r, expected, NULL); /* the second time there is nothing to do */
    revaluer_free(&r);
}

START_TEST(shifts_ts)
{
    check_times(1700000000000000, "{\"ph\":\"X\",\"ts\": 1700000000000001.257 ,\"dur\":5.10}",
                "{\"ph\":\"X\",\"ts\": 1.257 ,\"dur\":5.10}");
    check_times(5, "{\"ph\":\"C\",\"ts\":7,\"tts\":7,\"args\":{\"ts\":7}}",
                "{\"ph\":\"C\",\"ts\":2,\"tts\":7,\"args\":{\"ts\":7}}");
    check_times(5, "{\"ts\":9}", "{\"ts\":4}");
    check_times(5, "{\"ts\":100,\"ph\":\"X\",\"ts\":9}", "{\"ts\":100,\"ph\":\"X\",\"ts\":4}");
    check_times(-1, "{\"ph\":\"X\",\"ts\":-0.25,\"dur\":1}",
                "{\"ph\":\"X\",\"ts\":0.75,\"dur\":1}");
    check_times(0, "{\"ph\":\"X\",\"ts\":1.50,\"dur\":6e0}", NULL);
    check_times(5, "{\"ph\":\"X\"}", NULL);
}
END_TEST

START_TEST(strings_become_numbers)
{
    check_times(1736408883690500,
                "{\"dur\":\"0.020\",\"ph\":\"X\",\"ts\":\"1736408883690507.080\"}",
                "{\"dur\":0.020,\"ph\":\"X\",\"ts\":7.080}");
    check_times(0, "{\"ph\":\"X\",\"ts\":\"7.080\",\"dur\":3}",
                "{\"ph\":\"X\",\"ts\":7.080,\"dur\":3}");
    check_times(0, "{\"ph\":\"X\",\"ts\":\"x\",\"dur\":\"1.\",\"tid\":\"7\"}", NULL);
    check_times(9, "{\"ph\":\"X\",\"ts\":\"\",\"dur\":[\"1\"]}", NULL);
}
END_TEST

START_TEST(metadata_does_not_fall_below_0)
{
    check_times(5, "{\"ph\":\"M\",\"ts\":0}", NULL);
    check_times(5, "{\"ph\":\"M\",\"ts\":\"0\"}", "{\"ph\":\"M\",\"ts\":0}");
    check_times(5, "{\"ph\":\"M\",\"ts\":3.5}", "{\"ph\":\"M\",\"ts\":0}");
    check_times(5, "{\"ph\":\"M\",\"ts\":7.5}", "{\"ph\":\"M\",\"ts\":2.5}");
    check_times(5, "{\"ph\":\"M\"}", NULL);
    /* another one that would is not understood */
    check_times(5, "{\"ph\":\"X\",\"ts\":3.5}", NULL);
    check_times(5, "{\"ph\":\"X\",\"ts\":\"3.5\"}", "{\"ph\":\"X\",\"ts\":3.5}");
    check_times(5, "{\"ph\":\"X\",\"ts\":NaN}", NULL);
}
END_TEST

START_TEST(without_rules_nothing_changes)
{
    struct revalue_rules rules = {.shift_us = 5};
    struct revaluer r = {.rules = &rules};
    check_with(&r, "{\"ph\":\"X\",\"ts\":\"9\",\"dur\":\"1\",\"pid\":-1,\"tid\":-1}", NULL);
    revaluer_free(&r);
}
END_TEST

START_TEST(gives_new_ids)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"{\"ph\":\"X\",\"pid\":-1,\"tid\": 5 ,\"ts\":9}",
         "{\"ph\":\"X\",\"pid\":4,\"tid\": 5 ,\"ts\":7}"},
        {"{\"tid\":-5,\"ph\":\"B\",\"pid\":-1.0,\"ts\":\"8\"}",
         "{\"tid\":6,\"ph\":\"B\",\"pid\":4,\"ts\":6}"},
        {"{\"pid\":3,\"ph\":\"X\",\"ts\":2}", "{\"tid\":4,\"pid\":3,\"ph\":\"X\",\"ts\":0}"},
        {"{\"pid\":3,\"ph\":\"i\",\"tid\":null}", "{\"pid\":3,\"ph\":\"i\",\"tid\":4}"},
        {"{\"pid\":3,\"ph\":\"f\",\"tid\":[1,{}]}", "{\"pid\":3,\"ph\":\"f\",\"tid\":4}"},
        {"{\"ph\":\"s\",\"pid\":3,\"tid\":3}", NULL},
        {"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3}", NULL},
        {"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":-1}",
         "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4}"},
        {"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":0}",
         "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":4}"},
        {"{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":3,\"tid\":0,\"ts\":1}",
         "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":3,\"tid\":4,\"ts\":0}"},
        {"{\"ph\":\"C\",\"pid\":3,\"tid\":0}", NULL},
        {"{\"pid\":3,\"tid\":0}", NULL},
        {"{\"pid\":3,\"ph\":\"X\",\"tid\":3,\"tid\":0}",
         "{\"pid\":3,\"ph\":\"X\",\"tid\":3,\"tid\":4}"},
        {"{\"pid\":3,\"ph\":\"X\",\"tid\":\"0\"}", NULL},
    };
    enum { N = sizeof rows / sizeof *rows };
    for (int second = 0; second < 2; second++) {
        struct id_map *map = id_map_new();
        for (size_t i = 0; i < N; i++) {
            const char *text = second && rows[i].expected ? rows[i].expected : rows[i].text;
            struct event event = read_event(text);
            ck_assert(id_map_note(map, text, &event.pid, &event.tid,
                                  event_is_on_thread(text, &event), i, i));
        }
        ck_assert(id_map_assign(map));
        struct revalue_rules rules = {map, true, second ? 0 : 2};
        struct revaluer r = {.rules = &rules};
        for (size_t i = 0; i < N; i++) {
            bool again = second && rows[i].expected;
            check_with(&r, again ? rows[i].expected : rows[i].text,
                       second ? NULL : rows[i].expected);
        }
        ck_assert_uint_eq(id_map_count(map), second ? 0 : 4);
        revaluer_free(&r);
        id_map_free(map);
    }
}
END_TEST

START_TEST(a_thread_that_was_not_noted_is_an_error)
{
    struct id_map *map = id_map_new();
    struct revalue_rules rules = {.ids = map};
    struct revaluer r = {.rules = &rules};
    struct buf out = {0};
    struct event event = read_event("{\"pid\":1}");
    ck_assert(id_map_assign(map));
    ck_assert(revalue_event(&r, &out, "{\"pid\":1}", 9, &event));
    ck_assert(out.failed);
    buf_free(&out);
    id_map_free(map);
}
END_TEST

START_TEST(edits_are_made_in_order)
{
    struct buf out = {0};
    struct edit edits[] = {{8, 1, "third", 5}, {1, 0, "first", 5}, {3, 2, "", 0}, {9, 1, "!", 1}};
    edits_apply(&out, "0123456789", 10, edits, 4);
    edits_apply(&out, "abc", 3, NULL, 0);
    buf_add_char(&out, 0);
    ck_assert_str_eq(out.data, "0first12567third!abc");
    buf_free(&out);
}
END_TEST

Suite *revalue_suite(void)
{
    const TTest *const tests[] = {shifts_ts,
                                  strings_become_numbers,
                                  metadata_does_not_fall_below_0,
                                  without_rules_nothing_changes,
                                  gives_new_ids,
                                  a_thread_that_was_not_noted_is_an_error,
                                  edits_are_made_in_order};
    return SUITE_OF("revalue", tests);
}
