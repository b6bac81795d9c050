#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "sort.h"
#include "text.h"
#include "viewer_time.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool layout_note(struct layout *layout, const char *gap, size_t gap_len, const char *event,
                 size_t event_len)
{
    const char *colon = memchr(event, ':', event_len < 256 ? event_len : 256);
    layout->spaced = colon && colon + 1 < event + event_len && colon[1] == ' ';
    if (!gap)
        gap_len = 0;
    if (layout->separator.len == gap_len && gap_len &&
        memcmp(layout->separator.data, gap, gap_len) == 0)
        return true;
    size_t blank = gap_len; /* the white space at the gap's end begins here */
    while (blank && is_space(gap[blank - 1]))
        blank--;
    size_t before = blank && gap[blank - 1] == ',' ? blank - 1 : 0;
    while (before && is_space(gap[before - 1]))
        before--;
    layout->separator.len = 0;
    if (before == 0 && blank && gap[blank - 1] == ',') {
        buf_add(&layout->separator, gap, gap_len); /* white space and one comma: as it stands */
    } else {
        buf_add_char(&layout->separator, ',');
        if (gap_len)
            buf_add(&layout->separator, gap + blank, gap_len - blank);
    }
    return !layout->separator.failed;
}

void lanes_free(struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++)
        free(lanes->items[i].tid_text);
    free(lanes->items);
    free(lanes->first);
    free(lanes->row);
    *lanes = (struct lanes){0};
}

bool lanes_init(struct lanes *lanes, size_t nranks)
{
    *lanes = (struct lanes){0};
    lanes->first = malloc((nranks + 1) * sizeof *lanes->first);
    return lanes->first != NULL;
}

/* The thread's id as it was written, without quotes: that of the pid where the tid is missing. */
static const char *tid_of(const struct track *track, size_t *n, bool *quoted)
{
    const char *text = *track->tid_text ? track->tid_text : track->pid_text;
    if (!*text)
        text = "0";
    *quoted = *text == '"';
    *n = strlen(text) - 2 * (size_t)*quoted;
    return text + *quoted;
}

static void add_tid(struct buf *out, const struct track *track)
{
    size_t n;
    bool quoted;
    const char *tid = tid_of(track, &n, &quoted);
    buf_add(out, tid, n);
}

void lane_name(struct buf *out, const struct track *track, uint32_t lane)
{
    if (track->name && *track->name) {
        buf_add_str(out, track->name);
    } else {
        buf_add_str(out, "tid ");
        add_tid(out, track);
    }
    buf_add_str(out, " lane ");
    buf_add_u64(out, lane);
}

/* tid * 1000 + lane, if the thread's tid is an integer and the id can be used. */
static bool number_id(const struct tracks *tracks, const struct track *track, uint32_t lane,
                      struct ident *id)
{
    size_t n;
    bool quoted;
    int64_t whole = -1;
    const char *tid = tid_of(track, &n, &quoted);
    bool integer = !quoted && number_whole(tid, n, &whole) && !memchr(tid, '.', n) &&
                   !memchr(tid, 'e', n) && !memchr(tid, 'E', n);
    if (!integer || whole < 0 || whole > UINT32_MAX || whole * 1000 + lane > UINT32_MAX)
        return false;
    *id = (struct ident){.number = (uint32_t)(whole * 1000 + lane)};
    return id->number != 0 && ident_compare(id, &track->pid) != 0 &&
           !tracks_has(tracks, &track->pid, id);
}

/* "TID lane N", or with #2, #3, ... where that is taken. `raw` gets it as JSON without quotes, and
 * `plain`, to which *id points, what that stands for. */
