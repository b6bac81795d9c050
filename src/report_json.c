#include "report_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "sink.h"
#include "text.h"
#include "viewer_time.h"

struct report_json {
    struct sink *sink;
    struct buf line;
    bool in_array; /* an element was written already */
};

static void add_string(struct buf *out, const char *s)
{
    text_json(out, s, strlen(s));
}

/* ,"key": before a value; without the comma where it is the object's first. */
static void add_key(struct buf *out, const char *key)
{
    if (out->len && out->data[out->len - 1] != '{')
        buf_add_char(out, ',');
    add_string(out, key);
    buf_add_char(out, ':');
}

static void add_u64(struct buf *out, const char *key, uint64_t value)
{
    add_key(out, key);
    buf_add_u64(out, value);
}

static void add_i64(struct buf *out, const char *key, int64_t value)
{
    add_key(out, key);
    buf_add_i64(out, value);
}

static void add_bool(struct buf *out, const char *key, bool value)
{
    add_key(out, key);
    buf_add_str(out, value ? "true" : "false");
}

static void add_strings(struct buf *out, const char *key, const char *const *strings, size_t n)
{
    add_key(out, key);
    for (size_t i = 0; i < n; i++) {
        buf_add_char(out, i ? ',' : '[');
        add_string(out, strings[i]);
    }
    buf_add_str(out, n ? "]" : "[]");
}

/* Which slice gives way. */
static void add_rules(struct buf *out, const struct lanefix_options *options)
{
    add_i64(out, "snap_threshold_ns", options->snap_threshold_ns);
    add_key(out, "snap");
    add_string(out, report_rule_name(options->snap));
    add_strings(out, "soft", options->soft, options->soft_count);
    add_strings(out, "no_snap", options->no_snap, options->no_snap_count);
    add_bool(out, "trim_unfinished", options->trim_unfinished);
}

/* Longer names and ids are cut: so much is nobody's name. */
enum { STRING_MAX = 1 << 16 };

/* The raw content of a JSON string as a string that is JSON for certain. */
static void add_mended(struct buf *out, const char *raw, size_t n)
{
    struct buf plain = {0};
    size_t kept = text_cut(raw, n, STRING_MAX);
    text_unescape(&plain, raw, kept);
    if (kept < n)
        buf_add_str(&plain, TEXT_CUT_MARK);
    text_json(out, plain.data, plain.len);
    out->failed |= plain.failed;
    buf_free(&plain);
}

/* An id as JSON: a number or string like the one in the trace, null if it is absent; what is no
 * JSON as a string. */
static void add_id(struct buf *out, const char *key, const char *id_text)
{
    size_t n = strlen(id_text);
    add_key(out, key);
    if (!n) {
        buf_add_str(out, "null");
    } else if (*id_text == '"') {
        add_mended(out, id_text + 1, n - 2);
    } else if (number_valid(id_text, n)) {
        buf_add(out, id_text, n);
    } else {
        text_json(out, id_text, n);
    }
}

/* An event's value: a string's content, a bare value's text, null if it is absent or nested. */
static void add_value(struct buf *out, const char *key, const char *text, const struct value *value)
{
    add_key(out, key);
    if (value->kind == VALUE_STRING) {
        add_mended(out, text + value->off, value->len);
    } else if (value->kind == VALUE_BARE) {
        text_json(out, text + value->off, value->len < STRING_MAX ? value->len : STRING_MAX);
    } else {
        buf_add_str(out, "null");
    }
}

static bool flush(struct report_json *j, struct lanefix_error *err)
{
    bool ok =
        j->line.failed ? fail_memory(err) : sink_write(j->sink, j->line.data, j->line.len, err);
    j->line.len = 0;
    return ok;
}

/* Begins an element of an array; the caller adds its members and calls end_element. */
static void begin_element(struct report_json *j)
{
    buf_add_str(&j->line, j->in_array ? ",\n{" : "\n{");
    j->in_array = true;
}

static bool end_element(struct report_json *j, struct lanefix_error *err)
{
    buf_add_char(&j->line, '}');
    return flush(j, err);
}

