/* What it takes to undo a run, for its report: the edits of pass two are in the trace without the
 * losses, the report has them in the trace as it was, and the losses among them.
 *
 * Both lists are gone through side by side. An edit of text that itself stands in the place of a
 * loss is an edit of what was lost; what touches becomes one edit. Of a loss there may be
 * gigabytes: what is longer than a piece becomes several edits, one behind the other. */
#include <stdlib.h>

#include "codec.h"
#include "error.h"
#include "run.h"

enum { PIECE_NBYTES = 1 << 16 };

struct composer {
    struct run *run;
    uint64_t view, off;        /* where we are in the trace without the losses, and as it was */
    size_t next, given;        /* the loss that is not behind, and how much of its `instead` is */
    bool lost;                 /* what it takes out is behind */
    uint64_t begin;            /* where the edit that is under way begins, */
    struct buf before, after;  /* and what it has */
    char *chunk;               /* of the input, if it is read again; */
    struct original *original; /* how much of it was */
};

/* Ends the edit that is under way, if there is one. */
static bool settle(struct composer *c)
{
    struct run *run = c->run;
    if (c->before.failed || c->after.failed)
        return fail_memory(run->err);
    if (!c->before.len && !c->after.len)
        return true;
    bool ok = report_json_edit(run->json, c->begin, c->before.data, c->before.len, c->after.data,
                               c->after.len, run->err);
    c->before.len = c->after.len = 0;
    c->begin = c->off;
    return ok;
}

/* All up to that place of the trace without the losses is the same. */
static bool keep_to(struct composer *c, uint64_t view)
{
    if (view == c->view)
        return true;
    c->off += view - c->view;
    c->view = view;
    bool ok = settle(c);
    c->begin = c->off;
    return ok;
}

static bool put(struct composer *c, struct buf *side, const char *bytes, size_t n)
{
    while (n) {
        size_t room = PIECE_NBYTES - side->len, some = n < room ? n : room;
        buf_add(side, bytes, some);
        if (side == &c->before)
            c->off += some;
        bytes += some;
        n -= some;
        if ((side->len == PIECE_NBYTES || side->failed) && !settle(c))
            return false;
    }
    return true;
}

/* Reads the input up to an offset, or its end; with `lost`, what is read was lost. */
static bool read_to(struct composer *c, uint64_t end, bool lost)
{
    struct run *run = c->run;
    struct original *original = c->original;
    size_t got = 1;
    while (got && original->nbytes < end) {
        uint64_t left = end - original->nbytes;
        size_t n = left < run->chunk_nbytes ? (size_t)left : run->chunk_nbytes;
        if (!source_read(run->source, c->chunk, n, &got, run->err))
            return false;
        original->crc = codec_crc(original->crc, c->chunk, got);
        original->nbytes += got;
        if (lost && !put(c, &c->before, c->chunk, got))
            return false;
    }
    return got || end == UINT64_MAX || fail_changed(run->err, original->nbytes);
}

/* The next loss that begins before that place; NULL if there is none. What it takes out is noted.
 */
static const struct loss *begin_loss(struct composer *c, uint64_t view, bool *ok)
{
    const struct losses *losses = &c->run->losses;
    const struct loss *loss = c->next < losses->n ? &losses->items[c->next] : NULL;
    *ok = true;
    if (!loss || loss->view_off >= view)
        return NULL;
    if (!c->lost)
        *ok = keep_to(c, loss->view_off) && read_to(c, loss->begin, false) &&
              read_to(c, loss->end, true);
    c->lost = true;
    return loss;
}

/* The next n bytes of what stands in the place of the loss are behind. */
static void pass_instead(struct composer *c, const struct loss *loss, size_t n)
{
    c->view += n;
    c->given += n;
    if (c->given < loss->instead_nbytes)
        return;
    c->next++;
    c->given = 0;
    c->lost = false;
}

/* Goes to that place of the trace without the losses, where the next edit of pass two is. */
static bool go_to(struct composer *c, uint64_t view)
{
    bool ok;
    for (const struct loss *loss; (loss = begin_loss(c, view, &ok));) {
        uint64_t left = view - c->view;
        size_t rest = loss->instead_nbytes - c->given, n = left < rest ? (size_t)left : rest;
        if (!ok || !put(c, &c->after, loss->instead + c->given, n))
            return false;
        pass_instead(c, loss, n);
        if (n < rest)
            return true;
    }
    return view == UINT64_MAX ? settle(c) : keep_to(c, view);
}

/* The edit takes out n bytes: of the input, or of what stands in the place of a loss. */
static bool take_out(struct composer *c, const char *bytes, size_t n)
{
    bool ok;
    while (n) {
        const struct loss *loss = begin_loss(c, c->view + 1, &ok);
        if (!ok)
            return false;
        if (loss) {
            size_t rest = loss->instead_nbytes - c->given, some = n < rest ? n : rest;
            pass_instead(c, loss, some);
            bytes += some;
            n -= some;
            continue;
        }
        const struct losses *losses = &c->run->losses;
        uint64_t plain = c->next < losses->n ? losses->items[c->next].view_off - c->view : n;
        size_t some = plain < n ? (size_t)plain : n;
        if (!put(c, &c->before, bytes, some))
            return false;
        c->view += some;
        bytes += some;
        n -= some;
    }
    return true;
}

static bool compose_note(struct composer *c, const struct edit_note *note)
{
    struct run *run = c->run;
    uint64_t after = note->after_nbytes, all = after + note->before_nbytes;
    if (!go_to(c, note->off))
        return false;
    size_t n;
    for (uint64_t done = 0; done < all; done += n) {
        uint64_t most = done < after ? after - done : all - done;
        const char *bytes = edit_log_take(run->edits, most, &n, run->err);
        if (!bytes || !(done < after ? put(c, &c->after, bytes, n) : take_out(c, bytes, n)))
            return false;
    }
    return true;
}

static bool compose(struct composer *c)
{
    struct run *run = c->run;
    struct edit_note note;
    do {
        if (!edit_log_next(run->edits, &note, run->err))
            return false;
        if (note.off != UINT64_MAX && !compose_note(c, &note))
            return false;
    } while (note.off != UINT64_MAX);
    return go_to(c, UINT64_MAX);
}

/* Makes ready to read the input once more, as it is. */
static bool begin_again(struct composer *c)
{
    struct run *run = c->run;
    *c->original = (struct original){0};
    c->chunk = malloc(run->chunk_nbytes);
    if (!c->chunk)
        return fail_memory(run->err);
    if (!source_rewind(run->source, run->err))
        return false;
    source_leave_out(run->source, NULL);
    return true;
}

bool report_edits(struct run *run)
{
    if (!run->edits)
        return report_json_no_edits(run->json, run->err);
    struct composer c = {.run = run, .original = &run->original};
    bool again = run->losses.n || !run->original.known;
    bool ok = report_json_begin_edits(run->json, run->err) && (!again || begin_again(&c)) &&
              edit_log_rewind(run->edits, run->err) && compose(&c) &&
              (!again || read_to(&c, UINT64_MAX, false));
    if (ok && again && !source_unchanged(run->source))
        ok = fail_changed(run->err, LANEFIX_NOWHERE);
    ok = ok && report_json_original(run->json, run->original.nbytes, run->original.crc, run->err);
    buf_free(&c.before);
    buf_free(&c.after);
    free(c.chunk);
    return ok;
}
