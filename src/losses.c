#include "losses.h"

#include <stdlib.h>
#include <string.h>

/* Sets where losses[i] stands in the trace without the losses. */
static void place_in_view(struct losses *losses, size_t i)
{
    struct loss *loss = &losses->items[i];
    loss->view_off = loss->begin;
    loss->instead_nbytes = strlen(loss->instead);
    if (i) {
        const struct loss *before = loss - 1;
        loss->view_off = before->view_off + before->instead_nbytes + (loss->begin - before->end);
    }
}

/* Does one belong before another that was there first? What is put in goes before what is left out
 * at one place. */
static bool belongs_before(const struct loss *loss, const struct loss *other)
{
    return loss->begin < other->begin ||
           (loss->begin == other->begin && loss->end == loss->begin && other->end > other->begin);
}

bool losses_add(struct losses *losses, const struct loss *loss)
{
    struct loss *items = array_grow(losses->items, &losses->cap, losses->n + 1, sizeof *items);
    if (!items)
        return false;
    losses->items = items;
    size_t i = losses->n++;
    for (; i > 0 && belongs_before(loss, &items[i - 1]); i--)
        items[i] = items[i - 1];
    items[i] = *loss;
    for (; i < losses->n; i++)
        place_in_view(losses, i);
    return true;
}

const char *losses_text(struct losses *losses, struct buf *text)
{
    buf_add_char(text, 0);
    char **texts = array_grow(losses->texts, &losses->texts_cap, losses->ntexts + 1, sizeof *texts);
    if (texts)
        losses->texts = texts;
    if (!texts || text->failed)
        return NULL;
    texts[losses->ntexts++] = text->data;
    *text = (struct buf){0};
    return texts[losses->ntexts - 1];
}

void losses_free(struct losses *losses)
{
    for (size_t i = 0; i < losses->ntexts; i++)
        free(losses->texts[i]);
    free(losses->texts);
    free(losses->items);
    *losses = (struct losses){0};
}

bool losses_touch(const struct losses *losses, uint64_t begin, uint64_t end)
{
    for (size_t i = 0; i < losses->n; i++)
        if (losses->items[i].begin < end && losses->items[i].end > begin)
            return true;
    return false;
}

/* How many losses begin at or before a place of the trace without the losses. */
static size_t losses_until(const struct losses *losses, uint64_t off)
{
    size_t lo = 0, hi = losses->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (losses->items[mid].view_off <= off)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool losses_edit(struct losses *losses, uint64_t begin, uint64_t end, struct buf *text)
{
    size_t n = losses_until(losses, begin);
    struct loss *loss = n ? &losses->items[n - 1] : NULL;
    if (!loss || end > loss->view_off + loss->instead_nbytes)
        return false;
    struct buf whole = {0};
    buf_add(&whole, loss->instead, (size_t)(begin - loss->view_off));
    buf_add(&whole, text->data, text->len);
    buf_add_str(&whole, loss->instead + (end - loss->view_off));
    bool failed = text->failed;
    buf_free(text);
    const char *instead = losses_text(losses, &whole);
    buf_free(&whole);
    text->failed = failed || !instead;
    if (text->failed)
        return false;
    loss->instead = instead;
    for (size_t i = n - 1; i < losses->n; i++)
        place_in_view(losses, i);
    return true;
}

uint64_t losses_place(const struct losses *losses, uint64_t off)
{
    size_t lo = losses_until(losses, off);
    if (lo == 0)
        return off;
    const struct loss *loss = &losses->items[lo - 1];
    uint64_t behind = off - loss->view_off, instead = loss->instead_nbytes;
    return behind < instead || loss->end == UINT64_MAX ? loss->begin : loss->end + behind - instead;
}

/* Goes past what is lost. `room` is for n bytes that nobody wants. */
static bool skip(struct view *view, uint64_t end, view_fill *fill, void *context, char *room,
                 size_t n, struct lanefix_error *err)
{
    size_t got = 1;
    while (got && view->file_off < end) {
        uint64_t left = end - view->file_off;
        if (!fill(context, room, left < n ? (size_t)left : n, &got, err))
            return false;
        view->file_off += got;
    }
    return true;
}

/* As view_read, up to where the next loss begins or what is in its place ends. */
static bool read_piece(struct view *view, const struct losses *losses, view_fill *fill,
                       void *context, char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    while (view->next < losses->n) {
        const struct loss *loss = &losses->items[view->next];
        bool last = loss->end == UINT64_MAX;
        if (view->file_off < loss->begin) {
            uint64_t left = loss->begin - view->file_off;
            n = left < n ? (size_t)left : n;
            break;
        }
        if (!last && !skip(view, loss->end, fill, context, out, n, err))
            return false;
        size_t left = loss->instead_nbytes - view->given;
        *got = left < n ? left : n;
        memcpy(out, loss->instead + view->given, *got);
        view->given += *got;
        if (*got || last)
            return true;
        view->next++;
        view->given = 0;
    }
    bool ok = fill(context, out, n, got, err);
    if (ok)
        view->file_off += *got;
    return ok;
}

bool view_read(struct view *view, const struct losses *losses, view_fill *fill, void *context,
               char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    size_t piece = 1;
    for (*got = 0; *got < n && piece; *got += piece) /* many losses make no small reads */
        if (!read_piece(view, losses, fill, context, out + *got, n - *got, &piece, err))
            return false;
    return true;
}
