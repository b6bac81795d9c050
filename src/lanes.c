#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "rows.h"
#include "sort.h"
#include "text.h"
#include "viewer_time.h"

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
    while (blank && text_is_space(gap[blank - 1]))
        blank--;
    size_t before = blank && gap[blank - 1] == ',' ? blank - 1 : 0;
    while (before && text_is_space(gap[before - 1]))
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
        free(lanes->items[i].string);
    free(lanes->items);
    free(lanes->first);
    free(lanes->row);
    free(lanes->taken);
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

/* A name or id as part of another one. Every lane has it again, so no more than a name may need. */
static void add_part(struct buf *out, const char *raw, size_t n)
{
    enum { PART_MAX = 4096 };
    size_t kept = text_cut(raw, n, PART_MAX);
    buf_add(out, raw, kept);
    if (kept < n)
        buf_add_str(out, TEXT_CUT_MARK);
}

static void add_tid(struct buf *out, const struct track *track)
{
    size_t n;
    bool quoted;
    const char *tid = tid_of(track, &n, &quoted);
    add_part(out, tid, n);
}

void lane_name(struct buf *out, const struct track *track, uint32_t lane)
{
    if (track->name && *track->name) {
        add_part(out, track->name, strlen(track->name));
    } else {
        buf_add_str(out, "tid ");
        add_tid(out, track);
    }
    buf_add_str(out, " lane ");
    buf_add_u64(out, lane);
}

/* The slot of a hash, or the free one where it would go. */
static size_t taken_slot(const struct lanes *lanes, uint64_t hash)
{
    size_t slot = (size_t)hash & (lanes->taken_size - 1);
    while (lanes->taken[slot] && lanes->taken[slot] != hash)
        slot = (slot + 1) & (lanes->taken_size - 1);
    return slot;
}

static bool is_taken(const struct lanes *lanes, const struct tracks *tracks,
                     const struct ident *pid, const struct ident *id)
{
    return tracks_has(tracks, pid, id) ||
           (lanes->taken_size && lanes->taken[taken_slot(lanes, tracks_hash(tracks, pid, id))]);
}

/* Keeps the table at most half full. */
static bool take(struct lanes *lanes, const struct tracks *tracks, const struct ident *pid,
                 const struct ident *id)
{
    if (2 * (lanes->n + 1) > lanes->taken_size) {
        struct lanes grown = {.taken_size = lanes->taken_size ? 2 * lanes->taken_size : 64};
        grown.taken = calloc(grown.taken_size, sizeof *grown.taken);
        if (!grown.taken)
            return false;
        for (size_t i = 0; i < lanes->taken_size; i++)
            if (lanes->taken[i])
                grown.taken[taken_slot(&grown, lanes->taken[i])] = lanes->taken[i];
        free(lanes->taken);
        lanes->taken = grown.taken;
        lanes->taken_size = grown.taken_size;
    }
    uint64_t hash = tracks_hash(tracks, pid, id);
    lanes->taken[taken_slot(lanes, hash)] = hash;
    return true;
}

/* tid * 1000 + lane, if the thread's tid is an integer and the id can be used; else 0. */
static uint32_t number_id(const struct lanes *lanes, const struct tracks *tracks,
                          const struct track *track, uint32_t lane)
{
    size_t n;
    bool quoted;
    int64_t whole = -1;
    const char *tid = tid_of(track, &n, &quoted);
    bool integer = !quoted && number_whole(tid, n, &whole) && !memchr(tid, '.', n) &&
                   !memchr(tid, 'e', n) && !memchr(tid, 'E', n);
    if (!integer || whole < 0 || whole > UINT32_MAX || whole * 1000 + lane > UINT32_MAX)
        return 0;
    struct ident id = {.number = (uint32_t)(whole * 1000 + lane)};
    bool free_id =
        ident_compare(&id, &track->pid) != 0 && !is_taken(lanes, tracks, &track->pid, &id);
    return free_id ? id.number : 0;
}

/* "TID lane N", or with #2, #3, ... where that is taken. `raw` gets it as JSON with its quotes, and
 * `plain`, to which *id points, what that stands for. */
