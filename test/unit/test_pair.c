/* Which B and E are one slice. */
#include "pair.h"

#include <stdlib.h>

#include "sort.h"
#include "units.h"

DEFINE_SORT(sort_edges, struct edge, edge_less)

/* An edge: name and cat are a small number, or 0 for none. */
static struct edge edge(int64_t ts_ns, char ph, uint64_t name, uint64_t cat, uint64_t off)
{
    uint64_t hash_name = name ? edge_text_hash(name + 10) : EDGE_ANY;
    uint64_t hash_cat = cat ? edge_text_hash(cat + 10) : EDGE_ANY;
    return (struct edge){edge_when(ts_ns, ph == 'B'), off, {hash_name, hash_cat}};
}

/* Matches the edges, which must be sorted, and gives whether a pair without length is lost. */
static bool check(const struct edge *e, size_t n, const uint32_t *expected)
{
    uint32_t partner[16];
    bool lost;
    ck_assert_uint_le(n, 16);
    ck_assert(pair_match(e, n, partner, &lost));
    for (size_t i = 0; i < n; i++) {
        ck_assert(i == 0 || edge_less(&e[i - 1], &e[i]));
        ck_assert_msg(partner[i] == expected[i], "edge %zu has %u", i, partner[i]);
    }
    return lost;
}

#define ALONE EDGE_ALONE

START_TEST(takes_32_and_24_bytes)
{
    ck_assert_uint_eq(sizeof(struct edge), 32);
    ck_assert_uint_eq(sizeof(struct pair), 24);
}
END_TEST

START_TEST(an_e_ends_the_last_b_of_its_name)
{
    const struct edge nested[] = {edge(0, 'B', 1, 0, 0), edge(1, 'B', 1, 0, 1),
                                  edge(2, 'E', 1, 0, 2), edge(3, 'E', 1, 0, 3)};
    static const uint32_t expected[] = {3, 2, 1, 0};
    ck_assert(!check(nested, 4, expected));
    /* with two names they cross: the viewer would end both with the first E */
    const struct edge crossing[] = {edge(0, 'B', 1, 0, 0), edge(1, 'B', 2, 0, 1),
                                    edge(2, 'E', 1, 0, 2), edge(3, 'E', 2, 0, 3)};
    static const uint32_t across[] = {2, 3, 0, 1};
    ck_assert(!check(crossing, 4, across));
    const struct edge alone[] = {edge(0, 'E', 1, 0, 0), edge(1, 'B', 1, 0, 1),
                                 edge(2, 'E', 2, 0, 2), edge(3, 'E', 1, 1, 3),
                                 edge(4, 'E', 1, 0, 4)};
    static const uint32_t few[] = {ALONE, 3, ALONE, 1, ALONE};
    ck_assert(!check(alone, 5, few));
}
END_TEST

START_TEST(what_is_absent_fits_any)
{
    const struct edge e[] = {edge(0, 'B', 1, 1, 0), edge(1, 'B', 0, 1, 1), edge(2, 'B', 1, 0, 2),
                             edge(3, 'B', 2, 2, 3), edge(4, 'E', 0, 0, 4), edge(5, 'E', 1, 2, 5),
                             edge(6, 'E', 3, 1, 6), edge(7, 'E', 0, 1, 7)};
    static const uint32_t expected[] = {7, 6, 5, 4, 3, 2, 1, 0};
    ck_assert(!check(e, 8, expected));
    const struct edge by_name[] = {edge(0, 'B', 0, 3, 0), edge(1, 'B', 1, 1, 1),
                                   edge(2, 'B', 2, 1, 2), edge(3, 'E', 1, 0, 3),
                                   edge(4, 'E', 1, 0, 4)};
    static const uint32_t names[] = {4, 3, ALONE, 1, 0};
    ck_assert(!check(by_name, 5, names));
}
END_TEST

START_TEST(at_one_time_an_e_comes_first)
{
    /* of two that follow each other, whatever their order in the file */
    const struct edge e[] = {edge(0, 'B', 1, 0, 0), edge(5, 'E', 1, 0, 9), edge(5, 'B', 1, 0, 1),
                             edge(9, 'E', 1, 0, 2)};
    static const uint32_t expected[] = {1, 0, 3, 2};
    ck_assert(!check(e, 4, expected));
    /* but one that has none takes the B before it in the file, and no later one */
    const struct edge zero[] = {edge(5, 'E', 1, 0, 2), edge(5, 'E', 2, 0, 3), edge(5, 'B', 1, 0, 0),
                                edge(5, 'B', 1, 0, 1), edge(5, 'B', 2, 0, 4)};
    static const uint32_t without_length[] = {3, ALONE, ALONE, 0, ALONE};
    ck_assert(!check(zero, 5, without_length));
}
END_TEST

