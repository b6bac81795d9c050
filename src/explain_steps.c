/* The decisions of a story as text. */
#include <string.h>

#include "explain_words.h"
#include "report.h"

struct interval {
    int64_t start_ns, end_ns;
};

/* The times of the slice that a decision is about, or of its frame, at that moment. */
static struct interval interval_of(const struct told *told, bool frame)
{
    if (frame == told->as_frame)
        return (struct interval){told->start_ns, told->end_ns};
    return (struct interval){told->other.start_ns, told->other.end_ns};
}

/* Which boundary a way shifts, and to where. */
struct shift {
    const char *boundary; /* which, */
    const char *goal;     /* and of the other one */
    bool frame;           /* it is the frame's */
    bool onward;
};

static const struct shift SHIFTS[PLAN_WAYS] = {[WAY_TRIM] = {"end", "end", false, false},
                                               [WAY_DELAY] = {"start", "end", false, true},
                                               [WAY_ADVANCE] = {"start", "start", false, false},
                                               [WAY_FRAME_GROWS] = {"end", "end", true, true},
                                               [WAY_FRAME_TRIMS] = {"end", "start", true, false}};

static bool is_shift(enum plan_way way)
{
    return way < PLAN_WAYS && SHIFTS[way].boundary;
}

/* "its start", or "the end of event 1". */
static void add_boundary(struct teller *t, const struct told *told, bool frame, const char *which)
{
    bool own = frame == told->as_frame;
    buf_add_str(t->out, own ? "its " : "the ");
    buf_add_str(t->out, which);
    if (own)
        return;
    buf_add_str(t->out, " of ");
    words_other(t, &told->other);
}

/* Where a boundary is that has been shifted so far in all, one way or the other: near the goal. */
static int64_t landing(int64_t from, int64_t shift, int64_t goal)
{
    return from <= goal ? from + shift : from - shift;
}

/* "its start goes on to 16.000, the end of event 1" */
static void add_shift(struct teller *t, const struct told *told, enum plan_way way)
{
    const struct shift *shift = &SHIFTS[way];
    struct interval other = interval_of(told, !shift->frame);
    bool of_start = strcmp(shift->boundary, "start") == 0;
    bool to_start = strcmp(shift->goal, "start") == 0;
    int64_t goal = to_start ? other.start_ns : other.end_ns, at = goal;
    const char *how = ", ";
    if (shift->frame == told->as_frame &&
        !t->story->zero) { /* its own boundary, from where it was in the trace */
        int64_t from = of_start ? t->story->start_ns : t->story->end_ns;
        at = landing(from, told->shift_ns[way], goal);
    }
    if (of_start && !to_start && at < goal) { /* into a pair that starts with it */
        to_start = true;
        how = ", just behind ";
    } else if (at != goal) { /* which cannot be written */
        how = ", next to ";
    }
    add_boundary(t, told, shift->frame, shift->boundary);
    buf_add_str(t->out, shift->onward ? " goes on to " : " goes back to ");
    buf_add_us(t->out, at);
    buf_add_str(t->out, how);
    add_boundary(t, told, !shift->frame, to_start ? "start" : "end");
}

/* "it goes to a lane" */
static void add_move(struct teller *t, const struct told *told, bool frame)
{
    if (frame == told->as_frame)
        buf_add_str(t->out, "it");
    else
        words_other(t, &told->other);
    buf_add_str(t->out, " goes to a lane");
}

static void add_threshold(struct teller *t)
{
    buf_add_str(t->out, "the threshold of ");
    report_time(t->out, t->threshold_ns);
}

/* The smallest shift that could have been; -1: there was none. */
static int64_t least_shift(const struct told *told)
{
    int64_t least = -1;
    for (int way = 0; way < PLAN_WAYS; way++) {
        int64_t shift_ns = told->shift_ns[way];
        if (is_shift((enum plan_way)way) && shift_ns >= 0 && (least < 0 || shift_ns < least))
            least = shift_ns;
    }
    return least;
}

