#include "patch.h"

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

bool event_binds_enclosing(const char *text, const struct event *event)
{
    return event->ph != 'f' || value_is(text, &event->bp, "e");
}

/* A replacement of text[off, off + len). */
struct edit {
    uint32_t off, len;
    const char *text;
    size_t text_len;
};

/* A new time in the form of the old one: with three decimals if that had three or more. */
static struct edit time_edit(char room[VIEWER_NS_PRINT_MAX], const char *text,
                             const struct value *value, int64_t ns)
{
    bool three = number_decimals(text + value->off, value->len) >= 3;
    size_t n = viewer_ns_print(room, ns, three);
    return (struct edit){value->off, value->len, room, n};
}

static struct edit tid_edit(struct buf *room, const struct value *tid, const char *tid_text)
{
    uint32_t quote = tid->kind == VALUE_STRING;
    struct edit edit = {tid->off - quote, tid->len + 2 * quote, NULL, 0};
    if (tid->kind == VALUE_NONE) {
        edit = (struct edit){.off = 1};
        buf_add_str(room, "\"tid\":");
        buf_add_str(room, tid_text);
        buf_add_char(room, ',');
    } else {
        buf_add_str(room, tid_text);
    }
    edit.text = room->data;
    edit.text_len = room->len;
    return edit;
}

static void put_in_order(struct edit *edits, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && edits[j].off < edits[j - 1].off; j--) {
            struct edit swapped = edits[j];
            edits[j] = edits[j - 1];
            edits[j - 1] = swapped;
        }
}

void patch_event(struct buf *out, const char *text, size_t n, const struct event *event,
                 const struct event_times *old, const struct patch *patch)
{
    struct edit edits[3];
    int count = 0;
    char ts[VIEWER_NS_PRINT_MAX], dur[VIEWER_NS_PRINT_MAX];
    struct buf tid = {0};
    if (patch->start_ns != old->start_ns)
        edits[count++] = time_edit(ts, text, &event->ts, patch->start_ns);
    if (patch->dur_ns != old->dur_ns)
        edits[count++] = time_edit(dur, text, &event->dur, patch->dur_ns);
    if (patch->tid_text)
        edits[count++] = tid_edit(&tid, &event->tid, patch->tid_text);
    put_in_order(edits, count);
    size_t done = 0;
    for (int i = 0; i < count; i++) {
        buf_add(out, text + done, edits[i].off - done);
        buf_add(out, edits[i].text, edits[i].text_len);
        done = edits[i].off + edits[i].len;
    }
    buf_add(out, text + done, n - done);
    out->failed |= tid.failed;
    buf_free(&tid);
}
