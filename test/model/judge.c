#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "plan_oracle.h"

bool judge_fail(struct judge *j, size_t event, const char *what)
{
    j->what = what;
    j->event = event;
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct span {
    size_t off, end;
};

/* A value with its quotes. */
static struct span whole_value(const struct model_value *value)
{
    size_t quote = value->kind == MODEL_STRING;
    return (struct span){value->off - quote, value->off + value->len + quote};
}

static bool same_text(const struct judge *j, struct span before, struct span after)
{
    return after.off <= after.end && before.end - before.off == after.end - after.off &&
           memcmp(j->before->text + before.off, j->after->text + after.off,
                  before.end - before.off) == 0;
}

/* The values that a fix may change in an event, in the order of the text; absent ones come first.
 * Returns how many. */
static int changeable(const struct judge *j, const struct model_event *e, size_t event,
                      const struct model_value *values[3])
{
    int n = 0;
    char ph = model_ph(j->before, event);
    bool paired = ph && strchr("BE", ph) && j->before->partner[event] != MODEL_NONE;
    if (!paired && (!ph || !strchr("Xstf", ph)))
        return 0;
    values[n++] = &e->tid;
    values[n++] = &e->ts;
    if (ph == 'X')
        values[n++] = &e->dur;
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && values[k]->off < values[k - 1]->off; k--) {
            const struct model_value *swapped = values[k];
            values[k] = values[k - 1];
            values[k - 1] = swapped;
        }
    return n;
}

/* The end of what was put in behind the bracket of an event that had no tid. */
static size_t end_of_inserted_tid(const struct judge *j, const struct model_event *before,
                                  const struct model_event *after)
{
    const char *text = j->after->text;
    size_t begin = after->off + 1;
    if (before->tid.kind != MODEL_ABSENT || after->tid.kind == MODEL_ABSENT)
        return begin;
    size_t end = whole_value(&after->tid).end;
    return memcmp(text + begin, "\"tid\":", 6) == 0 && text[end] == ',' ? end + 1 : begin;
}

/* Is a number written as the old one was: three decimals if that had three or more, else as few as
 * it takes? A string stays one. */
static bool same_form(const struct judge *j, const struct model_value *before,
                      const struct model_value *after)
{
    const char *old = j->before->text + before->off, *new = j->after->text + after->off;
    size_t decimals = model_decimals(new, after->len);
    if (before->kind != after->kind)
        return false;
    if (before->len == after->len && memcmp(old, new, after->len) == 0)
        return true;
    if (model_decimals(old, before->len) >= 3)
        return decimals == 3;
    bool needs_all = decimals == 0 || new[after->len - 1] != '0';
    bool coarse = after->len > 4 + strlen("4398046511104"); /* where not all can be written */
    return decimals <= 3 && (needs_all || coarse);
}

/* Nothing but changeable values may differ. */
static bool judge_event(struct judge *j, size_t i)
{
    const struct model_event *b = &j->before->events[i], *a = &j->after->events[i];
    const struct model_value *old[3] = {&b->tid, &b->ts, &b->dur},
                             *new[3] = {&a->tid, &a->ts, &a->dur};
    if (!b->readable)
        return true;
    if (!a->readable)
        return judge_fail(j, i, "an event can no longer be read");
    int n = changeable(j, b, i, old);
    struct span between = {b->off + 1, 0};
    struct span after = {n ? end_of_inserted_tid(j, b, a) : a->off + 1, 0};
    changeable(j, a, i, new);
    for (int k = 0; k < n; k++) {
        if (old[k]->kind == MODEL_ABSENT)
            continue;
        between.end = whole_value(old[k]).off;
        after.end = whole_value(new[k]).off;
        if (!same_text(j, between, after))
            return judge_fail(j, i, "text before a value has changed");
        if (old[k] != &b->tid && !same_form(j, old[k], new[k]))
            return judge_fail(j, i, "a time is not in the form of the old one");
        between.off = whole_value(old[k]).end;
        after.off = whole_value(new[k]).end;
    }
    between.end = b->end;
    after.end = a->end;
    return same_text(j, between, after) || judge_fail(j, i, "text behind a value has changed");
}

