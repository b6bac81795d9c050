/* Reads the whole input once. Of each event only what the plan needs is kept, never its text.
 *
 * The calling thread reads the input and cuts it into events, a batch at a time; the crew reads the
 * events of a batch (event.h), which is most of the work; the calling thread again takes what was
 * found into the index, batch by batch in the order of the file, so that nothing depends on how
 * many threads there are. The batches stand in a ring: one is filled anew once it is taken. */
#include <stdlib.h>

#include "batch.h"
#include "codec.h"
#include "error.h"
#include "flow.h"
#include "pictures.h"
#include "run.h"
#include "torn.h"

/* Of the text of batches on their way: one event may have a GiB, and there are many batches. */
enum { UNDER_WAY_NBYTES_MAX = 1 << 26 };

struct ring {
    struct batch *batches;
    size_t n;
    size_t filled, taken; /* batches so far; the one to fill next is filled % n */
};

/* Is anything but crossings wanted? */
static bool wants_findings(const struct run *run)
{
    return run->report->examine || !run->report->check;
}

/* In args and of flows and threads, too? */
static bool is_deep(const struct run *run)
{
    return run->report->examine && run->look_close;
}

/* Does the plan ask what kinds the slices are? */
static bool wants_kinds(const struct run *run)
{
    return run->kind_rules.kinds || run->kind_rules.nkeep;
}

/* Is the trace to be read once more at some events? */
static bool wants_marks(const struct run *run)
{
    return is_deep(run) || run->explain || pictures_wanted(run->options);
}

/* Two for each thread, so that none waits for the one that cuts. */
static bool ring_init(struct ring *ring, const struct run *run)
{
    size_t n = 2 * (size_t)crew_threads(run->crew);
    *ring = (struct ring){.batches = calloc(n, sizeof *ring->batches)};
    if (!ring->batches)
        return false;
    for (; ring->n < n; ring->n++) {
        struct batch *batch = &ring->batches[ring->n];
        if (!batch_init(batch, run->tracks.key))
            return false;
        if (wants_findings(run))
            batch_examine(batch, is_deep(run));
        if (wants_kinds(run))
            batch_note_kinds(batch, &run->kind_rules);
        if (run->repairing)
            batch_repair(batch, &run->rules);
        batch->query = run->explain ? &run->explain->query : NULL;
    }
    return true;
}

static void ring_free(struct ring *ring, struct crew *crew)
{
    for (; ring->taken < ring->filled; ring->taken++)
        crew_wait(crew, &ring->batches[ring->taken % ring->n].job);
    for (size_t i = 0; i < ring->n; i++)
        batch_free(&ring->batches[i]);
    free(ring->batches);
}

static bool too_large(struct run *run, uint64_t off, const char *message)
{
    return fail_at(run->err, LANEFIX_ERR_TOO_LARGE, message, off, run->report->totals.events);
}

/* What a track needs could not be had. */
static bool fail_track(struct run *run, const struct item *item)
{
    if (run->tracks.n >= TRACKS_MAX)
        return too_large(run, item->off, "more than 16 million threads");
    if (run->tracks.text_full)
        return too_large(run, item->off, "ids and names of threads of more than 1 GiB");
    return fail_memory(run->err);
}

/* May there be one more? */
static bool may_add_slice(struct run *run, const struct item *item)
{
    return run->index.nslices + run->index.nedges < INDEX_SLICES_MAX ||
           too_large(run, item->off, "more than 4 billion slices");
}

/* Of a slice, or of the B of one. Returns false if there is no memory. */
static bool note_kind(struct run *run, const struct item *item)
{
    return !wants_kinds(run) || kinds_add(&run->kinds, item->off, item->kind_byte);
}

static bool take_slice(struct run *run, uint32_t track, const struct item *item)
{
    if (!may_add_slice(run, item))
        return false;
    uint32_t rank = tracks_slices_rank(&run->tracks, track);
    run->tracks.items[track].drawn = true;
    return (rank != TRACK_NONE && note_kind(run, item) &&
            index_add_slice(&run->index, rank, item->start_ns, item->end_ns, item->off)) ||
           fail_memory(run->err);
}

/* Notes the thread of an event as it is meant. */
static bool note_ids(struct run *run, const char *text, const struct item *item)
{
    if (!run->ids || id_map_note(run->ids, text, &item->pid, &item->tid, item->on_thread, item->off,
                                 run->report->totals.events))
        return true;
    if (id_map_is_full(run->ids))
        return too_large(run, item->off, "more than 16 million threads, or their ids too long");
    return fail_memory(run->err);
}

/* A B, which gives its track a rank as a slice does, or an E. */
static bool take_edge(struct run *run, uint32_t track, const struct item *item)
{
    bool begins = item->kind == ITEM_BEGIN;
    if (!may_add_slice(run, item))
        return false;
    run->tracks.items[track].drawn = true;
    return ((!begins ||
             (tracks_slices_rank(&run->tracks, track) != TRACK_NONE && note_kind(run, item))) &&
            index_add_edge(&run->index, track, item->start_ns, begins, item->off, item->edge)) ||
           fail_memory(run->err);
}

