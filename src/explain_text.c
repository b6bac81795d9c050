/* The stories of --explain as text for a person. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "explain.h"
#include "run.h"
#include "text.h"

/* Other slices that a story has named so far, so that each is described once. */
struct named {
    struct other items[STORY_PLACES_MAX];
    size_t n;
};

/* What the text of one story is made of. */
struct teller {
    const struct run *run;
    const struct story *story;
    struct buf *out;
    struct named named;
};

static int by_offset(const void *key, const void *item)
{
    uint64_t off = *(const uint64_t *)key, at = ((const struct place *)item)->off;
    return off < at ? -1 : off > at;
}

static const struct place *place_at(const struct run *run, uint64_t off)
{
    const struct explain *e = run->explain;
    return bsearch(&off, e->places, e->nplaces, sizeof *e->places, by_offset);
}

/* A time in us with three decimals, as traces write it. */
static void add_us(struct buf *out, int64_t ns)
{
    buf_add_i64(out, ns / 1000);
    buf_add_char(out, '.');
    for (int64_t unit = 100; unit; unit /= 10)
        buf_add_char(out, (char)('0' + ns / unit % 10));
}

static void add_name(struct buf *out, const struct place *place)
{
    buf_add_str(out, place->name ? place->name : "<unnamed>");
}

/* "k0 (event 1, kernel, 10.000 to 16.000)"; of what was named before "event 1", and its times if
 * they are others by now. */
static void add_other(struct teller *t, const struct other *other)
{
    struct buf *out = t->out;
    const struct place *place = place_at(t->run, other->off);
    size_t i = 0;
    while (i < t->named.n && t->named.items[i].off != other->off)
        i++;
    struct other *known = &t->named.items[i];
    bool is_new = i == t->named.n;
    bool other_times = known->start_ns != other->start_ns || known->end_ns != other->end_ns;
    if (is_new) {
        add_name(out, place);
        report_count(out, " (event ", place->event, ", ");
        buf_add_str(out, place->cat ? place->cat : "");
        buf_add_str(out, place->cat ? ", " : "");
    } else {
        report_count(out, "event ", place->event, other_times ? " (by then " : "");
    }
    if (is_new || other_times) {
        add_us(out, other->start_ns);
        buf_add_str(out, " to ");
        add_us(out, other->end_ns);
        buf_add_char(out, ')');
    }
    *known = *other;
    t->named.n += is_new;
}

static void add_raw(struct buf *out, const char *raw, size_t n)
{
    struct value value = {VALUE_STRING, 0, (uint32_t)n};
    show_value(out, raw, &value, "");
}

/* The thread, and its name if it has one. */
static void add_thread(struct buf *out, const struct track *track)
{
    buf_add_str(out, " pid=");
    show_id(out, track->pid_text);
    buf_add_str(out, " tid=");
    show_id(out, track->tid_text);
    if (!track->name)
        return;
    buf_add_str(out, " '");
    add_raw(out, track->name, strlen(track->name));
    buf_add_char(out, '\'');
}

static void add_times(struct buf *out, int64_t start_ns, int64_t end_ns)
{
    buf_add_str(out, "ts ");
    add_us(out, start_ns);
    buf_add_str(out, ", dur ");
    add_us(out, end_ns - start_ns);
}

/* "NAME (event 2, byte 157, kernel) pid=0 tid=7: ts 15.200, dur 6.000" */
static void add_heading(struct teller *t, uint64_t off, const struct track *track)
{
    const struct story *s = t->story;
    struct buf *out = t->out;
    const struct place *place = place_at(t->run, off);
    add_name(out, place);
    report_count(out, " (event ", place->event, "");
    report_count(out, ", byte ", losses_place(&t->run->losses, off), "");
    if (place->cat) {
        buf_add_str(out, ", ");
        buf_add_str(out, place->cat);
    }
    buf_add_str(out, s->pair ? ", a B and its E)" : ")");
    add_thread(out, track);
    buf_add_str(out, ": ");
    add_times(out, s->start_ns, s->zero ? s->start_ns : s->end_ns);
    buf_add_char(out, '\n');
}

static void add_more(struct buf *out, const char *before, uint64_t n, const char *after)
{
    if (n)
        report_count(out, before, n, after);
}

/* What it crosses, or (`later`) what crosses it: who begins how long before the other's end, and
 * ends how long after it. */
