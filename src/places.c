#define _POSIX_C_SOURCE 200809L /* strdup */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "cutter.h"
#include "error.h"
#include "patch.h"
#include "report.h"
#include "window.h"

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

/* The event at the cut as it is, or as the rules make it; false if there is no memory. One that is
 * not understood has nothing. */
static bool read_event(const char **text, const struct cut *cut, struct event_parser *parser,
                       struct repairer *repairer, struct event *event)
{
    struct outline outline = event_outline(cut->nest);
    enum event_status status;
    *event = (struct event){0};
    if (repairer->rules) {
        struct repaired repaired;
        status = repair_event(repairer, *text, cut->len, &outline, true, &repaired);
        if (status == EVENT_OK) {
            *text = repaired.text;
            *event = repaired.event;
        }
    } else {
        status = event_parse(parser, *text, cut->len, &outline, event);
        if (status == EVENT_UNREAD)
            *event = (struct event){0};
    }
    return status != EVENT_NO_MEMORY;
}

/* What the event at the cut says of itself. */
static bool take(struct place *place, const char *text, const struct cut *cut,
                 struct event_parser *parser, struct repairer *repairer)
{
    struct event event;
    struct event_times times;
    if (!read_event(&text, cut, parser, repairer, &event))
        return false;
    place->kind = kind_of(text, &event);
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
static bool find(struct place *place, struct cutter *cutter, struct window *w,
                 struct event_parser *parser, struct repairer *repairer, struct lanefix_error *err)
{
    for (;;) {
        struct cut cut;
        switch (cutter_next(cutter, w->data, w->len, w->off, w->at_end, &cut)) {
        case CUT_MORE:
            if (!window_drop(w, cutter->keep, err) || !window_more(w, err))
                return false;
            break;
        case CUT_EVENT:
            if (cut.off != place->off)
                break;
            place->event = cutter->events - 1;
            return take(place, w->data + (cut.off - w->off), &cut, parser, repairer) ||
                   fail_memory(err);
        case CUT_MEMBER: /* which was not asked for */
        case CUT_END:
        case CUT_ERROR:
            return fail_changed(err, place->off);
        }
    }
}

bool places_find(struct place *places, size_t n, const struct marks *marks, struct source *source,
                 size_t chunk_nbytes, struct event_parser *parser, const struct repair_rules *rules,
                 struct lanefix_error *err)
{
    struct repairer repairer = {.rules = rules, .parser = parser};
    struct window w;
    struct cutter cutter;
    bool ok = source_rewind(source, err);
    source_seek(source);
    qsort(places, n, sizeof *places, by_offset);
    window_init(&w, source, chunk_nbytes);
    cutter_init(&cutter);
    for (size_t i = 0; ok && i < n; i++) {
        if (i && places[i].off == places[i - 1].off) { /* it lies behind */
            places[i] = places[i - 1];
            if (places[i].name && !(places[i].name = strdup(places[i].name)))
                ok = fail_memory(err);
            if (places[i].cat && !(places[i].cat = strdup(places[i].cat)))
                ok = fail_memory(err);
            continue;
        }
        const struct mark *mark = mark_before(marks, places[i].off);
        if (mark && (i == 0 || mark->off > cutter.pos)) {
            cutter_resume(&cutter, mark->off, mark->event);
            ok = window_drop(&w, mark->off, err);
        }
        ok = ok && find(&places[i], &cutter, &w, parser, &repairer, err);
    }
    repairer_free(&repairer);
    cutter_free(&cutter);
    window_free(&w);
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
