/* The plan by other rules than the default one, against the oracle of test/model. */
#include <string.h>

#include "../model/grid.h"
#include "../model/plan_oracle.h"
#include "plan.h"
#include "sort.h"
#include "units.h"
#include "viewer_time.h"

DEFINE_SORT(sort_slices, struct slice, slice_less)

enum { ORACLE_MAX = 1200 };

/* A random track, and how it is planned. */
struct random_track {
    struct slice s[ORACLE_MAX], before[ORACLE_MAX]; /* sorted; the place is the index of the rest */
    struct oracle_slice x[ORACLE_MAX];
    uint8_t arrows[ORACLE_MAX]; /* as sorted */
    uint32_t lane[ORACLE_MAX];  /* as sorted */
    size_t n;
    struct kinds kinds;
    struct plan_rules rules;
};

/* Slices that nest but for a few ns, and some that do not at all. */
static void random_slices(struct random_track *t, uint64_t *state, int64_t base_ns)
{
    uint64_t span = 1 + random_below(state, 20000), longest = 1 + random_below(state, 8000);
    uint64_t jitter = 1 + random_below(state, 300), nkinds = 1 + random_below(state, 5);
    bool deep = t->n > 600;
    t->kinds.n = 0;
    for (size_t i = 0; i < t->n; i++) {
        int64_t start = (int64_t)random_below(state, span);
        int64_t dur = (int64_t)random_below(state, longest);
        if (i && random_below(state, 3)) { /* by the boundaries of another one */
            const struct oracle_slice *other = &t->x[random_below(state, i)];
            int64_t near = random_below(state, 2) ? other->start_ns : other->end_ns;
            start = near - base_ns + (int64_t)random_below(state, jitter);
        } else if (deep && random_below(state, 20)) {
            start = (int64_t)(i * 10 + random_below(state, 3));
            dur = (int64_t)(t->n * 30 - 2 * i * 10 + random_below(state, 25));
        }
        int64_t end = base_ns + start + dur;
        if (t->rules.trace_end_ns && (end > t->rules.trace_end_ns || random_below(state, 8) == 0))
            end = t->rules.trace_end_ns;
        start = base_ns + start > end ? end : base_ns + start;
        uint8_t kind = (uint8_t)random_below(state, nkinds);
        kind |= random_below(state, 12) ? 0 : KIND_KEEP_TIMES;
        uint8_t arrows = (uint8_t)(random_below(state, 4) ? 0 : random_below(state, 4));
        t->x[i] =
            (struct oracle_slice){.start_ns = start, .end_ns = end, .kind = kind, .arrows = arrows};
        t->s[i] = (struct slice){start, end, i};
        ck_assert(kinds_add(&t->kinds, i, kind));
    }
    sort_slices(t->s, t->n);
    memcpy(t->before, t->s, sizeof t->s);
    for (size_t i = 0; i < t->n; i++)
        t->arrows[i] = t->x[slice_off(&t->s[i])].arrows;
}

static void random_rules(struct random_track *t, uint64_t *state, enum plan_snap snap)
{
    t->rules = (struct plan_rules){.threshold_ns = (int64_t)random_below(state, 600),
                                   .start_ceil = grid_same,
                                   .dur_floor = grid_same,
                                   .snap = snap,
                                   .kinds = &t->kinds,
                                   .arrows = t->arrows};
    if (random_below(state, 3) == 0)
        t->rules.threshold_ns = 20000;
    if (random_below(state, 4) == 0) {
        t->rules.start_ceil = grid_ceil;
        t->rules.dur_floor = grid_floor;
    }
    if (random_below(state, 2)) {
        t->rules.trace_end_ns = 15000;
        t->rules.trim_unfinished = random_below(state, 2);
    }
}

static void plan_by_oracle(struct random_track *t)
{
    struct oracle_rules rules = {.threshold_ns = t->rules.threshold_ns,
                                 .start_ceil = t->rules.start_ceil,
                                 .dur_floor = t->rules.dur_floor,
                                 .snap = t->rules.snap == PLAN_SOFT    ? ORACLE_SOFT
                                         : t->rules.snap == PLAN_LEAST ? ORACLE_LEAST
                                                                       : ORACLE_FIRST,
                                 .trace_end_ns = t->rules.trace_end_ns,
                                 .trim_unfinished = t->rules.trim_unfinished};
    oracle_plan(t->x, t->n, &rules);
}

