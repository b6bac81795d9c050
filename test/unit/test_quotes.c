/* Quotes that are not escaped: where the end of the string is certain, and where it is not. */
#include "quotes.h"

#include <stdlib.h>

#include "units.h"

/* What a producer writes. */
static const char *const learnt[] = {
    ("{\"ph\":\"X\",\"cat\":\"c\",\"name\":\"n\",\"pid\":1,\"tid\":2,\"ts\":3,\"dur\":4,"
     "\"args\":{\"name\":1}}"),
    "{ \"name\" : \"n\" , \"ph\":\"M\",\"Own key\":\"x\",\"pid\":1}",
    "{\"ph\":\"i\",\"name\":\"n\"}",
    "{\"ph\":\"f\",\"bp\":\"e\"}",
};

/* The event in the text with its quotes escaped, owned by the caller; NULL if it is not certain. */
static char *escape(struct quotes *q, const char *text, size_t n, bool at_end, size_t *end)
{
    struct buf out = {0};
    size_t done = 0;
    char *copy = malloc(n); /* so that reading beyond it is noticed */
    memcpy(copy, text, n);
    enum quotes_result result = quotes_find(q, copy, n, at_end, end);
    ck_assert_int_ne(result, QUOTES_NO_MEMORY);
    for (size_t i = 0; i < q->n && result == QUOTES_FOUND; i++) {
        ck_assert(copy[q->places[i]] == '"');
        buf_add(&out, copy + done, q->places[i] - done);
        buf_add_char(&out, '\\');
        done = q->places[i];
    }
    if (result == QUOTES_FOUND) {
        buf_add(&out, copy + done, *end - done);
        buf_add_char(&out, 0);
    }
    free(copy);
    return out.data;
}

static const struct row {
    const char *text, *escaped; /* NULL: not certain */
} rows[] = {
    {"{\"ph\":\"X\",\"name\":\"{\"device\": \"cpu\"}(12): run\",\"pid\":1},{\"ph\":\"X\"}]",
     "{\"ph\":\"X\",\"name\":\"{\\\"device\\\": \\\"cpu\\\"}(12): run\",\"pid\":1}"},
    /* two strings; blanks; quotes that are escaped; a bare word that can be mended */
    {"{ \"ph\" : \"X\" , \"cat\" : \"a\"b\" , \"name\" : \"\\\"c\"\" , \"pid\" : NaN }\n]}",
     "{ \"ph\" : \"X\" , \"cat\" : \"a\\\"b\" , \"name\" : \"\\\"c\\\"\" , \"pid\" : NaN }"},
    /* the name is whole, the cat is not */
    {"{\"name\":\"a\",\"ph\":\"M\",\"Own key\":\"b\"c\",\"pid\":1}]",
     "{\"name\":\"a\",\"ph\":\"M\",\"Own key\":\"b\\\"c\",\"pid\":1}"},
    /* at the event's end, in each way that it can end */
    {"{\"ph\":\"i\",\"name\":\"a\"b\"} ,\n{\"name\":", "{\"ph\":\"i\",\"name\":\"a\\\"b\"}"},
    {"{\"ph\":\"i\",\"name\":\"a\"b\"}{\"ph\":", "{\"ph\":\"i\",\"name\":\"a\\\"b\"}"},
    {"{\"ph\":\"i\",\"name\":\"a\"b\"},]", "{\"ph\":\"i\",\"name\":\"a\\\"b\"}"},
    {"{\"ph\":\"i\",\"name\":\"a\"b\"}],\"k\":1}", "{\"ph\":\"i\",\"name\":\"a\\\"b\"}"},
    {"{\"ph\":\"i\",\"name\":\"a\"b\"},", NULL}, /* or it was cut in the name */
    {"{\"ph\":\"i\",\"name\":\"a\"b\"}", NULL},
    /* an end that lies behind the event */
    {"{\"ph\":\"X\",\"args\":\"a\":1}],\"k\":\"b\"}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b}],\"k\":\"b\",\"pid\":1}]", NULL},
    {"{\"ph\":\"i\",\"name\":\"a\"b\"},,{\"ph\":", "{\"ph\":\"i\",\"name\":\"a\\\"b\"}"},
    /* what only looks like an end */
    {"{\"ph\":\"X\",\"name\":\"a\", \"b\": \"}, ]\",\"pid\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"[\"a\", \"b\": \"}]\",\"pid\":1}]",
     "{\"ph\":\"X\",\"name\":\"[\\\"a\\\", \\\"b\\\": \\\"}]\",\"pid\":1}"},
    {"{\"ph\":\"i\",\"name\":\"[{\"a\":\"x\"},{\"b\":\"y\"}]\"},{\"ph\":",
     "{\"ph\":\"i\",\"name\":\"[{\\\"a\\\":\\\"x\\\"},{\\\"b\\\":\\\"y\\\"}]\"}"},
    /* no such thing, or not in a string of its own */
    {"{\"ph\":\"X\",\"name\":\"a\",\"pid\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\",\"args\":{\"x\":\"a\"b\"}}]", NULL},
    {"{\"pid\":1,tid\":1,\"ph\":\"X\"}]", NULL},
    {"{\"ph\":\"X\"Y\",\"name\":\"a\"}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"pid\":1:2}]", NULL},
    {"{\"name\":\"a\"b\",\"pid\":1}]", NULL},
    /* keys: one that is not known, one that is not seen there, one that stands twice */
    {"{\"ph\":\"X\",\"new\":\"a\"b\",\"pid\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"new\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"cat\":\"c\"}]", NULL},
    {"{\"ph\":\"X\",\"cat\":\"a\"b\"}]", NULL},
    {"{\"ph\":\"f\",\"bp\":\"a\"b\",\"ts\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"say \"a\",\"ph\":\"b\"\",\"pid\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"pid\":1,\"name\":\"c\"}]", NULL},
    /* a name with members in it is cut where they begin */
    {"{\"cat\":\"c\",\"name\":\"a\"b\",\"ph\":\"M\",\"Own key\":\"c\"d\",\"pid\":1}]",
     "{\"cat\":\"c\",\"name\":\"a\\\"b\",\"ph\":\"M\",\"Own key\":\"c\\\"d\",\"pid\":1}"},
    /* torn: another event begins in it */
    {"{\"cat\":\"c\",\"name\":\"a{\"name\":\"b\",\"ph\":\"X\",\"pid\":1}]", NULL},
    {"{\"cat\":\"c\",\"name\":\"a{ \"ph\":\"X\",\"cat\":\"b\"}]", NULL},
    /* what is missing is a quote, comma or colon of the event itself */
    {"{\"cat\":\"c\",\"ph\":\"X\",\"name\":\"a\",tid\":\"b\",\"pid\":1}]", NULL},
    {"{\"cat\":\"c\",\"ph\":\"X\",\"name\":\"a\" \"tid\":\"b\",\"pid\":1}]", NULL},
    {"{\"cat\":\"c\",\"ph\":\"X\",\"name\":\"a\",\"tid\"\"b\",\"pid\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"tid\"a\",\"pid\":1}]",
     "{\"ph\":\"X\",\"name\":\"tid\\\"a\",\"pid\":1}"},
    /* the end is not there */
    {"{\"ph\":\"X\",\"name\":\"a\"b", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"pid\":1},{\"x\":1}]", NULL},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"pid\":1}]}x",
     "{\"ph\":\"X\",\"name\":\"a\\\"b\",\"pid\":1}"},
    {"{\"ph\":\"X\",\"name\":\"a\"b\",\"pid\":1}]x", NULL},
    {"{\"ph\":\"i\",\"name\":\"a\"b\"}],x", NULL},
    {"{", NULL},
    {"{\"ph\"", NULL},
};

