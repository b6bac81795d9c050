#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
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
        items[lanes->n++] = (struct lane_id){track_id, lane, id.number, raw.data};
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

bool lanes_arrange(struct lanes *lanes, const struct tracks *tracks)
{
    size_t ntracks = tracks->n;
    if (!lanes->n)
        return true;
    track_ptr *rows = malloc(ntracks * sizeof(track_ptr));
    bool *has_lane = calloc(ntracks, sizeof *has_lane);
    lanes->row = malloc(ntracks * sizeof *lanes->row);
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
    char room[LANE_ROOM];
    const char *tid_text = lane_tid(lane, room);
    begin_metadata(out, layout, "thread_name", track->pid_text, tid_text, "name");
    buf_add_char(out, '"');
    lane_name(out, track, lane->lane);
    buf_add_str(out, "\"}}");
    if (row >= 0 || track->sort_index)
        add_sort_index(out, layout, track->pid_text, tid_text, track, row);
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
    for (size_t i = 0; ok && lanes->row && i < tracks->n; i++) {
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