/* Each slice has at most one rewrite, and has one just if it has changed. */
static struct plan_stats plan(struct random_track *t)
{
    struct rewrites out = {0};
    struct plan_stats stats;
    bool changed[ORACLE_MAX] = {false};
    ck_assert(plan_track(t->s, t->n, NULL, 0, &t->rules, &out, &stats));
    memset(t->lane, 0, sizeof t->lane);
    for (size_t k = 0; k < out.n; k++) {
        ck_assert(!changed[out.items[k].slice]);
        changed[out.items[k].slice] = true;
        t->lane[out.items[k].slice] = out.items[k].lane;
    }
    for (size_t i = 0; i < t->n; i++)
        ck_assert_int_eq(changed[i], t->lane[i] || t->s[i].start_ns != t->before[i].start_ns ||
                                         t->s[i].end_ns != t->before[i].end_ns);
    rewrites_free(&out);
    return stats;
}

static void check_nothing_crosses(const struct random_track *t, uint32_t lanes)
{
    static struct slice on_lane[ORACLE_MAX];
    for (uint32_t k = 0; k < lanes; k++) {
        size_t m = 0;
        struct plan_stats stats;
        for (size_t i = 0; i < t->n; i++)
            if (t->lane[i] == k)
                on_lane[m++] = t->s[i];
        sort_slices(on_lane, m);
        plan_count(on_lane, m, NULL, &stats);
        ck_assert_uint_eq(stats.crossings + stats.too_deep, 0);
    }
}

static int64_t distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

/* What may become of a slice by any rule. */
static void check_slice(const struct random_track *t, size_t i)
{
    const struct slice *was = &t->before[i], *is = &t->s[i];
    const struct oracle_slice *x = &t->x[slice_off(is)];
    int64_t start_ns = distance(was->start_ns, is->start_ns),
            end_ns = distance(was->end_ns, is->end_ns);
    bool trims = t->rules.trim_unfinished && was->end_ns == t->rules.trace_end_ns;
    if (t->lane[i] || (x->kind & KIND_KEEP_TIMES))
        ck_assert(!start_ns && !end_ns);
    ck_assert(!start_ns || start_ns < t->rules.threshold_ns);
    ck_assert(!end_ns || end_ns < t->rules.threshold_ns || (trims && is->end_ns < was->end_ns));
    if (t->rules.dur_floor == grid_same)
        ck_assert(is->start_ns < is->end_ns || was->start_ns == was->end_ns);
    if (t->rules.snap != PLAN_SOFT)
        ck_assert(is->start_ns >= was->start_ns && is->end_ns <= was->end_ns);
    if (x->arrows)
        ck_assert(is->start_ns >= was->start_ns);
}

struct counts {
    uint64_t moved, snapped, kept, grown, advanced, unfinished;
};

static void count(const struct random_track *t, struct counts *counts)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct slice *was = &t->before[i], *is = &t->s[i];
        bool keeps = t->x[slice_off(is)].kind & KIND_KEEP_TIMES;
        counts->moved += t->lane[i] > 0;
        counts->kept += t->lane[i] && keeps;
        counts->snapped += is->start_ns > was->start_ns || is->end_ns < was->end_ns;
        counts->grown += is->end_ns > was->end_ns;
        counts->advanced += is->start_ns < was->start_ns;
        counts->unfinished +=
            distance(was->end_ns, is->end_ns) >= t->rules.threshold_ns && was->end_ns != is->end_ns;
    }
}

static void compare_with_oracle(struct random_track *t, struct counts *counts)
{
    plan_by_oracle(t);
    struct plan_stats stats = plan(t);
    uint64_t unfinished = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct oracle_slice *x = &t->x[slice_off(&t->s[i])];
        ck_assert_msg(t->s[i].start_ns == x->new_start_ns && t->s[i].end_ns == x->new_end_ns &&
                          t->lane[i] == x->lane,
                      "slice %zu of %zu differs: [%jd, %jd] on %u, not [%jd, %jd] on %zu", i, t->n,
                      (intmax_t)t->s[i].start_ns, (intmax_t)t->s[i].end_ns, t->lane[i],
                      (intmax_t)x->new_start_ns, (intmax_t)x->new_end_ns, x->lane);
        check_slice(t, i);
        unfinished += x->end_ns == t->rules.trace_end_ns;
    }
    ck_assert_uint_eq(stats.unfinished, t->rules.trace_end_ns && unfinished > 1 ? unfinished : 0);
    check_nothing_crosses(t, stats.lanes);
    count(t, counts);
}

