/* Pass two of a trace that is repaired or rebased: it is cut into its events again, and each is
 * made what it was for the first pass. */
#include "copy.h"
#include "cutter.h"
#include "error.h"

/* The event as it comes out, in place of the one at the window's start. */
static bool write_event(struct run *run, const struct cut *cut, const char *text, size_t n)
{
    return copy_note(run, cut->off, run->window.data, cut->len, text, n) &&
           (!run->sink || sink_write(run->sink, text, n, run->err));
}

/* The event at the window's start. `rewrite`: or NULL. */
static bool copy_event(struct run *run, const struct cut *cut, const struct rewrite *rewrite)
{
    struct outline outline = event_outline(cut->nest);
    struct repaired repaired;
    enum event_status status =
        repair_event(&run->repairer, run->window.data, cut->len, &outline, rewrite, &repaired);
    if (status == EVENT_NO_MEMORY)
        return fail_memory(run->err);
    if (!rewrite)
        return write_event(run, cut, repaired.text, repaired.n);
    if (status != EVENT_OK)
        return fail_changed(run->err, cut->off);
    return rewrite_event(run, rewrite, repaired.text, repaired.n, &repaired.event) &&
           write_event(run, cut, run->patched.data, run->patched.len);
}

/* Goes on to the next event, and copies what is before it. Returns CUT_EVENT, CUT_END or
 * CUT_ERROR. */
static enum cut_result copy_to_event(struct run *run, struct cutter *cutter, struct cut *cut)
{
    struct window *w = &run->window;
    for (;;) {
        enum cut_result result = cutter_next(cutter, w->data, w->len, w->off, w->at_end, cut);
        bool ok = true;
        if (result == CUT_ERROR)
            ok = fail_changed(run->err, cutter->pos); /* pass one had none */
        else if (result == CUT_MORE)
            ok = copy_until(run, cutter->keep) && window_more(w, run->err);
        else if (result == CUT_EVENT)
            ok = copy_until(run, cut->off);
        if (!ok)
            return CUT_ERROR;
        if (result != CUT_MORE)
            return result;
    }
}

static bool copy_events(struct run *run, struct cutter *cutter)
{
    const struct rewrites *rewrites = &run->rewrites;
    size_t next = 0;
    for (;;) {
        struct cut cut;
        enum cut_result result = copy_to_event(run, cutter, &cut);
        if (result != CUT_EVENT)
            return result == CUT_END && next == rewrites->n && copy_to_end(run);
        bool rewritten = next < rewrites->n && rewrite_off(&rewrites->items[next]) == cut.off;
        if (!copy_event(run, &cut, rewritten ? &rewrites->items[next++] : NULL) ||
            !window_drop(&run->window, cut.off + cut.len, run->err))
            return false;
        if (cut.off + cut.len == run->events_end && run->lanes.n && run->sink &&
            !lanes_write(&run->lanes, &run->tracks, &run->layout, run->sink, run->edits,
                         run->events_end, run->err))
            return false;
    }
}

bool copy_repaired(struct run *run)
{
    struct cutter cutter;
    cutter_init(&cutter);
    run->repairer.rules = &run->rules;
    run->repairer.parser = run->parser;
    bool ok = copy_events(run, &cutter);
    if (!ok && run->err->code == LANEFIX_OK)
        fail_changed(run->err, cutter.pos);
    cutter_free(&cutter);
    return ok;
}
