/* What the viewer would find in the slices of a track, before anything changes. */
#include "stack.h"

/* A pair without length: the viewer takes its E first, so that the B stays open until a pair around
 * it ends. Does that do harm? An X that ends before is cut short; or the E of another pair ends
 * this B rather than its own. */
static bool zero_does_harm(struct stack *stack, const struct slice *s, const struct pairs *pairs)
{
    pop_ended(stack, s->start_ns, slice_end_ns(s));
    bool cuts = stack->depth && stack->frames[stack->depth - 1].pair == NO_PAIR;
    return cuts || pairs_get(pairs, slice_off(s))->end_ns < 0;
}

/* What the viewer makes of a slice. */
enum verdict { SHOWN, CROSSES, TOO_DEEP };

static enum verdict judge(struct stack *stack, const struct slice *s, const struct pairs *pairs,
                          uint32_t i)
{
    int64_t end_ns = slice_end_ns(&s[i]);
    pop_ended(stack, s[i].start_ns, end_ns);
    if (stack->depth && !holds(&stack->frames[stack->depth - 1], s, pairs, i, end_ns))
        return CROSSES;
    if (stack->depth == PLAN_DEPTH_MAX)
        return TOO_DEEP;
    push(stack, s[i].start_ns, end_ns, i, slice_is_pair(&s[i]));
    return SHOWN;
}

/* X are judged among X alone as well: that is what the viewer counts. */
static void count_with_pairs(const struct slice *s, size_t n, const struct pairs *pairs,
                             struct plan_stats *stats)
{
    struct stack all, x_alone;
    all.depth = x_alone.depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (is_zero(&s[i], pairs)) {
            stats->pair_crossings += zero_does_harm(&all, &s[i], pairs);
            continue;
        }
        enum verdict verdict = judge(&all, s, pairs, i), alone = SHOWN;
        if (!slice_is_pair(&s[i]))
            alone = judge(&x_alone, s, NULL, i);
        stats->crossings += alone == CROSSES;
        stats->pair_crossings += alone != CROSSES && verdict == CROSSES;
        stats->too_deep += alone == TOO_DEEP || verdict == TOO_DEEP;
    }
}

/* Where there are X alone, as in most traces, an open slice needs no more than its times. */
static void count_x(const struct slice *s, size_t n, struct plan_stats *stats)
{
    const struct slice *open[PLAN_DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        for (; depth; depth--) {
            const struct slice *top = open[depth - 1];
            if (!has_ended(top->start_ns, top->end_ns, s[i].start_ns, s[i].end_ns))
                break;
        }
        if (depth && s[i].end_ns > open[depth - 1]->end_ns)
            stats->crossings++;
        else if (depth == PLAN_DEPTH_MAX)
            stats->too_deep++;
        else
            open[depth++] = &s[i];
    }
}

void plan_count(const struct slice *s, size_t n, const struct pairs *pairs,
                struct plan_stats *stats)
{
    *stats = (struct plan_stats){0};
    if (pairs)
        count_with_pairs(s, n, pairs, stats);
    else
        count_x(s, n, stats);
}

void plan_list_crossings(const struct slice *s, size_t n, const struct pairs *pairs, uint32_t base,
                         struct crossings *list, struct fixes *fixes)
{
    struct stack stack;
    stack.depth = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t off = slice_off(&s[i]);
        if (pairs && is_zero(&s[i], pairs)) {
            if (zero_does_harm(&stack, &s[i], pairs))
                crossings_note(list, off);
            continue;
        }
        enum verdict verdict = judge(&stack, s, pairs, i);
        if (verdict == TOO_DEEP) {
            crossings_note_deep(list, off);
        } else if (verdict == CROSSES) {
            uint32_t over = stack.frames[stack.depth - 1].slice;
            int64_t by_ns = slice_crosses_by(&s[i], &s[over]);
            crossings_note(list, off);
            fixes_add(fixes, &(struct fix){base + i, base + over, by_ns});
        }
    }
}