/* The B of a pair without length is open for the viewer, and another E may end it. */
START_TEST(pairs_without_length_may_be_lost)
{
    const struct edge twice[] = {edge(5, 'E', 1, 0, 1), edge(5, 'B', 1, 0, 0),
                                 edge(9, 'E', 1, 0, 3), edge(9, 'B', 1, 0, 2)};
    static const uint32_t expected[] = {1, 0, 3, 2};
    ck_assert(check(twice, 4, expected));
    /* not where a pair around it has ended before: that has closed it */
    const struct edge within[] = {edge(0, 'B', 2, 0, 0), edge(5, 'E', 1, 0, 2),
                                  edge(5, 'B', 1, 0, 1), edge(6, 'E', 2, 0, 3),
                                  edge(9, 'E', 1, 0, 5), edge(9, 'B', 1, 0, 4)};
    static const uint32_t closed[] = {3, 2, 1, 0, 5, 4};
    ck_assert(!check(within, 6, closed));
}
END_TEST

START_TEST(finds_the_pair_of_a_b)
{
    struct pairs pairs = {0};
    for (uint64_t i = 0; i < 100; i++)
        ck_assert(pairs_add(&pairs, (struct pair){i * 37 % 101, i, 0}));
    pairs_sort(&pairs);
    for (uint64_t i = 0; i < 100; i++)
        ck_assert_uint_eq(pairs_get(&pairs, i * 37 % 101)->end_off, i);
    pairs_free(&pairs);
}
END_TEST

/* As the rule says it, without lists. */
static void match_slowly(const struct edge *e, uint32_t n, uint32_t *partner)
{
    for (uint32_t i = 0; i < n; i++)
        partner[i] = EDGE_ALONE;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < n; i++) {
            if (edge_begins(&e[i]) || partner[i] != EDGE_ALONE)
                continue;
            for (uint32_t k = round ? n : i; k-- > 0;) {
                bool name = e[k].text.name == e[i].text.name || !e[k].text.name || !e[i].text.name;
                bool cat = e[k].text.cat == e[i].text.cat || !e[k].text.cat || !e[i].text.cat;
                bool at_once = edge_ts_ns(&e[k]) == edge_ts_ns(&e[i]);
                if (!edge_begins(&e[k]) || partner[k] != EDGE_ALONE || !name || !cat ||
                    (round ? !at_once || e[k].place > e[i].place : at_once))
                    continue;
                partner[k] = i;
                partner[i] = k;
                break;
            }
        }
}

/* Without B of one time as an E: there the order of the two rounds would matter. */
START_TEST(equals_the_slow_way)
{
    enum { N = 60 };
    uint64_t state = 7, pairs = 0;
    for (int round = 0; round < 2000; round++) {
        struct edge e[N];
        uint32_t partner[N], expected[N];
        uint64_t names = 1 + random_below(&state, 6), cats = 1 + random_below(&state, 3);
        for (uint64_t i = 0; i < N; i++) {
            char ph = random_below(&state, 2) ? 'B' : 'E';
            int64_t ts = (int64_t)random_below(&state, 100) * 2 + (ph == 'E');
            uint64_t name = random_below(&state, names), cat = random_below(&state, cats);
            e[i] = edge(ts, ph, name, cat, i);
        }
        sort_edges(e, N);
        bool lost;
        ck_assert(pair_match(e, N, partner, &lost));
        match_slowly(e, N, expected);
        for (int i = 0; i < N; i++) {
            ck_assert_msg(partner[i] == expected[i], "round %d, edge %d", round, i);
            pairs += partner[i] != EDGE_ALONE;
        }
    }
    ck_assert_uint_gt(pairs, 40000);
}
END_TEST

/* Where each E would have to look at all that are open, it would take an hour. */
START_TEST(a_million_that_stay_open)
{
    const size_t n = 1000000;
    struct edge *e = malloc(2 * n * sizeof *e);
    uint32_t *partner = malloc(2 * n * sizeof *partner);
    bool lost;
    ck_assert(e && partner);
    for (uint64_t i = 0; i < n; i++) {
        e[i] = edge((int64_t)i, 'B', 1 + i, 1 + i % 3, i);
        e[n + i] = edge((int64_t)(n + i), 'E', i % 2 ? 1 + i : n + 1 + i, 1 + i % 5, n + i);
    }
    ck_assert(pair_match(e, 2 * n, partner, &lost));
    uint64_t pairs = 0;
    for (uint64_t i = 0; i < n; i++)
        pairs += partner[i] != EDGE_ALONE;
    ck_assert_uint_eq(pairs, 100000); /* of each 30: odd, and 3 of 15 have one cat both ways */
    free(e);
    free(partner);
}
END_TEST

Suite *pair_suite(void)
{
    const TTest *const tests[] = {
        takes_32_and_24_bytes,        an_e_ends_the_last_b_of_its_name, what_is_absent_fits_any,
        at_one_time_an_e_comes_first, pairs_without_length_may_be_lost, finds_the_pair_of_a_b,
        equals_the_slow_way,          a_million_that_stay_open};
    return SUITE_OF("pair", tests);
}
