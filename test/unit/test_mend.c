/* One event's text, mended. An independent reader of JSON by the letter is the judge. */
#include "mend.h"

#include <stdio.h>
#include <stdlib.h>

#include "../model/strict.h"
#include "units.h"

#define BIT(KIND) FINDING_BIT(FINDING_##KIND)

/* Mends, and checks what holds for each event. The result is the caller's, NUL-terminated; NULL if
 * it cannot be mended. */
static char *mend_text(const char *text, size_t n, finding_set *found, size_t *out_n)
{
    struct mend m = {0};
    struct buf out = {0}, again = {0};
    finding_set nothing;
    buf_add_str(&out, "before");
    enum mend_result result = mend_event(&m, text, n, &out, found);
    ck_assert_int_ne(result, MEND_NO_MEMORY);
    ck_assert_int_eq(mend_event(&m, text, n, NULL, &nothing), result);
    ck_assert_uint_eq(nothing, *found);
    ck_assert_msg((result == MEND_SAME) == strict_event(text, n), "%.*s: %d", (int)n, text, result);
    if (result != MEND_DONE)
        ck_assert_uint_eq(out.len, 6);
    ck_assert_msg((result == MEND_SAME) <= (*found == 0) && (result == MEND_DONE) <= (*found != 0),
                  "%.*s: %x", (int)n, text, (unsigned)*found);
    if (result == MEND_SAME)
        buf_add(&out, text, n);
    *out_n = out.len - 6;
    if (result == MEND_DONE) {
        ck_assert_msg(strict_event(out.data + 6, *out_n), "%.*s\nbecomes %.*s", (int)n, text,
                      (int)*out_n, out.data + 6);
        ck_assert_int_eq(mend_event(&m, out.data + 6, *out_n, &again, &nothing), MEND_SAME);
    }
    buf_add_char(&out, 0);
    memmove(out.data, out.data + 6, out.len - 6);
    if (result == MEND_CANNOT)
        buf_free(&out);
    buf_free(&again);
    mend_free(&m);
    return out.data;
}

struct row {
    const char *text, *mended; /* NULL: it cannot be */
    finding_set found;
};

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        finding_set found;
        size_t out_n;
        char *out = mend_text(rows[i].text, strlen(rows[i].text), &found, &out_n);
        if (!rows[i].mended)
            ck_assert_msg(out == NULL, "%s\nbecomes %s", rows[i].text, out);
        else
            ck_assert_msg(out && strcmp(out, rows[i].mended) == 0, "%s\nbecomes %s\nand not %s",
                          rows[i].text, out ? out : "nothing", rows[i].mended);
        ck_assert_msg(found == rows[i].found, "%s: %x, not %x", rows[i].text, (unsigned)found,
                      (unsigned)rows[i].found);
        free(out);
    }
}

#define CHECK_ROWS(ROWS) check_rows(ROWS, sizeof(ROWS) / sizeof *(ROWS))

static const struct row numbers[] = {
    {"{\"a\":.5}", "{\"a\":0.5}", BIT(BAD_NUMBER)},
    {"{\"a\":-.5 }", "{\"a\":-0.5 }", BIT(BAD_NUMBER)},
    {"{\"a\":+5}", "{\"a\":5}", BIT(BAD_NUMBER)},
    {"{\"a\":05}", "{\"a\":5}", BIT(BAD_NUMBER)},
    {"{\"a\":-0012.50}", "{\"a\":-12.50}", BIT(BAD_NUMBER)},
    {"{\"a\":000}", "{\"a\":0}", BIT(BAD_NUMBER)},
    {"{\"a\":1.}", "{\"a\":1}", BIT(BAD_NUMBER)},
    {"{\"a\":+01.E+5}", "{\"a\":1e+5}", BIT(BAD_NUMBER)},
    {"{\"a\":NaN,\"ts\":nan}", "{\"a\":null,\"ts\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":-Infinity}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\": not available ,\"b\":1}", "{\"a\": null ,\"b\":1}", BIT(BAD_NUMBER)},
    {"{\"a\":0x10}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":1e}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":.}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":-}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":1 2}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":tru}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":\xE2\x88\x9E}", "{\"a\":null}", BIT(BAD_NUMBER)},
    /* JSON, but not finite */
    {"{\"a\":1e400}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"a\":.1e999}", "{\"a\":null}", BIT(BAD_NUMBER)},
    {"{\"ts\":-1e400,\"dur\":1e400}", "{\"ts\":null,\"dur\":0}", BIT(BAD_NUMBER)},
    /* fine */
    {"{\"a\":true,\"b\":false,\"c\":null,\"d\":-0.0e-7,\"ts\":\"later\"}",
     "{\"a\":true,\"b\":false,\"c\":null,\"d\":-0.0e-7,\"ts\":\"later\"}", 0},
};