/* An event that is understood. */
static bool take_event(struct run *run, const struct batch *batch, const struct item *item)
{
    const char *text = batch_text(batch, item);
    if (!note_ids(run, text, item))
        return false;
    uint32_t track = tracks_of_event(&run->tracks, text, &item->pid, &item->tid);
    if (track == TRACK_NONE)
        return fail_track(run, item);
    bool ok = true;
    switch (item->kind) {
    case ITEM_SLICE:
        return take_slice(run, track, item);
    case ITEM_BEGIN:
    case ITEM_END:
        return take_edge(run, track, item);
    case ITEM_FLOW:
        ok = index_add_flow(&run->index, track, item->start_ns, item->off, item->owner);
        break;
    case ITEM_THREAD:
        return tracks_note_metadata(&run->tracks, track, text, &batch->metadata[item->metadata]) ||
               fail_track(run, item);
    case ITEM_DRAWN:
        run->tracks.items[track].drawn = true;
        break;
    default:
        break;
    }
    return ok || fail_memory(run->err);
}

/* What is wrong with an event. Returns false if there is no memory. */
static bool take_found(struct run *run, const struct batch *batch, const struct item *item)
{
    finding_set found = item->found;
    size_t slot;
    if (item->starts_flow) {
        if (hash_table_first(&run->flow_ids, item->flow_hash, &slot) != HASH_TABLE_NONE)
            found |= FINDING_BIT(FINDING_FLOW_TWICE);
        else if (!hash_table_add(&run->flow_ids, item->flow_hash))
            return false;
    }
    return !found ||
           findings_add_set(&run->report->findings, found, losses_place(&run->losses, item->off),
                            run->report->totals.events, batch_text(batch, item), &item->name);
}

/* Waits for the oldest batch, and takes what was found in it into the index. */
static bool take_oldest(struct run *run, struct ring *ring)
{
    struct batch *batch = &ring->batches[ring->taken % ring->n];
    struct lanefix_totals *totals = &run->report->totals;
    crew_wait(run->crew, &batch->job);
    ring->taken++;
    ts_range_merge(&run->ts_range, &batch->ts_range);
    if (batch->no_memory || (wants_marks(run) && batch->nitems &&
                             !marks_add(&run->marks, batch->items[0].off, totals->events)))
        return fail_memory(run->err);
    for (size_t i = 0; i < batch->nitems; i++) {
        const struct item *item = &batch->items[i];
        run->unmendable |= item->unmendable;
        if (!take_found(run, batch, item) || !explain_note(run, item, totals->events))
            return fail_memory(run->err);
        if (item->kind == ITEM_TORN)
            return fail_at(run->err, LANEFIX_ERR_TORN, TORN_MESSAGE, item->off + item->torn_at,
                           totals->events);
        if (item->kind != ITEM_UNREAD && !take_event(run, batch, item))
            return false;
        if (item->kind == ITEM_UNREAD && totals->unread_events++ == 0) {
            totals->unread_offset = item->off;
            totals->unread_event = totals->events;
        }
        totals->events++;
    }
    if (ring->taken < ring->filled) /* else the next one begins with the end of its text */
        batch_shrink(batch);
    return true;
}

/* A whole event in the batch's text. */
static bool take_cut(struct run *run, struct batch *batch, const struct cut *cut, uint64_t event)
{
    if (cut->off > SLICE_OFF_MAX)
        return fail_at(run->err, LANEFIX_ERR_TOO_LARGE, "a trace of more than 1 TiB", cut->off,
                       event);
    const char *text = batch->text + (cut->off - batch->off);
    uint64_t gap_len = cut->off - cut->gap_off;
    bool gap_kept = gap_len <= CUTTER_GAP_MAX;
    run->events_end = cut->off + cut->len;
    return (layout_note(&run->layout, gap_kept ? text - gap_len : NULL, (size_t)gap_len, text,
                        cut->len) &&
            batch_add(batch, cut)) ||
           fail_memory(run->err);
}

/* A member of the outer object: is it JSON? */
static bool take_member(struct run *run, const struct batch *batch, const struct cut *cut,
                        uint64_t event)
{
    struct mend mend = {0};
    const char *text = batch->text + (cut->off - batch->off);
    enum mend_result result = mend_member(&mend, text, cut->len, NULL);
    if (result == MEND_DONE || result == MEND_CANNOT)
        findings_add(&run->report->findings, FINDING_BAD_MEMBER, 1,
                     losses_place(&run->losses, cut->off), event);
    mend_free(&mend);
    return result != MEND_NO_MEMORY || fail_memory(run->err);
}

static void note_original(struct original *original, const char *bytes, size_t n)
{
    if (!original->wanted)
        return;
    original->crc = codec_crc(original->crc, bytes, n);
    original->nbytes += n;
    original->known = n == 0;
}

