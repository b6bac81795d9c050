#include "plan_oracle.h"

#include <stdlib.h>

enum { DEPTH_MAX = 512 };

struct interval {
    int64_t start, end;
    struct oracle_slice *of;
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

struct oracle_slice *oracle_next(struct oracle_slice *s, size_t n)
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
    if (s->kind & ORACLE_KEEPS_TIMES)
        return NO_SNAP;
    if (s->unfinished)
        end_snap_allowed = end_snap_smaller = true;
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

static void note_meeting(struct oracle_meetings *meetings, struct oracle_slice *x,
                         struct oracle_slice *frame)
{
    meetings->items = realloc(meetings->items, (meetings->n + 1) * sizeof *meetings->items);
    if (!meetings->items)
        abort();
    meetings->items[meetings->n++] = (struct oracle_meeting){x, frame};
}

/* Looks for a snap that settles the crossings of s; *now gets its times then. */
static bool find_snap(const struct stack *stack, struct oracle_slice *s, struct interval *now,
                      const struct oracle_rules *rules, struct oracle_meetings *meetings)
{
    size_t around = stack->n; /* frames that are still around it */
    for (; around > 0; around--) {
        struct interval frame = stack->open[around - 1];
        if (frame.end <= now->start)
            continue;
        if (now->end <= frame.end)
            break;
        note_meeting(meetings, s, frame.of);
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
    return around < DEPTH_MAX && (!end_moved_too_far || s->unfinished);
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
    for (struct oracle_slice *x; (x = oracle_next(s, n));) {
        x->waiting = false;
        x->lane = first_lane(&lanes, &nlanes, (struct interval){x->start_ns, x->end_ns, x});
    }
    free(lanes);
}

void oracle_first(struct oracle_slice *s, size_t n, const struct oracle_rules *rules,
                  struct oracle_meetings *meetings)
{
    struct stack *own_lane = calloc(1, sizeof *own_lane);
    if (!own_lane)
        abort();
    for (struct oracle_slice *x; (x = oracle_next(s, n));) {
        struct interval now = {x->new_start_ns, x->new_end_ns, x};
        close_ended(own_lane, now);
        if (x->forced ||
            (!holds(own_lane, now) && !find_snap(own_lane, x, &now, rules, meetings))) {
            /* it moves, with its own times */
            now = (struct interval){x->start_ns, x->end_ns, x};
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
}

void oracle_begin(struct oracle_slice *s, size_t n, const struct oracle_rules *rules)
{
    size_t unfinished = 0;
    for (size_t i = 0; i < n; i++)
        unfinished += s[i].end_ns == rules->trace_end_ns;
    for (size_t i = 0; i < n; i++) {
        s[i].new_start_ns = s[i].start_ns;
        s[i].new_end_ns = s[i].end_ns;
        s[i].lane = s[i].turn = 0;
        s[i].waiting = true;
        s[i].unfinished = rules->trim_unfinished && unfinished > 1 &&
                          s[i].end_ns == rules->trace_end_ns && !(s[i].kind & ORACLE_KEEPS_TIMES);
    }
}

void oracle_plan(struct oracle_slice *s, size_t n, const struct oracle_rules *rules)
{
    struct oracle_meetings meetings = {0};
    for (size_t i = 0; i < n; i++)
        s[i].forced = false;
    if (rules->snap == ORACLE_LEAST)
        oracle_least(s, n, rules);
    oracle_begin(s, n, rules);
    if (rules->snap == ORACLE_SOFT)
        oracle_soft(s, n, rules);
    else
        oracle_first(s, n, rules, &meetings);
    free(meetings.items);
    fill_lanes(s, n);
}
