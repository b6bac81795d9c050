#include "patch.h"

#include <string.h>

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

/* Patches a slice to new times (ns) and perhaps another tid. */
static void check_patch(const char *text, int64_t start_ns, int64_t dur_ns, const char *tid,
                        const char *expected)
{
    struct event event = read_event(text);
    struct event_times old;
    struct buf out = {0};
    ck_assert(event_is_slice(text, &event, &old));
    struct patch patch = {start_ns, dur_ns, tid};
    patch_event(&out, text, strlen(text), &event, &old, &patch);
    buf_add_char(&out, 0);
    ck_assert_str_eq(out.data, expected);
    buf_free(&out);
}

START_TEST(patches_in_place)
{
    check_patch("{\"ph\":\"X\",\"ts\":15.2,\"dur\":6,\"tid\":7}", 16000, 5200, NULL,
                "{\"ph\":\"X\",\"ts\":16,\"dur\":5.2,\"tid\":7}");
    check_patch("{\"dur\": 6.000 , \"tid\":7, \"ts\": 15.200,\"ph\":\"X\"}", 16000, 5200, NULL,
                "{\"dur\": 5.200 , \"tid\":7, \"ts\": 16.000,\"ph\":\"X\"}");
    check_patch("{\"ph\":\"X\",\"ts\":\"15.200\",\"dur\":6,\"tid\":7}", 16000, 5200, NULL,
                "{\"ph\":\"X\",\"ts\":\"16.000\",\"dur\":5.2,\"tid\":7}");
    check_patch("{\"ph\":\"X\",\"ts\":1,\"dur\":6,\"tid\":7}", 1000, 6000, "7001",
                "{\"ph\":\"X\",\"ts\":1,\"dur\":6,\"tid\":7001}");
    check_patch("{\"ph\":\"X\",\"ts\":1,\"dur\":6,\"tid\":\"a\"}", 1000, 6000, "\"a lane 1\"",
                "{\"ph\":\"X\",\"ts\":1,\"dur\":6,\"tid\":\"a lane 1\"}");
    check_patch("{\"ph\":\"X\",\"ts\":1,\"dur\":6,\"tid\":{\"a\":1}}", 1000, 6000, "5",
                "{\"ph\":\"X\",\"ts\":1,\"dur\":6,\"tid\":5}");
}
END_TEST

START_TEST(unchanged_values_keep_their_text)
{
    const char *text = "{\"ph\":\"X\",\"ts\":1.50000,\"dur\":6e0,\"tid\":7}";
    check_patch(text, 1500, 6000, NULL, text);
    check_patch(text, 2500, 6000, NULL, "{\"ph\":\"X\",\"ts\":2.500,\"dur\":6e0,\"tid\":7}");
}
END_TEST

START_TEST(the_last_of_duplicate_keys_is_patched)
{
    check_patch("{\"ts\":1,\"ph\":\"X\",\"dur\":1,\"ts\":2,\"dur\":3}", 4000, 1000, NULL,
                "{\"ts\":1,\"ph\":\"X\",\"dur\":1,\"ts\":4,\"dur\":1}");
}
END_TEST

START_TEST(a_missing_tid_is_put_in)
{
    check_patch("{\"ph\":\"X\",\"ts\":1,\"dur\":6}", 1000, 6000, "3001",
                "{\"tid\":3001,\"ph\":\"X\",\"ts\":1,\"dur\":6}");
}
END_TEST

static bool is_slice(const char *text)
{
    struct event event = read_event(text);
    struct event_times times;
    return event_is_slice(text, &event, &times);
}

START_TEST(what_is_a_slice)
{
    ck_assert(is_slice("{\"ph\":\"X\",\"ts\":1,\"dur\":0}"));
    ck_assert(is_slice("{\"ph\":\"XXX\",\"ts\":\"1.5\",\"dur\":\"2\"}"));
    ck_assert(!is_slice("{\"ph\":\"x\",\"ts\":1,\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":88,\"ts\":1,\"dur\":1}"));
    ck_assert(!is_slice("{\"ts\":1,\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":-1,\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":1,\"dur\":-1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":1,\"dur\":null}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":NaN,\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":[1],\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":05,\"dur\":1}"));
    ck_assert(!is_slice("{\"ph\":\"X\",\"ts\":9223372036854775,\"dur\":9223372036854775}"));
}
END_TEST

START_TEST(what_is_a_flow_endpoint)
{
    static const char *const texts[] = {"{\"ph\":\"s\",\"ts\":1}", "{\"ph\":\"t\",\"ts\":1}",
                                        "{\"ph\":\"f\",\"bp\":\"e\",\"ts\":1}",
                                        "{\"ph\":\"f\",\"ts\":1}",
                                        "{\"ph\":\"f\",\"bp\":\"E\",\"ts\":1}"};
    for (int i = 0; i < 5; i++) {
        struct event event = read_event(texts[i]);
        int64_t ts_ns = 0;
        ck_assert(event_is_flow(texts[i], &event, &ts_ns));
        ck_assert_int_eq(ts_ns, 1000);
        ck_assert_int_eq(event_binds_enclosing(texts[i], &event), i < 3);
    }
    const char *negative = "{\"ph\":\"s\",\"ts\":-1}";
    struct event event = read_event(negative);
    int64_t ts_ns;
    ck_assert(!event_is_flow(negative, &event, &ts_ns));
}
END_TEST

Suite *patch_suite(void)
{
    const TTest *const tests[] = {patches_in_place,
                                  unchanged_values_keep_their_text,
                                  the_last_of_duplicate_keys_is_patched,
                                  a_missing_tid_is_put_in,
                                  what_is_a_slice,
                                  what_is_a_flow_endpoint};
    return SUITE_OF("patch", tests);
}
