#include "flow.h"

#include "units.h"

static uint32_t owner_at(int64_t ts_ns, uint32_t kind, const struct slice *s, size_t n)
{
    struct flow f = {ts_ns, 0, kind};
    ck_assert(flow_bind(&f, 1, s, n, 100));
    return f.owner;
}

START_TEST(takes_20_bytes)
{
    ck_assert_uint_eq(sizeof(struct flow), 20);
    ck_assert_uint_eq(sizeof(struct slice), 24);
    ck_assert_uint_eq(sizeof(struct rewrite), 16);
}
END_TEST

START_TEST(belongs_to_the_last_that_started_and_is_open)
{
    /* 0: (0, 100); 1: (10, 200) crosses it; 2: (20, 30) */
    static const struct slice s[] = {{0, 100, 0}, {10, 200, 1}, {20, 30, 2}};
    ck_assert_uint_eq(owner_at(5, FLOW_ENCLOSING, s, 3), 100);
    ck_assert_uint_eq(owner_at(10, FLOW_ENCLOSING, s, 3), 101); /* starts included */
    ck_assert_uint_eq(owner_at(30, FLOW_ENCLOSING, s, 3), 102); /* ends included */
    ck_assert_uint_eq(owner_at(31, FLOW_ENCLOSING, s, 3), 101);
    ck_assert_uint_eq(owner_at(150, FLOW_ENCLOSING, s, 3), 101);
    ck_assert_uint_eq(owner_at(201, FLOW_ENCLOSING, s, 3), FLOW_NO_OWNER);
    ck_assert_uint_eq(owner_at(-1, FLOW_ENCLOSING, s, 3), FLOW_NO_OWNER);
}
END_TEST

START_TEST(at_one_ts_it_is_the_innermost)
{
    static const struct slice s[] = {{10, 100, 0}, {10, 50, 1}, {10, 10, 2}};
    ck_assert_uint_eq(owner_at(10, FLOW_ENCLOSING, s, 3), 102);
    ck_assert_uint_eq(owner_at(11, FLOW_ENCLOSING, s, 3), 101);
}
END_TEST

START_TEST(without_bp_it_is_the_next_that_starts)
{
    static const struct slice s[] = {{0, 100, 0}, {10, 50, 1}, {10, 20, 2}, {40, 60, 3}};
    ck_assert_uint_eq(owner_at(0, FLOW_NEXT, s, 4), 100);
    ck_assert_uint_eq(owner_at(1, FLOW_NEXT, s, 4), 101);
    ck_assert_uint_eq(owner_at(10, FLOW_NEXT, s, 4), 101);
    ck_assert_uint_eq(owner_at(11, FLOW_NEXT, s, 4), 103);
    ck_assert_uint_eq(owner_at(41, FLOW_NEXT, s, 4), FLOW_NO_OWNER);
}
END_TEST

/* Many at once, against a search through all slices for each. */
START_TEST(equals_the_search_through_all)
{
    uint64_t state = 9;
    for (int round = 0; round < 500; round++) {
        struct slice s[30];
        struct flow f[60];
        size_t n = random_below(&state, 30), nf = random_below(&state, 60);
        int64_t at = 0;
        for (size_t i = 0; i < n; i++) {
            int64_t longest = i && s[i - 1].start_ns == at ? s[i - 1].end_ns - at + 1 : 40;
            int64_t dur = (int64_t)random_below(&state, (uint64_t)longest);
            s[i] = (struct slice){at, at + dur, i};
            at += (int64_t)random_below(&state, 4) * 5;
        }
        at = 0;
        for (size_t k = 0; k < nf; k++) {
            f[k] = (struct flow){at, k, random_below(&state, 4) ? FLOW_ENCLOSING : FLOW_NEXT};
            at += (int64_t)random_below(&state, 5);
        }
        struct flow bound[60];
        for (size_t k = 0; k < nf; k++)
            bound[k] = f[k];
        ck_assert(flow_bind(bound, nf, s, n, 0));
        for (size_t k = 0; k < nf; k++) {
            uint32_t expected = FLOW_NO_OWNER;
            for (uint32_t i = 0; i < n; i++) {
                if (f[k].owner == FLOW_ENCLOSING && s[i].start_ns <= f[k].ts_ns &&
                    s[i].end_ns >= f[k].ts_ns)
                    expected = i;
                if (f[k].owner == FLOW_NEXT && s[i].start_ns >= f[k].ts_ns) {
                    expected = i;
                    break;
                }
            }
            ck_assert_uint_eq(bound[k].owner, expected);
        }
    }
}
END_TEST

Suite *flow_suite(void)
{
    const TTest *const tests[] = {
        takes_20_bytes, belongs_to_the_last_that_started_and_is_open, at_one_ts_it_is_the_innermost,
        without_bp_it_is_the_next_that_starts, equals_the_search_through_all};
    return SUITE_OF("flow", tests);
}
