#define _POSIX_C_SOURCE 200809L /* strdup */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "cutter.h"
#include "error.h"
#include "patch.h"
#include "run.h"

/* So far apart are the marks, at least. */
enum { MARKS_NBYTES = 1 << 18 };

bool marks_add(struct marks *marks, uint64_t off, uint64_t event)
{
    if (marks->n && off - marks->items[marks->n - 1].off < MARKS_NBYTES)
        return true;
    struct mark *items = array_grow(marks->items, &marks->cap, marks->n + 1, sizeof *items);
    if (!items)
        return false;
    marks->items = items;
    items[marks->n++] = (struct mark){off, event};
    return true;
}

void marks_free(struct marks *marks)
{
    free(marks->items);
    *marks = (struct marks){0};
}

/* The last mark at or before an offset. */
static const struct mark *mark_before(const struct marks *marks, uint64_t off)
{
    size_t lo = 0, hi = marks->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (marks->items[mid].off <= off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? &marks->items[lo - 1] : NULL;
}

static int by_offset(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->off < y->off ? -1 : x->off > y->off;
}

/* What it takes to find events. */
struct finder {
    struct run *run;
    struct cutter cutter;
    struct window window;
    struct repairer repairer; /* without rules: it is no repair */
    struct kind_rules kind_rules;
};

/* The event at the cut as it is, or as the repair makes it; false if there is no memory. One that
 * is not understood has nothing. */
static bool read_event(struct finder *f, const char **text, const struct cut *cut,
                       struct event *event)
{
    struct outline outline = event_outline(cut->nest);
    enum event_status status;
    *event = (struct event){0};
    if (f->repairer.rules) {
        struct repaired repaired;
        status = repair_event(&f->repairer, *text, cut->len, &outline, true, &repaired);
        if (status == EVENT_OK) {
            *text = repaired.text;
            *event = repaired.event;
        }
    } else {
        status = event_parse(f->run->parser, *text, cut->len, &outline, event);
        if (status == EVENT_UNREAD)
            *event = (struct event){0};
    }
    return status != EVENT_NO_MEMORY;
}

/* What the event at the cut says of itself. Returns false if there is no memory. */
static bool take(struct finder *f, struct place *place, const struct cut *cut)
{
    const char *text = f->window.data + (cut->off - f->window.off);
    struct event event;
    struct event_times times;
    uint8_t kind;
    if (!read_event(f, &text, cut, &event) || !kind_byte(text, &event, &f->kind_rules, &kind))
        return false;
    place->kind = kind & KIND_BITS;
    place->ph = event.ph;
    place->start_ns = place->end_ns = -1;
    if (event_is_slice(text, &event, &times)) {
        place->start_ns = times.start_ns;
        place->end_ns = times.start_ns + times.dur_ns;
    } else if (event_is_edge(text, &event, &times.start_ns) ||
               event_is_flow(text, &event, &times.start_ns)) {
        place->start_ns = times.start_ns;
    }
    return show_name(text, &event.name, &place->name) && show_name(text, &event.cat, &place->cat);
}

/* Goes on to the event at the place. */
static bool find(struct finder *f, struct place *place)
{
    struct window *w = &f->window;
    for (;;) {
        struct cut cut;
        switch (cutter_next(&f->cutter, w->data, w->len, w->off, w->at_end, &cut)) {
        case CUT_MORE:
            if (!window_drop(w, f->cutter.keep, f->run->err) || !window_more(w, f->run->err))
                return false;
            break;
        case CUT_EVENT:
            if (cut.off != place->off)
                break;
            place->event = f->cutter.events - 1;
            return take(f, place, &cut) || fail_memory(f->run->err);
        case CUT_MEMBER: /* which was not asked for */
        case CUT_END:
        case CUT_ERROR:
            return fail_changed(f->run->err, place->off);
        }
    }
}

/* One that is wanted twice. Returns false if there is no memory. */
static bool copy(struct place *place, const struct place *from)
{
    *place = *from;
    place->name = from->name ? strdup(from->name) : NULL;
    place->cat = from->cat ? strdup(from->cat) : NULL;
    return (place->name || !from->name) && (place->cat || !from->cat);
}

bool places_find(struct run *run, struct place *places, size_t n)
{
    struct finder f = {
        .run = run,
        .repairer = {.rules = run->repairing ? &run->rules : NULL, .parser = run->parser},
        .kind_rules = run->kind_rules};
    f.kind_rules.kinds = true;
    meter_begin(&run->meter, LANEFIX_STEP_READ);
    bool ok = source_rewind(run->source, run->err);
    source_seek(run->source);
    qsort(places, n, sizeof *places, by_offset);
    window_init(&f.window, run->source, run->chunk_nbytes);
    cutter_init(&f.cutter);
    for (size_t i = 0; ok && i < n; i++) {
        if (i && places[i].off == places[i - 1].off) { /* it lies behind */
            ok = copy(&places[i], &places[i - 1]) || fail_memory(run->err);
            continue;
        }
        const struct mark *mark = mark_before(&run->marks, places[i].off);
        if (mark && (i == 0 || mark->off > f.cutter.pos)) {
            cutter_resume(&f.cutter, mark->off, mark->event);
            ok = window_drop(&f.window, mark->off, run->err);
        }
        ok = ok && find(&f, &places[i]);
    }
    repairer_free(&f.repairer);
    cutter_free(&f.cutter);
    window_free(&f.window);
    if (ok)
        meter_end(&run->meter);
    return ok;
}

const struct place *places_get(const struct place *places, size_t n, uint64_t off)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (places[mid].off < off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return &places[lo];
}

void places_free(struct place *places, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(places[i].name);
        free(places[i].cat);
    }
}
