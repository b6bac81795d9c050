/* The plan against an oracle that is written for clarity alone and shares no code with it, on
 * random slices; and the plan of a million slices. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "sort.h"
#include "units.h"

enum { LANES_MAX = 4096 };

static int64_t same(int64_t ns)
{
    return ns;
}

struct item {
    int64_t start, end, own_start, own_end;
    size_t place;
    uint32_t lane;
    bool waiting, moved;
};

struct stack {
    struct item *open[4096];
    size_t n;
};

static void close_before(struct stack *stack, const struct item *x, bool own)
{
    int64_t start = own ? x->own_start : x->start, end = own ? x->own_end : x->end;
    while (stack->n) {
        const struct item *top = stack->open[stack->n - 1];
        int64_t top_start = own ? top->own_start : top->start;
        int64_t top_end = own ? top->own_end : top->end;
        bool both_zero = top_start == top_end && start == end;
        if (top_end > start || (top_end == start && both_zero))
            return;
        stack->n--;
    }
}

/* The next one in the order (start, longest, place) that is still waiting. */
static struct item *next_waiting(struct item *x, size_t n)
{
    struct item *best = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!x[i].waiting)
            continue;
        if (!best || x[i].start < best->start ||
            (x[i].start == best->start &&
             (x[i].end > best->end || (x[i].end == best->end && x[i].place < best->place))))
            best = &x[i];
    }
    return best;
}

/* Spec 4, step 2, for exact times. Returns false where no snap does it. */
static bool oracle_snap(const struct stack *stack, struct item *x, int64_t threshold)
{
    int64_t cur = x->start, end = x->end;
    size_t k = stack->n;
    for (; k > 0; k--) {
        int64_t f_end = stack->open[k - 1]->end;
        if (f_end <= cur)
            continue;
        if (end <= f_end)
            break;
        if (end - f_end <= f_end - cur && x->own_end - f_end < threshold) {
            end = f_end;
            break;
        }
        if (f_end - x->own_start >= threshold)
            return false;
        cur = f_end;
    }
    if (k >= PLAN_DEPTH_MAX)
        return false;
    x->start = cur;
    x->end = end;
    return true;
}

static void oracle(struct item *x, size_t n, int64_t threshold)
{
    static struct stack stack, lanes[LANES_MAX];
    stack.n = 0;
    for (struct item *it; (it = next_waiting(x, n));) {
        close_before(&stack, it, false);
        bool held = !stack.n || it->end <= stack.open[stack.n - 1]->end;
        int64_t before = it->start;
        if (!(held && stack.n < PLAN_DEPTH_MAX)) {
            it->moved = !oracle_snap(&stack, it, threshold);
            if (!it->moved && it->start != before)
                continue; /* put back at its new start */
        }
        it->waiting = false;
        if (!it->moved)
            stack.open[stack.n++] = it;
    }
    for (size_t k = 0; k < LANES_MAX; k++)
        lanes[k].n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!x[i].moved)
            continue;
        x[i].start = x[i].own_start;
        x[i].end = x[i].own_end;
        for (x[i].lane = 1;; x[i].lane++) {
            struct stack *lane = &lanes[x[i].lane];
            close_before(lane, &x[i], true);
            if (lane->n < PLAN_DEPTH_MAX &&
                (!lane->n || x[i].own_end <= lane->open[lane->n - 1]->own_end)) {
                lane->open[lane->n++] = &x[i];
                break;
            }
        }
    }
}

DEFINE_SORT(sort_slices, struct slice, slice_less)

/* Random slices of one of several shapes, sorted. */
static void random_slices(uint64_t *state, struct slice *s, size_t n)
{
    uint64_t span = 1 + random_below(state, 40000), longest = 1 + random_below(state, 20000);
    uint64_t unit = random_below(state, 3) ? 1 : 1000;
    for (size_t i = 0; i < n; i++) {
        int64_t start = (int64_t)(random_below(state, span) / unit * unit);
        int64_t dur = (int64_t)(random_below(state, longest) / unit * unit);
        if (random_below(state, 10) == 0)
            dur = 0;
        s[i] = (struct slice){start, start + dur, i};
    }
    sort_slices(s, n);
}

/* By the viewer's rule: do the slices of each lane nest, none too deep? */
static void check_nothing_crosses(const struct slice *s, const uint32_t *lane, size_t n)
{
    static struct slice on_lane[4096];
    uint32_t lanes = 0;
    for (size_t i = 0; i < n; i++)
        lanes = lane[i] > lanes ? lane[i] : lanes;
    for (uint32_t k = 0; k <= lanes; k++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (lane[i] == k)
                on_lane[m++] = s[i];
        sort_slices(on_lane, m);
        struct plan_stats stats;
        plan_count(on_lane, m, &stats);
        ck_assert_uint_eq(stats.crossings, 0);
        ck_assert_uint_eq(stats.too_deep, 0);
    }
}