START_TEST(own_numbers)
{
    CHECK_ROWS(numbers);
}
END_TEST

static const struct row durations[] = {
    {"{\"dur\":null}", "{\"dur\":0}", BIT(BAD_DUR)},
    {"{\"tts\":true}", "{\"tts\":0}", BIT(BAD_DUR)},
    {"{\"tdur\":\"x\"}", "{\"tdur\":0}", BIT(BAD_DUR)},
    {"{\"dur\":\"\"}", "{\"dur\":0}", BIT(BAD_DUR)},
    {"{\"dur\":\".5\"}", "{\"dur\":0.5}", BIT(BAD_DUR)},
    {"{\"dur\":\"1e400\"}", "{\"dur\":0}", BIT(BAD_DUR)},
    {"{\"dur\":[5],\"tts\":{}}", "{\"dur\":0,\"tts\":0}", BIT(BAD_DUR)},
    /* what is wrong within it goes with it */
    {"{\"dur\":{\"a\":[NaN,,\"\\x\x01\\ud800\"]},\"b\":1}", "{\"dur\":0,\"b\":1}", BIT(BAD_DUR)},
    {"{\"dur\":\"\\x\xFF\"}", "{\"dur\":0}", BIT(BAD_DUR)},
    {"{\"dur\":NaN}", "{\"dur\":0}", BIT(BAD_NUMBER)},
    {"{\"dur\":+5.}", "{\"dur\":5}", BIT(BAD_NUMBER)},
    {"{\"dur\":}", "{\"dur\":0}", BIT(BAD_NUMBER)},
    {"{\"dur\":, \"dur\" : null}", "{\"dur\":0, \"dur\" : 0}", BIT(BAD_NUMBER) | BIT(BAD_DUR)},
    {"{\"args\":{\"dur\":null,\"tts\":\"x\"}}", "{\"args\":{\"dur\":null,\"tts\":\"x\"}}", 0},
    {"{\"dur\":\"5.5\",\"tts\":1e3}", "{\"dur\":\"5.5\",\"tts\":1e3}", 0},
};

START_TEST(durations_become_numbers)
{
    CHECK_ROWS(durations);
}
END_TEST

static const struct row strings[] = {
    {"{\"a\":\"\\ud83d\\ude00!\"}", "{\"a\":\"\xF0\x9F\x98\x80!\"}", BIT(SURROGATE)},
    {"{\"\\uD83D\\uDE00\":1}", "{\"\xF0\x9F\x98\x80\":1}", BIT(SURROGATE)},
    {"{\"a\":\"\\ud83d\"}", "{\"a\":\"\xEF\xBF\xBD\"}", BIT(SURROGATE)},
    {"{\"a\":\"\\ude00\\ud83d\\ud83d\\ude00\"}",
     "{\"a\":\"\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80\"}", BIT(SURROGATE)},
    {"{\"a\":\"\\ude00\\ude00\\ud83d\\ue000\"}",
     "{\"a\":\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\ue000\"}", BIT(SURROGATE)},
    {"{\"a\":\"\\\\ud83d\\u00e9\"}", "{\"a\":\"\\\\ud83d\\u00e9\"}", 0},
    {"{\"args\":{\"\\ud83d\":\"\\ud83d\\ude00\"}}", "{\"args\":{\"\\ud83d\":\"\\ud83d\\ude00\"}}",
     0},
    {"{\"a\":\"C:\\Users\\u12\\new\"}", "{\"a\":\"C:\\\\Users\\\\u12\\new\"}", BIT(BAD_ESCAPE)},
    {"{\"args\":{\"\\x\":[\"\\ud83\"]}}", "{\"args\":{\"\\\\x\":[\"\\\\ud83\"]}}", BIT(BAD_ESCAPE)},
    {"{\"a\":\"\\\n\"}", "{\"a\":\"\\\\\\n\"}", BIT(BAD_ESCAPE) | BIT(CONTROL)},
    {"{\"a\":\"\n\r\t\b\f\x01\x1F\x7F\"}", "{\"a\":\"\\n\\r\\t\\b\\f\\u0001\\u001f\x7F\"}",
     BIT(CONTROL)},
    {"{\"args\":{\"\t\":1}}", "{\"args\":{\"\\t\":1}}", BIT(CONTROL)},
    {"{\"a\":\"\xFF\xC3\xA9\xC3\"}", "{\"a\":\"\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\"}", BIT(BAD_UTF8)},
    {"{\"args\":[\"\xED\xA0\xBD\"]}", "{\"args\":[\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"]}",
     BIT(BAD_UTF8)},
    {"{\"a\":\"0123456789abcdef\\q0123456789abcdef\\\"\x02\"}",
     "{\"a\":\"0123456789abcdef\\\\q0123456789abcdef\\\"\\u0002\"}",
     BIT(BAD_ESCAPE) | BIT(CONTROL)},
};

