/* Which B and E are one slice: plain scans over all of them. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* A name or category as it is compared; one that is absent has no text. */
static struct model_id text_of(const struct model *m, const struct model_value *value)
{
    bool null = value->kind == MODEL_BARE && value->len == 4 &&
                memcmp(m->text + value->off, "null", 4) == 0;
    struct model_value string = {MODEL_STRING, value->off, value->len};
    struct model_id none = {0};
    return value->kind == MODEL_ABSENT || null ? none : model_id_of(m->text, &string);
}

static bool same_or_absent(const struct model *m, const struct model_value *a,
                           const struct model_value *b)
{
    struct model_id x = text_of(m, a), y = text_of(m, b);
    bool fits = !x.string || !y.string || model_id_equal(&x, &y);
    free(x.string);
    free(y.string);
    return fits;
}

bool model_fits(const struct model *m, size_t begin, size_t end)
{
    const struct model_event *b = &m->events[begin], *e = &m->events[end];
    return same_or_absent(m, &b->name, &e->name) && same_or_absent(m, &b->cat, &e->cat);
}

struct edge {
    size_t event, thread;
    int64_t ts_ns;
    bool begins;
};

static int compare_edges(const void *pa, const void *pb)
{
    const struct edge *a = pa, *b = pb;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    if (a->begins != b->begins)
        return a->begins ? 1 : -1;
    return a->event < b->event ? -1 : 1;
}

/* The B of an E, edges[k]: by the viewer's order among those before it, or by the order of the file
 * among those at its time. Of two B at one time, the one that stands later in the file is the one
 * opened last. */
static void find_begin(struct model *m, const struct edge *edges, size_t n, size_t k, bool at_once)
{
    const struct edge *end = &edges[k];
    for (size_t i = n; i-- > 0;) {
        const struct edge *b = &edges[i];
        bool before =
            at_once ? b->ts_ns == end->ts_ns && b->event < end->event : b->ts_ns < end->ts_ns;
        if (!b->begins || b->thread != end->thread || !before ||
            m->partner[b->event] != MODEL_NONE || !model_fits(m, b->event, end->event))
            continue;
        m->partner[b->event] = end->event;
        m->partner[end->event] = b->event;
        return;
    }
}

void model_match(struct model *m)
{
    struct edge *edges = malloc((m->nevents + 1) * sizeof *edges);
    m->partner = malloc((m->nevents + 1) * sizeof *m->partner);
    if (!edges || !m->partner)
        abort();
    size_t n = 0;
    for (size_t i = 0; i < m->nevents; i++) {
        char ph = model_ph(m, i); /* 0 of one that cannot be read */
        int64_t ts;
        m->partner[i] = MODEL_NONE;
        size_t thread = m->events[i].readable ? model_thread_of(m, i, true) : MODEL_NONE;
        if ((ph == 'B' || ph == 'E') && model_times(m, i, &ts, NULL))
            edges[n++] = (struct edge){i, thread, ts, ph == 'B'};
    }
    qsort(edges, n, sizeof *edges, compare_edges);
    /* At each time the E that have a B before it, then those that stand behind one of that time. */
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k; end < n && edges[end].ts_ns == edges[k].ts_ns; end++)
            if (!edges[end].begins)
                find_begin(m, edges, n, end, false);
        for (size_t i = k; i < end; i++)
            if (!edges[i].begins && m->partner[edges[i].event] == MODEL_NONE)
                find_begin(m, edges, n, i, true);
    }
    free(edges);
}
