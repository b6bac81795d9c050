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
    /* what turns text around: RLO, LRI, ALM; and what breaks the line */
    static const unsigned char rlo[] = {'a', 0xE2, 0x80, 0xAE, 0xE2, 0x81, 0xA6, 0xD8, 0x9C};
    check_text(text_show, (const char *)rlo, sizeof rlo, "a\\u202e\\u2066\\u061c");
    CHECK_TEXT(text_show, "\xE2\x80\xA8\xE2\x80\x8F", "\\u2028\\u200f");
    CHECK_TEXT(text_show, "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xAA",
               "\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xAA");
}
END_TEST

START_TEST(writes_valid_json)
{
    CHECK_TEXT(text_json, "a\"b\\c", "\"a\\\"b\\\\c\"");
    CHECK_TEXT(text_json, "\n\x01\x1F", "\"\\u000a\\u0001\\u001f\"");
    CHECK_TEXT(text_json, "\xC3\xA9\xFF", "\"\xC3\xA9\xEF\xBF\xBD\"");
    CHECK_TEXT(text_json, "", "\"\"");
    static const unsigned char rlo[] = {0x7F, 0xC2, 0x9B, 0xE2, 0x80, 0xAE};
    check_text(text_json, (const char *)rlo, sizeof rlo, "\"\\u007f\\u009b\\u202e\"");
}
END_TEST

/* A name of 100 MB came out whole. */
START_TEST(giant_texts_are_cut)
{
    struct buf text = {0}, out = {0};
    for (int i = 0; i < TEXT_SHOWN_MAX; i++)
        buf_add_str(&text, "\xC3\xA9");
    text_show(&out, text.data, TEXT_SHOWN_MAX);
    ck_assert_uint_eq(out.len, TEXT_SHOWN_MAX);
    out.len = 0;
    text_show(&out, text.data + 1, TEXT_SHOWN_MAX + 1); /* the first one is no character */
    ck_assert_uint_eq(out.len, 4 + TEXT_SHOWN_MAX - 2 + strlen(TEXT_CUT_MARK));
    ck_assert_mem_eq(out.data, "\\xa9\xC3\xA9", 6);
    ck_assert_mem_eq(out.data + out.len - 5, "\xC3\xA9...", 5);
    buf_free(&out);
    buf_free(&text);
}
END_TEST

START_TEST(cuts_no_escape)
{
    static const struct {
        const char *raw;
        size_t max, cut;
    } rows[] = {{"abc", 3, 3},
                {"abc", 2, 2},
                {"a\\nb", 2, 1},
                {"a\\nb", 3, 3},
                {"\\\\\\\\", 3, 2},
                {"\\u0041b", 5, 0},
                {"\\u0041b", 6, 6},
                {"\\ud83d\\ude00b", 6, 0},
                {"\\ud83d\\ude00b", 12, 12},
                {"\xC3\xA9\xC3\xA9", 3, 2},
                {"\xFF\xFF", 1, 1},
                {"ab", 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(text_cut(rows[i].raw, strlen(rows[i].raw), rows[i].max), rows[i].cut);
}
END_TEST

Suite *text_suite(void)
{
    const TTest *const tests[] = {unescapes, shows_nothing_that_a_terminal_acts_upon,
                                  writes_valid_json, giant_texts_are_cut, cuts_no_escape};
    return SUITE_OF("text", tests);
}