/* Reads one more piece of the input into the batch; *at_end if there is none. */
static bool read_more(struct run *run, struct batch *batch, uint64_t keep, bool *at_end)
{
    size_t got;
    batch_drop(batch, keep);
    char *room = batch_room(batch, run->chunk_nbytes);
    if (!room)
        return fail_memory(run->err);
    if (!source_read(run->source, room, run->chunk_nbytes, &got, run->err))
        return false;
    note_original(&run->original, room, got);
    batch->len += got;
    *at_end = got == 0;
    return true;
}

/* Puts the next events into the batch: all that end in the piece of the input that is there, or in
 * a new one. *result is CUT_END with the last of them. */
static bool fill(struct run *run, struct batch *batch, struct cutter *cutter,
                 enum cut_result *result)
{
    bool at_end = false;
    struct cut cut;
    while (batch->nitems < BATCH_ITEMS_MAX) {
        *result = cutter_next(cutter, batch->text, batch->len, batch->off, at_end, &cut);
        switch (*result) {
        case CUT_MORE:
            if (batch->nitems)
                return true;
            if (!read_more(run, batch, cutter->keep, &at_end))
                return false;
            break;
        case CUT_EVENT:
            if (!take_cut(run, batch, &cut, cutter->events - 1))
                return false;
            break;
        case CUT_MEMBER:
            if (!take_member(run, batch, &cut, cutter->events))
                return false;
            break;
        case CUT_ERROR:
            *run->err = cutter->error;
            return false;
        case CUT_END:
            return true;
        }
    }
    return true;
}

/* Must a batch be taken before another one is filled? What they are repaired to is as long again as
 * their text, mostly; others are at work on it. */
static bool is_full(const struct ring *ring, bool repairing)
{
    size_t nbytes = 0;
    for (size_t i = ring->taken; i < ring->filled; i++)
        nbytes += ring->batches[i % ring->n].len << repairing;
    return ring->filled - ring->taken == ring->n || nbytes > UNDER_WAY_NBYTES_MAX;
}

static bool read_events(struct run *run, struct ring *ring, struct cutter *cutter)
{
    enum cut_result result = CUT_MORE;
    const struct batch *before = NULL;
    bool ok = true;
    while (ok && result != CUT_END) {
        struct batch *batch = &ring->batches[ring->filled % ring->n];
        while (is_full(ring, run->repairing))
            if (!take_oldest(run, ring))
                return false;
        ok = batch_begin(batch, before, cutter->keep) || fail_memory(run->err);
        if (before && ring->taken == ring->filled)
            batch_shrink(&ring->batches[(ring->filled - 1) % ring->n]);
        ok = ok && fill(run, batch, cutter, &result);
        run->size = batch->off + batch->len;
        before = batch;
        ring->filled++;
        crew_submit(run->crew, &batch->job, false);
    }
    while (ring->taken < ring->filled) /* what stands before an error may have one too: the first */
        if (!take_oldest(run, ring))
            return false;
    return ok;
}

/* What stands around the events and should not. */
static void take_notes(struct run *run, const struct cutter *cutter)
{
    if (!wants_findings(run))
        return;
    for (int kind = CUTTER_NOTES_BEGIN; kind < CUTTER_NOTES_END; kind++) {
        const struct cutter_note *note = &cutter->notes[kind - CUTTER_NOTES_BEGIN];
        if (note->count)
            findings_add(&run->report->findings, (enum finding_kind)kind, note->count,
                         losses_place(&run->losses, note->off), note->event);
    }
    if (run->unclosed && cutter->error.code == LANEFIX_OK)
        findings_add(&run->report->findings, FINDING_NO_BRACKET, 1,
                     losses_place(&run->losses, run->size), cutter->events);
}

/* What is around the events; the buffer changes its owner. */
static void take_outer(struct run *run, struct cutter *cutter)
{
    buf_free(&run->outer.base);
    run->outer = (struct outer){cutter->bare, cutter->object_off, cutter->base, cutter->base_off,
                                cutter->base_end};
    cutter->base = (struct buf){0};
}

bool pass_one(struct run *run)
{
    struct cutter cutter;
    struct ring ring;
    meter_begin(&run->meter, LANEFIX_STEP_READ);
    explain_begin_read(run);
    cutter_init(&cutter);
    cutter.members = is_deep(run);
    bool ready = ring_init(&ring, run);
    if (ready && is_deep(run))
        ready = (run->ids = id_map_new()) != NULL;
    bool ok = ready ? read_events(run, &ring, &cutter) : fail_memory(run->err);
    if (!ok && run->err->offset != LANEFIX_NOWHERE && run->err->event == LANEFIX_NOWHERE)
        run->err->event = cutter.events;
    run->unclosed = cutter.bare && cutter.state != CUTTER_DONE;
    take_notes(run, &cutter);
    take_outer(run, &cutter);
    run->report->totals.garbage_nbytes = source_garbage(run->source);
    ring_free(&ring, run->crew);
    cutter_free(&cutter);
    if (ok)
        meter_end(&run->meter);
    return ok;
}
