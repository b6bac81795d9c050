#include "patch.h"

#include "edits.h"
#include "viewer_time.h"

static bool read_ns(const char *text, const struct value *value, int64_t *ns)
{
    return (value->kind == VALUE_BARE || value->kind == VALUE_STRING) &&
           viewer_ns(text + value->off, value->len, ns) && *ns >= 0;
}

bool event_is_slice(const char *text, const struct event *event, struct event_times *times)
{
    return event->ph == 'X' && read_ns(text, &event->ts, &times->start_ns) &&
           read_ns(text, &event->dur, &times->dur_ns) &&
           times->dur_ns <= INT64_MAX - times->start_ns;
}

bool event_is_flow(const char *text, const struct event *event, int64_t *ts_ns)
{
    return (event->ph == 's' || event->ph == 't' || event->ph == 'f') &&
           read_ns(text, &event->ts, ts_ns);
}

bool event_is_edge(const char *text, const struct event *event, int64_t *ts_ns)
{
    return (event->ph == 'B' || event->ph == 'E') && read_ns(text, &event->ts, ts_ns);
}

bool event_binds_enclosing(const char *text, const struct event *event)
{
    return event->ph != 'f' || value_is(text, &event->bp, "e");
}

/* A new time in the form of the old one: with three decimals if that had three or more. */
static struct edit time_edit(char room[VIEWER_NS_PRINT_MAX], const char *text,
                             const struct value *value, int64_t ns)
{
    bool three = number_decimals(text + value->off, value->len) >= 3;
    size_t n = viewer_ns_print(room, ns, three);
    return (struct edit){value->off, value->len, room, n};
}

void patch_event(struct buf *out, const char *text, size_t n, const struct event *event,
                 const struct event_times *old, const struct patch *patch)
{
    struct edit edits[3];
    size_t count = 0;
    char ts[VIEWER_NS_PRINT_MAX], dur[VIEWER_NS_PRINT_MAX];
    struct buf tid = {0};
    if (patch->start_ns != old->start_ns)
        edits[count++] = time_edit(ts, text, &event->ts, patch->start_ns);
    if (patch->dur_ns != old->dur_ns)
        edits[count++] = time_edit(dur, text, &event->dur, patch->dur_ns);
    if (patch->tid_text)
        edits[count++] = member_edit(&tid, "tid", &event->tid, patch->tid_text);
    edits_apply(out, text, n, edits, count);
    out->failed |= tid.failed;
    buf_free(&tid);
}