static bool string_id(const struct tracks *tracks, const struct track *track, uint32_t lane,
                      struct buf *raw, struct buf *plain, struct ident *id)
{
    add_tid(raw, track);
    buf_add_str(raw, " lane ");
    buf_add_u64(raw, lane);
    size_t len = raw->len;
    for (uint64_t suffix = 2;; suffix++) {
        plain->len = 0;
        text_unescape(plain, raw->data, raw->len);
        if (raw->failed || plain->failed)
            return false;
        *id = (struct ident){.string = plain->data, .len = plain->len};
        if (!tracks_has(tracks, &track->pid, id))
            return true;
        raw->len = len;
        buf_add_str(raw, " #");
        buf_add_u64(raw, suffix);
    }
}

static bool add_lane(struct lanes *lanes, struct tracks *tracks, uint32_t track_id, uint32_t lane)
{
    const struct track *track = &tracks->items[track_id];
    struct buf text = {0}, raw = {0}, plain = {0};
    struct ident id, pid = track->pid;
    bool ok = true;
    if (number_id(tracks, track, lane, &id)) {
        buf_add_u64(&text, id.number);
    } else {
        ok = string_id(tracks, track, lane, &raw, &plain, &id);
        buf_add_char(&text, '"');
        buf_add(&text, raw.data, raw.len);
        buf_add_char(&text, '"');
    }
    buf_add_char(&text, 0);
    struct lane_id *items = array_grow(lanes->items, &lanes->cap, lanes->n + 1, sizeof *items);
    if (items)
        lanes->items = items;
    ok = ok && items && !text.failed && tracks_add_lane(tracks, &pid, &id, text.data);
    if (ok)
        items[lanes->n++] = (struct lane_id){track_id, lane, text.data};
    else
        buf_free(&text);
    buf_free(&raw);
    buf_free(&plain);
    return ok;
}

bool lanes_add(struct lanes *lanes, struct tracks *tracks, uint32_t track, uint32_t n)
{
    lanes->first[tracks->items[track].slices_rank] = (uint32_t)lanes->n;
    for (uint32_t lane = 1; lane <= n; lane++)
        if (!add_lane(lanes, tracks, track, lane))
            return false;
    return true;
}

const char *lanes_tid(const struct lanes *lanes, uint32_t rank, uint32_t lane)
{
    return lanes->items[lanes->first[rank] + lane - 1].tid_text;
}

typedef const struct track *track_ptr;

/* By process; within it the order of the viewer's rows where no thread has a sort index: the main
 * thread, the named ones, the others, each by tid (perfetto.md, Threads). */
static bool row_less(const track_ptr *a, const track_ptr *b)
{
    const struct track *x = *a, *y = *b;
    int order = ident_compare(&x->pid, &y->pid);
    if (order)
        return order < 0;
    bool main_x = ident_compare(&x->pid, &x->tid) == 0,
         main_y = ident_compare(&y->pid, &y->tid) == 0;
    if (main_x != main_y)
        return main_x;
    if (!x->name != !y->name)
        return x->name != NULL;
    return ident_compare(&x->tid, &y->tid) < 0;
}

DEFINE_SORT(sort_rows, track_ptr, row_less)

/* Numbers the threads of one process, rows[0, n), if it has a lane and no sort index at all. */
static void arrange_process(struct lanes *lanes, const struct tracks *tracks, const track_ptr *rows,
                            size_t n, const bool *has_lane)
{
    bool wanted = false;
    for (size_t i = 0; i < n; i++) {
        wanted |= has_lane[rows[i] - tracks->items];
        if (rows[i]->sort_index)
            return;
    }
    int32_t next = 0;
    for (size_t i = 0; wanted && i < n; i++)
        if (rows[i]->drawn)
            lanes->row[rows[i] - tracks->items] = next++;
}