/* Why a slice goes to a lane. */
static void add_reason(struct teller *t, const struct told *told)
{
    if (told->too_deep) {
        report_count(t->out, ", as ", PLAN_DEPTH_MAX, " slices are open around it");
    } else if (told->other.off == UINT64_MAX) {
        buf_add_str(t->out, ": where it was, it would have others shifted");
    } else if (told->kept) {
        buf_add_str(t->out, ": its times are to stay (--no-snap)");
    } else if (least_shift(told) < 0) {
        buf_add_str(t->out, ": nothing else is open to it");
    } else if (least_shift(told) < t->threshold_ns && t->snap != PLAN_LEAST) {
        buf_add_str(t->out, ": the boundary that is nearer would shift too far in all");
    } else if (least_shift(told) < t->threshold_ns) {
        buf_add_str(t->out, ": that leaves fewer slices touched");
    } else {
        buf_add_str(t->out, ": no shift below ");
        add_threshold(t);
        buf_add_str(t->out, " settles it");
    }
}

/* What was decided. */
static void add_decision(struct teller *t, const struct told *told)
{
    int64_t shift_ns = told->shift_ns[told->way];
    if (!is_shift(told->way)) {
        add_move(t, told, told->way == WAY_FRAME_MOVES);
        add_reason(t, told);
        buf_add_char(t->out, '\n');
        return;
    }
    add_shift(t, told, told->way);
    buf_add_str(t->out, ": ");
    report_time(t->out, shift_ns);
    if (shift_ns < t->threshold_ns) {
        buf_add_str(t->out, ", below ");
        add_threshold(t);
    } else {
        buf_add_str(t->out, ", as it never returned (--trim-unfinished)");
    }
    buf_add_str(t->out, told->in_vain ? "; but that goes to a lane in the end\n" : "\n");
}

/* What else could have been: `last` if this was the last word about the slice. */
static void add_alternatives(struct teller *t, const struct told *told, bool last)
{
    for (int i = 0; i < PLAN_WAYS; i++) {
        enum plan_way way = (enum plan_way)i;
        if (way == told->way || told->shift_ns[way] < 0)
            continue;
        if (is_shift(way)) {
            buf_add_str(t->out, "  instead: ");
            add_shift(t, told, way);
            buf_add_str(t->out, ": ");
            report_time(t->out, told->shift_ns[way]);
            bool too_much = told->shift_ns[way] >= t->threshold_ns;
            buf_add_str(t->out, too_much ? ", too much\n" : "\n");
        } else if (last || way == WAY_FRAME_MOVES) {
            buf_add_str(t->out, "  instead: ");
            add_move(t, told, way == WAY_FRAME_MOVES);
            buf_add_str(t->out, ": no shift, but another thread\n");
        }
    }
}

/* Is it the slice that the story is about to which it was done? */
static bool is_own(const struct told *told)
{
    bool to_frame = told->way == WAY_FRAME_GROWS || told->way == WAY_FRAME_TRIMS ||
                    told->way == WAY_FRAME_MOVES;
    return !told->as_frame || to_frame;
}

void words_steps(struct teller *t)
{
    const struct story *s = t->story;
    size_t last = s->nsteps;
    while (last > 0 && s->steps[--last].as_frame)
        ;
    for (size_t i = 0; i < s->nsteps; i++) {
        const struct told *told = &s->steps[i];
        bool as_it_was = told->start_ns == s->start_ns && told->end_ns == s->end_ns;
        buf_add_str(t->out, i ? "  then" : "  rule");
        if (!as_it_was) {
            buf_add_str(t->out, ", at ");
            words_times(t->out, told->start_ns, told->end_ns);
        }
        buf_add_str(t->out, ": ");
        add_decision(t, told);
        if (is_own(told))
            add_alternatives(t, told, told->as_frame || i == last);
    }
    if (s->steps_total > s->nsteps)
        report_count(t->out, "  then: ", s->steps_total - s->nsteps,
                     " more decision(s) about it\n");
    if (!s->nsteps && s->zero && s->outcomes[t->snap].changed)
        buf_add_str(t->out, "  rule: a B and its E at one time are put apart, as the viewer takes "
                            "the E first\n");
}