static bool string_id(const struct lanes *lanes, const struct tracks *tracks,
                      const struct track *track, uint32_t lane, struct buf *raw, struct buf *plain,
                      struct ident *id)
{
    buf_add_char(raw, '"');
    add_tid(raw, track);
    buf_add_str(raw, " lane ");
    buf_add_u64(raw, lane);
    size_t len = raw->len;
    for (uint64_t suffix = 2; !raw->failed; suffix++) {
        plain->len = 0;
        text_unescape(plain, raw->data + 1, raw->len - 1);
        if (plain->failed)
            return false;
        *id = (struct ident){.string = plain->data, .len = (uint32_t)plain->len};
        if (!is_taken(lanes, tracks, &track->pid, id))
            break;
        raw->len = len;
        buf_add_str(raw, " #");
        buf_add_u64(raw, suffix);
    }
    buf_add(raw, "\"", 2); /* the final NUL as well */
    return !raw->failed;
}

static bool add_lane(struct lanes *lanes, const struct tracks *tracks, uint32_t track_id,
                     uint32_t lane)
{
    const struct track *track = &tracks->items[track_id];
    struct lane_id *items = array_grow(lanes->items, &lanes->cap, lanes->n + 1, sizeof *items);
    if (!items)
        return false;
    lanes->items = items;
    struct buf raw = {0}, plain = {0};
    struct ident id = {.number = number_id(lanes, tracks, track, lane)};
    bool ok = id.number || string_id(lanes, tracks, track, lane, &raw, &plain, &id);
    ok = ok && take(lanes, tracks, &track->pid, &id);
    if (ok)
        items[lanes->n++] = (struct lane_id){track_id, lane, id.number, raw.data, 0};
    else
        buf_free(&raw);
    buf_free(&plain);
    return ok;
}

bool lanes_add(struct lanes *lanes, const struct tracks *tracks, uint32_t track, uint32_t n)
{
    lanes->first[tracks->items[track].slices_rank] = (uint32_t)lanes->n;
    for (uint32_t lane = 1; lane <= n; lane++)
        if (!add_lane(lanes, tracks, track, lane))
            return false;
    return true;
}

const struct lane_id *lanes_get(const struct lanes *lanes, uint32_t rank, uint32_t lane)
{
    return &lanes->items[lanes->first[rank] + lane - 1];
}

const char *lane_tid(const struct lane_id *lane, char room[LANE_ROOM])
{
    if (lane->string)
        return lane->string;
    char *p = room + LANE_ROOM;
    *--p = 0;
    for (uint32_t left = lane->number; left; left /= 10)
        *--p = (char)('0' + left % 10);
    return p;
}

/* The row of a thread, of `track`, or of a lane. */
static struct row row_of(const struct track *track, const struct lane_id *lane)
{
    if (lane)
        return (struct row){
            .rank = ROW_NAMED, .number = !lane->string, .tid = lane->number, .lane = true};
    bool string = track->tid.string != NULL;
    return (struct row){.rank = ident_compare(&track->pid, &track->tid) == 0 ? ROW_MAIN
                                : track->name || string                      ? ROW_NAMED
                                                                             : ROW_UNNAMED,
                        .number = !string,
                        .tid = track->tid.number,
                        .fixed = track->sort_kind != SORT_NONE,
                        .sort_index = track->sort_index};
}

typedef const struct track *track_ptr;

/* By process; within it the order of the viewer's rows as the trace is (perfetto.md, Threads). It
 * is taken that strings come after numbers, in the order of their first events: the viewer numbers
 * them as it meets them. */
static bool track_less(const track_ptr *a, const track_ptr *b)
{
    const struct track *x = *a, *y = *b;
    int order = ident_compare(&x->pid, &y->pid);
    if (order)
        return order < 0;
    if (x->sort_index != y->sort_index)
        return x->sort_index < y->sort_index;
    struct row row_x = row_of(x, NULL), row_y = row_of(y, NULL);
    if (row_x.rank != row_y.rank)
        return row_x.rank < row_y.rank;
    if (!x->tid.string || !y->tid.string)
        return ident_compare(&x->tid, &y->tid) < 0;
    return x < y;
}

DEFINE_SORT(sort_tracks, track_ptr, track_less)

/* A track's lanes are those from items[*begin] on; none if *begin is *end. */
static void lanes_of(const struct lanes *lanes, const struct track *track, const struct tracks *t,
                     size_t *begin, size_t *end)
{
    *begin = *end = 0;
    if (track->slices_rank == TRACK_NO_SLICES)
        return;
    *begin = *end = lanes->first[track->slices_rank];
    while (*end < lanes->n && &t->items[lanes->items[*end].track] == track)
        ++*end;
}

