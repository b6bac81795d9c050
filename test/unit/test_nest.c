/* The two ways of nest_run against each other, and against jsmn: what is not odd may be left out.
 */
#include "nest.h"

#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "units.h"

/* Runs through text[0, n) in pieces of `piece` bytes. *used is where it stopped. */
static enum nest_result run_all(struct nest *nest, const char *text, size_t n, size_t piece,
                                size_t *used)
{
    enum nest_result result = NEST_MORE;
    nest_begin(nest);
    *used = 0;
    while (*used < n && result == NEST_MORE) {
        size_t some, len = n - *used < piece ? n - *used : piece;
        result = nest_run(nest, text + *used, len, &some);
        *used += some;
    }
    return result;
}

static void check_same(const struct nest *a, const struct nest *b)
{
    ck_assert(a->odd == b->odd && a->in_string == b->in_string && a->escaped == b->escaped);
    ck_assert(a->depth == b->depth && a->depth_max == b->depth_max && a->pos == b->pos);
    ck_assert(a->ninner == b->ninner);
    for (size_t i = 0; i < a->ninner && i < NEST_INNER_MAX; i++)
        ck_assert(a->inner[i].begin == b->inner[i].begin && a->inner[i].end == b->inner[i].end);
}

/* Random text that begins with a bracket, mostly of what matters. What makes an event odd is rare,
 * as in life, or every one would be odd at once. */
static size_t random_text(uint64_t *state, char *text, size_t max)
{
    static const char *const rare[] = {"\\",   "\\\"", "\\u00e9", "\x01",
                                       "\x7F", "\xC3", "a{",      "1\""};
    static const char *const common[] = {
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        " ",
        "\n",
        "a",
        "1",
        "\"a\"",
        "\"b\":",
        "{}",
        "[]",
        "\"x\":1",
        "\t",
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
        "\"args\":{",
        "\"ts\":1,",
        "\"ph\":\"X\",",
        "\"name\":[1,{\"k\":2}],",
        "},",
        "],",
        "}"};
    size_t n = 1, wanted = 1 + random_below(state, max - 64);
    text[0] = random_below(state, 8) ? '{' : '[';
    while (n < wanted) {
        const char *piece = random_below(state, 60)
                                ? common[random_below(state, sizeof common / sizeof *common)]
                                : rare[random_below(state, sizeof rare / sizeof *rare)];
        memcpy(text + n, piece, strlen(piece));
        n += strlen(piece);
        if (random_below(state, 1000) == 0)
            text[n++] = 0;
    }
    return n;
}

START_TEST(both_ways_give_the_same)
{
    char text[512];
    uint64_t state = 17, closed = 0, mismatch = 0;
    for (int round = 0; round < 60000; round++) {
        struct nest plain = {.plain_only = true}, fast = {0};
        size_t n = random_text(&state, text, sizeof text), used, fast_used;
        enum nest_result expected = run_all(&plain, text, n, n, &used);
        size_t piece = round % 2 ? n : 1 + random_below(&state, 200);
        ck_assert_int_eq(run_all(&fast, text, n, piece, &fast_used), expected);
        ck_assert_uint_eq(fast_used, used);
        check_same(&plain, &fast);
        closed += expected == NEST_CLOSED;
        mismatch += expected == NEST_MISMATCH;
        nest_free(&plain);
        nest_free(&fast);
    }
    ck_assert_uint_gt(closed, 5000);
    ck_assert_uint_gt(mismatch, 5000);
}
END_TEST

static void check_value(const struct value *a, const struct value *b)
{
    ck_assert(a->kind == b->kind && a->off == b->off && a->len == b->len);
}

/* An event gives the same fields, or is refused in the same way, whether or not jsmn looks into its
 * inner values. */
static enum event_status check_event(struct event_parser *parser, const char *text, size_t n,
                                     const struct nest *nest)
{
    struct event whole, skipped;
    enum event_status status = event_parse(parser, text, n, NULL, &whole);
    struct outline outline = event_outline(nest);
    ck_assert_msg(event_parse(parser, text, n, &outline, &skipped) == status, "%d: %.*s", status,
                  (int)n, text);
    ck_assert_int_eq(whole.ph, skipped.ph);
    check_value(&whole.name, &skipped.name);
    check_value(&whole.ts, &skipped.ts);
    check_value(&whole.dur, &skipped.dur);
    check_value(&whole.tid, &skipped.tid);
    check_value(&whole.arg_name, &skipped.arg_name);
    return status;
}

