#include "kind.h"

#include <string.h>

#include "units.h"

static enum kind kind_of_text(const char *text)
{
    struct event event;
    struct event_parser *parser = event_parser_new();
    ck_assert_int_eq(event_parse(parser, text, strlen(text), NULL, &event), EVENT_OK);
    enum kind kind = kind_of(text, &event);
    event_parser_free(parser);
    return kind;
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
    const TTest *const tests[] = {by_cat_and_name, kept_by_offset};
    return SUITE_OF("kind", tests);
}
