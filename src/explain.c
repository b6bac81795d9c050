#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "error.h"
#include "run.h"
#include "shift.h"

/* Of a slice of the track: it is asked for; it changes; it is counted. */
enum { MARK_MATCH = 1, MARK_CHANGED = 2, MARK_COUNTED = 4 };

/* A slice of the track, whether it changes, and how far it crosses another one; or by how much it
 * changes. */
struct candidate {
    uint32_t slice;
    bool changed;
    int64_t by_ns;
};

/* Is more to be said of the first one? */
static bool outranks(bool changed, int64_t by_ns, bool other_changed, int64_t other_by_ns)
{
    return changed != other_changed ? changed : by_ns > other_by_ns;
}

/* The track that is looked at. */
struct look {
    struct run *run;
    struct explain *explain;
    struct told_track track;
    struct candidate items[STORIES_MAX]; /* the largest first */
    size_t n;
};

struct explain *explain_new(const struct lanefix_options *options)
{
    struct explain *explain = calloc(1, sizeof *explain);
    if (!explain)
        return NULL;
    explain->query = query_make(options->explain);
    explain->first.slice = UINT32_MAX;
    return explain;
}

void explain_free(struct explain *explain)
{
    if (!explain)
        return;
    places_free(explain->places, explain->nplaces);
    matches_free(&explain->matches);
    free(explain->before);
    free(explain->again);
    free(explain->marks);
    free(explain);
}

void explain_begin_read(struct run *run)
{
    if (run->explain)
        matches_free(&run->explain->matches);
}

bool explain_note(struct run *run, const struct item *item, uint64_t event)
{
    struct explain *explain = run->explain;
    if (!explain)
        return true;
    struct matches *m = &explain->matches;
    bool is_edge = item->kind == ITEM_BEGIN || item->kind == ITEM_END;
    if (explain->query.by_event && event == explain->query.event) {
        m->seen = true;
        m->is_slice = item->kind == ITEM_SLICE;
        m->is_edge = is_edge;
        m->is_unread = item->kind == ITEM_UNREAD;
        m->ph = item->ph;
        m->off = item->off;
    }
    return item->match == MATCH_NONE || matches_add(m, item->off, item->match, is_edge);
}

bool explain_resolve(struct run *run)
{
    struct explain *explain = run->explain;
    if (!explain ||
        matches_resolve(&explain->matches, &explain->query, &run->index.pairs, run->err))
        return true;
    if (run->err->offset != LANEFIX_NOWHERE)
        run->err->offset = losses_place(&run->losses, run->err->offset);
    return false;
}

/* Makes room for a track of n slices. */
static bool grow(struct explain *explain, size_t n)
{
    struct slice *before = array_grow(explain->before, &explain->before_cap, n, sizeof *before);
    explain->before = before ? before : explain->before;
    struct slice *again = array_grow(explain->again, &explain->again_cap, n, sizeof *again);
    explain->again = again ? again : explain->again;
    unsigned char *marks = array_grow(explain->marks, &explain->marks_cap, n, 1);
    explain->marks = marks ? marks : explain->marks;
    return before && again && marks;
}

bool explain_begin_track(struct run *run, const struct slice *s, size_t n)
{
    struct explain *explain = run->explain;
    if (!explain)
        return true;
    size_t i = 0;
    explain->nbefore = 0;
    while (i < n && !matches_have(&explain->matches, slice_off(&s[i])))
        i++;
    if (i == n)
        return true;
    if (!grow(explain, n))
        return fail_memory(run->err);
    explain->nbefore = n;
    memcpy(explain->before, s, n * sizeof *s);
    memset(explain->marks, 0, i);
    for (; i < n; i++)
        explain->marks[i] = matches_have(&explain->matches, slice_off(&s[i])) ? MARK_MATCH : 0;
    return true;
}

/* Takes a slice of the track into the list if it is among those to tell of; it may be there
 * already, with another figure. */
static void offer(struct look *look, uint32_t slice, int64_t by_ns)
{
    struct explain *explain = look->explain;
    unsigned char *mark = &explain->marks[slice];
    struct candidate *items = look->items, c = {slice, (*mark & MARK_CHANGED) != 0, by_ns};
    size_t i = 0;
    if (!(*mark & MARK_MATCH))
        return;
    if (!(*mark & MARK_COUNTED))
        ++*(c.changed ? &explain->nchanged : &explain->ncrossed);
    *mark |= MARK_COUNTED;
    const struct candidate *last = &items[STORIES_MAX - 1];
    if (look->n == STORIES_MAX && !outranks(c.changed, by_ns, last->changed, last->by_ns))
        return; /* if it is in the list, then with no less */
    while (i < look->n && items[i].slice != slice)
        i++;
    if (i < look->n && items[i].by_ns >= by_ns)
        return;
    if (i == look->n && look->n < STORIES_MAX)
        look->n++;
    else if (i == look->n)
        i--;
    for (; i > 0 && outranks(c.changed, by_ns, items[i - 1].changed, items[i - 1].by_ns); i--)
        items[i] = items[i - 1];
    items[i] = c;
}

/* Marks what the plan has changed. */
static void mark_changed(struct look *look, size_t rewrites_begin)
{
    const struct rewrites *rewrites = &look->run->rewrites;
    for (size_t k = rewrites_begin; k < rewrites->n; k++)
        if (!(rewrites->items[k].off & (REWRITE_FLOW | REWRITE_END)))
            look->explain->marks[rewrites->items[k].slice - look->track.base] |= MARK_CHANGED;
}

