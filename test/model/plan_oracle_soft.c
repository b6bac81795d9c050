/* The softer one gives way, from one sentence of the rule (src/plan.h) to the next. Instead of a
 * stack there are the slices themselves: which are open is looked up each time. */
#include <stdlib.h>

#include "plan_oracle.h"

enum { DEPTH_MAX = 512 };

struct track {
    struct oracle_slice *s;
    size_t n, turns; /* turns: placed so far */
    const struct oracle_rules *rules;
    struct oracle_slice *open[DEPTH_MAX]; /* the innermost first */
    size_t nopen;
};

static bool has_length(const struct oracle_slice *x)
{
    return x->new_start_ns < x->new_end_ns;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

/* Is a placed slice open when x begins? */
static bool is_open(const struct oracle_slice *y, const struct oracle_slice *x)
{
    if (!y->turn || y->new_start_ns > x->new_start_ns)
        return false;
    return y->new_end_ns > x->new_start_ns ||
           (y->new_end_ns == x->new_start_ns && !has_length(y) && !has_length(x));
}

static bool lies_within(const struct oracle_slice *x, const struct oracle_slice *y)
{
    if (x->new_start_ns != y->new_start_ns)
        return x->new_start_ns > y->new_start_ns;
    if (x->new_end_ns != y->new_end_ns)
        return x->new_end_ns < y->new_end_ns;
    return x->turn > y->turn;
}

static void find_open(struct track *t, const struct oracle_slice *x)
{
    t->nopen = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (!is_open(&t->s[i], x))
            continue;
        size_t k = t->nopen++;
        for (; k > 0 && lies_within(&t->s[i], t->open[k - 1]); k--)
            t->open[k] = t->open[k - 1];
        t->open[k] = &t->s[i];
    }
}

