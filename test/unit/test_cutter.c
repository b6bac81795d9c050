#include "cutter.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "units.h"

/* Cuts the text in pieces of `chunk` bytes. The events are appended to `out`, each in <>, with the
 * gap before it where that is kept; then the result: . or ! and the error's code. */
static void cut_all(const char *text, size_t n, size_t chunk, struct buf *out, struct cutter *c)
{
    uint64_t off = 0;
    size_t end = 0;
    bool at_end = false;
    cutter_init(c);
    for (;;) {
        struct cut cut;
        size_t len = end - off;
        /* of its own and no larger, so that the sanitizer sees a read beyond it */
        char *window = malloc(len ? len : 1);
        memcpy(window, text + off, len);
        enum cut_result result = cutter_next(c, window, len, off, at_end, &cut);
        free(window);
        if (result == CUT_EVENT) {
            ck_assert_uint_ge(cut.off, off);
            ck_assert_uint_le(cut.off + cut.len, end);
            if (cut.off - cut.gap_off <= CUTTER_GAP_MAX) {
                ck_assert_uint_ge(cut.gap_off, off);
                buf_add(out, text + cut.gap_off, cut.off - cut.gap_off);
            }
            buf_add_char(out, '<');
            buf_add(out, text + cut.off, cut.len);
            buf_add_char(out, '>');
            ck_assert_uint_eq(cut.nest->pos, cut.len);
            continue;
        }
        if (result != CUT_MORE) {
            buf_add_char(out, result == CUT_END ? '.' : '!');
            if (result == CUT_ERROR)
                buf_add_u64(out, c->error.code);
            break;
        }
        ck_assert_uint_ge(c->keep, off);
        ck_assert_uint_le(c->keep, end);
        off = c->keep;
        at_end = end == n;
        end = n - end < chunk ? n : end + chunk;
    }
    buf_add_char(out, 0);
}

static void check_cuts_n(const char *text, size_t n, const char *expected)
{
    for (size_t chunk = 1; chunk <= n + 1; chunk++) {
        struct buf out = {0};
        struct cutter c;
        cut_all(text, n, chunk, &out, &c);
        ck_assert_msg(strcmp(out.data, expected) == 0, "%s in pieces of %zu: %s, expected %s", text,
                      chunk, out.data, expected);
        buf_free(&out);
        cutter_free(&c);
    }
}

static void check_cuts(const char *text, const char *expected)
{
    check_cuts_n(text, strlen(text), expected);
}

/* The error's place, at every chunk size. */
static void check_error(const char *text, enum lanefix_status code, uint64_t off, uint64_t event)
{
    size_t n = strlen(text);
    for (size_t chunk = 1; chunk <= n + 1; chunk++) {
        struct buf out = {0};
        struct cutter c;
        cut_all(text, n, chunk, &out, &c);
        ck_assert_msg(strchr(out.data, '!') != NULL, "%s is cut: %s", text, out.data);
        ck_assert_int_eq(c.error.code, code);
        ck_assert_msg(c.error.offset == off && c.error.event == event, "%s: byte %d, event %d",
                      text, (int)c.error.offset, (int)c.error.event);
        ck_assert_ptr_nonnull(c.error.message);
        buf_free(&out);
        cutter_free(&c);
    }
}

START_TEST(cuts_arrays)
{
    check_cuts("[{\"a\":1},{\"b\":[{}]}]", "<{\"a\":1}>,<{\"b\":[{}]}>.");
    check_cuts("[]", ".");
    check_cuts("  [\n{}\n,\n{}\n]\n", "\n<{}>\n,\n<{}>.");
}
END_TEST

START_TEST(cuts_objects)
{
    check_cuts("{\"traceEvents\":[{}]}", "<{}>.");
    check_cuts(
        "{\"a\":{\"traceEvents\":[{}]},\"b\":[1,\"]\"],\"traceEvents\" : [ {} ] , \"c\":null}",
        " <{}>.");
    check_cuts("{\"traceEvents\":[{\"a\":1}],\"x\":-1.5e3,\"traceEvents\":[{}]}",
               "<{\"a\":1}><{}>.");
    check_cuts("{\"traceEvents\":null,\"traceEvents\":[{}],}", "<{}>.");
    check_cuts("{\"trace\\u0045vents\":[{}]}", "<{}>.");
    check_cuts("{\"traceEvent\":[{}],\"traceEvents2\":[{}],\"traceEvents\":[]}", ".");
}
END_TEST

