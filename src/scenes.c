#define _POSIX_C_SOURCE 200809L /* strdup */
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

/* Of the bars those that are around the crossing, that began before it, and that follow. */
enum {
    AROUND_MAX = 4,
    BEFORE_MAX = 8,
    LOOK_MAX = 1 << 20,       /* so many slices are looked at, in either direction, */
    LOOK_LANES_MAX = 1 << 10, /* so many for whose lane there is no room, */
    LOOK_FLOWS_MAX = 1 << 16  /* and so many endpoints */
};

/* What a scene is made of. */
struct pick {
    uint32_t slices[SCENE_BARS_MAX]; /* indices into the index's, ascending */
    size_t n;
    uint32_t flows[SCENE_ARROWS_MAX]; /* the same of its flows */
    size_t nflows;
    uint32_t lanes[SCENE_LANES_MAX]; /* ascending, 0 first */
    size_t nlanes, refused;          /* slices for whose lane there was no room */
    uint64_t more;
    int64_t window_ns[2]; /* about, by the new times */
};

static bool has_pick(const struct pick *pick, uint32_t slice)
{
    size_t i = 0;
    while (i < pick->n && pick->slices[i] != slice)
        i++;
    return i < pick->n;
}

/* Puts it into its place. The caller sees to the room. */
static void add_sorted(uint32_t *items, size_t *n, uint32_t item)
{
    size_t i = (*n)++;
    for (; i > 0 && items[i - 1] > item; i--)
        items[i] = items[i - 1];
    items[i] = item;
}

/* The rewrite of the event at an offset, with these flags; NULL: it has none. They stand in the
 * order of the file. */
