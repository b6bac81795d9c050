/* Random traces by every rule of which slice gives way: by the tests' model of the viewer nothing
 * crosses in what comes out, and nothing is shifted that may not be. A failure names its seed. */
#include <stdlib.h>
#include <string.h>

#include "../model/judge.h"
#include "../model/trace_random.h"
#include "lanefix.h"
#include "units.h"

enum { RUNS = 1050 };

static const char *const KERNELS[] = {"kernel"};

static const struct rule {
    enum lanefix_snap snap;
    bool soft, keep, trim; /* kernels are soft; keep their times; unfinished slices are trimmed */
} RULES[] = {
    {LANEFIX_SNAP_SOFT, false, false, false},  {LANEFIX_SNAP_SOFT, true, false, false},
    {LANEFIX_SNAP_LEAST, false, false, false}, {LANEFIX_SNAP_FIRST, false, true, false},
    {LANEFIX_SNAP_SOFT, false, true, false},   {LANEFIX_SNAP_FIRST, false, false, true},
    {LANEFIX_SNAP_LEAST, false, true, true},
};

/* One random trace. */
struct trial {
    uint64_t seed;
    const struct rule *rule;
    struct lanefix_options options;
    struct model *before, *after;
    int64_t trace_end_ns;
};

/* What was seen, so that the test cannot pass by seeing nothing. */
struct seen {
    uint64_t outward, inward, moved, kept, trimmed, arrows;
};

#define MUST(TRIAL, CONDITION)                                                                     \
    ck_assert_msg(CONDITION, "not so: " #CONDITION " (seed %llu)",                                 \
                  (unsigned long long)(TRIAL)->seed)

static struct lanefix_options options_of(const struct rule *rule, uint64_t seed)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    options.snap_threshold_ns = trace_random_threshold(seed);
    options.jobs = 1;
    options.no_sync = true;
    options.snap = rule->snap;
    options.soft = options.no_snap = KERNELS;
    options.soft_count = rule->soft;
    options.no_snap_count = rule->keep;
    options.trim_unfinished = rule->trim;
    return options;
}

static const struct model_slice *slice_of(const struct model *m, size_t event)
{
    const struct model_slice *s = m->slices;
    while (s < m->slices + m->nslices && s->event != event)
        s++;
    return s < m->slices + m->nslices ? s : NULL;
}

static bool is_on(const struct model *m, const struct model_slice *s, const struct model *other,
                  const struct model_slice *t)
{
    const struct model_thread *a = &m->threads[s->thread], *b = &other->threads[t->thread];
    return model_id_equal(&a->pid, &b->pid) && model_id_equal(&a->tid, &b->tid);
}

/* What became of a slice. */
static void check_slice(const struct trial *t, const struct model_slice *old, struct seen *seen)
{
    const struct model_slice *new = slice_of(t->after, old->event);
    MUST(t, new != NULL);
    int64_t threshold = t->options.snap_threshold_ns > 1 ? t->options.snap_threshold_ns : 1;
    int64_t start = new->start_ns - old->start_ns, end = new->end_ns - old->end_ns;
    bool moved = !is_on(t->before, old, t->after, new);
    bool zero = old->end_event != MODEL_NONE && old->start_ns == old->end_ns; /* gets a length */
    bool kept =
        t->rule->keep && model_is(t->before->text, &t->before->events[old->event].cat, KERNELS[0]);
    bool trimmed = t->rule->trim && old->end_ns == t->trace_end_ns && end < 0;
    MUST(t, (!moved && !kept) || (!start && !end) || zero);
    MUST(t, start < threshold && -start < threshold);
    MUST(t, (end < threshold && -end < threshold) || trimmed);
    MUST(t, t->rule->snap == LANEFIX_SNAP_SOFT || (start >= 0 && end <= 0) || zero);
    seen->outward += start < 0 || end > 0;
    seen->inward += start > 0 || end < 0;
    seen->moved += moved;
    seen->kept += kept && moved;
    seen->trimmed += trimmed && -end >= threshold;
}

/* Do the model and the program have to agree on each slice? */
static bool is_clear(const struct trial *t)
{
    struct judge judge = {
        .before = t->before, .after = t->after, .threshold_ns = t->options.snap_threshold_ns};
    return !t->before->nunreadable && !judge_is_unclear(&judge);
}