/* Keys around the length up to which one may be that of the events. Once, one of just that length
 * was copied with the byte behind it. */
START_TEST(long_keys)
{
    for (size_t length = 60; length < 160; length++) {
        struct buf text = {0};
        buf_add_str(&text, "{\"");
        for (size_t i = 0; i < length; i++)
            buf_add_char(&text, 'k');
        buf_add_str(&text, "\":[{}],\"traceEvents\":[{}]}");
        check_cuts_n(text.data, text.len, "<{}>.");
        buf_free(&text);
    }
}
END_TEST

START_TEST(brackets_in_strings_do_not_count)
{
    check_cuts("[{\"a\":\"}]\\\"}\"},{\"b\":\"\\\\\"}]",
               "<{\"a\":\"}]\\\"}\"}>,<{\"b\":\"\\\\\"}>.");
}
END_TEST

START_TEST(reads_the_array_leniently)
{
    check_cuts("[,{},,{},]", ",<{}>,,<{}>.");
    check_cuts("[{} {}]", "<{}> <{}>.");
    check_cuts("[1,\"a{\",null,[{}],{},NaN]", "1,\"a{\",null,[{}],<{}>.");
    check_cuts("[{\"a\":NaN},:,{}]", "<{\"a\":NaN}>,:,<{}>.");
    check_cuts("\xEF\xBB\xBF[{}]", "<{}>.");
    check_cuts("[{}]\r\n \t", "<{}>.");
    check_cuts_n("[{\"a\":\"\0\xFF\"}]", 12, "<{\"a\":\"");
}
END_TEST

START_TEST(a_bare_array_may_lack_its_end)
{
    check_cuts("[", ".");
    check_cuts("[{},", "<{}>.");
    check_cuts("[{}\n", "<{}>.");
    check_cuts("[{}, 12", "<{}>.");
}
END_TEST

START_TEST(a_long_gap_is_not_kept)
{
    struct buf text = {0}, expected = {0};
    buf_add_str(&text, "[{},");
    for (int i = 0; i < CUTTER_GAP_MAX - 1; i++)
        buf_add_char(&text, ' ');
    buf_add(&expected, "<{}>", 4);
    buf_add(&expected, text.data + 3, text.len - 3);
    buf_add_str(&text, "{}, ");
    buf_add_str(&expected, "<{}>");
    for (int i = 0; i < CUTTER_GAP_MAX - 1; i++)
        buf_add_char(&text, '\n');
    buf_add_str(&text, "{}]");
    buf_add(&expected, "<{}>.", 6);
    check_cuts_n(text.data, text.len, expected.data);
    buf_free(&text);
    buf_free(&expected);
}
END_TEST

START_TEST(errors_have_their_place)
{
    check_error("", LANEFIX_ERR_EMPTY, 0, 0);
    check_error(" \n", LANEFIX_ERR_EMPTY, 2, 0);
    check_error("hello", LANEFIX_ERR_FORMAT, 0, 0);
    check_error("\xEF\xBB", LANEFIX_ERR_FORMAT, 0, 0);
    check_error("{a:1}", LANEFIX_ERR_SYNTAX, 1, 0);
    check_error("{\"a\" 1}", LANEFIX_ERR_SYNTAX, 5, 0);
    check_error("{\"a\":}", LANEFIX_ERR_SYNTAX, 5, 0);
    check_error("{\"a\":{]}", LANEFIX_ERR_BRACKET, 6, 0);
    check_error("[{},{\"a\":[}]", LANEFIX_ERR_BRACKET, 10, 1);
    check_error("[{},}", LANEFIX_ERR_BRACKET, 4, 1);
    check_error("[{},{\"a\":1", LANEFIX_ERR_CUT_EVENT, 10, 1);
    check_error("[{},{\"a\":\"b", LANEFIX_ERR_CUT_EVENT, 11, 1);
    check_error("[{},[1", LANEFIX_ERR_CUT_EVENT, 6, 1);
    check_error("{\"traceEvents\":[{}", LANEFIX_ERR_CUT_OBJECT, 18, 1);
    check_error("{\"traceEvents\":[{}]", LANEFIX_ERR_CUT_OBJECT, 19, 1);
    check_error("{\"traceEvents\":[{}],\"a", LANEFIX_ERR_CUT_OBJECT, 22, 1);
    check_error("{\"a\":[1]}", LANEFIX_ERR_NO_EVENTS, 9, 0);
    check_error("{\"traceEvents\":{}}", LANEFIX_ERR_NO_EVENTS, 18, 0);
    check_error("[{}] x", LANEFIX_ERR_TRAILING, 5, 1);
    check_error("[{},\"a\"b]", LANEFIX_ERR_SYNTAX, 7, 1);
    check_error("[{},\"a\"{}]", LANEFIX_ERR_SYNTAX, 7, 1);
    check_error("[{},12\"a\"]", LANEFIX_ERR_SYNTAX, 6, 1);
    check_error("[{},\x01]", LANEFIX_ERR_SYNTAX, 4, 1);
    check_error("[{},{\"a\":\"b{\"ph\":\"X\"},{}]", LANEFIX_ERR_TORN, 11, 1);
    check_error("[{},{\"a\":{\"b\":1,\"ph\":\"X\"},{}]", LANEFIX_ERR_TORN, 9, 1);
    check_error("{\"traceEvents\":[]}[]", LANEFIX_ERR_TRAILING, 18, 0);
}
END_TEST

