#define _POSIX_C_SOURCE 200809L /* strdup */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "cutter.h"
#include "error.h"
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

/* Reads the name and the category of the event at the cut. What a repair has yet to make JSON of
 * has none. */
static bool take_texts(struct place *place, const char *text, const struct cut *cut,
                       struct event_parser *parser)
{
    struct event event;
    struct outline outline = event_outline(cut->nest);
    switch (event_parse(parser, text, cut->len, &outline, &event)) {
    case EVENT_OK:
        return show_name(text, &event.name, &place->name) &&
               show_name(text, &event.cat, &place->cat);
    case EVENT_UNREAD:
        return true;
    case EVENT_NO_MEMORY:
        break;
    }
    return false;
}

/* Goes on to the event at the place. */
static bool find(struct place *place, struct cutter *cutter, struct window *w,
                 struct event_parser *parser, struct lanefix_error *err)
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
            return take_texts(place, w->data + (cut.off - w->off), &cut, parser) ||
                   fail_memory(err);
        case CUT_MEMBER: /* which was not asked for */
        case CUT_END:
        case CUT_ERROR:
            return fail_changed(err, place->off);
        }
    }
}

bool places_find(struct place *places, size_t n, const struct marks *marks, struct source *source,
                 size_t chunk_nbytes, struct event_parser *parser, struct lanefix_error *err)
{
    struct window w;
    struct cutter cutter;
    bool ok = source_rewind(source, err);
    source_seek(source);
    qsort(places, n, sizeof *places, by_offset);
    window_init(&w, source, chunk_nbytes);
    cutter_init(&cutter);
    for (size_t i = 0; ok && i < n; i++) {
        if (i && places[i].off == places[i - 1].off) { /* it lies behind */
            places[i].event = places[i - 1].event;
            places[i].name = places[i - 1].name ? strdup(places[i - 1].name) : NULL;
            places[i].cat = places[i - 1].cat ? strdup(places[i - 1].cat) : NULL;
            continue;
        }
        const struct mark *mark = mark_before(marks, places[i].off);
        if (mark && (i == 0 || mark->off > cutter.pos)) {
            cutter_resume(&cutter, mark->off, mark->event);
            ok = window_drop(&w, mark->off, err);
        }
        ok = ok && find(&places[i], &cutter, &w, parser, err);
    }
    cutter_free(&cutter);
    window_free(&w);
    return ok;
}