/* Do the arrows end where they were meant to? */
static void check_arrows(const struct trial *t, struct seen *seen)
{
    struct judge_counts counts = {0};
    struct judge judge = {.before = t->before,
                          .after = t->after,
                          .threshold_ns = t->options.snap_threshold_ns,
                          .counts = &counts,
                          .lane_of = calloc(t->before->nslices + 1, sizeof *judge.lane_of)};
    ck_assert_ptr_nonnull(judge.lane_of);
    for (size_t i = 0; i < t->before->nslices; i++) {
        const struct model_slice *old = &t->before->slices[i];
        judge.lane_of[i] = !is_on(t->before, old, t->after, slice_of(t->after, old->event));
    }
    MUST(t, judge_arrows(&judge));
    seen->arrows += counts.arrows;
    free(judge.lane_of);
}

static void check_slices(struct trial *t, struct seen *seen)
{
    MUST(t, t->after && !t->after->crossings && !t->after->too_deep && !t->after->spilled);
    if (!is_clear(t))
        return;
    for (size_t i = 0; i < t->before->nslices; i++)
        if (t->before->slices[i].end_ns > t->trace_end_ns)
            t->trace_end_ns = t->before->slices[i].end_ns;
    for (size_t i = 0; i < t->before->nslices; i++)
        check_slice(t, &t->before->slices[i], seen);
    check_arrows(t, seen);
}

/* Fixed again it is the same, and undone what it was. */
static void check_again(const struct trial *t, const char *text, size_t n, const char *fixed,
                        size_t fixed_n)
{
    size_t again_n;
    struct lanefix_options plain = LANEFIX_OPTIONS_DEFAULT, again = t->options;
    plain.no_sync = true;
    MUST(t, lanefix_undo(scratch("rules.report"), scratch("rules.fixed"), scratch("rules.undone"),
                         &plain, NULL) == LANEFIX_OK);
    char *undone = read_file(scratch("rules.undone"), &again_n);
    MUST(t, again_n == n && memcmp(undone, text, n) == 0);
    free(undone);
    again.report_path = NULL;
    MUST(t, lanefix_fix(scratch("rules.fixed"), scratch("rules.again"), &again, NULL, NULL) ==
                LANEFIX_OK);
    char *same = read_file(scratch("rules.again"), &again_n);
    MUST(t, !is_clear(t) || (again_n == fixed_n && memcmp(same, fixed, fixed_n) == 0));
    free(same);
}

static void check_trace(uint64_t seed, const struct rule *rule, struct seen *seen)
{
    struct trial t = {.seed = seed, .rule = rule, .options = options_of(rule, seed)};
    size_t n, fixed_n;
    char *text = trace_random(seed, &n);
    write_file(scratch("rules.json"), text, n);
    t.options.report_path = scratch("rules.report");
    MUST(&t, lanefix_fix(scratch("rules.json"), scratch("rules.fixed"), &t.options, NULL, NULL) ==
                 LANEFIX_OK);
    char *fixed = read_file(scratch("rules.fixed"), &fixed_n);
    t.before = model_new(text, n);
    t.after = model_new(fixed, fixed_n);
    check_slices(&t, seen);
    check_again(&t, text, n, fixed, fixed_n);
    model_free(t.before);
    model_free(t.after);
    free(fixed);
    free(text);
}

START_TEST(random_traces_by_every_rule)
{
    struct seen seen[sizeof RULES / sizeof *RULES] = {{0}};
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        size_t i = seed % (sizeof RULES / sizeof *RULES);
        check_trace(seed, &RULES[i], &seen[i]);
    }
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++) {
        ck_assert_uint_gt(seen[i].inward, 50);
        ck_assert_uint_gt(seen[i].moved, 50);
        ck_assert_uint_gt(seen[i].arrows, 20);
        ck_assert(RULES[i].snap != LANEFIX_SNAP_SOFT || seen[i].outward > 20);
        ck_assert(!RULES[i].keep || seen[i].kept > 20);
        ck_assert(!RULES[i].trim || seen[i].trimmed > 0);
    }
}
END_TEST

Suite *rules_random_suite(void)
{
    const TTest *const tests[] = {random_traces_by_every_rule};
    return SUITE_OF("rules_random", tests);
}
