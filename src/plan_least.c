#include "plan_least.h"

#include <stdlib.h>

enum { ROUNDS_MAX = 8 };

/* Further bits of a slice's fate (plan_parts.h has those that the planner knows). */
enum {
    FATE_BEST = 4,   /* forced in the best attempt so far, by its knot, */
    FATE_TRIED = 8,  /* in one that was no better, */
    FATE_WHOLE = 16, /* in the best one of the whole track; */
    FATE_CHOSEN = 32 /* to be, in the next one */
};

#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* A slice. One that crosses another in any attempt is in one knot with it. */
struct party {
    uint32_t parent;  /* towards the slice that stands for its knot */
    uint32_t blame;   /* the slice that it is touched for, in the last attempt */
    uint32_t victims; /* how many are touched for it alone */
    uint32_t touched; /* of the slice that stands for a knot: how many are, in the last attempt, */
    uint32_t best;    /* and in the best one */
    bool stale;       /* the last attempt was no better */
};

struct trial {
    const struct planner *p;
    struct party *parties;
    uint8_t *fates;
    size_t ntouched, nbest; /* of the whole track: in the last attempt, and in the best */
};

static uint32_t knot_of(struct trial *t, uint32_t i)
{
    struct party *all = t->parties;
    while (all[i].parent != i) {
        all[i].parent = all[all[i].parent].parent;
        i = all[i].parent;
    }
    return i;
}

/* Of two knots that become one, each had its best by itself. */
static void tie(struct trial *t, uint32_t i, uint32_t k)
{
    i = knot_of(t, i);
    k = knot_of(t, k);
    if (i == k)
        return;
    uint32_t low = i < k ? i : k, high = i < k ? k : i;
    t->parties[high].parent = low;
    t->parties[low].best += t->parties[high].best;
}

static void blame(struct party *party, uint32_t whom)
{
    party->blame = party->blame == NOBODY || party->blame == whom ? whom : SEVERAL;
}

static void begin(void *data)
{
    struct trial *t = data; /* not begun by plan_lane_0, but by attempt */
    for (uint32_t i = 0; i < t->p->n; i++) {
        struct party *party = &t->parties[i];
        party->blame = NOBODY;
        party->victims = party->touched = 0;
        t->fates[i] &= (uint8_t)~FATE_TOUCHED;
    }
}

/* Do two slices cross as they stand in the trace, where the first one starts no earlier? */
static bool cross_by_themselves(const struct slice *later, const struct slice *frame)
{
    return later->start_ns >= frame->start_ns && later->start_ns < slice_end_ns(frame) &&
           slice_end_ns(later) > slice_end_ns(frame);
}

static void take_step(void *data, const struct plan_step *step)
{
    struct trial *t = data;
    if (step->frame >= PLAN_OTHERS)
        return;
    struct party *party = &t->parties[step->slice];
    uint32_t cause = t->parties[step->frame].blame;
    tie(t, step->slice, step->frame);
    bool by_itself = cross_by_themselves(&t->p->s[step->slice], &t->p->s[step->frame]);
    if (!by_itself && cause != NOBODY)
        blame(party, cause);
    else if (by_itself || party->blame == NOBODY)
        blame(party, step->frame);
}

/* Plans the track with what is forced, and counts what is touched. */
static bool attempt(struct trial *t, struct planner *p)
{
    t->ntouched = 0;
    begin(t);
    if (!plan_lane_0(p))
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!(t->fates[i] & FATE_TOUCHED))
            continue;
        t->ntouched++;
        t->parties[knot_of(t, i)].touched++;
        if (t->parties[i].blame < p->n)
            t->parties[t->parties[i].blame].victims++;
    }
    return true;
}

/* Are more touched for a slice than it would cost to move it? */
static bool is_worth_it(struct trial *t, uint32_t i)
{
    uint32_t cost = t->fates[i] & FATE_TOUCHED ? 0 : 1;
    return t->parties[i].victims > cost && !(t->fates[i] & (FATE_FORCED | FATE_TRIED));
}

/* Forces those for the next attempt. Returns false if there are none, and none are left to be seen
 * without what was taken back. */
static bool choose(struct trial *t)
{
    bool go_on = false;
    for (uint32_t i = 0; i < t->p->n; i++) {
        uint32_t cause = t->parties[i].blame;
        if (t->parties[knot_of(t, i)].stale)
            go_on = true;
        else if (is_worth_it(t, i) && (cause >= t->p->n || !is_worth_it(t, cause)))
            t->fates[i] |= FATE_CHOSEN;
    }
    for (uint32_t i = 0; i < t->p->n; i++) {
        if (t->fates[i] & FATE_CHOSEN) {
            t->fates[i] ^= FATE_CHOSEN | FATE_FORCED;
            go_on = true;
        }
    }
    return go_on;
}

/* What was better, knot by knot, is kept, else taken back. */
static void compare(struct trial *t)
{
    const size_t n = t->p->n;
    bool better = t->ntouched < t->nbest;
    for (uint32_t i = 0; i < n; i++)
        t->parties[i].stale = false;
    for (uint32_t i = 0; i < n; i++) {
        struct party *knot = &t->parties[knot_of(t, i)];
        uint8_t fate = t->fates[i];
        bool forced = fate & FATE_FORCED;
        if (better)
            fate = (uint8_t)(forced ? fate | FATE_WHOLE : fate & ~FATE_WHOLE);
        if (forced && knot->touched < knot->best) {
            fate |= FATE_BEST;
        } else if (forced && !(fate & FATE_BEST)) {
            fate = (uint8_t)((fate & ~FATE_FORCED) | FATE_TRIED);
            knot->stale = true;
        }
        t->fates[i] = fate;
    }
    for (uint32_t i = 0; i < n; i++)
        if (t->parties[i].touched < t->parties[i].best)
            t->parties[i].best = t->parties[i].touched;
    if (better)
        t->nbest = t->ntouched;
}

/* Forces what was best for each knot; or for the whole track, if that is better after all: knots
 * that never met may meet now. */
static bool take_best(struct trial *t, struct planner *p)
{
    if (!attempt(t, p))
        return false;
    for (uint32_t i = 0; t->ntouched > t->nbest && i < p->n; i++)
        t->fates[i] = t->fates[i] & FATE_WHOLE ? FATE_FORCED : 0;
    return true;
}

static bool run_rounds(struct trial *t, struct planner *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        t->parties[i].parent = i;
    if (!attempt(t, p))
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        t->parties[i].best = t->parties[i].touched;
    t->nbest = t->ntouched;
    for (int round = 0; round < ROUNDS_MAX && choose(t); round++) {
        if (!attempt(t, p))
            return false;
        compare(t);
    }
    return take_best(t, p);
}

bool plan_least(struct planner *p, uint8_t **fates)
{
    struct trial t = {
        .p = p, .parties = calloc(p->n, sizeof *t.parties), .fates = calloc(p->n, sizeof *t.fates)};
    const struct plan_watch watch = {begin, take_step, &t}, *heard = p->watch;
    *fates = t.fates;
    p->watch = &watch;
    p->fates = t.fates;
    p->trial = true;
    bool ok = t.parties && t.fates && run_rounds(&t, p);
    p->trial = false;
    p->watch = heard;
    free(t.parties);
    return ok;
}