static void see(void *data, const struct sight *sight)
{
    struct look *look = data;
    const struct slice *s = look->track.s;
    const unsigned char *marks = look->explain->marks;
    uint32_t i = sight->slice;
    for (size_t k = 0; k < sight->ncrossed; k++) {
        uint32_t frame = sight_frame(sight, k);
        if (!((marks[i] | marks[frame]) & MARK_MATCH))
            continue;
        int64_t by_ns = slice_crosses_by(&s[i], &s[frame]);
        struct fix fix = {look->track.base + i, look->track.base + frame, by_ns};
        offer(look, i, by_ns);
        offer(look, frame, by_ns);
        if (k == 0)
            fixes_add(&look->run->explained, &fix);
    }
    if (sight->too_deep && (marks[i] & MARK_MATCH)) {
        struct fix fix = {look->track.base + i, PLAN_NO_FRAME, 0};
        offer(look, i, 0);
        fixes_add(&look->run->explained, &fix);
    }
}

/* Those that the plan has changed though they cross nothing: because of another one that it has. */
static void see_changed(struct look *look)
{
    const struct slice *all = look->run->index.slices;
    for (uint32_t i = 0; i < look->track.n; i++) {
        if (look->explain->marks[i] != (MARK_MATCH | MARK_CHANGED))
            continue;
        const struct slice *was = &look->track.s[i], *is = &all[look->track.base + i];
        int64_t by_ns = shift_ns_sum(shift_ns_between(was->start_ns, is->start_ns),
                                     shift_ns_between(slice_end_ns(was), slice_end_ns(is)));
        struct fix fix = {look->track.base + i, PLAN_OTHERS, by_ns};
        offer(look, i, by_ns);
        fixes_add(&look->run->explained, &fix);
    }
}

/* Puts the candidates among the stories, where they are large enough. */
static void begin_stories(struct look *look)
{
    struct explain *explain = look->explain;
    struct story *stories = explain->stories;
    for (size_t k = 0; k < look->n; k++) {
        const struct candidate *c = &look->items[k];
        size_t i = explain->nstories;
        const struct story *last = &stories[STORIES_MAX - 1];
        if (i == STORIES_MAX && !outranks(c->changed, c->by_ns, last->changed, last->by_ns))
            break;
        if (i == STORIES_MAX)
            i--;
        else
            explain->nstories++;
        for (;
             i > 0 && outranks(c->changed, c->by_ns, stories[i - 1].changed, stories[i - 1].by_ns);
             i--)
            stories[i] = stories[i - 1];
        story_begin(&stories[i], &look->track, c->slice, c->by_ns);
        stories[i].changed = c->changed;
    }
}

/* The first match in the file stands for all as long as there is no more to say of any. */
static void begin_first(struct look *look)
{
    struct explain *explain = look->explain;
    const struct slice *s = look->track.s, *all = look->run->index.slices;
    uint32_t best = UINT32_MAX;
    bool needed = !explain->nchanged && !explain->ncrossed;
    for (uint32_t i = 0; needed && i < look->track.n; i++)
        if ((explain->marks[i] & MARK_MATCH) &&
            (best == UINT32_MAX || slice_off(&s[i]) < slice_off(&s[best])))
            best = i;
    if (best == UINT32_MAX)
        return;
    const struct story *first = &explain->first;
    if (first->slice == UINT32_MAX || slice_off(&s[best]) < slice_off(&all[first->slice]))
        story_begin(&explain->first, &look->track, best, 0);
}

static bool is_of(const struct story *story, const struct told_track *track)
{
    return story->slice >= track->base && story->slice - track->base < track->n;
}

bool explain_end_track(struct run *run, const struct pairs *pairs, uint32_t base,
                       const struct plan_rules *rules, size_t rewrites_begin)
{
    struct explain *explain = run->explain;
    struct story *stories[STORIES_MAX + 1];
    if (!explain || !explain->nbefore)
        return true;
    struct look look = {.run = run,
                        .explain = explain,
                        .track = {.s = explain->before,
                                  .n = explain->nbefore,
                                  .pairs = pairs,
                                  .base = base,
                                  .stories = stories}};
    mark_changed(&look, rewrites_begin);
    story_look(look.track.s, look.track.n, pairs, see, &look);
    see_changed(&look);
    begin_stories(&look);
    begin_first(&look);
    for (size_t k = 0; k < explain->nstories; k++)
        if (is_of(&explain->stories[k], &look.track))
            stories[look.track.nstories++] = &explain->stories[k];
    if (is_of(&explain->first, &look.track))
        stories[look.track.nstories++] = &explain->first;
    return !look.track.nstories || story_tell(&look.track, rules, explain->again) ||
           fail_memory(run->err);
}

static void want(struct explain *explain, uint64_t off)
{
    if (off != UINT64_MAX)
        explain->places[explain->nplaces++] = (struct place){.off = off};
}

static void want_others(struct explain *explain, const struct others *others)
{
    for (size_t i = 0; i < others->total && i < STORY_OTHERS_MAX; i++)
        want(explain, others->items[i].off);
}

bool explain_find_places(struct run *run)
{
    struct explain *explain = run->explain;
    if (!explain)
        return true;
    if (!explain->nstories)
        explain->stories[explain->nstories++] = explain->first;
    for (size_t k = 0; k < explain->nstories; k++) {
        const struct story *story = &explain->stories[k];
        want(explain, slice_off(&run->index.slices[story->slice]));
        want(explain, story->within.off);
        want_others(explain, &story->crossed);
        want_others(explain, &story->crossing);
        for (size_t i = 0; i < story->nsteps; i++)
            want(explain, story->steps[i].other.off);
    }
    return places_find(run, explain->places, explain->nplaces);
}

void explain_note_arrow(struct run *run, uint32_t slice)
{
    struct explain *explain = run->explain;
    for (size_t k = 0; explain && k < explain->nstories; k++)
        explain->arrows[k] += explain->stories[k].slice == slice;
}