START_TEST(what_is_skipped_does_not_matter)
{
    char text[512];
    uint64_t state = 23, read = 0, refused = 0, skipped = 0;
    struct event_parser *parser = event_parser_new();
    for (int round = 0; round < 400000; round++) {
        struct nest nest = {0};
        size_t used, n = random_text(&state, text, round % 4 ? 130 : 400);
        if (run_all(&nest, text, n, n, &used) == NEST_CLOSED && text[0] == '{') {
            enum event_status status = check_event(parser, text, used, &nest);
            read += status == EVENT_OK && nest.ninner;
            refused += status == EVENT_UNREAD;
            skipped += !nest.odd && nest.ninner;
        }
        nest_free(&nest);
    }
    event_parser_free(parser);
    ck_assert_uint_gt(read, 300);
    ck_assert_uint_gt(refused, 5000);
    ck_assert_uint_gt(skipped, 5000);
}
END_TEST

/* jsmn takes a backslash outside of strings for part of a word. But with a bad escape in the part
 * that was skipped it refused the whole, was asked again without both, and then saw another event.
 */
START_TEST(a_backslash_outside_of_strings)
{
    static const char text[] = "{\"p\"\\:\\:[{\"\\s\":[]}]}";
    struct event_parser *parser = event_parser_new();
    struct nest nest = {0};
    size_t used;
    ck_assert_int_eq(run_all(&nest, text, strlen(text), 300, &used), NEST_CLOSED);
    ck_assert(nest.odd);
    check_event(parser, text, used, &nest);
    nest_free(&nest);
    event_parser_free(parser);
}
END_TEST

/* A real event with one byte changed, at every place to every value. */
START_TEST(every_change_of_a_byte)
{
    static const char event[] =
        "{\"ph\": \"M\", \"name\":\"thread_name\",\"ts\":1.5,\"tid\":\"a\",\"args\":{\"name\":"
        "\"C:\\\\x\",\"l\":[[1,2],{\"k\":null}],\"n\":-1.5e3},\"dur\":[ ],\"bp\":\"e\"}";
    struct event_parser *parser = event_parser_new();
    for (size_t at = 1; at < sizeof event - 1; at++) {
        for (int b = 0; b < 256; b++) {
            char text[sizeof event];
            struct nest nest = {0}, plain = {.plain_only = true};
            size_t used, plain_used;
            memcpy(text, event, sizeof event);
            text[at] = (char)b;
            enum nest_result result = run_all(&nest, text, sizeof event - 1, 300, &used);
            ck_assert_int_eq(run_all(&plain, text, sizeof event - 1, 300, &plain_used), result);
            check_same(&nest, &plain);
            if (result == NEST_CLOSED)
                check_event(parser, text, used, &nest);
            nest_free(&nest);
            nest_free(&plain);
        }
    }
    event_parser_free(parser);
}
END_TEST

START_TEST(inner_spans)
{
    static const char text[] = "{\"a\":[1,[2]],\"b\":{\"c\":{}},\"d\":3}";
    struct nest nest = {0};
    size_t used;
    ck_assert_int_eq(run_all(&nest, text, strlen(text), 5, &used), NEST_CLOSED);
    ck_assert_uint_eq(used, strlen(text));
    ck_assert_uint_eq(nest.ninner, 2);
    ck_assert(nest.inner[0].begin == 5 && nest.inner[0].end == 12);
    ck_assert(nest.inner[1].begin == 17 && nest.inner[1].end == 25);
    ck_assert_uint_eq(nest.depth_max, 3);
    ck_assert(!nest.odd);
    nest_free(&nest);
}
END_TEST

Suite *nest_suite(void)
{
    const TTest *const tests[] = {both_ways_give_the_same, what_is_skipped_does_not_matter,
                                  every_change_of_a_byte, a_backslash_outside_of_strings,
                                  inner_spans};
    return SUITE_OF("nest", tests);
}