static void add_crossings(struct teller *t, const struct others *others, bool later)
{
    const struct story *s = t->story;
    struct buf *out = t->out;
    size_t n = others->total < STORY_OTHERS_MAX ? (size_t)others->total : STORY_OTHERS_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct other *other = &others->items[i];
        int64_t start_ns = later ? other->start_ns : s->start_ns;
        int64_t end_ns = later ? s->end_ns : other->end_ns;
        int64_t last_ns = later ? other->end_ns : s->end_ns;
        buf_add_str(out, later ? "  is crossed by " : "  crosses ");
        add_other(t, other);
        buf_add_str(out, later ? ": that begins " : ": begins ");
        report_time(out, end_ns - start_ns);
        buf_add_str(out, later ? " before this ends, and ends " : " before that ends, and ends ");
        report_time(out, last_ns - end_ns);
        buf_add_str(out, " after it\n");
    }
    add_more(out, later ? "  is crossed by " : "  crosses ", others->total - n, " more\n");
}

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

/* What a way shifts, and to where. */
struct shift {
    bool frame;           /* it is a boundary of the frame's */
    const char *boundary; /* which */
    bool onward;
    const char *goal; /* a boundary of the other one */
};

static const struct shift SHIFTS[PLAN_WAYS] = {[WAY_TRIM] = {false, "end", false, "end"},
                                               [WAY_DELAY] = {false, "start", true, "end"},
                                               [WAY_ADVANCE] = {false, "start", false, "start"},
                                               [WAY_FRAME_GROWS] = {true, "end", true, "end"},
                                               [WAY_FRAME_TRIMS] = {true, "end", false, "start"}};

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
    add_other(t, &told->other);
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
        at = from + (shift->onward ? told->shift_ns[way] : -told->shift_ns[way]);
    }
    if (of_start && !to_start && at < goal) { /* into a pair that starts with it */
        to_start = true;
        how = ", just behind ";
    } else if (at != goal) { /* which cannot be written */
        how = ", next to ";
    }
    add_boundary(t, told, shift->frame, shift->boundary);
    buf_add_str(t->out, shift->onward ? " goes on to " : " goes back to ");
    add_us(t->out, at);
    buf_add_str(t->out, how);
    add_boundary(t, told, !shift->frame, to_start ? "start" : "end");
}

/* "it goes to a lane" */
static void add_move(struct teller *t, const struct told *told, bool frame)
{
    if (frame == told->as_frame)
        buf_add_str(t->out, "it");
    else
        add_other(t, &told->other);
    buf_add_str(t->out, " goes to a lane");
}

static void add_threshold(struct teller *t)
{
    buf_add_str(t->out, "the threshold of ");
    report_time(t->out, t->run->options->snap_threshold_ns);
}

/* Was there a shift, small enough, that could have been taken? */
static bool had_choice(const struct teller *t, const struct told *told)
{
    for (int way = 0; way < PLAN_WAYS; way++)
        if (is_shift((enum plan_way)way) && told->shift_ns[way] >= 0 &&
            told->shift_ns[way] < t->run->options->snap_threshold_ns)
            return true;
    return false;
}

/* Why a slice goes to a lane. */
static void add_reason(struct teller *t, const struct told *told)
{
    if (told->too_deep) {
        report_count(t->out, ", as ", PLAN_DEPTH_MAX, " slices are open around it");
    } else if (told->other.off == UINT64_MAX) {
        buf_add_str(t->out, ": where it was, it would have others shifted");
    } else if (had_choice(t, told)) {
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
    if (shift_ns < t->run->options->snap_threshold_ns) {
        buf_add_str(t->out, ", below ");
        add_threshold(t);
    } else {
        buf_add_str(t->out, ", as it never returned (--trim-unfinished)");
    }
    buf_add_char(t->out, '\n');
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
            bool too_much = told->shift_ns[way] >= t->run->options->snap_threshold_ns;
            buf_add_str(t->out, too_much ? ", too much\n" : "\n");
        } else if (last || way == WAY_FRAME_MOVES) {
            buf_add_str(t->out, "  instead: ");
            add_move(t, told, way == WAY_FRAME_MOVES);
            buf_add_str(t->out, ": no shift, but another thread\n");
        }
    }
}

/* The decisions in their order. */
static void add_steps(struct teller *t)
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
            add_times(t->out, told->start_ns, told->end_ns);
        }
        buf_add_str(t->out, ": ");
        add_decision(t, told);
        if (!told->as_frame)
            add_alternatives(t, told, i == last);
    }
    add_more(t->out, "  then: ", s->steps_total - s->nsteps, " more decision(s) about it\n");
    if (!s->nsteps && s->zero)
        buf_add_str(t->out, "  rule: a B and its E at one time are put apart, as the viewer takes "
                            "the E first\n");
}

