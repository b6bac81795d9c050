#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "text.h"
#include "units.h"

START_TEST(buf_grows_and_prints_numbers)
{
    struct buf b = {0};
    for (int i = 0; i < 1000; i++)
        buf_add_char(&b, (char)i);
    ck_assert_uint_eq(b.len, 1000);
    ck_assert_int_eq(b.data[999], (char)999);
    b.len = 0;
    buf_add_u64(&b, UINT64_MAX);
    buf_add_char(&b, ' ');
    buf_add_i64(&b, INT64_MIN);
    buf_add_char(&b, ' ');
    buf_add_i64(&b, 0);
    ck_assert_mem_eq(b.data, "18446744073709551615 -9223372036854775808 0", b.len);
    buf_free(&b);
    ck_assert_ptr_null(b.data);
}
END_TEST

START_TEST(buf_failure_is_sticky)
{
    struct buf b = {0};
    buf_add_char(&b, 'a');
    ck_assert(!buf_reserve(&b, SIZE_MAX));
    buf_add_char(&b, 'b');
    ck_assert(b.failed);
    ck_assert_uint_eq(b.len, 1);
    buf_free(&b);
}
END_TEST

Suite *buf_suite(void)
{
    const TTest *const tests[] = {buf_grows_and_prints_numbers, buf_failure_is_sticky};
    return SUITE_OF("buf", tests);
}

typedef void text_function(struct buf *, const char *, size_t);

static void check_text(text_function *f, const char *in, size_t n, const char *expected)
{
    struct buf b = {0};
    f(&b, in, n);
    buf_add_char(&b, 0);
    ck_assert_str_eq(b.data, expected);
    buf_free(&b);
}

#define CHECK_TEXT(F, IN, EXPECTED) check_text(F, IN, sizeof(IN) - 1, EXPECTED)

START_TEST(unescapes)
{
    CHECK_TEXT(text_unescape, "plain", "plain");
    CHECK_TEXT(text_unescape, "a\\\"b\\\\c\\/d\\n\\t\\r\\b\\f", "a\"b\\c/d\n\t\r\b\f");
    CHECK_TEXT(text_unescape, "\\u0041\\u00e9\\u20AC", "A\xC3\xA9\xE2\x82\xAC");
    CHECK_TEXT(text_unescape, "\\ud83d\\ude00!", "\xF0\x9F\x98\x80!");
    /* lone surrogates; a pair the wrong way round */
    CHECK_TEXT(text_unescape, "\\ud83dx", "\xED\xA0\xBDx");
    CHECK_TEXT(text_unescape, "\\ude00\\ud83d", "\xED\xB8\x80\xED\xA0\xBD");
    /* no escapes of JSON: kept as they stand */
    CHECK_TEXT(text_unescape, "C:\\Users\\x", "C:\\Users\\x");
    CHECK_TEXT(text_unescape, "\\u12G4 \\u12", "\\u12G4 \\u12");
    CHECK_TEXT(text_unescape, "end\\", "end\\");
}
END_TEST

START_TEST(shows_nothing_that_a_terminal_acts_upon)
{
    CHECK_TEXT(text_show, "plain \xC3\xA9 \xF0\x9F\x98\x80", "plain \xC3\xA9 \xF0\x9F\x98\x80");
    CHECK_TEXT(text_show, "\x1B[31mred\n\t\x7F", "\\x1b[31mred\\n\\t\\x7f");
    CHECK_TEXT(text_show, "\xC2\x9B", "\\xc2\\x9b"); /* CSI as C1 */
    CHECK_TEXT(text_show, "\xFF\xC3", "\\xff\\xc3");
    CHECK_TEXT(text_show, "\xED\xA0\xBD", "\\xed\\xa0\\xbd"); /* a surrogate */
    CHECK_TEXT(text_show, "\xC0\xAF", "\\xc0\\xaf");          /* overlong */
    CHECK_TEXT(text_show, "\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    CHECK_TEXT(text_show, "a\0b", "a\\x00b");
}
END_TEST

START_TEST(writes_valid_json)
{
    CHECK_TEXT(text_json, "a\"b\\c", "\"a\\\"b\\\\c\"");
    CHECK_TEXT(text_json, "\n\x01\x1F", "\"\\u000a\\u0001\\u001f\"");
    CHECK_TEXT(text_json, "\xC3\xA9\xFF", "\"\xC3\xA9\xEF\xBF\xBD\"");
    CHECK_TEXT(text_json, "", "\"\"");
}
END_TEST

Suite *text_suite(void)
{
    const TTest *const tests[] = {unescapes, shows_nothing_that_a_terminal_acts_upon,
                                  writes_valid_json};
    return SUITE_OF("text", tests);
}