START_TEST(ends_where_it_is_certain)
{
    struct quotes q;
    quotes_init(&q);
    for (size_t i = 0; i < sizeof learnt / sizeof *learnt; i++)
        ck_assert(quotes_learn(&q, learnt[i], strlen(learnt[i])));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t end;
        char *out = escape(&q, rows[i].text, strlen(rows[i].text), true, &end);
        ck_assert_msg((out != NULL) == (rows[i].escaped != NULL), "%s\nbecomes %s", rows[i].text,
                      out);
        if (out)
            ck_assert_msg(strcmp(out, rows[i].escaped) == 0, "%s\nbecomes %s\nand not %s",
                          rows[i].text, out, rows[i].escaped);
        free(out);
    }
    quotes_free(&q);
}
END_TEST

/* Where nothing was learnt, only the format's own keys count; where more may follow, no end does.
 */
START_TEST(without_knowledge)
{
    static const struct {
        const char *text;
        bool at_end, found;
    } cases[] = {
        {"{\"name\":\"a\"b\",\"ph\":\"X\"},{\"cat\":1}", true, true},
        {"{\"name\":\"{\"a\": \"b\"}\",\"ph\":\"X\"},{\"cat\":1}", true, true},
        {"{\"ph\":\"X\",\"name\":\"a\",x\",\"ts\":1},{\"cat\":1}", true, false},
        {"{\"name\":\"a\",ph\":\"X\",\"ts\":1},{\"cat\":1}", true, false},
        {"{\"ph\":\"X\",\"name\":\"a\",cat\":\"b\",\"ts\":1},{\"cat\":1}", true, false},
        {"{\"ph\":\"X\",\"name\":\"a\" cat\":\"b\",\"ts\":1},{\"cat\":1}", true, false},
        {"{\"ph\":\"X\",\"name\":\"a\"cat \":\"b\",\"ts\":1},{\"cat\":1}", true, true},
        {"{\"name\":\"a\"b\",\"ph\":\"X\"},{\"cat\":", false, true},
        {"{\"name\":\"a\"b\",\"ph\":\"X\"},{\"cat\"", false, false},
        {"{\"name\":\"a\"b\",\"ph\":\"X\"},{\"own\":1}", true, false},
        {"{\"ph\":\"X\",\"name\":\"a\"b\",\"own\":1}]", true, false},
        {"{\"ph\":\"X\",\"own\":\"a\"b\",\"cat\":1}]", true, false},
        {"{\"ph\":\"X\",\"name\":\"a\"b\"}]", true, true},
        {"{\"ph\":\"X\",\"name\":\"a\"b\"}]", false, false},
        {"{\"ph\":\"X\",\"name\":\"a\"b\"}", false, false},
        {"{\"ph\":\"X\",\"name\":\"a\"b\"}]}", false, true},
    };
    struct quotes q;
    quotes_init(&q);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t end;
        char *out = escape(&q, cases[i].text, strlen(cases[i].text), cases[i].at_end, &end);
        ck_assert_msg((out != NULL) == cases[i].found, "%s", cases[i].text);
        free(out);
    }
    quotes_free(&q);
}
END_TEST

