#include "salvage_parts.h"

#include "error.h"
#include "text.h"

bool look_failed(struct salvage *s)
{
    s->failed = true;
    return false;
}

bool look_no_memory(struct salvage *s)
{
    if (!s->failed)
        fail_memory(s->err);
    return look_failed(s);
}

bool look_reach(struct salvage *s, uint64_t off)
{
    while (!s->failed && off - s->w.off >= s->w.len) {
        if (s->w.at_end)
            return false;
        if (!window_more(&s->w, s->err))
            return look_failed(s);
    }
    return !s->failed;
}

int look_byte(struct salvage *s, uint64_t off)
{
    return look_reach(s, off) ? (unsigned char)s->w.data[off - s->w.off] : -1;
}

const char *look_text(const struct salvage *s, uint64_t off)
{
    return s->w.data + (off - s->w.off);
}

void look_forget(struct salvage *s, uint64_t off)
{
    if (!s->failed && !window_drop(&s->w, off, s->err))
        look_failed(s);
}

int look_after_space(struct salvage *s, uint64_t off, uint64_t *at)
{
    uint64_t begin = off;
    int b;
    while ((b = look_byte(s, off)) >= 0 && text_is_space((char)b))
        if (++off - begin > LOOK_AHEAD_NBYTES_MAX)
            break;
    *at = off;
    if (off - begin > LOOK_AHEAD_NBYTES_MAX)
        return -1;
    return b;
}

int look_skip_space(struct salvage *s)
{
    int b;
    while ((b = look_byte(s, s->pos)) >= 0 && text_is_space((char)b))
        if (++s->pos == s->w.off + s->w.len)
            look_forget(s, s->pos);
    look_forget(s, s->pos);
    return b;
}

size_t look_at_hand(const struct salvage *s, uint64_t at, uint64_t end)
{
    uint64_t have = s->w.len - (at - s->w.off);
    return (size_t)(have < end - at ? have : end - at);
}

enum run_result look_run(struct salvage *s, uint64_t from, size_t depth_max, uint64_t nbytes_max,
                         bool hold, uint64_t *end)
{
    enum shape_result result = SHAPE_MORE;
    uint64_t at = from, limit = nbytes_max < UINT64_MAX - from ? from + nbytes_max : UINT64_MAX;
    shape_begin(&s->shape, depth_max);
    while (result == SHAPE_MORE && at < limit && look_reach(s, at)) {
        size_t used, n = look_at_hand(s, at, limit);
        result = shape_run(&s->shape, look_text(s, at), n, &used);
        at += used;
        if (!hold)
            look_forget(s, at);
    }
    if (result == SHAPE_NO_MEMORY)
        look_no_memory(s);
    *end = at;
    if (result == SHAPE_MORE && at < limit)
        return RUN_CUT;
    return result == SHAPE_CLOSED ? RUN_WHOLE : RUN_BROKEN;
}

bool look_brackets(struct salvage *s, uint64_t nbytes_max, uint64_t *end)
{
    uint64_t at = s->pos, limit = s->pos + nbytes_max;
    enum nest_result result = NEST_MORE;
    nest_begin(&s->nest);
    while (result == NEST_MORE && at < limit && look_reach(s, at)) {
        size_t used, n = look_at_hand(s, at, limit);
        result = nest_run(&s->nest, look_text(s, at), n, &used);
        at += used;
    }
    if (result == NEST_NO_MEMORY)
        look_no_memory(s);
    *end = at;
    return result == NEST_CLOSED;
}