/* The threads of one process that have a row, each followed by its lanes. Returns how many rows. */
static size_t put_rows(const struct lanes *lanes, const struct tracks *t, const track_ptr *threads,
                       size_t n, struct row *rows)
{
    size_t nrows = 0, begin, end;
    for (size_t i = 0; i < n; i++) {
        if (!threads[i]->drawn)
            continue;
        rows[nrows++] = row_of(threads[i], NULL);
        for (lanes_of(lanes, threads[i], t, &begin, &end); begin < end; begin++)
            rows[nrows++] = row_of(threads[i], &lanes->items[begin]);
    }
    return nrows;
}

/* Takes the sort indexes from the rows that put_rows has made. A string is written again as a
 * number, for viewers that pass over strings; to others the first one, the string, counts. */
static void take_rows(struct lanes *lanes, const struct tracks *t, const track_ptr *threads,
                      size_t n, const struct row *row)
{
    size_t begin, end;
    for (size_t i = 0; i < n; i++) {
        if (!threads[i]->drawn)
            continue;
        if (threads[i]->sort_kind != SORT_NUMBER)
            lanes->row[threads[i] - t->items] = row->sort_index;
        row++;
        for (lanes_of(lanes, threads[i], t, &begin, &end); begin < end; begin++)
            lanes->items[begin].sort_index = (row++)->sort_index;
    }
}

/* The threads of one process; nothing is done if it has no lane. */
static bool arrange_process(struct lanes *lanes, const struct tracks *t, const track_ptr *threads,
                            size_t n, struct row *rows)
{
    size_t nrows = put_rows(lanes, t, threads, n, rows), nlanes = 0;
    for (size_t i = 0; i < nrows; i++)
        nlanes += rows[i].lane;
    if (!nlanes)
        return true;
    if (!rows_arrange(rows, nrows))
        return false;
    take_rows(lanes, t, threads, n, rows);
    return true;
}

bool lanes_arrange(struct lanes *lanes, const struct tracks *t)
{
    size_t n = t->n;
    if (!lanes->n)
        return true;
    track_ptr *threads = malloc(n * sizeof(track_ptr));
    struct row *rows = malloc((n + lanes->n) * sizeof *rows);
    lanes->row = malloc(n * sizeof *lanes->row);
    bool ok = threads && rows && lanes->row;
    for (size_t i = 0; ok && i < n; i++) {
        threads[i] = &t->items[i];
        lanes->row[i] = LANES_NO_ROW;
    }
    if (ok)
        sort_tracks(threads, n);
    for (size_t i = 0, end; ok && i < n; i = end) {
        for (end = i + 1; end < n && ident_compare(&threads[end]->pid, &threads[i]->pid) == 0;)
            end++;
        ok = arrange_process(lanes, t, threads + i, end - i, rows);
    }
    free(threads);
    free(rows);
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
                           const char *tid_text, int64_t sort_index)
{
    begin_metadata(out, layout, "thread_sort_index", pid_text, tid_text, "sort_index");
    buf_add_i64(out, sort_index);
    buf_add_str(out, "}}");
}

static void add_lane_events(struct buf *out, const struct layout *layout,
                            const struct lane_id *lane, const struct track *track)
{
    char room[LANE_ROOM];
    const char *tid_text = lane_tid(lane, room);
    begin_metadata(out, layout, "thread_name", track->pid_text, tid_text, "name");
    buf_add_char(out, '"');
    lane_name(out, track, lane->lane);
    buf_add_str(out, "\"}}");
    add_sort_index(out, layout, track->pid_text, tid_text, lane->sort_index);
}

static bool flush(struct buf *text, struct sink *sink, struct edit_log *log, uint64_t off,
                  struct lanefix_error *err)
{
    bool ok = text->failed ? fail_memory(err) : sink_write(sink, text->data, text->len, err);
    ok = ok && (!log || edit_log_add(log, off, "", 0, text->data, text->len, err));
    text->len = 0;
    return ok;
}

bool lanes_write(const struct lanes *lanes, const struct tracks *tracks,
                 const struct layout *layout, struct sink *sink, struct edit_log *log, uint64_t off,
                 struct lanefix_error *err)
{
    struct buf text = {0};
    bool ok = true;
    for (size_t i = 0; ok && lanes->row && i < tracks->n; i++) {
        const struct track *track = &tracks->items[i];
        if (lanes->row[i] == LANES_NO_ROW)
            continue;
        add_sort_index(&text, layout, track->pid_text, track->tid_text, lanes->row[i]);
        ok = flush(&text, sink, log, off, err);
    }
    for (size_t i = 0; ok && i < lanes->n; i++) {
        const struct lane_id *lane = &lanes->items[i];
        add_lane_events(&text, layout, lane, &tracks->items[lane->track]);
        ok = flush(&text, sink, log, off, err);
    }
    buf_free(&text);
    return ok;
}