/* What is whole is learnt, without what lies in it; and nothing from what is no event. */
START_TEST(learns_ahead)
{
    static const char text[] = "{\"a\":{\"b\":{\"c\":1},{\"d\":1,\"ph\":\"X\",\"args\":{\"ph\":"
                               "\"e\",\"f\":1}},{\"ph\":\"X\",\"g\":";
    struct quotes q;
    quotes_init(&q);
    ck_assert(quotes_learn_ahead(&q, text, strlen(text)));
    for (const char *key = "abcdefg"; *key; key++)
        ck_assert_msg((key_order_find(&q.order, key, 1) != KEY_ORDER_UNKNOWN) == (*key == 'd'),
                      "%c", *key);
    quotes_free(&q);
}
END_TEST

/* More keys than are learnt, and longer ones: they are unknown, and no harm. */
START_TEST(many_keys)
{
    struct key_order order;
    char key[] = "key 0", long_key[KEY_ORDER_NBYTES_MAX + 1] = {0};
    key_order_init(&order);
    ck_assert_int_eq(key_order_find(&order, "ph", 2), KEY_ORDER_PH);
    ck_assert_int_eq(key_order_add(&order, long_key, sizeof long_key), KEY_ORDER_UNKNOWN);
    for (int i = 0; i < 100; i++) {
        key[4] = (char)(' ' + i);
        int number = key_order_add(&order, key, 5);
        ck_assert_int_eq(number, key_order_find(&order, key, 5));
        ck_assert_int_lt(number, KEY_ORDER_KEYS_MAX);
        key_order_learn(&order, KEY_ORDER_PH, number);
        ck_assert_int_eq(key_order_fits(&order, KEY_ORDER_PH, number), number >= 0);
        ck_assert(!key_order_fits(&order, KEY_ORDER_PH + 1, number)); /* not the format's own */
    }
    ck_assert_int_eq(key_order_find(&order, key, 5), KEY_ORDER_UNKNOWN);
    ck_assert_uint_eq(order.first, 0);
    ck_assert_uint_eq(order.last, 0);
    ck_assert(!key_order_fits(&order, KEY_ORDER_EDGE, KEY_ORDER_UNKNOWN));
    ck_assert(!key_order_fits(&order, KEY_ORDER_UNKNOWN, KEY_ORDER_PH));
}
END_TEST

/* A megabyte of quotes, blanks or brackets takes no quadratic time. */
START_TEST(long_strings)
{
    static const char *const pieces[] = {"\"", "\" ",          "\",\"", "\"}", "{\"",
                                         " ",  "\"}\n,{\"x\"", "}",     "},",  "},{"};
    static const char whole[] = "x{\"ph\":\"X\",\"name\":\"n\",\"ts\":1}{\"name\"";
    struct quotes q;
    quotes_init(&q);
    ck_assert(quotes_learn_ahead(&q, whole, strlen(whole)));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct buf text = {0};
        size_t end;
        buf_add_str(&text, "{\"ph\":\"X\",\"name\":\"a\" b");
        while (text.len < QUOTES_NBYTES_MAX - 100)
            buf_add_str(&text, pieces[i]);
        buf_add_str(&text, "x\",\"ts\":1}]}");
        ck_assert_int_eq(quotes_find(&q, text.data, text.len, true, &end), QUOTES_FOUND);
        ck_assert_uint_eq(end, text.len - 2);
        buf_free(&text);
    }
    quotes_free(&q);
}
END_TEST

Suite *quotes_suite(void)
{
    const TTest *const tests[] = {ends_where_it_is_certain, without_knowledge, learns_ahead,
                                  many_keys, long_strings};
    return SUITE_OF("quotes", tests);
}
