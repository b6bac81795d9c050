#include "kind.h"

#include <string.h>

#include "units.h"

static struct event read_event(const char *text)
{
    struct event event;
    struct event_parser *parser = event_parser_new();
    ck_assert_int_eq(event_parse(parser, text, strlen(text), NULL, &event), EVENT_OK);
    event_parser_free(parser);
    return event;
}

static unsigned byte_of(const char *text, const struct kind_rules *rules)
{
    struct event event = read_event(text);
    uint8_t byte;
    ck_assert(kind_byte(text, &event, rules, &byte));
    return byte;
}

static enum kind kind_of_text(const char *text)
{
    return byte_of(text, &(struct kind_rules){.kinds = true});
}

START_TEST(by_cat_and_name)
{
    ck_assert_int_eq(kind_of_text("{\"cat\":\"kernel\"}"), KIND_DEVICE);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"gpu_user_annotation\"}"), KIND_MARK);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"python_function\"}"), KIND_PYTHON);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"cuda_runtime\"}"), KIND_RUNTIME);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"mine,kernel\"}"), KIND_DEVICE);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"kernels\"}"), KIND_OP);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"\"}"), KIND_OP);
    ck_assert_int_eq(kind_of_text("{\"cat\":7}"), KIND_OP);
    ck_assert_int_eq(kind_of_text("{}"), KIND_OP);
    ck_assert_int_eq(kind_of_text("{\"cat\":\"cpu_op\",\"name\":\"ProfilerStep#5\"}"), KIND_MARK);
}
END_TEST

/* Any category of a list counts; an escape is what it stands for. */
START_TEST(by_what_is_said_of_categories)
{
    static const char *const soft[] = {"mine", "a b,cpu_op"}, *const keep[] = {"", "kernel,own"};
    const struct kind_rules rules = {
        .kinds = true, .soft = soft, .nsoft = 2, .keep = keep, .nkeep = 2};
    ck_assert_uint_eq(byte_of("{\"cat\":\"mine\"}", &rules), KIND_MARK);
    ck_assert_uint_eq(byte_of("{\"cat\":\"cpu_op\"}", &rules), KIND_MARK);
    ck_assert_uint_eq(byte_of("{\"cat\":\"x,,a b\"}", &rules), KIND_MARK);
    ck_assert_uint_eq(byte_of("{\"cat\":\"min\"}", &rules), KIND_OP);
    ck_assert_uint_eq(byte_of("{\"cat\":\"mine2\"}", &rules), KIND_OP);
    ck_assert_uint_eq(byte_of("{\"cat\":\"\"}", &rules), KIND_OP);
    ck_assert_uint_eq(byte_of("{\"cat\":7,\"name\":\"mine\"}", &rules), KIND_OP);
    ck_assert_uint_eq(byte_of("{\"cat\":\"kernel\"}", &rules), KIND_DEVICE | KIND_KEEP_TIMES);
    ck_assert_uint_eq(byte_of("{\"cat\":\"mine,own\"}", &rules), KIND_MARK | KIND_KEEP_TIMES);
    ck_assert_uint_eq(byte_of("{\"cat\":\"own\",\"name\":\"ProfilerStep#1\"}", &rules),
                      KIND_MARK | KIND_KEEP_TIMES);
    ck_assert_uint_eq(byte_of("{\"cat\":\"k\\u0065rnel\"}", &rules), KIND_DEVICE | KIND_KEEP_TIMES);
    ck_assert_uint_eq(byte_of("{\"cat\":\"m\\u0069ne\"}", &rules), KIND_MARK);
}
END_TEST

START_TEST(kinds_only_where_wanted)
{
    static const char *const keep[] = {"gpu_memcpy"};
    const struct kind_rules rules = {.keep = keep, .nkeep = 1};
    ck_assert_uint_eq(byte_of("{\"cat\":\"kernel\"}", &rules), KIND_OP);
    ck_assert_uint_eq(byte_of("{\"cat\":\"gpu_memcpy\"}", &rules), KIND_OP | KIND_KEEP_TIMES);
    ck_assert_uint_eq(byte_of("{\"name\":\"ProfilerStep#1\"}", &rules), KIND_OP);
}
END_TEST

START_TEST(kept_by_offset)
{
    struct kinds kinds = {0};
    for (uint64_t off = 10; off < 1000; off += 10)
        ck_assert(kinds_add(&kinds, off, (uint8_t)(off / 10 % 5)));
    for (uint64_t off = 0; off < 1010; off++) {
        bool there = off >= 10 && off < 1000 && off % 10 == 0;
        ck_assert_uint_eq(kinds_get(&kinds, off), there ? off / 10 % 5 : KIND_OP);
    }
    ck_assert_uint_lt(kinds.n, 99); /* those of KIND_OP take no room */
    kinds_free(&kinds);
    ck_assert_uint_eq(kinds_get(&kinds, 10), KIND_OP);
}
END_TEST

Suite *kind_suite(void)
{
    const TTest *const tests[] = {by_cat_and_name, by_what_is_said_of_categories,
                                  kinds_only_where_wanted, kept_by_offset};
    return SUITE_OF("kind", tests);
}
