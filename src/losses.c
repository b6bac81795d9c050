#include "losses.h"

#include <stdlib.h>
#include <string.h>

bool losses_add(struct losses *losses, const struct loss *loss)
{
    struct loss *items = array_grow(losses->items, &losses->cap, losses->n + 1, sizeof *items);
    if (!items)
        return false;
    losses->items = items;
    struct loss *added = &items[losses->n++];
    *added = *loss;
    added->view_off = loss->begin;
    if (losses->n > 1) {
        const struct loss *before = added - 1;
        added->view_off = before->view_off + strlen(before->instead) + (loss->begin - before->end);
    }
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

uint64_t losses_place(const struct losses *losses, uint64_t off)
{
    size_t lo = 0, hi = losses->n; /* how many losses begin at or before it */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (losses->items[mid].view_off <= off)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return off;
    const struct loss *loss = &losses->items[lo - 1];
    uint64_t behind = off - loss->view_off, instead = strlen(loss->instead);
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
        size_t left = strlen(loss->instead) - view->given;
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
