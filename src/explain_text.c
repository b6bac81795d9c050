/* The stories of --explain as text for a person. */
#include <string.h>

#include "error.h"
#include "explain.h"
#include "explain_words.h"
#include "run.h"
#include "text.h"

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

/* "NAME (event 2, byte 157, kernel) pid=0 tid=7: ts 15.200, dur 6.000" */
static void add_heading(struct teller *t, const struct run *run, uint64_t off,
                        const struct track *track)
{
    const struct story *s = t->story;
    struct buf *out = t->out;
    const struct place *place = words_place(t, off);
    words_name(t, place);
    report_count(out, " (event ", place->event, "");
    report_count(out, ", byte ", losses_place(&run->losses, off), "");
    if (place->cat) {
        buf_add_str(out, ", ");
        buf_add_str(out, place->cat);
    }
    buf_add_str(out, s->pair ? ", a B and its E)" : ")");
    add_thread(out, track);
    buf_add_str(out, ": ");
    words_times(out, s->start_ns, s->zero ? s->start_ns : s->end_ns);
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
        words_other(t, other);
        buf_add_str(out, later ? ": that begins " : ": begins ");
        report_time(out, end_ns - start_ns);
        buf_add_str(out, later ? " before this ends, and ends " : " before that ends, and ends ");
        report_time(out, last_ns - end_ns);
        buf_add_str(out, " after it\n");
    }
    add_more(out, later ? "  is crossed by " : "  crosses ", others->total - n, " more\n");
}

/* What became of it. */
static void add_outcome(struct teller *t, const struct run *run, uint32_t rank)
{
    const struct story *s = t->story;
    const struct outcome *o = &s->outcomes[t->snap];
    struct buf *out = t->out;
    if (o->lane) {
        char room[LANE_ROOM];
        struct buf name = {0};
        report_count(out, "  so: it goes to lane ", o->lane, ", tid ");
        show_id(out, lane_tid(lanes_get(&run->lanes, rank, o->lane), room));
        lane_name(&name, tracks_by_rank(&run->tracks, rank), o->lane);
        buf_add_str(out, " '");
        add_raw(out, name.data, name.len);
        buf_add_str(out, "', with ts and dur as they are\n");
        out->failed |= name.failed;
        buf_free(&name);
    } else if (!o->changed) {
        buf_add_str(out, "  so: it stays as it is\n");
    } else {
        buf_add_str(out, "  so: ");
        words_times(out, o->start_ns, o->end_ns);
        buf_add_str(out, " (was ");
        words_times(out, s->start_ns, s->zero ? s->start_ns : s->end_ns);
        buf_add_str(out, ")\n");
    }
}

/* "12 slice(s) retimed by 3.000us in all, 4 moved", or "0 slice(s) retimed, 4 moved" */
static void add_totals(struct buf *out, const struct outcome *o)
{
    report_count(out, "", o->retimed, " slice(s) retimed");
    if (o->retimed) {
        buf_add_str(out, " by ");
        report_time(out, o->shift_ns);
        buf_add_str(out, " in all");
    }
    report_count(out, ", ", o->moved, " moved\n");
}

/* What another rule would make of it. */
static void add_other_rule(struct teller *t, enum plan_snap snap)
{
    static const char *const names[STORY_RULES] = {"first", "soft", "least"};
    const struct story *s = t->story;
    const struct outcome *is = &s->outcomes[t->snap], *o = &s->outcomes[snap];
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
    } else if (!o->changed) {
        buf_add_str(t->out, "it stays as it is");
    } else {
        words_times(t->out, o->start_ns, o->end_ns);
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
    struct teller t = {.story = s,
                       .places = run->explain->places,
                       .nplaces = run->explain->nplaces,
                       .threshold_ns = run->options->snap_threshold_ns,
                       .snap = (enum plan_snap)run->options->snap,
                       .out = out};
    add_heading(&t, run, slice_off(slice), track);
    add_crossings(&t, &s->crossed, false);
    add_crossings(&t, &s->crossing, true);
    if (s->too_deep)
        report_count(out, "  lies within ", PLAN_DEPTH_MAX,
                     " others that the viewer shows, so it is dropped\n");
    if (!s->crossed.total && !s->crossing.total && !s->too_deep) {
        bool alone = s->within.off == UINT64_MAX;
        buf_add_str(out, "  crosses nothing, and lies ");
        buf_add_str(out, alone ? "in no other slice" : "within ");
        if (!alone)
            words_other(&t, &s->within);
        buf_add_char(out, '\n');
    }
    words_steps(&t);
    add_outcome(&t, run, rank);
    if (arrows)
        report_count(out, "  arrows: ", arrows, " endpoint(s) go with it\n");
    report_count(out, "  thread: ", s->crossings, " crossing(s); ");
    add_totals(out, &s->outcomes[t.snap]);
    for (int snap = 0; snap < STORY_RULES; snap++)
        if ((int)t.snap != snap)
            add_other_rule(&t, (enum plan_snap)snap);
}

/* How many slices there are of a name. */
static void add_count(const struct explain *e, struct buf *out)
{
    buf_add_str(out, e->matches.whole ? "slices named '" : "no slice is named '");
    text_show(out, e->query.text, e->query.len);
    report_count(
        out, e->matches.whole ? "': " : "'; slices with that in their name: ", e->matches.n, "");
    report_count(out, " (", e->nchanged, " changed");
    report_count(out, ", ", e->ncrossed, " crossed but unchanged)\n");
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
    if (e->nchanged + e->ncrossed > e->nstories)
        report_count(out, "\n... ", e->nchanged + e->ncrossed - e->nstories, " more of these\n");
    return !out->failed || fail_memory(run->err);
}