bool judge_text(struct judge *j)
{
    const struct model *b = j->before, *a = j->after;
    size_t n = b->nevents;
    if (a->nevents < n)
        return judge_fail(j, a->nevents, "there are fewer events");
    struct span between = {0, b->n}, after = {0, a->n};
    for (size_t i = 0; i < n; i++) {
        between.end = b->events[i].off;
        after.end = a->events[i].off;
        if (!same_text(j, between, after))
            return judge_fail(j, i, "text before an event has changed");
        if (!judge_event(j, i))
            return false;
        between.off = b->events[i].end;
        after.off = a->events[i].end;
    }
    if (a->nevents > n) /* lanes; what is between them is of the layout */
        after.off = a->events[a->nevents - 1].end;
    between.end = b->n;
    after.end = a->n;
    return same_text(j, between, after) || judge_fail(j, n, "text behind the events has changed");
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* The slices of one thread as the oracle takes them. Returns how many. */
static size_t slices_of_thread(const struct model *m, size_t thread, struct oracle_slice *s,
                               size_t *index)
{
    size_t n = 0;
    for (size_t i = 0; i < m->nslices; i++) {
        if (m->slices[i].thread != thread)
            continue;
        s[n] =
            (struct oracle_slice){.start_ns = m->slices[i].start_ns, .end_ns = m->slices[i].end_ns};
        index[n++] = i;
    }
    return n;
}

static bool judge_slice(struct judge *j, size_t i, const struct oracle_slice *planned)
{
    const struct model_slice *b = &j->before->slices[i], *a = &j->after->slices[i];
    if (a->event != b->event)
        return judge_fail(j, b->event, "a slice is none any more");
    if (a->start_ns != planned->new_start_ns || a->end_ns != planned->new_end_ns)
        return judge_fail(j, b->event, "a slice has not the times that were planned");
    if (a->start_ns < b->start_ns || a->end_ns > b->end_ns || a->start_ns > a->end_ns)
        return judge_fail(j, b->event, "a slice has grown");
    if ((a->start_ns - b->start_ns && a->start_ns - b->start_ns >= j->threshold_ns) ||
        (b->end_ns - a->end_ns && b->end_ns - a->end_ns >= j->threshold_ns))
        return judge_fail(j, b->event, "a slice was shifted by the threshold or more");
    j->lane_of[i] = planned->lane;
    j->counts->moved += planned->lane > 0;
    j->counts->snapped += a->start_ns != b->start_ns || a->end_ns != b->end_ns;
    return true;
}

static bool judge_thread(struct judge *j, size_t thread, struct oracle_slice *s, size_t *index)
{
    const struct oracle_rules rules = {
        .threshold_ns = j->threshold_ns, .start_ceil = model_ns_ceil, .dur_floor = model_ns_floor};
    size_t n = slices_of_thread(j->before, thread, s, index);
    oracle_plan(s, n, &rules);
    for (size_t k = 0; k < n; k++)
        if (!judge_slice(j, index[k], &s[k]))
            return false;
    return true;
}

bool judge_plan(struct judge *j)
{
    struct model *b = j->before;
    if (b->nslices > j->after->nslices)
        return judge_fail(j, b->nevents, "there are fewer slices");
    struct oracle_slice *s = malloc((b->nslices + 1) * sizeof *s);
    size_t *index = malloc((b->nslices + 1) * sizeof *index);
    if (!s || !index)
        abort();
    bool good = true;
    for (size_t i = 0; good && i < b->nthreads; i++)
        good = judge_has_pairs(j, i) || judge_thread(j, i, s, index);
    free(s);
    free(index);
    return good;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool judge_all(struct judge *j)
{
    if (!j->before || !j->after)
        return judge_fail(j, 0, j->before ? "the output is no trace" : "the input is no trace");
    if (j->after->crossings || j->after->too_deep || j->after->spilled) {
        const struct model_slice *slice = j->after->slices;
        while (slice < j->after->slices + j->after->nslices && !slice->crosses && !slice->too_deep)
            slice++;
        return judge_fail(j, slice->event, "a slice still crosses, or lies too deep");
    }
    if (!judge_text(j))
        return false;
    j->counts->unreadable += j->before->nunreadable;
    bool unclear = judge_is_unclear(j);
    j->counts->unclear += unclear;
    return j->before->nunreadable || unclear ||
           (judge_plan(j) && judge_pairs(j) && judge_lanes(j) && judge_arrows(j));
}

const char *judge_fix(const char *in, size_t in_n, const char *out, size_t out_n,
                      int64_t threshold_ns, struct judge_counts *counts, size_t *event)
{
    struct judge j = {.before = model_new(in, in_n),
                      .after = model_new(out, out_n),
                      .threshold_ns = threshold_ns,
                      .counts = counts};
    j.lane_of = calloc(j.before ? j.before->nslices + 1 : 1, sizeof *j.lane_of);
    if (!j.lane_of)
        abort();
    if (judge_all(&j)) {
        counts->traces++;
        counts->slices += j.before->nslices;
        counts->crossings += j.before->crossings;
        counts->too_deep += j.before->too_deep;
        counts->misplaced += j.before->misplaced + j.before->cut;
    }
    *event = j.event;
    free(j.lane_of);
    model_free(j.before);
    model_free(j.after);
    return j.what;
}