START_TEST(equals_the_oracle)
{
    static struct slice s[1200];
    static struct item x[1200];
    static uint32_t lane[1200];
    uint64_t state = 42, moved = 0, snapped = 0;
    for (int round = 0; round < 3000; round++) {
        size_t n = 1 + random_below(&state, round % 300 == 0 ? 1200 : 40);
        int64_t threshold = (int64_t)random_below(&state, round % 2 ? 6000 : 300);
        struct plan_rules rules = {threshold, same, same};
        struct rewrites out = {0};
        struct plan_stats stats;
        random_slices(&state, s, n);
        for (size_t i = 0; i < n; i++)
            x[i] = (struct item){s[i].start_ns,    s[i].end_ns, s[i].start_ns, s[i].end_ns,
                                 slice_off(&s[i]), 0,           true,          false};
        oracle(x, n, threshold);
        ck_assert(plan_track(s, n, 0, &rules, &out, &stats));
        memset(lane, 0, sizeof lane);
        for (size_t k = 0; k < out.n; k++)
            lane[out.items[k].slice] = out.items[k].lane;
        for (size_t i = 0; i < n; i++) {
            ck_assert_msg(s[i].start_ns == x[i].start && s[i].end_ns == x[i].end &&
                              lane[i] == x[i].lane,
                          "round %d, slice %zu of %zu differs", round, i, n);
            moved += lane[i] > 0;
            snapped +=
                lane[i] == 0 && (s[i].start_ns != x[i].own_start || s[i].end_ns != x[i].own_end);
        }
        check_nothing_crosses(s, lane, n);
        rewrites_free(&out);
    }
    ck_assert_uint_gt(moved, 1000);
    ck_assert_uint_gt(snapped, 1000);
}
END_TEST

/* ---- depth and size -------------------------------------------------------------------------- */

/* Plans n slices made by `make` and gives the number of lanes. */
static uint32_t plan_many(size_t n, struct slice (*make)(size_t i, size_t n))
{
    struct slice *s = malloc(n * sizeof *s);
    uint32_t *lane = calloc(n, sizeof *lane);
    struct rewrites out = {0};
    struct plan_stats stats;
    static const struct plan_rules rules = {5000, same, same};
    ck_assert(s && lane);
    for (size_t i = 0; i < n; i++)
        s[i] = make(i, n);
    sort_slices(s, n);
    ck_assert(plan_track(s, n, 0, &rules, &out, &stats));
    rewrites_free(&out);
    free(lane);
    free(s);
    return stats.lanes;
}

static struct slice all_cross(size_t i, size_t n)
{
    int64_t start = (int64_t)i * 10000;
    return (struct slice){start, start + (int64_t)n * 10000, i};
}

static struct slice nest_deeply(size_t i, size_t n)
{
    return (struct slice){(int64_t)i, (int64_t)(4 * n - i), i};
}

static struct slice all_at_one_time(size_t i, size_t n)
{
    (void)n;
    return (struct slice){5, 5, i};
}

static struct slice reversed_pairs(size_t i, size_t n)
{
    int64_t start = (int64_t)((n - i) / 2) * 7000;
    return (struct slice){start, start + 9000 + (int64_t)(i % 2) * 6000, i};
}

START_TEST(a_million_mutually_crossing_slices)
{
    ck_assert_uint_eq(plan_many(1000000, all_cross), 1000000);
}
END_TEST

START_TEST(a_stack_of_100000)
{
    /* 512 on each lane, the thread's own among them */
    ck_assert_uint_eq(plan_many(100000, nest_deeply), (100000 + 511) / 512);
}
END_TEST

/* The viewer nests zero-length slices of one time, so they count for the depth. */
START_TEST(zero_length_slices_nest)
{
    ck_assert_uint_eq(plan_many(1100, all_at_one_time), 3);
}
END_TEST

START_TEST(a_million_in_reverse_order)
{
    ck_assert_uint_ge(plan_many(1000000, reversed_pairs), 2);
}
END_TEST

Suite *plan_random_suite(void)
{
    const TTest *const tests[] = {equals_the_oracle, a_million_mutually_crossing_slices,
                                  a_stack_of_100000, zero_length_slices_nest,
                                  a_million_in_reverse_order};
    return SUITE_OF("plan, random and large", tests);
}