/* Would all that lies in f still be shown with one more around it? */
static bool has_room_around(const struct track *t, const struct oracle_slice *f)
{
    size_t deepest = 0;
    if (t->n < DEPTH_MAX)
        return true;
    for (size_t i = 0; i < t->n; i++) {
        const struct oracle_slice *y = &t->s[i];
        size_t depth = 0;
        if (!y->turn || y->new_start_ns < f->new_start_ns || y->new_end_ns > f->new_end_ns)
            continue;
        for (size_t k = 0; k < t->n; k++)
            depth += k == i || (is_open(&t->s[k], y) && lies_within(y, &t->s[k]));
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest < DEPTH_MAX;
}

static bool may_advance(const struct track *t, const struct oracle_slice *x,
                        const struct oracle_slice *f)
{
    if (t->rules->start_ceil(f->new_start_ns) != f->new_start_ns || x->arrows)
        return false;
    for (size_t k = 0; k < t->nopen; k++)
        if (t->open[k]->new_start_ns == f->new_start_ns && !lies_within(t->open[k], f) &&
            (t->open[k]->arrows & ORACLE_ARROW_NEXT))
            return false;
    return has_room_around(t, f);
}

enum way { NONE, TRIM, DELAY, ADVANCE };

/* The way of x, which is not harder than f, to settle its crossing with it. */
static enum way own_way(const struct track *t, const struct oracle_slice *x,
                        const struct oracle_slice *f)
{
    int64_t threshold = t->rules->threshold_ns, late = t->rules->start_ceil(f->new_end_ns);
    int64_t trim = x->end_ns - f->new_end_ns, delay = late - x->start_ns;
    int64_t advance = distance(x->start_ns, f->new_start_ns);
    bool softer = (x->kind & ORACLE_HARDNESS) < (f->kind & ORACLE_HARDNESS);
    bool can_trim = trim < threshold, can_delay = delay < threshold && late < x->new_end_ns;
    bool can_advance = softer && advance < threshold && may_advance(t, x, f);
    if (x->kind & ORACLE_KEEPS_TIMES)
        return NONE;
    if (x->unfinished)
        return TRIM;
    if (!softer) {
        bool rather = x->new_end_ns - f->new_end_ns <= f->new_end_ns - x->new_start_ns ||
                      (!can_delay && late > f->new_end_ns);
        return can_trim && rather ? TRIM : can_delay ? DELAY : NONE;
    }
    if (can_trim && (!can_delay || trim <= delay) && (!can_advance || trim <= advance))
        return TRIM;
    if (can_delay && (!can_advance || delay <= advance))
        return DELAY;
    return can_advance ? ADVANCE : NONE;
}

/* Lets x settle with the frames that are not softer. Returns false if it moves. *around: the
 * outermost frame that it is to lie around, or NULL. */
static bool settle_own(const struct track *t, struct oracle_slice *x,
                       const struct oracle_slice **around)
{
    const struct oracle_slice *around_this = NULL;
    bool crossed = false;
    for (size_t k = 0; k < t->nopen; k++) {
        const struct oracle_slice *f = t->open[k];
        if (f->new_end_ns <= x->new_start_ns)
            continue;
        if (x->new_end_ns <= f->new_end_ns)
            break;
        if (around_this && x->new_start_ns == f->new_start_ns) {
            around_this = f;
            continue;
        }
        if ((f->kind & ORACLE_HARDNESS) < (x->kind & ORACLE_HARDNESS) && !x->unfinished)
            continue;
        enum way way = own_way(t, x, f);
        crossed = true;
        if (way == NONE)
            return false;
        if (way == TRIM) {
            x->new_end_ns = f->new_end_ns;
            break;
        }
        around_this = way == ADVANCE ? f : NULL;
        x->new_start_ns = way == ADVANCE ? f->new_start_ns : t->rules->start_ceil(f->new_end_ns);
    }
    *around = around_this;
    if (!crossed)
        return true;
    x->new_end_ns = x->new_start_ns + t->rules->dur_floor(x->new_end_ns - x->new_start_ns);
    if (around_this && x->new_end_ns <= around_this->new_end_ns)
        return false;
    int64_t trim = x->end_ns - x->new_end_ns;
    return !trim || trim < t->rules->threshold_ns || x->unfinished;
}

/* The end that a softer frame gets; -1: it moves. */
static int64_t frame_end(const struct track *t, const struct oracle_slice *x,
                         const struct oracle_slice *f, bool may_trim)
{
    int64_t on = x->new_end_ns, back = x->new_start_ns, start = f->new_start_ns;
    int64_t grow = distance(on, f->end_ns), trim = distance(back, f->end_ns);
    int64_t threshold = f->unfinished ? INT64_MAX : t->rules->threshold_ns;
    bool can_grow = grow < threshold && t->rules->dur_floor(on - start) == on - start;
    bool can_trim = may_trim && trim < threshold && back > start &&
                    t->rules->dur_floor(back - start) == back - start;
    if ((f->kind & ORACLE_KEEPS_TIMES) || (!can_grow && !can_trim))
        return -1;
    return can_grow && (!can_trim || grow <= trim) ? on : back;
}

/* Lets the softer frames that x still crosses give way. Returns false if it would lie too deep. */
static bool settle_frames(struct track *t, const struct oracle_slice *x, bool lies_around)
{
    static int64_t ends[DEPTH_MAX];
    size_t around = 0;
    bool may_trim = true;
    for (size_t k = 0; k < t->nopen; k++) {
        const struct oracle_slice *f = t->open[k];
        bool within = lies_around && f->new_start_ns >= x->new_start_ns;
        ends[k] = f->new_end_ns;
        if (!within && f->new_end_ns < x->new_end_ns) {
            ends[k] = frame_end(t, x, f, may_trim);
            may_trim &= ends[k] != x->new_end_ns;
        }
        around += ends[k] > x->new_start_ns || (ends[k] == x->new_start_ns && !has_length(f));
    }
    if (around >= DEPTH_MAX)
        return false;
    for (size_t k = 0; k < t->nopen; k++) {
        struct oracle_slice *f = t->open[k];
        f->lane = ends[k] < 0;
        f->new_start_ns = f->lane ? f->start_ns : f->new_start_ns;
        f->new_end_ns = f->lane ? f->end_ns : ends[k];
        f->turn = f->lane ? 0 : f->turn;
    }
    return true;
}

/* Of slices that begin and end together, the one with the later turn lies in the other. */
static void place(struct track *t, struct oracle_slice *x, const struct oracle_slice *around)
{
    size_t turn = around ? around->turn : t->turns + 1;
    for (size_t i = 0; i < t->n; i++)
        t->s[i].turn += t->s[i].turn >= turn;
    x->turn = turn;
    t->turns++;
}

void oracle_soft(struct oracle_slice *s, size_t n, const struct oracle_rules *rules)
{
    struct track t = {.s = s, .n = n, .rules = rules};
    for (struct oracle_slice *x; (x = oracle_next(s, n));) {
        int64_t start_before = x->new_start_ns;
        const struct oracle_slice *around;
        find_open(&t, x);
        bool stays = settle_own(&t, x, &around);
        x->waiting = stays && x->new_start_ns > start_before;
        if (stays && !x->waiting)
            stays = settle_frames(&t, x, around != NULL);
        if (!stays) {
            x->lane = 1;
            x->new_start_ns = x->start_ns;
            x->new_end_ns = x->end_ns;
        } else if (!x->waiting) {
            place(&t, x, around);
        }
    }
}