/* Ends an array (or the head of the object) and begins the next one. */
static void next_array(struct report_json *j, const char *key, bool first)
{
    if (!first)
        buf_add_str(&j->line, "\n]");
    buf_add_str(&j->line, ",\n\"");
    buf_add_str(&j->line, key);
    buf_add_str(&j->line, "\":[");
    j->in_array = false;
}

struct report_json *report_json_open(const char *path, const char *input, const char *output,
                                     const struct lanefix_options *options,
                                     struct lanefix_error *err)
{
    struct report_json *j = calloc(1, sizeof *j);
    if (!j) {
        fail_memory(err);
        return NULL;
    }
    struct sink_options sink_options = {
        .out = {.file = LANEFIX_FILE_REPORT, .sync = !options->no_sync, .cancel = options->cancel}};
    j->sink = sink_open(path, &sink_options, err);
    if (!j->sink) {
        report_json_free(j);
        return NULL;
    }
    buf_add_char(&j->line, '{');
    add_u64(&j->line, "lanefix_report", REPORT_JSON_VERSION);
    add_key(&j->line, "version");
    add_string(&j->line, LANEFIX_VERSION);
    add_key(&j->line, "input");
    add_string(&j->line, input);
    add_key(&j->line, "output");
    if (output)
        add_string(&j->line, output);
    else
        buf_add_str(&j->line, "null");
    if (options->dry_run)
        add_bool(&j->line, "dry_run", true);
    add_rules(&j->line, options);
    next_array(j, "tracks", true);
    return j;
}

void report_json_free(struct report_json *j)
{
    if (!j)
        return;
    sink_free(j->sink);
    buf_free(&j->line);
    free(j);
}

bool report_json_track(struct report_json *j, const struct track *track,
                       const struct plan_stats *stats, struct lanefix_error *err)
{
    if (!stats->crossings && !stats->pair_crossings && !stats->too_deep)
        return true;
    begin_element(j);
    add_id(&j->line, "pid", track->pid_text);
    add_id(&j->line, "tid", track->tid_text);
    add_u64(&j->line, "crossings", stats->crossings);
    add_u64(&j->line, "too_deep", stats->too_deep);
    add_u64(&j->line, "snaps", stats->snaps);
    add_u64(&j->line, "moved", stats->moved);
    add_u64(&j->line, "lanes", stats->lanes - 1);
    if (stats->pair_crossings)
        add_u64(&j->line, "pair_crossings", stats->pair_crossings);
    return end_element(j, err);
}

bool report_json_begin_changes(struct report_json *j, const struct lanes *lanes,
                               const struct tracks *tracks, struct lanefix_error *err)
{
    next_array(j, "lanes", false);
    for (size_t i = 0; i < lanes->n; i++) {
        const struct lane_id *lane = &lanes->items[i];
        const struct track *track = &tracks->items[lane->track];
        struct buf name = {0};
        char room[LANE_ROOM];
        lane_name(&name, track, lane->lane);
        begin_element(j);
        add_id(&j->line, "pid", track->pid_text);
        add_id(&j->line, "tid", lane_tid(lane, room));
        add_id(&j->line, "of_tid", track->tid_text);
        add_u64(&j->line, "lane", lane->lane);
        add_key(&j->line, "name");
        add_mended(&j->line, name.data, name.len);
        j->line.failed |= name.failed;
        buf_free(&name);
        if (!end_element(j, err))
            return false;
    }
    next_array(j, "changes", false);
    return flush(j, err);
}

static void begin_change(struct report_json *j, const char *kind, uint64_t off,
                         const struct track *track)
{
    begin_element(j);
    add_key(&j->line, "kind");
    add_string(&j->line, kind);
    add_u64(&j->line, "offset", off);
    add_id(&j->line, "pid", track->pid_text);
    add_id(&j->line, "tid", track->tid_text);
}