static const struct rewrite *find_rewrite(const struct run *run, uint64_t off, uint64_t flags)
{
    size_t lo = 0, hi = run->rewrites.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (rewrite_off(&run->rewrites.items[mid]) < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct rewrite *r = &run->rewrites.items[lo];
    return lo < run->rewrites.n && rewrite_off(r) == off && (r->off & flags) == flags ? r : NULL;
}

static uint32_t lane_of(const struct run *run, uint32_t slice)
{
    const struct rewrite *r = find_rewrite(run, slice_off(&run->index.slices[slice]), 0);
    return r ? r->lane : 0;
}

/* Makes room for a slice's lane. Returns false if there is none. */
static bool pick_lane(struct pick *pick, uint32_t lane)
{
    for (size_t i = 0; i < pick->nlanes; i++)
        if (pick->lanes[i] == lane)
            return true;
    if (pick->nlanes == SCENE_LANES_MAX)
        return false;
    add_sorted(pick->lanes, &pick->nlanes, lane);
    return true;
}

/* Takes a slice that is to be seen, if there is room for one more of its sort. */
static void pick_slice(const struct run *run, struct pick *pick, uint32_t slice, size_t *room)
{
    bool look = *room && pick->refused < LOOK_LANES_MAX;
    if (look && pick_lane(pick, lane_of(run, slice))) {
        --*room;
        add_sorted(pick->slices, &pick->n, slice);
    } else {
        pick->refused += look;
        pick->more++;
    }
}

/* What is to be seen of the time around the two, by their new times. */
static void find_window(const struct run *run, const struct fix *fix, struct pick *pick)
{
    const struct slice *s = &run->index.slices[fix->slice];
    const struct slice *over = fix->over >= PLAN_OTHERS ? s : &run->index.slices[fix->over];
    int64_t from_ns = s->start_ns < over->start_ns ? s->start_ns : over->start_ns;
    int64_t end_ns = slice_end_ns(s), over_end_ns = slice_end_ns(over);
    int64_t to_ns = end_ns > over_end_ns ? end_ns : over_end_ns;
    int64_t cross_ns = fix->by_ns < over_end_ns ? fix->by_ns : over_end_ns;
    scene_window(from_ns, to_ns, over_end_ns - cross_ns, over_end_ns, pick->window_ns);
}

/* The slices that came before: those around the crossing, the nearest first, and some others. */
static void pick_before(const struct run *run, const struct fix *fix, struct pick *pick)
{
    const struct slice *slices = run->index.slices, *s = &slices[fix->slice];
    size_t around = AROUND_MAX, before = BEFORE_MAX;
    for (uint32_t i = fix->slice; i > 0 && fix->slice - i < LOOK_MAX; i--) {
        const struct slice *other = &slices[i - 1];
        if (slice_track(other) != slice_track(s))
            break;
        if (slice_end_ns(other) <= pick->window_ns[0] || i - 1 == fix->over)
            continue;
        bool is_around = slice_end_ns(other) >= slice_end_ns(s);
        pick_slice(run, pick, i - 1, is_around ? &around : &before);
    }
}

static void pick_behind(const struct run *run, const struct fix *fix, struct pick *pick)
{
    const struct slice *slices = run->index.slices, *s = &slices[fix->slice];
    size_t room = SCENE_BARS_MAX - pick->n;
    for (uint32_t i = fix->slice + 1; i < run->index.nslices && i - fix->slice < LOOK_MAX; i++) {
        if (slice_track(&slices[i]) != slice_track(s) || slices[i].start_ns >= pick->window_ns[1])
            break;
        pick_slice(run, pick, i, &room);
    }
}

/* The first endpoint of the track at or after a time. */
static size_t first_flow(const struct index *ix, uint32_t track, int64_t ts_ns)
{
    size_t lo = 0, hi = ix->nflows;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct flow *f = &ix->flows[mid];
        if (flow_track(f) < track || (flow_track(f) == track && f->ts_ns < ts_ns))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The endpoints of the slices that are seen: first those of the fix itself. */
static void pick_flows(const struct run *run, const struct fix *fix, struct pick *pick)
{
    const struct index *ix = &run->index;
    uint32_t track = slice_track(&ix->slices[fix->slice]);
    size_t first = first_flow(ix, track, pick->window_ns[0]);
    for (int own = 1; own >= 0; own--)
        for (size_t i = first; i < ix->nflows && i - first < LOOK_FLOWS_MAX; i++) {
            const struct flow *f = &ix->flows[i];
            if (flow_track(f) != track || f->ts_ns > pick->window_ns[1] ||
                pick->nflows == SCENE_ARROWS_MAX)
                break;
            if ((f->owner == fix->slice) == own && has_pick(pick, f->owner))
                pick->flows[pick->nflows++] = (uint32_t)i;
        }
}

static void make_pick(const struct run *run, const struct fix *fix, struct pick *pick)
{
    size_t two = 2;
    *pick = (struct pick){.nlanes = 1};
    find_window(run, fix, pick);
    pick_slice(run, pick, fix->slice, &two);
    if (fix->over < PLAN_OTHERS)
        pick_slice(run, pick, fix->over, &two);
    pick_before(run, fix, pick);
    pick_behind(run, fix, pick);
    pick_flows(run, fix, pick);
}

/* Text that a person may read, as a string of its own. */
static bool give(struct buf *shown, char **out)
{
    buf_add_char(shown, 0);
    if (shown->failed)
        buf_free(shown);
    *out = shown->data;
    return shown->data != NULL;
}

bool scenes_id(const char *id_text, char **out)
{
    struct buf shown = {0};
    show_id(&shown, id_text);
    return give(&shown, out);
}

bool scenes_track_name(const struct track *track, uint32_t lane, char **out)
{
    struct buf raw = {0}, shown = {0};
    if (lane || !track->name || !*track->name)
        lane_name(&raw, track, lane);
    else
        buf_add_str(&raw, track->name);
    size_t n = raw.len;
    if (!lane && (!track->name || !*track->name))
        n -= strlen(" lane 0");
    struct value value = {VALUE_STRING, 0, (uint32_t)n};
    if (!raw.failed)
        show_value(&shown, raw.data, &value, "");
    shown.failed |= raw.failed;
    buf_free(&raw);
    return give(&shown, out);
}

static bool fill_lanes(const struct run *run, const struct pick *pick, uint32_t rank,
                       struct scene *scene)
{
    const struct track *track = tracks_by_rank(&run->tracks, rank);
    bool ok = scenes_id(track->pid_text, &scene->pid);
    for (size_t i = 0; ok && i < pick->nlanes; i++) {
        struct scene_lane *lane = &scene->lanes[scene->nlanes++];
        char room[LANE_ROOM];
        lane->number = pick->lanes[i];
        const char *tid = track->tid_text;
        if (lane->number)
            tid = lane_tid(lanes_get(&run->lanes, rank, lane->number), room);
        ok = scenes_track_name(track, lane->number, &lane->name) && scenes_id(tid, &lane->tid);
    }
    return ok;
}

/* The bar of a slice, with its times of before from its event if it has others now. */
static bool fill_bar(const struct run *run, const struct pick *pick, uint32_t index,
                     const struct place *place, struct bar *bar)
{
    const struct slice *s = &run->index.slices[index];
    bool pair = slice_is_pair(s);
    uint32_t lane = lane_of(run, index);
    *bar = (struct bar){.kind = place->kind,
                        .event = place->event,
                        .start_ns = {s->start_ns, s->start_ns},
                        .end_ns = {slice_end_ns(s), slice_end_ns(s)}};
    if (place->start_ns >= 0)
        bar->start_ns[BEFORE] = place->start_ns;
    if (pair)
        bar->end_ns[BEFORE] = pair_end_ns(pairs_get(&run->index.pairs, slice_off(s)));
    else if (place->end_ns >= 0)
        bar->end_ns[BEFORE] = place->end_ns;
    while (pick->lanes[bar->lane] != lane)
        bar->lane++;
    if (place->name)
        bar->name = strdup(place->name);
    return !place->name || bar->name;
}

static void fill_arrow(const struct run *run, const struct scene *scene, const struct pick *pick,
                       const struct flow *f, const struct place *place, struct arrow *arrow)
{
    const struct rewrite *r = find_rewrite(run, flow_off(f), REWRITE_FLOW);
    *arrow = (struct arrow){.leaves = place->ph == 's', .ts_ns = {f->ts_ns, f->ts_ns}};
    while (pick->slices[arrow->bar] != f->owner)
        arrow->bar++;
    int64_t start_ns = scene->bars[arrow->bar].start_ns[AFTER];
    if (r && ((r->off & REWRITE_TO_START) || start_ns > f->ts_ns))
        arrow->ts_ns[AFTER] = start_ns;
}

/* The places that were found are those of all picks. */
static bool fill_scene(const struct run *run, const struct pick *pick, const struct fix *fix,
                       const struct place *places, size_t nplaces, struct scene *scene)
{
    const struct index *ix = &run->index;
    bool too_deep = fix->over == PLAN_NO_FRAME;
    *scene = (struct scene){.over = SCENE_NONE, .too_deep = too_deep, .more = pick->more};
    bool ok = fill_lanes(run, pick, slice_track(&ix->slices[fix->slice]), scene);
    for (size_t i = 0; ok && i < pick->n; i++) {
        uint64_t off = slice_off(&ix->slices[pick->slices[i]]);
        const struct place *place = places_get(places, nplaces, off);
        ok = fill_bar(run, pick, pick->slices[i], place, &scene->bars[scene->nbars++]);
        if (pick->slices[i] == fix->slice)
            scene->slice = i;
        if (pick->slices[i] == fix->over)
            scene->over = i;
    }
    for (size_t i = 0; ok && i < pick->nflows; i++) {
        const struct flow *f = &ix->flows[pick->flows[i]];
        fill_arrow(run, scene, pick, f, places_get(places, nplaces, flow_off(f)),
                   &scene->arrows[scene->narrows++]);
    }
    if (ok)
        scene_lay_out(scene);
    return ok;
}

/* Finds the events of all picks. `places` has room. */
static bool find_places(struct run *run, const struct pick *picks, size_t n, struct place *places,
                        size_t *nplaces)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < picks[i].n; k++)
            places[(*nplaces)++].off = slice_off(&run->index.slices[picks[i].slices[k]]);
        for (size_t k = 0; k < picks[i].nflows; k++)
            places[(*nplaces)++].off = flow_off(&run->index.flows[picks[i].flows[k]]);
    }
    return places_find(run, places, *nplaces);
}

bool scenes_make(struct run *run, const struct fix *fixes, size_t n, struct scenes *scenes)
{
    size_t nplaces = 0, most = n * (SCENE_BARS_MAX + SCENE_ARROWS_MAX);
    if (!n)
        return true;
    struct pick *picks = malloc(n * sizeof *picks);
    struct place *places = calloc(most, sizeof *places);
    scenes->items = calloc(n, sizeof *scenes->items);
    bool ok = (picks && places && scenes->items) || fail_memory(run->err);
    for (size_t i = 0; ok && i < n; i++)
        make_pick(run, &fixes[i], &picks[i]);
    ok = ok && find_places(run, picks, n, places, &nplaces);
    for (size_t i = 0; ok && i < n; i++)
        ok = fill_scene(run, &picks[i], &fixes[i], places, nplaces, &scenes->items[scenes->n++]) ||
             fail_memory(run->err);
    if (places)
        places_free(places, nplaces);
    free(places);
    free(picks);
    return ok;
}

void scenes_free(struct scenes *scenes)
{
    for (size_t i = 0; i < scenes->n; i++)
        scene_free(&scenes->items[i]);
    free(scenes->items);
    *scenes = (struct scenes){0};
}
