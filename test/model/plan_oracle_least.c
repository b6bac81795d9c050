/* The fewest slices touched, from one sentence of the rule (src/plan.h) to the next. */
#include <stdlib.h>

#include "plan_oracle.h"

enum { ROUNDS_MAX = 8 };

static bool is_touched(const struct oracle_slice *x)
{
    return x->lane || x->new_start_ns != x->start_ns || x->new_end_ns != x->end_ns;
}

static size_t count_touched(const struct oracle_slice *s, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += is_touched(&s[i]);
    return count;
}

static bool cross_in_the_trace(const struct oracle_slice *x, const struct oracle_slice *frame)
{
    return frame->start_ns <= x->start_ns && x->start_ns < frame->end_ns &&
           frame->end_ns < x->end_ns;
}

static void blame(struct oracle_slice *x, struct oracle_slice *whom, bool several)
{
    x->for_several |= several || (x->blamed && x->blamed != whom);
    x->blamed = whom;
}

/* Plans with what is forced, and finds who is to blame. Knots of those that have met become one. */
static void attempt(struct oracle_slice *s, size_t n, const struct oracle_rules *rules)
{
    struct oracle_meetings meetings = {0};
    oracle_begin(s, n, rules);
    oracle_first(s, n, rules, &meetings);
    for (size_t i = 0; i < n; i++) {
        s[i].blamed = NULL;
        s[i].for_several = false;
    }
    for (size_t k = 0; k < meetings.n; k++) {
        struct oracle_slice *x = meetings.items[k].x, *frame = meetings.items[k].frame;
        size_t from = x->knot;
        for (size_t i = 0; i < n; i++)
            if (s[i].knot == from)
                s[i].knot = frame->knot;
        bool as_they_were = cross_in_the_trace(x, frame);
        if (!as_they_were && frame->blamed)
            blame(x, frame->blamed, frame->for_several);
        else if (as_they_were || !x->blamed)
            blame(x, frame, false);
    }
    free(meetings.items);
}

/* Are more touched for it alone than it costs to move it? */
static bool is_worth_it(const struct oracle_slice *s, size_t n, const struct oracle_slice *x)
{
    size_t victims = 0;
    for (size_t i = 0; i < n; i++)
        victims += is_touched(&s[i]) && s[i].blamed == x && !s[i].for_several;
    return !x->forced && !x->tried && victims > (is_touched(x) ? 0U : 1U);
}

/* Which are to be forced next, of knots where nothing was taken back. */
static bool choose(struct oracle_slice *s, size_t n, const bool *stale, bool *chosen)
{
    bool go_on = false;
    for (size_t i = 0; i < n; i++) {
        bool victim_of_chosen = s[i].blamed && !s[i].for_several && is_worth_it(s, n, s[i].blamed);
        chosen[i] = !stale[s[i].knot] && is_worth_it(s, n, &s[i]) && !victim_of_chosen;
        go_on |= chosen[i] || stale[s[i].knot];
    }
    for (size_t i = 0; i < n; i++)
        s[i].forced |= chosen[i];
    return go_on;
}

/* What is best so far, of each slice: is it touched? Summed up by the knots of the moment. */
static size_t sum_of_knot(const struct oracle_slice *s, size_t n, const size_t *counts, size_t knot)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += s[i].knot == knot ? counts[i] : 0;
    return sum;
}

/* Keeps what is better, knot by knot, and takes back the rest. */
static void compare(struct oracle_slice *s, size_t n, size_t *best, bool *stale)
{
    for (size_t knot = 0; knot < n; knot++) {
        size_t touched = 0, before = sum_of_knot(s, n, best, knot);
        stale[knot] = false;
        for (size_t i = 0; i < n; i++)
            touched += s[i].knot == knot && is_touched(&s[i]);
        for (size_t i = 0; i < n; i++) {
            if (s[i].knot != knot)
                continue;
            if (touched < before) {
                best[i] = is_touched(&s[i]);
                s[i].best = s[i].forced;
            } else if (s[i].forced && !s[i].best) {
                s[i].forced = false;
                s[i].tried = stale[knot] = true;
            }
        }
    }
}

void oracle_least(struct oracle_slice *s, size_t n, const struct oracle_rules *rules)
{
    size_t *best = calloc(n + 1, sizeof *best), fewest;
    bool *stale = calloc(n + 1, sizeof *stale), *chosen = calloc(n + 1, sizeof *chosen);
    if (!best || !stale || !chosen)
        abort();
    for (size_t i = 0; i < n; i++) {
        s[i].forced = s[i].tried = s[i].best = s[i].whole_best = false;
        s[i].knot = i;
    }
    attempt(s, n, rules);
    for (size_t i = 0; i < n; i++)
        best[i] = is_touched(&s[i]);
    fewest = count_touched(s, n);
    for (int round = 0; round < ROUNDS_MAX && choose(s, n, stale, chosen); round++) {
        attempt(s, n, rules);
        bool better = count_touched(s, n) < fewest;
        fewest = better ? count_touched(s, n) : fewest;
        for (size_t i = 0; better && i < n; i++)
            s[i].whole_best = s[i].forced;
        compare(s, n, best, stale);
    }
    attempt(s, n, rules);
    bool worse = count_touched(s, n) > fewest;
    for (size_t i = 0; worse && i < n; i++)
        s[i].forced = s[i].whole_best;
    free(best);
    free(stale);
    free(chosen);
}
