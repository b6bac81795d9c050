/* What the viewer makes of the events: threads, order, stacks, arrows. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* An event as the viewer sorts it. */
struct entry {
    int64_t ts_ns, dur_ns;
    size_t event, slice, flow; /* slice, flow: index into the model's, or MODEL_NONE */
    char ph;
};

/* An open slice. */
struct frame {
    int64_t start_ns, end_ns;
    size_t event;
    bool unended; /* a B without its E so far; end_ns is not known */
};

struct stack {
    struct frame *frames;
    size_t n, cap;
    size_t *waiting; /* flows that bind to what is opened next */
    size_t nwaiting, waiting_cap;
};

char model_ph(const struct model *m, size_t event)
{
    const struct model_value *ph = &m->events[event].ph;
    if (ph->kind == MODEL_STRING && ph->len)
        return m->text[ph->off];
    return 0;
}

static bool read_time(const char *text, const struct model_value *value, int64_t *ns)
{
    return (value->kind == MODEL_BARE || value->kind == MODEL_STRING) &&
           model_ns(text + value->off, value->len, ns) && *ns >= 0;
}

bool model_times(const struct model *m, size_t event, int64_t *ts, int64_t *dur)
{
    const struct model_event *e = &m->events[event];
    if (!read_time(m->text, &e->ts, ts))
        return false;
    return !dur || (read_time(m->text, &e->dur, dur) && *dur <= INT64_MAX - *ts);
}

