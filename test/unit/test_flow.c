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

/* T (96, 150) is delayed to 100 behind the frame (0, 100); S (97, 102) is trimmed there and had an
 * arrow at 101, which T would now get. */
START_TEST(a_delayed_slice_does_not_take_an_arrow)
{
    static const struct slice s[] = {{0, 100, 0}, {100, 150, 1}, {97, 100, 2}, {160, 170, 3}};
    struct flow f[] = {{99, 0, 2}, {101, 1, 2}, {120, 2, 1}, {130, 3, FLOW_NO_OWNER}};
    struct retimed r[] = {{97, 2}, {100, 1}};
    bool hidden[4];
    flow_find_hidden(f, 4, s, 4, r, 2, hidden);
    ck_assert(!hidden[0] && hidden[1] && !hidden[2] && !hidden[3]);
}
END_TEST

START_TEST(hidden_equals_the_search_through_all)
{
    uint64_t state = 13, found = 0;
    for (int round = 0; round < 3000; round++) {
        struct slice s[20];
        struct retimed r[20], copy[20];
        struct flow f[30];
        bool hidden[30];
        size_t n = 1 + random_below(&state, 20), nf = random_below(&state, 30), nr = 0;
        for (uint32_t i = 0; i < n; i++) {
            int64_t start =
                INT64_C(3) * i + (int64_t)(random_below(&state, 2) * random_below(&state, 20));
            s[i] = (struct slice){start, start + (int64_t)random_below(&state, 30), i};
            if (random_below(&state, 2) || start > INT64_C(3) * i)
                r[nr++] = (struct retimed){start, i};
        }
        for (size_t k = 0; k < nf; k++) {
            int64_t before = k ? f[k - 1].ts_ns : 0;
            f[k] = (struct flow){before + (int64_t)random_below(&state, 6), k,
                                 (uint32_t)random_below(&state, n)};
        }
        for (size_t i = 0; i < nr; i++)
            copy[i] = r[i];
        flow_find_hidden(f, nf, s, n, r, nr, hidden);
        for (size_t k = 0; k < nf; k++) {
            const struct slice *owner = &s[f[k].owner];
            bool expected = false;
            for (size_t i = 0; i < nr; i++)
                expected |= copy[i].slice < f[k].owner && copy[i].start_ns > owner->start_ns &&
                            copy[i].start_ns <= f[k].ts_ns;
            if (f[k].owner + 1 < n && owner[1].start_ns == owner->start_ns &&
                owner[1].end_ns <= owner->end_ns)
                expected = false;
            ck_assert_int_eq(hidden[k], expected);
            found += expected;
        }
    }
    ck_assert_uint_gt(found, 1000);
}
END_TEST

/* The B counts for what stands behind it at its time, the E for all at its time. */
START_TEST(pairs_begin_and_end_as_in_the_viewer)
{
    static const struct slice s[] = {
        {0, 100, 1}, {10, 30, 2}, {10, 50 | SLICE_PAIR, 5}, {60, 70 | SLICE_PAIR, 7}};
    struct flow f[] = {{10, 3, FLOW_ENCLOSING}, {10, 6, FLOW_ENCLOSING}, {40, 0, FLOW_ENCLOSING},
                       {50, 0, FLOW_ENCLOSING}, {60, 3, FLOW_NEXT},      {60, 9, FLOW_NEXT},
                       {60, 10, FLOW_ENCLOSING}};
    static const uint32_t owners[] = {1, 1, 2, 0, 3, FLOW_NO_OWNER, 3};
    ck_assert(flow_bind(f, 7, s, 4, 0));
    for (int i = 0; i < 7; i++)
        ck_assert_msg(f[i].owner == owners[i], "endpoint %d has %u", i, f[i].owner);
}
END_TEST

Suite *flow_suite(void)
{
    const TTest *const tests[] = {takes_20_bytes,
                                  belongs_to_the_last_that_started_and_is_open,
                                  at_one_ts_it_is_the_innermost,
                                  without_bp_it_is_the_next_that_starts,
                                  equals_the_search_through_all,
                                  a_delayed_slice_does_not_take_an_arrow,
                                  hidden_equals_the_search_through_all,
                                  pairs_begin_and_end_as_in_the_viewer};
    return SUITE_OF("flow", tests);
}
