#include "window.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "error.h"

void window_init(struct window *w, struct source *source, size_t chunk_nbytes)
{
    *w = (struct window){.source = source, .chunk_nbytes = chunk_nbytes};
}

void window_free(struct window *w)
{
    free(w->buffer);
    *w = (struct window){0};
}

bool window_drop(struct window *w, uint64_t off, struct lanefix_error *err)
{
    if (off <= w->off)
        return true;
    uint64_t gone = off - w->off;
    w->off = off;
    if (gone <= w->len) {
        w->len -= (size_t)gone;
        w->data += gone;
        return true;
    }
    w->len = 0;
    return source_skip_to(w->source, off, err);
}

bool window_more(struct window *w, struct lanefix_error *err)
{
    if (w->len && w->data != w->buffer)
        memmove(w->buffer, w->data, w->len); /* here, so once a piece and not once a drop */
    char *buffer = array_grow(w->buffer, &w->cap, w->len + w->chunk_nbytes, 1);
    if (!buffer)
        return fail_memory(err);
    w->buffer = w->data = buffer;
    size_t got;
    if (!source_read(w->source, w->data + w->len, w->chunk_nbytes, &got, err))
        return false;
    w->len += got;
    w->at_end = got == 0;
    return true;
}