size_t model_thread_of(struct model *m, size_t event, bool add)
{
    const struct model_event *e = &m->events[event];
    struct model_id pid = model_id_of(m->text, &e->pid), tid = model_id_of(m->text, &e->tid);
    if (!tid.string && tid.number == 0) { /* no thread has the number 0: it is the main thread */
        tid = pid;
        if (pid.string) {
            tid.string = malloc(pid.len + 1);
            if (!tid.string)
                abort();
            memcpy(tid.string, pid.string, pid.len);
        }
    }
    size_t i = 0;
    while (i < m->nthreads &&
           !(model_id_equal(&m->threads[i].pid, &pid) && model_id_equal(&m->threads[i].tid, &tid)))
        i++;
    if (i < m->nthreads || !add) {
        free(pid.string);
        free(tid.string);
        return i < m->nthreads ? i : MODEL_NONE;
    }
    if ((m->nthreads & (m->nthreads - 1)) == 0) { /* double it at each power of two */
        size_t cap = m->nthreads;
        m->threads = model_grow(m->threads, &cap, m->nthreads, sizeof *m->threads);
    }
    m->threads[m->nthreads] = (struct model_thread){pid, tid, event};
    return m->nthreads++;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* At one time: what ends; then slices, the longest first; then all else. */
static int rank(const struct entry *e)
{
    return e->ph == 'E' ? 0 : e->ph == 'X' && e->dur_ns > 0 ? 1 : 2;
}

static int compare_entries(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (rank(a) == 1 && a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns ? -1 : 1;
    return a->event < b->event ? -1 : 1;
}

/* The events that matter, in the viewer's order. Notes slices and flows in the model. */
static struct entry *make_entries(struct model *m, size_t *n)
{
    struct entry *entries = malloc((m->nevents + 1) * sizeof *entries);
    if (!entries)
        abort();
    size_t slices_cap = 0, flows_cap = 0;
    *n = 0;
    for (size_t i = 0; i < m->nevents; i++) {
        struct entry e = {
            .event = i, .ph = model_ph(m, i), .slice = MODEL_NONE, .flow = MODEL_NONE};
        size_t thread = m->events[i].readable ? model_thread_of(m, i, true) : MODEL_NONE;
        if (!e.ph || !strchr("XBEiIRstf", e.ph) ||
            !model_times(m, i, &e.ts_ns, e.ph == 'X' ? &e.dur_ns : NULL))
            continue;
        if (e.ph == 'X') {
            e.slice = m->nslices;
            m->slices = model_grow(m->slices, &slices_cap, m->nslices, sizeof *m->slices);
            m->slices[m->nslices++] = (struct model_slice){.event = i,
                                                           .thread = thread,
                                                           .end_event = MODEL_NONE,
                                                           .start_ns = e.ts_ns,
                                                           .end_ns = e.ts_ns + e.dur_ns};
        } else if (e.ph == 'B' && m->partner[i] != MODEL_NONE) {
            struct model_slice pair = {
                .event = i, .thread = thread, .end_event = m->partner[i], .start_ns = e.ts_ns};
            model_times(m, pair.end_event, &pair.end_ns, NULL);
            m->slices = model_grow(m->slices, &slices_cap, m->nslices, sizeof *m->slices);
            m->slices[m->nslices++] = pair;
        } else if (strchr("stf", e.ph)) {
            bool encloses = e.ph != 'f' || model_is(m->text, &m->events[i].bp, "e");
            e.flow = m->nflows;
            m->flows = model_grow(m->flows, &flows_cap, m->nflows, sizeof *m->flows);
            m->flows[m->nflows++] = (struct model_flow){i, thread, e.ts_ns, encloses, MODEL_NONE};
        }
        entries[(*n)++] = e;
    }
    qsort(entries, *n, sizeof *entries, compare_entries);
    return entries;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* Closes what has ended when something begins at ts. */
static void close_ended(struct model *m, struct stack *stack, int64_t ts, bool zero_length)
{
    /* A slice that has ended below an open B takes that with it. */
    bool below_open = false;
    for (size_t i = stack->n; i-- > 0;) {
        const struct frame *frame = &stack->frames[i];
        if (frame->unended) {
            below_open = true;
        } else if (below_open && frame->end_ns < ts) {
            m->misplaced++;
            stack->n = i;
            below_open = false;
        }
    }
    while (stack->n) {
        const struct frame *top = &stack->frames[stack->n - 1];
        bool both_zero_length = zero_length && top->start_ns == top->end_ns;
        if (top->unended || top->end_ns > ts || (top->end_ns == ts && both_zero_length))
            return;
        stack->n--;
    }
}

/* Opens a slice, if it is not too deep. What waits for the next one binds to it. */
static bool open_slice(struct model *m, struct stack *stack, struct frame frame)
{
    if (stack->n >= MODEL_DEPTH_MAX)
        return false;
    stack->frames = model_grow(stack->frames, &stack->cap, stack->n, sizeof *stack->frames);
    stack->frames[stack->n++] = frame;
    for (size_t i = 0; i < stack->nwaiting; i++)
        m->flows[stack->waiting[i]].bound_to = frame.event;
    stack->nwaiting = 0;
    return true;
}

/* A slice with an end: it crosses, is too deep, or is opened. */
static void take_slice(struct model *m, struct stack *stack, const struct entry *e, bool *crosses,
                       bool *too_deep)
{
    int64_t end = e->ts_ns + e->dur_ns;
    close_ended(m, stack, e->ts_ns, e->dur_ns == 0);
    const struct frame *top = stack->n ? &stack->frames[stack->n - 1] : NULL;
    *crosses = top && !top->unended && end > top->end_ns;
    *too_deep = !*crosses && !open_slice(m, stack, (struct frame){e->ts_ns, end, e->event, false});
}

/* An E ends the innermost open B that fits it, and all that was opened since. */
static void take_end(struct model *m, struct stack *stack, const struct entry *e)
{
    close_ended(m, stack, e->ts_ns, false);
    for (size_t i = stack->n; i-- > 0;) {
        size_t begin = stack->frames[i].event;
        if (!stack->frames[i].unended || !model_fits(m, begin, e->event))
            continue;
        for (size_t k = i + 1; k < stack->n; k++)
            m->cut += !stack->frames[k].unended && stack->frames[k].end_ns > e->ts_ns;
        for (size_t k = 0; k < m->nslices; k++)
            if (m->slices[k].event == begin)
                m->slices[k].shown = m->slices[k].end_event == e->event;
        stack->n = i;
        return;
    }
}

static void take_flow(struct model *m, struct stack *stack, size_t flow)
{
    if (m->flows[flow].encloses) {
        if (stack->n)
            m->flows[flow].bound_to = stack->frames[stack->n - 1].event;
        return;
    }
    stack->waiting =
        model_grow(stack->waiting, &stack->waiting_cap, stack->nwaiting, sizeof *stack->waiting);
    stack->waiting[stack->nwaiting++] = flow;
}

/* All kinds of events on the stack of their thread. */
static void take_entry(struct model *m, struct stack *stack, const struct entry *e)
{
    const struct model_event *event = &m->events[e->event];
    bool crosses, too_deep;
    switch (e->ph) {
    case 'X':
        take_slice(m, stack, e, &crosses, &too_deep);
        m->spilled += crosses;
        break;
    case 'B':
        close_ended(m, stack, e->ts_ns, false);
        open_slice(m, stack, (struct frame){e->ts_ns, 0, e->event, true});
        break;
    case 'E':
        take_end(m, stack, e);
        break;
    case 's':
    case 't':
    case 'f':
        take_flow(m, stack, e->flow);
        break;
    default: /* an instant: on the stack if it is the thread's own */
        if (event->tid.kind != MODEL_ABSENT &&
            (event->scope.kind == MODEL_ABSENT || model_is(m->text, &event->scope, "t")))
            take_slice(m, stack, e, &crosses, &too_deep);
    }
}

void model_replay(struct model *m)
{
    size_t n;
    model_match(m);
    struct entry *entries = make_entries(m, &n);
    struct stack *stacks = calloc(2 * m->nthreads + 1, sizeof *stacks);
    if (!stacks)
        abort();
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &entries[i];
        size_t thread = model_thread_of(m, e->event, false);
        take_entry(m, &stacks[thread], e);
        if (e->ph == 'X') { /* once more, on a stack where there are only X */
            struct model_slice *slice = &m->slices[e->slice];
            take_slice(m, &stacks[m->nthreads + thread], e, &slice->crosses, &slice->too_deep);
            m->crossings += slice->crosses;
            m->too_deep += slice->too_deep;
        }
    }
    for (size_t i = 0; i < 2 * m->nthreads; i++) {
        free(stacks[i].frames);
        free(stacks[i].waiting);
    }
    free(stacks);
    free(entries);
}

struct model *model_new(const char *text, size_t n)
{
    struct model *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->text = text;
    m->n = n;
    if (!model_read_events(m)) {
        model_free(m);
        return NULL;
    }
    model_replay(m);
    return m;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->nthreads; i++) {
        free(m->threads[i].pid.string);
        free(m->threads[i].tid.string);
    }
    free(m->threads);
    free(m->events);
    free(m->slices);
    free(m->partner);
    free(m->flows);
    free(m);
}