START_TEST(strings_become_json)
{
    finding_set found;
    size_t n;
    CHECK_ROWS(strings);
    char *out = mend_text("{\"a\":\"\0\"}", 9, &found, &n);
    ck_assert_str_eq(out, "{\"a\":\"\\u0000\"}");
    free(out);
}
END_TEST

static const struct row args[] = {
    {"{\"args\":{\"a\":NaN,\"b\":[inf,-Infinity, N/A ]}}",
     "{\"args\":{\"a\":null,\"b\":[null,null, null ]}}", BIT(BAD_ARGS)},
    {"{\"args\":{\"a\":not available\n},\"x\":[.5,1e400]}",
     "{\"args\":{\"a\":null\n},\"x\":[0.5,1e400]}", BIT(BAD_ARGS)},
    {"{\"args\":{\"a\":NaN},\"ph\":\"C\"}", "{\"args\":{\"a\":null},\"ph\":\"C\"}", BIT(LOOP)},
    {"{\"ph\":\"M\",\"args\":{\"a\":1,}}", "{\"ph\":\"M\",\"args\":{\"a\":1}}", BIT(LOOP)},
    {"{\"ph\":\"M\",\"ph\":\"X\",\"args\":NaN,\"x\":[,]}",
     "{\"ph\":\"M\",\"ph\":\"X\",\"args\":null,\"x\":[]}", BIT(BAD_ARGS) | BIT(BAD_NUMBER)},
    /* commas, and values that are missing */
    {"{,\"a\":1,,\"b\":[, 1 , ,2,,],\"c\":{,},}", "{\"a\":1,\"b\":[ 1  ,2],\"c\":{}}",
     BIT(COMMAS) | BIT(BAD_ARGS)},
    {"{\"a\":,\"args\":{\"b\": ,\"c\":}}", "{\"a\":null,\"args\":{\"b\": null,\"c\":null}}",
     BIT(BAD_NUMBER) | BIT(BAD_ARGS)},
    {"{,}", "{}", BIT(COMMAS)},
};

START_TEST(args_become_json)
{
    CHECK_ROWS(args);
}
END_TEST

static const struct row hopeless[] = {
    {"", NULL, 0},
    {" {}", NULL, 0},
    {"{} ", NULL, 0},
    {"{}{}", NULL, 0},
    {"{\"pid\":1,tid\":1}", NULL, 0},
    {"{'a':1}", NULL, 0},
    {"{\"a\":'b'}", NULL, 0},
    {"{a:1}", NULL, 0},
    {"{\"a\"}", NULL, 0},
    {"{\"a\" 1}", NULL, 0},
    {"{\"a\":1 \"b\":2}", NULL, 0},
    {"{\"a\":\"b\" \"c\":2}", NULL, 0},
    {"{\"a\":12:30}", NULL, 0},
    {"{\"a\":[1}", NULL, 0},
    {"{\"a\":]}", NULL, 0},
    {"{\"a\":{\"b\":1]}", NULL, 0},
    {"{\"a\":\"b}", NULL, 0},
    {"{\"a\":\"b\\\"}", NULL, 0},
    {"{\"a\":1", NULL, 0},
    {"{\"a\":\x01}", NULL, 0},
    {"{\"a\":1}}", NULL, 0},
    {"{\"a\":.5,\"b\":\"\x01\",{}}", NULL, BIT(BAD_NUMBER) | BIT(CONTROL)},
};