static struct counts compare_many(enum plan_snap snap, uint64_t seed, int rounds)
{
    static struct random_track t;
    struct counts counts = {0};
    for (int round = 0; round < rounds; round++) {
        t.n = 1 + random_below(&seed, round % 500 == 499 ? ORACLE_MAX : round % 50 ? 12 : 60);
        random_rules(&t, &seed, snap);
        random_slices(&t, &seed, 0);
        compare_with_oracle(&t, &counts);
    }
    kinds_free(&t.kinds);
    return counts;
}

START_TEST(first_equals_the_oracle)
{
    struct counts counts = compare_many(PLAN_FIRST, 5, 3000);
    ck_assert_uint_gt(counts.snapped, 1000);
    ck_assert_uint_gt(counts.kept, 500);
    ck_assert_uint_gt(counts.unfinished, 100);
    ck_assert_uint_eq(counts.grown + counts.advanced, 0);
}
END_TEST

START_TEST(soft_equals_the_oracle)
{
    struct counts counts = compare_many(PLAN_SOFT, 6, 4000);
    ck_assert_uint_gt(counts.snapped, 1000);
    ck_assert_uint_gt(counts.kept, 500);
    ck_assert_uint_gt(counts.unfinished, 100);
    ck_assert_uint_gt(counts.grown, 500);
    ck_assert_uint_gt(counts.advanced, 100);
}
END_TEST

/* The fewest slices that can be touched: at least one of two that cross in the trace. And all
 * others may stay where those have moved. */
static size_t fewest_touched(const struct slice *s, size_t n)
{
    unsigned best = (unsigned)n, crosses[16] = {0};
    ck_assert_uint_le(n, 16);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (s[k].start_ns < s[i].end_ns && s[k].end_ns > s[i].end_ns)
                crosses[k] |= 1U << i;
    for (unsigned set = 0; set < 1U << n; set++) {
        unsigned count = 0, left = 0;
        for (size_t i = 0; i < n; i++) {
            count += set >> i & 1;
            left |= set >> i & 1 ? 0 : crosses[i] & ~set;
        }
        if (!left && count < best)
            best = count;
    }
    return best;
}

static size_t touched(const struct random_track *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->n; i++)
        count += t->lane[i] || t->s[i].start_ns != t->before[i].start_ns ||
                 t->s[i].end_ns != t->before[i].end_ns;
    return count;
}

START_TEST(least_equals_the_oracle)
{
    struct counts counts = compare_many(PLAN_LEAST, 7, 4000);
    ck_assert_uint_gt(counts.snapped, 1000);
    ck_assert_uint_gt(counts.kept, 500);
    ck_assert_uint_gt(counts.unfinished, 100);
}
END_TEST

/* It is never more than by PLAN_FIRST, and seldom more than the fewest. */
START_TEST(least_touches_few)
{
    static struct random_track t;
    uint64_t seed = 8;
    unsigned crossed = 0, fewest = 0, saved = 0;
    for (int round = 0; round < 3000; round++) {
        t.n = 1 + random_below(&seed, 10);
        random_rules(&t, &seed, PLAN_FIRST);
        random_slices(&t, &seed, 0);
        plan(&t);
        size_t first = touched(&t), best = fewest_touched(t.before, t.n);
        memcpy(t.s, t.before, sizeof t.s);
        t.rules.snap = PLAN_LEAST;
        plan(&t);
        size_t least = touched(&t);
        ck_assert_uint_le(least, first);
        ck_assert_uint_ge(least, best);
        crossed += best > 0;
        fewest += best && least == best;
        saved += least < first;
    }
    kinds_free(&t.kinds);
    ck_assert_uint_gt(saved, crossed / 4);
    ck_assert_uint_gt(fewest, crossed * 9 / 10);
}
END_TEST

Suite *plan_rules_suite(void)
{
    const TTest *const tests[] = {first_equals_the_oracle, soft_equals_the_oracle,
                                  least_equals_the_oracle, least_touches_few};
    return SUITE_OF("plan, rules", tests);
}
