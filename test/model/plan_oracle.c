#include "plan_oracle.h"

#include <stdlib.h>

enum { DEPTH_MAX = 512 };

struct interval {
    int64_t start, end;
};

/* Open slices, the innermost last. */
struct stack {
    struct interval open[DEPTH_MAX];
    size_t n;
};

/* Takes off what has ended when `x` begins. One without length stays open around another such at
 * its time. */
static void close_ended(struct stack *stack, struct interval x)
{
    while (stack->n) {
        struct interval top = stack->open[stack->n - 1];
        bool both_without_length = top.start == top.end && x.start == x.end;
        if (top.end > x.start || (top.end == x.start && both_without_length))
            return;
        stack->n--;
    }
}

/* Is there room for `x` inside the innermost open slice? */
static bool holds(const struct stack *stack, struct interval x)
{
    return stack->n < DEPTH_MAX && (stack->n == 0 || x.end <= stack->open[stack->n - 1].end);
}

/* The next slice in the order: start, longest first, place in the file; by the times of the moment.
 */
static struct oracle_slice *next_waiting(struct oracle_slice *s, size_t n)
{
    struct oracle_slice *best = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!s[i].waiting)
            continue;
        if (!best || s[i].new_start_ns < best->new_start_ns ||
            (s[i].new_start_ns == best->new_start_ns && s[i].new_end_ns > best->new_end_ns))
            best = &s[i];
    }
    return best;
}

/* One frame of the walk outward. */
enum step { SETTLED, GO_ON, NO_SNAP };

static enum step cross_frame(const struct oracle_slice *s, struct interval frame,
                             struct interval *now, const struct oracle_rules *rules)
{
    int64_t late = rules->start_ceil(frame.end);
    bool end_snap_allowed = s->end_ns - frame.end < rules->threshold_ns;
    /* The whole shift counts, and a slice must have something left behind its new start. */
    bool start_snap_allowed = late - s->start_ns < rules->threshold_ns && late < now->end;
    bool end_snap_smaller = now->end - frame.end <= frame.end - now->start;
    /* A start that cannot be written as wanted, and may not be later, leaves it to the end. */
    if (late != frame.end && !start_snap_allowed)
        end_snap_smaller = true;
    if (end_snap_allowed && end_snap_smaller) {
        now->end = frame.end;
        return SETTLED;
    }
    if (!start_snap_allowed)
        return NO_SNAP;
    now->start = late;
    return GO_ON;
}

/* Looks for a snap that settles the crossings of s; *now gets its times then. */
static bool find_snap(const struct stack *stack, const struct oracle_slice *s, struct interval *now,
                      const struct oracle_rules *rules)
{
    size_t around = stack->n; /* frames that are still around it */
    for (; around > 0; around--) {
        struct interval frame = stack->open[around - 1];
        if (frame.end <= now->start)
            continue;
        if (now->end <= frame.end)
            break;
        enum step step = cross_frame(s, frame, now, rules);
        if (step == NO_SNAP)
            return false;
        if (step == SETTLED)
            break;
    }
    if (now->start == s->new_start_ns)
        around = stack->n; /* nothing closes, not even one without length at this start */
    now->end = now->start + rules->dur_floor(now->end - now->start);
    bool end_moved_too_far = now->end != s->end_ns && s->end_ns - now->end >= rules->threshold_ns;
    return around < DEPTH_MAX && !end_moved_too_far;
}

/* The first lane that has room, among those in use, or a new one. */
static size_t first_lane(struct stack **lanes, size_t *nlanes, struct interval x)
{
    size_t k = 0;
    for (; k < *nlanes; k++) {
        close_ended(&(*lanes)[k], x);
        if (holds(&(*lanes)[k], x))
            break;
    }
    if (k == *nlanes) {
        *lanes = realloc(*lanes, ++*nlanes * sizeof **lanes);
        if (!*lanes)
            abort();
        (*lanes)[k].n = 0;
    }
    (*lanes)[k].open[(*lanes)[k].n++] = x;
    return k + 1;
}

/* Those marked as moved (lane 1 for now), in the order of their own times. */
static void fill_lanes(struct oracle_slice *s, size_t n)
{
    struct stack *lanes = NULL;
    size_t nlanes = 0;
    for (size_t i = 0; i < n; i++)
        s[i].waiting = s[i].lane != 0;
    for (struct oracle_slice *x; (x = next_waiting(s, n));) {
        x->waiting = false;
        x->lane = first_lane(&lanes, &nlanes, (struct interval){x->start_ns, x->end_ns});
    }
    free(lanes);
}

void oracle_plan(struct oracle_slice *s, size_t n, const struct oracle_rules *rules)
{
    struct stack *own_lane = calloc(1, sizeof *own_lane);
    if (!own_lane)
        abort();
    for (size_t i = 0; i < n; i++) {
        s[i].new_start_ns = s[i].start_ns;
        s[i].new_end_ns = s[i].end_ns;
        s[i].lane = 0;
        s[i].waiting = true;
    }
    for (struct oracle_slice *x; (x = next_waiting(s, n));) {
        struct interval now = {x->new_start_ns, x->new_end_ns};
        close_ended(own_lane, now);
        if (!holds(own_lane, now) && !find_snap(own_lane, x, &now, rules)) {
            /* it moves, with its own times */
            now = (struct interval){x->start_ns, x->end_ns};
            x->lane = 1;
        }
        bool put_back = !x->lane && now.start != x->new_start_ns;
        x->waiting = put_back;
        x->new_start_ns = now.start;
        x->new_end_ns = now.end;
        if (!put_back && !x->lane)
            own_lane->open[own_lane->n++] = now;
    }
    free(own_lane);
    fill_lanes(s, n);
}