START_TEST(some_cannot_be_mended)
{
    finding_set found;
    size_t n;
    CHECK_ROWS(hopeless);
    ck_assert_ptr_null(mend_text("{\"a\":1\0}", 8, &found, &n));
}
END_TEST

/* Random text with faults of the kinds that can be mended. */
static void add_random_value(uint64_t *state, struct buf *text, int depth)
{
    static const char *const values[] = {
        "1",        "-2.5e3",      ".5",   "05",    "NaN",     "N/A",
        "no thing", "true",        "null", "\"x\"", "\"\\q\"", "\"\t\"",
        "\"\xFF\"", "\"\\ud83d\"", "",     "1e400", "\"5\"",   "\"\\ud83d\\ude00\"",
        "\"\\\"\"", "\xC3\xA9"};
    static const char *const keys[] = {"a", "dur", "ph", "args", "\\z", "\\ud800", "\x01"};
    static const char *const blanks[] = {"", "", "", " ", "\n "};
    uint64_t kind = random_below(state, depth < 3 ? 8 : 6);
    bool object = kind == 7 || depth == 0;
    if (kind < 6 && depth) {
        buf_add_str(text, values[random_below(state, sizeof values / sizeof *values)]);
        return;
    }
    buf_add_char(text, object ? '{' : '[');
    for (uint64_t i = random_below(state, 4); i; i--) {
        if (object) {
            buf_add_char(text, '"');
            buf_add_str(text, keys[random_below(state, sizeof keys / sizeof *keys)]);
            buf_add_str(text, "\":");
        }
        buf_add_str(text, blanks[random_below(state, 5)]);
        add_random_value(state, text, depth + 1);
        if (i > 1 || !random_below(state, 4))
            buf_add_str(text, random_below(state, 4) ? "," : ", ,");
    }
    buf_add_char(text, object ? '}' : ']');
}

START_TEST(random_events)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        struct buf text = {0};
        finding_set found;
        size_t n;
        add_random_value(&state, &text, 0);
        char *out = mend_text(text.data, text.len, &found, &n);
        ck_assert_msg(out != NULL, "%.*s", (int)text.len, text.data);
        free(out);
        text.data[random_below(&state, text.len)] =
            "\"{}[]:,\\ \0a1\x01\xC3"[random_below(&state, 14)];
        free(mend_text(text.data, text.len, &found, &n));
        free(mend_text(text.data, random_below(&state, text.len), &found, &n));
        buf_free(&text);
    }
}
END_TEST

/* Ten million brackets, or commas, or a long string or word take no quadratic time, and no stack.
 */
START_TEST(large_events)
{
    static const struct {
        const char *begin, *piece, *end;
        enum mend_result result;
    } rows[] = {{"{\"a\":", "[", "", MEND_CANNOT},
                {"{\"a\":[1", ",,", "]}", MEND_DONE},
                {"{\"dur\":[1", ",,", "]}", MEND_DONE},
                {"{\"a\":\"", "\\x", "\"}", MEND_DONE},
                {"{\"a\":\"", "\xC3\xA9", "\"}", MEND_SAME},
                {"{\"a\":", "a ", "}", MEND_DONE},
                {"{\"a\":", "12", "}", MEND_SAME},
                {"{\"a\":", ".", "}", MEND_DONE},
                {"{", "\"a\":,", "}", MEND_DONE}};
    struct mend m = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text = {0}, out = {0};
        finding_set found;
        buf_add_str(&text, rows[i].begin);
        for (int k = 0; k < 3000000; k++)
            buf_add_str(&text, rows[i].piece);
        buf_add_str(&text, rows[i].end);
        ck_assert_int_eq(mend_event(&m, text.data, text.len, &out, &found), rows[i].result);
        buf_free(&out);
        buf_free(&text);
    }
    mend_free(&m);
}
END_TEST

Suite *mend_suite(void)
{
    const TTest *const tests[] = {own_numbers,      durations_become_numbers, strings_become_json,
                                  args_become_json, some_cannot_be_mended,    random_events,
                                  large_events};
    return SUITE_OF("mend", tests);
}