START_TEST(tells_how_deep_an_event_is)
{
    const char *text = "[{\"a\":[[{}]]},{}]";
    struct cutter c;
    struct cut cut;
    cutter_init(&c);
    ck_assert_int_eq(cutter_next(&c, text, strlen(text), 0, true, &cut), CUT_EVENT);
    ck_assert_uint_eq(cut.nest->depth_max, 4);
    ck_assert_int_eq(cutter_next(&c, text, strlen(text), 0, true, &cut), CUT_EVENT);
    ck_assert_uint_eq(cut.nest->depth_max, 1);
    cutter_free(&c);
}
END_TEST

/* One event is torn and never closes; what follows is not read to the end of the trace for that. */
START_TEST(a_torn_event_is_found_early)
{
    struct buf text = {0};
    buf_add_str(&text, "[{\"ph\":\"X\",\"name\":\"fo");
    uint64_t torn = text.len;
    while (text.len < 9 << 20)
        buf_add_str(&text, "{\"ph\":\"X\",\"name\":\"b\"},\n");
    for (size_t window = 4 << 20; window <= 8 << 20; window += 1000003) {
        struct cutter c;
        struct cut cut;
        cutter_init(&c);
        ck_assert_int_eq(cutter_next(&c, text.data, window, 0, false, &cut), CUT_ERROR);
        ck_assert_int_eq(c.error.code, LANEFIX_ERR_TORN);
        ck_assert_uint_eq(c.error.offset, torn);
        cutter_free(&c);
    }
    buf_free(&text);
}
END_TEST

/* 10 million brackets outside of events, and one wrong among the closing ones. */
START_TEST(survives_depth)
{
    size_t deep = 10000000;
    struct buf out = {0};
    buf_add_str(&out, "{\"a\":");
    ck_assert(buf_reserve(&out, 2 * deep));
    memset(out.data + out.len, '[', deep);
    memset(out.data + out.len + deep, ']', deep);
    out.len += 2 * deep;
    buf_add_str(&out, ",\"traceEvents\":[{}]}");
    char *text = out.data;
    size_t n = out.len;
    struct cutter c;
    struct cut cut;
    cutter_init(&c);
    ck_assert_int_eq(cutter_next(&c, text, n, 0, true, &cut), CUT_EVENT);
    ck_assert_int_eq(cutter_next(&c, text, n, 0, true, &cut), CUT_END);
    cutter_free(&c);
    text[5 + deep + deep / 2] = '}';
    cutter_init(&c);
    ck_assert_int_eq(cutter_next(&c, text, n, 0, true, &cut), CUT_ERROR);
    ck_assert_int_eq(c.error.code, LANEFIX_ERR_BRACKET);
    ck_assert_uint_eq(c.error.offset, 5 + deep + deep / 2);
    cutter_free(&c);
    buf_free(&out);
}
END_TEST

Suite *cutter_suite(void)
{
    const TTest *const tests[] = {cuts_arrays,
                                  cuts_objects,
                                  long_keys,
                                  brackets_in_strings_do_not_count,
                                  reads_the_array_leniently,
                                  a_bare_array_may_lack_its_end,
                                  a_long_gap_is_not_kept,
                                  errors_have_their_place,
                                  tells_how_deep_an_event_is,
                                  a_torn_event_is_found_early,
                                  survives_depth};
    return SUITE_OF("cutter", tests);
}
