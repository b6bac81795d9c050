#define _POSIX_C_SOURCE 200809L /* strdup */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "places.h"

/* The first of four kinds of findings, and both slices of each crossing that is listed. */
enum { PLACES_MAX = 4 + 2 * CROSSINGS_MAX };

struct wanted {
    struct place places[PLACES_MAX];
    size_t n;
};

static void want(struct wanted *wanted, uint64_t off)
{
    if (off != UINT64_MAX)
        wanted->places[wanted->n++].off = off;
}

/* The event that was found at an offset. */
static const struct place *found_at(const struct wanted *wanted, uint64_t off)
{
    return places_get(wanted->places, wanted->n, off);
}

static uint64_t off_of(const struct run *run, uint32_t slice)
{
    return slice_off(&run->index.slices[slice]);
}

static bool copy_name(const struct place *place, char **name)
{
    *name = place->name ? strdup(place->name) : NULL;
    return *name || !place->name;
}

/* Says of the first one of a kind, which is at that offset, where and what it is. */
static bool name_finding(struct run *run, const struct wanted *wanted, enum finding_kind kind,
                         uint64_t count, uint64_t off)
{
    char *name;
    if (off == UINT64_MAX)
        return true;
    const struct place *place = found_at(wanted, off);
    findings_add(&run->report->findings, kind, count, losses_place(&run->losses, off),
                 place->event);
    bool ok = copy_name(place, &name);
    run->report->findings.of[kind].name = name;
    run->report->findings.of[kind].left = run->report->findings.of[kind].count;
    return ok;
}

/* A row of the largest crossings. */
static bool name_crossing(struct run *run, const struct wanted *wanted, const struct fix *fix)
{
    const struct place *place = found_at(wanted, off_of(run, fix->slice)),
                       *over = found_at(wanted, off_of(run, fix->over));
    struct crossing_row row = {
        .by_ns = fix->by_ns,
        .track = tracks_by_rank(&run->tracks, slice_track(&run->index.slices[fix->slice])),
        .slice = {losses_place(&run->losses, place->off), place->event, NULL},
        .over = {losses_place(&run->losses, over->off), over->event, NULL}};
    bool ok = copy_name(place, &row.slice.name) && copy_name(over, &row.over.name);
    return report_add_crossing(run->report, &row) && ok;
}

/* Where the first event of a thread with tid 0 stands that the viewer takes for another one;
 * UINT64_MAX if there is none. */
static uint64_t first_merged(const struct id_map *ids)
{
    uint64_t off = UINT64_MAX;
    for (size_t i = 0; i < id_map_count(ids); i++) {
        struct id_row row = id_map_row(ids, i);
        if (id_row_merged(&row) && row.off < off)
            off = row.off;
    }
    return off;
}

bool doctor_name_places(struct run *run)
{
    struct wanted wanted = {0};
    uint64_t merged_off = first_merged(run->ids);
    const struct crossings *c = &run->crossings;
    const struct fixes *f = &run->fixes;
    size_t nlisted = f->n < CROSSINGS_MAX ? f->n : CROSSINGS_MAX;
    const struct lanefix_totals *totals = &run->report->totals;
    want(&wanted, c->first_off);
    want(&wanted, c->first_deep_off);
    want(&wanted, run->first_loose_flow_off);
    want(&wanted, merged_off);
    for (size_t i = 0; i < nlisted; i++) {
        want(&wanted, off_of(run, f->items[i].slice));
        want(&wanted, off_of(run, f->items[i].over));
    }
    bool ok = !wanted.n || places_find(run, wanted.places, wanted.n);
    if (ok) {
        ok = name_finding(run, &wanted, FINDING_CROSSING,
                          totals->crossings + totals->pair_crossings, c->first_off) &&
             name_finding(run, &wanted, FINDING_TOO_DEEP, totals->too_deep, c->first_deep_off) &&
             name_finding(run, &wanted, FINDING_FLOW_NO_SLICE, run->loose_flows,
                          run->first_loose_flow_off) &&
             name_finding(run, &wanted, FINDING_MERGED_THREADS, 0, merged_off);
        for (size_t i = 0; ok && i < nlisted; i++)
            ok = name_crossing(run, &wanted, &f->items[i]);
        ok = ok || fail_memory(run->err);
    }
    places_free(wanted.places, wanted.n);
    return ok;
}
