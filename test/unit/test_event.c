#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "units.h"

static struct event_parser *parser;
static struct event event;

static enum event_status parse_n(const char *text, size_t n)
{
    /* an exact copy, so that the sanitizer sees a read beyond the end */
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    if (!parser)
        parser = event_parser_new();
    enum event_status status = event_parse(parser, copy, n, NULL, &event);
    free(copy);
    return status;
}

static enum event_status parse(const char *text)
{
    return parse_n(text, strlen(text));
}

static void check_value(const char *text, const struct value *value, enum value_kind kind,
                        const char *expected)
{
    ck_assert_int_eq(value->kind, kind);
    ck_assert_uint_eq(value->len, strlen(expected));
    ck_assert_mem_eq(text + value->off, expected, value->len);
}

START_TEST(finds_fields)
{
    const char *text =
        "{\"ph\":\"X\", \"name\" : \"a b\",\"cat\":\"kernel\",\"pid\":0,\n\"tid\":\"7\","
        "\"ts\":1.5,\"dur\":\"2.000\",\"args\":{\"name\":\"no\",\"ts\":9}}";
    ck_assert_int_eq(parse(text), EVENT_OK);
    ck_assert_int_eq(event.ph, 'X');
    check_value(text, &event.name, VALUE_STRING, "a b");
    check_value(text, &event.cat, VALUE_STRING, "kernel");
    check_value(text, &event.pid, VALUE_BARE, "0");
    check_value(text, &event.tid, VALUE_STRING, "7");
    check_value(text, &event.ts, VALUE_BARE, "1.5");
    check_value(text, &event.dur, VALUE_STRING, "2.000");
    ck_assert_int_eq(event.bp.kind, VALUE_NONE);
    ck_assert_int_eq(event.arg_name.kind, VALUE_NONE); /* of M events only */
    ck_assert(value_is(text, &event.cat, "kernel"));
    ck_assert(!value_is(text, &event.cat, "kerne"));
    ck_assert(!value_is(text, &event.pid, "0"));
}
END_TEST

START_TEST(finds_metadata)
{
    const char *text = "{\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"x\":{\"name\":1},"
                       "\"name\":\"stream 7\",\"sort_index\":5}}";
    ck_assert_int_eq(parse(text), EVENT_OK);
    check_value(text, &event.arg_name, VALUE_STRING, "stream 7");
    check_value(text, &event.arg_sort_index, VALUE_BARE, "5");
    ck_assert_int_eq(parse("{\"ph\":\"M\",\"args\":[\"name\",1]}"), EVENT_OK);
    ck_assert_int_eq(event.arg_name.kind, VALUE_NONE);
}
END_TEST

START_TEST(the_last_of_duplicate_keys_counts)
{
    const char *text =
        "{\"ts\":1,\"ph\":\"B\",\"ts\":2,\"args\":{\"ts\":3},\"ph\":\"XYZ\",\"ts\":[4]}";
    ck_assert_int_eq(parse(text), EVENT_OK);
    ck_assert_int_eq(event.ph, 'X');
    check_value(text, &event.ts, VALUE_NESTED, "[4]");
}
END_TEST

