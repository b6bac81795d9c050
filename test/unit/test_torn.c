/* The shape of JSON, and events that another writer has torn. */
#include "torn.h"

#include <stdlib.h>
#include <string.h>

#include "units.h"

/* The shape of a text that is fed in pieces; *used is where it stopped. */
static enum shape_result shape_of(const char *text, size_t piece, size_t depth_max, size_t *used,
                                  bool *has_ph)
{
    struct shape s = {0};
    enum shape_result result = SHAPE_MORE;
    size_t n = strlen(text);
    shape_begin(&s, depth_max);
    *used = 0;
    while (*used < n && result == SHAPE_MORE) {
        size_t some, len = n - *used < piece ? n - *used : piece;
        result = shape_run(&s, text + *used, len, &some);
        *used += some;
    }
    *has_ph = s.has_ph;
    shape_free(&s);
    return result;
}

static const struct {
    const char *text;
    enum shape_result result;
    size_t used;
} shapes[] = {
    {"{}", SHAPE_CLOSED, 2},
    {" {\"a\" : 1 , \"b\":[1, {}, \"]\\\"\", null]} ", SHAPE_CLOSED, 37},
    {"[1,]", SHAPE_CLOSED, 4},
    {"{\"a\":1,}", SHAPE_CLOSED, 8},
    {"{\"a\":NaN}", SHAPE_CLOSED, 9},
    {"{\"a\":\"\xFF\\q\"}", SHAPE_CLOSED, 11},
    {"\"a\"b", SHAPE_CLOSED, 3},
    {"12,", SHAPE_CLOSED, 2},
    {"12", SHAPE_MORE, 2},
    {"{\"a\":1", SHAPE_MORE, 6},
    {"{\"a\":\"x\"y\"}", SHAPE_BROKEN, 8},
    {"{\"a\"}", SHAPE_BROKEN, 4},
    {"{a:1}", SHAPE_BROKEN, 1},
    {"{,}", SHAPE_BROKEN, 1},
    {"[,]", SHAPE_BROKEN, 1},
    {"{\"a\":}", SHAPE_BROKEN, 5},
    {"{\"a\":1 2}", SHAPE_BROKEN, 7},
    {"{\"a\":1{}}", SHAPE_BROKEN, 6},
    {"{\"a\":1,{}}", SHAPE_BROKEN, 7},
    {"{\"a\":{}{}}", SHAPE_BROKEN, 7},
    {"{\"a\":{}\"b\":1}", SHAPE_BROKEN, 7},
    {"{\"a\":[1}}", SHAPE_BROKEN, 7},
    {"{\"a\":1\x01}", SHAPE_BROKEN, 6},
    {"]", SHAPE_BROKEN, 0},
    {"[[[[]]]]", SHAPE_BROKEN, 3},
};

START_TEST(order_of_tokens)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t piece = 1; piece < 12; piece++) {
            size_t used;
            bool has_ph;
            ck_assert_msg(shape_of(shapes[i].text, piece, 3, &used, &has_ph) == shapes[i].result &&
                              used == shapes[i].used,
                          "%s in pieces of %zu: stopped at %zu", shapes[i].text, piece, used);
        }
}
END_TEST

START_TEST(ph_of_the_outermost_object)
{
    static const struct {
        const char *text;
        bool has_ph;
    } texts[] = {
        {"{\"ph\":\"X\"}", true},
        {"{\"a\":{\"b\":1},\"ph\" : \"X\"}", true},
        {"{\"a\":{\"ph\":\"X\"}}", false},
        {"{\"ph\":1}", false},
        {"{\"phx\":\"X\",\"p\":\"X\",\"xph\":\"ph\"}", false},
        {"[\"ph\",\"X\"]", false},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t piece = 1; piece < 4; piece++) {
            size_t used;
            bool has_ph;
            ck_assert_int_eq(shape_of(texts[i].text, piece, 9, &used, &has_ph), SHAPE_CLOSED);
            ck_assert_msg(has_ph == texts[i].has_ph, "%s", texts[i].text);
        }
}
END_TEST

#define B "{\"cat\":\"k\",\"ph\":\"X\",\"ts\":1,\"args\":{\"a\":[{}]}}"

/* `at` is the place of the other event; -1: it is not torn. */
static const struct {
    const char *text;
    int at;
} events[] = {
    {"{\"ph\":\"X\",\"name\":\"a\"}", -1},
    {"{\"ph\":\"X\",\"dur\":" B "}", -1}, /* strange, but it is JSON */
    {"{\"ph\":\"X\",\"na" B, 13},
    {"{\"ph\":\"X\",\"name\":\"fo" B "o\",\"ts\":1}", 20},
    {"{\"ph\":\"X\",\"name\":" B "\"foo\",\"ts\":1}", 17},
    {"{\"ph\":\"X\",\"dur\":1" B "2,\"ts\":1}", 17},
    {"{\"ph\":\"X\"," B "}", 10},
    {"{\"ph\":\"X\",\"args\":{\"a\":{\"b\":\"" B "\"},\"ts\":1}}", 28},
    {"{\"ph\":\"X\",\"name\":\"fo{ \"ph\" : \"X\",\"name\":\"b", 20},   /* is torn as well */
    {"{\"name\":\"{\"device\": \"cpu\"}(12): run\",\"ph\":\"X\"}", -1}, /* quotes not escaped */
    {"{\"name\":\"{\"a\": {\"b\":1,\"ph\":1}}(12): run\",\"ph\":\"X\"}",
     -1}, /* in one that is none */
    {"{\"ph\":\"X\",\"args\":{\"a\":{}{}}}", -1},
};

START_TEST(torn_events)
{
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        size_t at = 0;
        enum torn_result result = torn_find(events[i].text, strlen(events[i].text), &at);
        ck_assert_msg(result == (events[i].at < 0 ? TORN_NO : TORN_YES) &&
                          (events[i].at < 0 || at == (size_t)events[i].at),
                      "%s: result %d, at %zu", events[i].text, result, at);
    }
}
END_TEST

/* Events that begin in each other a hundred thousand times take no quadratic time. */
START_TEST(torn_many_times)
{
    static const char start[] = "{\"a\":[";
    size_t n = 100000 * strlen(start), at;
    char *text = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = start[i % strlen(start)];
    text[n] = '}';
    ck_assert_int_eq(torn_find(text, n + 1, &at), TORN_NO);
    free(text);
}
END_TEST

Suite *torn_suite(void)
{
    const TTest *const tests[] = {order_of_tokens, ph_of_the_outermost_object, torn_events,
                                  torn_many_times};
    return SUITE_OF("torn", tests);
}