bool report_json_slice(struct report_json *j, const struct slice_change *c,
                       struct lanefix_error *err)
{
    begin_change(j, c->tid_text ? "move" : "snap", c->off, c->track);
    add_value(&j->line, "name", c->text, &c->event->name);
    add_value(&j->line, "cat", c->text, &c->event->cat);
    add_i64(&j->line, "start_ns", c->start_ns);
    add_i64(&j->line, "end_ns", c->end_ns);
    if (c->tid_text) {
        add_id(&j->line, "new_tid", c->tid_text);
        add_u64(&j->line, "lane", c->lane);
    } else {
        add_i64(&j->line, "new_start_ns", c->new_start_ns);
        add_i64(&j->line, "new_end_ns", c->new_end_ns);
    }
    if (c->end_off)
        add_u64(&j->line, "end_offset", c->end_off);
    return end_element(j, err);
}

bool report_json_flow(struct report_json *j, uint64_t off, const struct track *track, int64_t ts_ns,
                      int64_t new_ts_ns, const char *tid_text, struct lanefix_error *err)
{
    begin_change(j, "flow", off, track);
    add_i64(&j->line, "ts_ns", ts_ns);
    if (new_ts_ns != ts_ns)
        add_i64(&j->line, "new_ts_ns", new_ts_ns);
    if (tid_text)
        add_id(&j->line, "new_tid", tid_text);
    return end_element(j, err);
}

bool report_json_losses(struct report_json *j, const struct losses *losses,
                        struct lanefix_error *err)
{
    next_array(j, "losses", false);
    for (size_t i = 0; i < losses->n; i++) {
        const struct loss *loss = &losses->items[i];
        if (!loss->counts)
            continue;
        begin_element(j);
        add_u64(&j->line, "offset", loss->off);
        add_u64(&j->line, "nbytes", loss->nbytes);
        add_u64(&j->line, "events_before", loss->events);
        if (!end_element(j, err))
            return false;
    }
    return flush(j, err);
}

/* What is text for a person already, or null. */
static void add_shown(struct buf *out, const char *key, const char *shown)
{
    add_key(out, key);
    if (shown)
        add_string(out, shown);
    else
        buf_add_str(out, "null");
}

/* A place or an event's number, or null. */
static void add_known(struct buf *out, const char *key, uint64_t value)
{
    add_key(out, key);
    if (value == LANEFIX_NOWHERE)
        buf_add_str(out, "null");
    else
        buf_add_u64(out, value);
}

static bool add_crossing(struct report_json *j, const struct crossing_row *row,
                         struct lanefix_error *err)
{
    begin_element(j);
    add_i64(&j->line, "by_ns", row->by_ns);
    add_id(&j->line, "pid", row->track->pid_text);
    add_id(&j->line, "tid", row->track->tid_text);
    add_u64(&j->line, "offset", row->slice.off);
    add_u64(&j->line, "event", row->slice.event);
    add_shown(&j->line, "name", row->slice.name);
    add_u64(&j->line, "over_offset", row->over.off);
    add_u64(&j->line, "over_event", row->over.event);
    add_shown(&j->line, "over_name", row->over.name);
    return end_element(j, err);
}

bool report_json_findings(struct report_json *j, const struct lanefix_report *report,
                          struct lanefix_error *err)
{
    bool ok = true;
    next_array(j, "findings", false);
    for (int i = 0; ok && i < FINDING_KINDS; i++) {
        const struct lanefix_finding *finding = &report->findings.of[i];
        if (!finding->count)
            continue;
        begin_element(j);
        add_shown(&j->line, "kind", finding->id);
        add_shown(&j->line, "severity", finding->error ? "error" : "warning");
        add_u64(&j->line, "count", finding->count);
        add_u64(&j->line, "left", finding->left);
        add_known(&j->line, "offset", finding->offset);
        add_known(&j->line, "event", finding->event);
        add_shown(&j->line, "name", finding->name);
        add_shown(&j->line, "what", finding->what);
        add_shown(&j->line, "viewer", finding->viewer);
        ok = end_element(j, err);
    }
    next_array(j, "largest_crossings", false);
    for (size_t i = 0; ok && i < report->ncrossings; i++)
        ok = add_crossing(j, &report->crossings[i], err);
    return ok && flush(j, err);
}