/* What became of it. */
static void add_outcome(struct teller *t, const struct track *track, uint32_t rank)
{
    const struct story *s = t->story;
    const struct outcome *o = &s->outcomes[t->run->options->snap];
    struct buf *out = t->out;
    if (o->lane) {
        char room[LANE_ROOM];
        struct buf name = {0};
        report_count(out, "  so: it goes to lane ", o->lane, ", tid ");
        show_id(out, lane_tid(lanes_get(&t->run->lanes, rank, o->lane), room));
        lane_name(&name, track, o->lane);
        buf_add_str(out, " '");
        add_raw(out, name.data, name.len);
        buf_add_str(out, "', with ts and dur as they are\n");
        out->failed |= name.failed;
        buf_free(&name);
    } else if (o->start_ns == s->start_ns && o->end_ns == s->end_ns && !(s->zero && s->nsteps)) {
        buf_add_str(out, "  so: it stays as it is\n");
    } else {
        buf_add_str(out, "  so: ");
        add_times(out, o->start_ns, o->end_ns);
        buf_add_str(out, " (was ");
        add_times(out, s->start_ns, s->zero ? s->start_ns : s->end_ns);
        buf_add_str(out, ")\n");
    }
}

/* "12 slice(s) retimed by 3.000us in all, 4 moved" */
static void add_totals(struct buf *out, const struct outcome *o)
{
    report_count(out, "", o->retimed, " slice(s) retimed by ");
    report_time(out, o->shift_ns);
    report_count(out, " in all, ", o->moved, " moved\n");
}

/* What another rule would make of it. */
static void add_other_rule(struct teller *t, enum plan_snap snap)
{
    static const char *const names[STORY_RULES] = {"first", "soft", "least"};
    const struct story *s = t->story;
    const struct outcome *is = &s->outcomes[t->run->options->snap], *o = &s->outcomes[snap];
    bool same = o->start_ns == is->start_ns && o->end_ns == is->end_ns && o->lane == is->lane;
    bool same_totals =
        o->retimed == is->retimed && o->moved == is->moved && o->shift_ns == is->shift_ns;
    buf_add_str(t->out, "  with --snap=");
    buf_add_str(t->out, names[snap]);
    buf_add_str(t->out, ": ");
    if (same) {
        buf_add_str(t->out, "the same");
    } else if (o->lane) {
        buf_add_str(t->out, "it goes to a lane");
    } else if (o->start_ns == s->start_ns && o->end_ns == s->end_ns) {
        buf_add_str(t->out, "it stays as it is");
    } else {
        add_times(t->out, o->start_ns, o->end_ns);
    }
    buf_add_str(t->out, same_totals ? "\n" : "; thread: ");
    if (!same_totals)
        add_totals(t->out, o);
}

static void add_story(const struct run *run, const struct story *s, uint64_t arrows,
                      struct buf *out)
{
    const struct slice *slice = &run->index.slices[s->slice];
    uint32_t rank = slice_track(slice);
    const struct track *track = tracks_by_rank(&run->tracks, rank);
    struct teller t = {.run = run, .story = s, .out = out};
    add_heading(&t, slice_off(slice), track);
    add_crossings(&t, &s->crossed, false);
    add_crossings(&t, &s->crossing, true);
    if (s->too_deep)
        report_count(out, "  lies in ", PLAN_DEPTH_MAX, " others, so the viewer drops it\n");
    if (!s->crossed.total && !s->crossing.total && !s->too_deep) {
        bool alone = s->within.off == UINT64_MAX;
        buf_add_str(out, "  crosses nothing, and lies ");
        buf_add_str(out, alone ? "in no other slice" : "within ");
        if (!alone)
            add_other(&t, &s->within);
        buf_add_char(out, '\n');
    }
    add_steps(&t);
    add_outcome(&t, track, rank);
    if (arrows)
        report_count(out, "  arrows: ", arrows, " endpoint(s) go with it\n");
    report_count(out, "  thread: ", s->crossings, " crossing(s); ");
    add_totals(out, &s->outcomes[run->options->snap]);
    for (int snap = 0; snap < STORY_RULES; snap++)
        if ((int)run->options->snap != snap)
            add_other_rule(&t, (enum plan_snap)snap);
}

/* How many slices there are of a name. */
static void add_count(const struct explain *e, struct buf *out)
{
    buf_add_str(out, e->matches.whole ? "slices named '" : "no slice is named '");
    text_show(out, e->query.text, e->query.len);
    report_count(
        out, e->matches.whole ? "': " : "'; slices with that in their name: ", e->matches.n, "");
    report_count(out, "; of these fixed, or crossed by what is: ", e->notable, "\n");
}

bool explain_tell(struct run *run)
{
    const struct explain *e = run->explain;
    if (!e)
        return true;
    struct buf *out = &run->report->explanation;
    if (!e->query.by_event)
        add_count(e, out);
    for (size_t k = 0; k < e->nstories; k++) {
        if (k || !e->query.by_event)
            buf_add_char(out, '\n');
        add_story(run, &e->stories[k], e->arrows[k], out);
    }
    if (e->notable > e->nstories)
        report_count(out, "\n... ", e->notable - e->nstories, " more that are\n");
    return !out->failed || fail_memory(run->err);
}
