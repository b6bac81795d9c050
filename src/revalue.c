#include "revalue.h"

#include <stdio.h>

#include "edits.h"
#include "viewer_time.h"

enum { ID_PRINT_MAX = 11 }; /* with a final NUL */

void revaluer_free(struct revaluer *r)
{
    buf_free(&r->ts);
    *r = (struct revaluer){.rules = r->rules};
}

bool event_is_on_thread(const char *text, const struct event *event)
{
    if (event->ph == 'M')
        return value_is(text, &event->name, "thread_name") ||
               value_is(text, &event->name, "thread_sort_index");
    return event->ph && strchr("XBEiIRstf", event->ph);
}

/* The edit of a ts, if it changes. */
static bool ts_edit(struct revaluer *r, const char *text, const struct event *event,
                    struct edit *edit)
{
    const struct value *ts = &event->ts;
    const char *token = text + ts->off;
    if (ts->kind != VALUE_BARE && ts->kind != VALUE_STRING)
        return false;
    r->ts.len = 0;
    enum rebase_result result =
        rebase_token(&r->ts, token, ts->len, r->rules->shift_us, event->ph == 'M');
    if (result == REBASE_DONE)
        *edit = value_edit(ts, r->ts.data, r->ts.len);
    else if (ts->kind == VALUE_STRING && number_valid(token, ts->len))
        *edit = value_edit(ts, token, ts->len);
    else
        return false;
    return true;
}

/* The edit of a dur that is a number in a string. */
static bool dur_edit(const char *text, const struct value *dur, struct edit *edit)
{
    if (dur->kind != VALUE_STRING || !number_valid(text + dur->off, dur->len))
        return false;
    *edit = value_edit(dur, text + dur->off, dur->len);
    return true;
}

bool revalue_event(struct revaluer *r, struct buf *out, const char *text, size_t n,
                   const struct event *event)
{
    struct edit edits[4];
    size_t count = 0;
    struct new_ids ids = {0};
    struct buf room[2] = {{0}};
    char pid[ID_PRINT_MAX], tid[ID_PRINT_MAX];
    if (r->rules->ids && !id_map_find(r->rules->ids, &r->cache, text, &event->pid, &event->tid,
                                      event_is_on_thread(text, event), &ids)) {
        out->failed = true;
        return true;
    }
    if (ids.pid) {
        snprintf(pid, sizeof pid, "%u", (unsigned)ids.pid);
        edits[count++] = member_edit(&room[0], "pid", &event->pid, pid);
    }
    if (ids.tid) {
        snprintf(tid, sizeof tid, "%u", (unsigned)ids.tid);
        edits[count++] = member_edit(&room[1], "tid", &event->tid, tid);
    }
    count += r->rules->times && ts_edit(r, text, event, &edits[count]);
    count += r->rules->times && dur_edit(text, &event->dur, &edits[count]);
    if (count)
        edits_apply(out, text, n, edits, count);
    out->failed |= r->ts.failed || room[0].failed || room[1].failed;
    bool changed = count || out->failed;
    buf_free(&room[0]);
    buf_free(&room[1]);
    return changed;
}