bool report_json_new_ids(struct report_json *j, const struct id_map *ids,
                         const struct losses *losses, struct lanefix_error *err)
{
    next_array(j, "new_ids", false);
    for (size_t i = 0; ids && i < id_map_count(ids); i++) {
        struct id_row row = id_map_row(ids, i);
        begin_element(j);
        add_id(&j->line, "pid", row.pid_text);
        add_id(&j->line, "tid", row.tid_text);
        if (row.ids.pid)
            add_u64(&j->line, "new_pid", row.ids.pid);
        if (row.ids.tid)
            add_u64(&j->line, "new_tid", row.ids.tid);
        add_u64(&j->line, "events", row.nevents);
        add_u64(&j->line, "offset", losses_place(losses, row.off));
        if (!end_element(j, err))
            return false;
    }
    return flush(j, err);
}

bool report_json_begin_edits(struct report_json *j, struct lanefix_error *err)
{
    next_array(j, "edits", false);
    return flush(j, err);
}

bool report_json_edit(struct report_json *j, uint64_t off, const char *before, size_t n,
                      const char *after, size_t m, struct lanefix_error *err)
{
    begin_element(j);
    add_u64(&j->line, "offset", off);
    add_key(&j->line, "old");
    text_json_bytes(&j->line, before, n);
    add_key(&j->line, "new");
    text_json_bytes(&j->line, after, m);
    return end_element(j, err);
}

bool report_json_original(struct report_json *j, uint64_t nbytes, uint32_t crc,
                          struct lanefix_error *err)
{
    char hex[16];
    snprintf(hex, sizeof hex, "%08lx", (unsigned long)crc);
    buf_add_str(&j->line, "\n],\n\"original\":{");
    add_u64(&j->line, "nbytes", nbytes);
    add_key(&j->line, "crc32");
    add_string(&j->line, hex);
    buf_add_char(&j->line, '}');
    return flush(j, err);
}

bool report_json_no_edits(struct report_json *j, struct lanefix_error *err)
{
    buf_add_str(&j->line, "\n],\n\"edits\":null,\n\"original\":null");
    return flush(j, err);
}

bool report_json_finish(struct report_json *j, const struct lanefix_totals *t,
                        struct lanefix_error *err)
{
    buf_add_str(&j->line, ",\n\"totals\":{");
    add_u64(&j->line, "events", t->events);
    add_u64(&j->line, "slices", t->slices);
    add_u64(&j->line, "tracks", t->tracks);
    add_u64(&j->line, "crossings", t->crossings);
    add_u64(&j->line, "too_deep", t->too_deep);
    add_u64(&j->line, "snaps", t->snaps);
    add_u64(&j->line, "snapped_slices", t->snapped_slices);
    add_u64(&j->line, "moved_slices", t->moved_slices);
    add_u64(&j->line, "lanes", t->lanes);
    add_u64(&j->line, "flow_endpoints", t->flow_endpoints);
    add_i64(&j->line, "start_shift_ns", t->start_shift_ns);
    add_i64(&j->line, "end_shift_ns", t->end_shift_ns);
    add_u64(&j->line, "unread_events", t->unread_events);
    add_u64(&j->line, "garbage_nbytes", t->garbage_nbytes);
    add_u64(&j->line, "lost_places", t->lost_places);
    add_u64(&j->line, "lost_nbytes", t->lost_nbytes);
    add_u64(&j->line, "new_ids", t->new_ids);
    add_i64(&j->line, "ts_shift_us", t->ts_shift_us);
    add_u64(&j->line, "unfinished_slices", t->unfinished_slices);
    if (t->pairs) {
        add_u64(&j->line, "pairs", t->pairs);
        add_u64(&j->line, "pair_crossings", t->pair_crossings);
    }
    buf_add_str(&j->line, "}\n}\n");
    return flush(j, err) && sink_finish(j->sink, err);
}

bool report_json_commit(struct report_json *j, struct lanefix_error *err)
{
    return sink_commit(j->sink, err);
}