START_TEST(reads_odd_but_whole_events)
{
    static const char *const texts[] = {
        "{}",
        "{ }",
        "{\"ts\":NaN,\"dur\":-Infinity,\"x\":inf}",
        "{\"a\":1,}",
        "{\"name\":\"\xFF\xC3\",\"b\":\"\x01\n\"}", /* no UTF-8, raw control characters */
        "{\"name\":\"\\ud83d\"}",
        "{\"n\":123456789012345678901234567890123456789012345678901234567890}",
        "{\"args\":{\"a\"}}", /* bad inside args: not looked at */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(parse(texts[i]) == EVENT_OK, "%s", texts[i]);
}
END_TEST

START_TEST(refuses_what_is_no_object)
{
    static const char *const texts[] = {
        "",
        "1",
        "[]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1 \"b\":2}",
        "{1:2}",
        "{\"a\":1}{}",
        "{\"a\":1} ",
        " {\"a\":1}",
        "{\"a\":1",
        "{\"a\":\"b}",
        "{\"a\":{]}",
        "{\"a\":\xFF}",
        "{\"pid\":1,tid\":1}",
        "{'a':1}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(parse(texts[i]) == EVENT_UNREAD, "%s is read", texts[i]);
        ck_assert_int_eq(event.ph, 0);
    }
    ck_assert_int_eq(parse_n("{\"a\":1,\0\"b\":2}", 14), EVENT_UNREAD);
}
END_TEST

START_TEST(reads_over_bad_escapes)
{
    const char *text = "{\"name\":\"C:\\Users\\new\\u12\",\"ts\":5,\"b\":\"\\\\\\q\"}";
    ck_assert_int_eq(parse(text), EVENT_OK);
    check_value(text, &event.name, VALUE_STRING, "C:\\Users\\new\\u12");
    check_value(text, &event.ts, VALUE_BARE, "5");
    /* one outside of strings is no escape: it was blanked too, and 7 read, or "1 7" refused */
    text = "{\"name\":\"C:\\Users\",\"ts\":\\7,\"dur\":1\\7}";
    ck_assert_int_eq(parse(text), EVENT_OK);
    check_value(text, &event.ts, VALUE_BARE, "\\7");
    check_value(text, &event.dur, VALUE_BARE, "1\\7");
    /* something else is wrong as well */
    ck_assert_int_eq(parse("{\"name\":\"C:\\Users\",\"ts\":\xFF}"), EVENT_UNREAD);
}
END_TEST

START_TEST(every_prefix_is_refused)
{
    const char *text =
        "{\"ph\":\"X\",\"name\":\"a\\\"b\\u0041\\\\\",\"ts\":1,\"args\":{\"a\":[1,{}]}}";
    for (size_t n = 0; n < strlen(text); n++)
        ck_assert_int_eq(parse_n(text, n), EVENT_UNREAD);
    ck_assert_int_eq(parse(text), EVENT_OK);
}
END_TEST

/* A flat object of many keys, far more than there are tokens at a time. */
START_TEST(reads_many_keys)
{
    struct buf text = {0};
    buf_add_str(&text, "{\"ph\":\"X\"");
    for (uint64_t i = 0; i < 50000; i++) {
        buf_add_str(&text, ",\"key");
        buf_add_u64(&text, i);
        buf_add_str(&text, "\":[1,2,3]");
    }
    buf_add_str(&text, ",\"tid\":77}");
    ck_assert_int_eq(parse_n(text.data, text.len), EVENT_OK);
    ck_assert_int_eq(event.ph, 'X');
    check_value(text.data, &event.tid, VALUE_BARE, "77");
    buf_free(&text);
}
END_TEST

/* A value that goes on over many sets of tokens, and one key that has more than one value. */
START_TEST(reads_long_values)
{
    struct buf text = {0};
    buf_add_str(&text, "{\"tid\":1,\"tid\":2,\"args\":[");
    for (int i = 0; i < 3000; i++)
        buf_add_str(&text, "{\"tid\":[3,[\"\"]]},");
    buf_add_str(&text, "0],\"ts\":4,\"ph\":\"\\X\"}");
    ck_assert_int_eq(parse_n(text.data, text.len), EVENT_OK);
    check_value(text.data, &event.tid, VALUE_BARE, "2");
    check_value(text.data, &event.ts, VALUE_BARE, "4");
    text.len -= 2;
    buf_add_str(&text, "\" 5}");
    ck_assert_int_eq(parse_n(text.data, text.len), EVENT_UNREAD);
    text.len = 0;
    buf_add_str(&text, "{\"a\":1 \"b\"");
    for (int i = 0; i < 3000; i++)
        buf_add_str(&text, ",\"c\":[1,2]");
    buf_add_str(&text, "}");
    ck_assert_int_eq(parse_n(text.data, text.len), EVENT_UNREAD);
    buf_free(&text);
}
END_TEST

static void add_brackets(struct buf *text, int levels)
{
    for (int i = 0; i < levels; i++)
        buf_add_char(text, '[');
    for (int i = 0; i < levels; i++)
        buf_add_char(text, ']');
}

/* jsmn took hours for a million brackets in the args of metadata, which it looked into whatever
 * their depth; and for those that only it sees, behind a word that has a quote in it. */
START_TEST(deep_brackets_take_no_time)
{
    struct buf text = {0};
    struct outline outline = {0};
    ck_assert_int_eq(parse("{}"), EVENT_OK);
    buf_add_str(&text, "{\"ph\":\"M\",\"args\":{\"a\":");
    size_t begin = text.len - strlen("{\"a\":");
    add_brackets(&text, 3000000);
    buf_add_str(&text, ",\"name\":\"x\"}}");
    struct span args = {(uint32_t)begin, (uint32_t)text.len - 1};
    outline = (struct outline){.inner = &args, .ninner = 1};
    ck_assert_int_eq(event_parse(parser, text.data, text.len, &outline, &event), EVENT_OK);
    ck_assert(value_is(text.data, &event.arg_name, "x"));
    text.len = 0;
    buf_add_str(&text, "{\"ph\":\"i\",\"odd\":x\" ");
    add_brackets(&text, 3000000);
    buf_add_str(&text, "\"}");
    ck_assert_int_eq(parse_n(text.data, text.len), EVENT_UNREAD);
    buf_free(&text);
}
END_TEST

START_TEST(reads_down_to_the_depth)
{
    struct buf text = {0};
    buf_add_str(&text, "{\"odd\":");
    for (int i = 1; i < EVENT_DEPTH_MAX; i++)
        buf_add_str(&text, "{\"a\":");
    for (int i = 0; i < 3000; i++)
        buf_add_str(&text, "1 ");
    for (int i = 1; i < EVENT_DEPTH_MAX; i++)
        buf_add_char(&text, '}');
    buf_add_str(&text, ",\"ts\":4}");
    ck_assert_int_eq(parse_n(text.data, text.len), EVENT_OK);
    check_value(text.data, &event.ts, VALUE_BARE, "4");
    buf_free(&text);
}
END_TEST

Suite *event_suite(void)
{
    const TTest *const tests[] = {finds_fields,
                                  finds_metadata,
                                  the_last_of_duplicate_keys_counts,
                                  reads_odd_but_whole_events,
                                  refuses_what_is_no_object,
                                  reads_over_bad_escapes,
                                  every_prefix_is_refused,
                                  reads_many_keys,
                                  reads_long_values,
                                  deep_brackets_take_no_time,
                                  reads_down_to_the_depth};
    return SUITE_OF("event", tests);
}