bool lanes_arrange(struct lanes *lanes, const struct tracks *tracks, size_t ntracks)
{
    if (!lanes->n)
        return true;
    track_ptr *rows = malloc(ntracks * sizeof(track_ptr));
    bool *has_lane = calloc(ntracks, sizeof *has_lane);
    lanes->row = malloc(ntracks * sizeof *lanes->row);
    lanes->nrows = ntracks;
    bool ok = rows && has_lane && lanes->row;
    for (size_t i = 0; ok && i < ntracks; i++) {
        rows[i] = &tracks->items[i];
        lanes->row[i] = -1;
    }
    for (size_t i = 0; ok && i < lanes->n; i++)
        has_lane[lanes->items[i].track] = true;
    if (ok)
        sort_rows(rows, ntracks);
    for (size_t i = 0, end; ok && i < ntracks; i = end) {
        for (end = i + 1; end < ntracks && ident_compare(&rows[end]->pid, &rows[i]->pid) == 0;)
            end++;
        arrange_process(lanes, tracks, rows + i, end - i, has_lane);
    }
    free(rows);
    free(has_lane);
    return ok;
}

/* A member of an object: ,"key": in the file's style; the first one has no comma. */
static void add_key(struct buf *out, const struct layout *layout, bool first, const char *key)
{
    if (!first)
        buf_add_str(out, layout->spaced ? ", " : ",");
    buf_add_char(out, '"');
    buf_add_str(out, key);
    buf_add_str(out, layout->spaced ? "\": " : "\":");
}

/* The part of an M event that all have; args is left open for its one member. */
static void begin_metadata(struct buf *out, const struct layout *layout, const char *name,
                           const char *pid_text, const char *tid_text, const char *arg)
{
    buf_add(out, layout->separator.data, layout->separator.len);
    buf_add_char(out, '{');
    add_key(out, layout, true, "name");
    buf_add_char(out, '"');
    buf_add_str(out, name);
    buf_add_char(out, '"');
    add_key(out, layout, false, "ph");
    buf_add_str(out, "\"M\"");
    if (*pid_text) {
        add_key(out, layout, false, "pid");
        buf_add_str(out, pid_text);
    }
    if (*tid_text) {
        add_key(out, layout, false, "tid");
        buf_add_str(out, tid_text);
    }
    add_key(out, layout, false, "args");
    buf_add_char(out, '{');
    add_key(out, layout, true, arg);
}

static void add_sort_index(struct buf *out, const struct layout *layout, const char *pid_text,
                           const char *tid_text, const struct track *track, int32_t row)
{
    begin_metadata(out, layout, "thread_sort_index", pid_text, tid_text, "sort_index");
    if (row >= 0)
        buf_add_i64(out, row);
    else
        buf_add_str(out, track->sort_index);
    buf_add_str(out, "}}");
}

static void add_lane_events(struct buf *out, const struct layout *layout,
                            const struct lane_id *lane, const struct track *track, int32_t row)
{
    begin_metadata(out, layout, "thread_name", track->pid_text, lane->tid_text, "name");
    buf_add_char(out, '"');
    lane_name(out, track, lane->lane);
    buf_add_str(out, "\"}}");
    if (row >= 0 || track->sort_index)
        add_sort_index(out, layout, track->pid_text, lane->tid_text, track, row);
}

static bool flush(struct buf *text, struct sink *sink, struct lanefix_error *err)
{
    bool ok = text->failed ? fail_memory(err) : sink_write(sink, text->data, text->len, err);
    text->len = 0;
    return ok;
}

bool lanes_write(const struct lanes *lanes, const struct tracks *tracks,
                 const struct layout *layout, struct sink *sink, struct lanefix_error *err)
{
    struct buf text = {0};
    bool ok = true;
    for (size_t i = 0; ok && lanes->row && i < lanes->nrows; i++) {
        const struct track *track = &tracks->items[i];
        if (lanes->row[i] < 0)
            continue;
        add_sort_index(&text, layout, track->pid_text, track->tid_text, track, lanes->row[i]);
        ok = flush(&text, sink, err);
    }
    for (size_t i = 0; ok && i < lanes->n; i++) {
        uint32_t track = lanes->items[i].track;
        int32_t row = lanes->row ? lanes->row[track] : -1;
        add_lane_events(&text, layout, &lanes->items[i], &tracks->items[track], row);
        ok = flush(&text, sink, err);
    }
    buf_free(&text);
    return ok;
}
