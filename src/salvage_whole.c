#include "salvage_parts.h"

#include "torn.h"

/* Can the object [begin, end), which the window holds, be mended? */
static bool is_mendable(struct salvage *s, uint64_t begin, uint64_t end)
{
    finding_set found;
    size_t n = (size_t)(end - begin);
    enum mend_result result = mend_event(&s->mend, look_text(s, begin), n, NULL, &found);
    if (result == MEND_NO_MEMORY)
        return look_no_memory(s);
    return result != MEND_CANNOT;
}

/* Is the object [begin, end), which the window holds, an event that can be understood or, to
 * repair, mended? One that is not asked for its depth is no worse than others. */
static bool is_understood(struct salvage *s, uint64_t begin, uint64_t end)
{
    if (s->mends)
        return is_mendable(s, begin, end);
    const char *text = look_text(s, begin);
    size_t used, n = (size_t)(end - begin);
    struct event event;
    nest_begin(&s->nest);
    enum nest_result result = nest_run(&s->nest, text, n, &used);
    enum event_status status = EVENT_NO_MEMORY;
    struct outline outline = {0};
    if (result != NEST_NO_MEMORY) {
        outline = event_outline(&s->nest);
        status = event_parse(s->parser, text, n, &outline, &event);
    }
    if (status == EVENT_NO_MEMORY)
        return look_no_memory(s);
    return status == EVENT_OK || outline.too_deep;
}

enum run_result whole_element(struct salvage *s, int first, uint64_t *end)
{
    bool inside = s->pos < s->damaged_end;
    enum run_result result = look_run(s, s->pos, inside ? TORN_DEPTH_MAX : SIZE_MAX,
                                      inside ? TORN_NBYTES_MAX : EVENT_NBYTES_MAX, true, end);
    if (result != RUN_WHOLE)
        return result;
    if (s->unsure && !s->shape.has_ph)
        return RUN_BROKEN;
    if (first == '{')
        return is_understood(s, s->pos, *end) ? RUN_WHOLE : RUN_BROKEN;
    uint64_t at;
    int next = look_after_space(s, *end, &at);
    bool fits = next == ',' || next == ']' || next < 0 || (s->mends && next == '{');
    return fits ? RUN_WHOLE : RUN_BROKEN;
}

uint64_t whole_next(struct salvage *s, uint64_t from, uint64_t until)
{
    while (from < until && look_reach(s, from)) {
        look_forget(s, from);
        size_t at = torn_next(s->w.data, s->w.len, 0);
        from += at;
        if (at == s->w.len || from >= until)
            continue;
        look_forget(s, from);
        uint64_t end;
        bool whole = look_run(s, from, TORN_DEPTH_MAX, TORN_NBYTES_MAX, true, &end) == RUN_WHOLE;
        if (whole && s->shape.has_ph && is_understood(s, from, end)) {
            s->pos = from;
            return end;
        }
        from++; /* it may be args in which another event begins */
    }
    return 0;
}

bool whole_ends_before(struct salvage *s, uint64_t off)
{
    uint64_t at;
    int b = look_after_space(s, off, &at);
    if (b != ',' && b != ']')
        return false;
    int next = look_after_space(s, at + 1, &at);
    return next < 0 || (b == ',' ? next == '{' || next == ']' : next == ',' || next == '}');
}

/* May it look for an end, or has that been in vain too often? */
static bool may_look(const struct salvage *s)
{
    return s->vain_nbytes / VAIN_FACTOR <= s->pos + VAIN_NBYTES_MIN / VAIN_FACTOR;
}

/* Is there nothing behind an event that ends there? Then a bare array may have been cut. */
static bool ends_array(struct salvage *s, uint64_t off)
{
    uint64_t at;
    return s->bare && look_after_space(s, off, &at) < 0 && look_byte(s, at) < 0 && !s->failed;
}

uint64_t whole_end(struct salvage *s)
{
    uint64_t at;
    if (!may_look(s))
        return 0;
    if (look_brackets(s, RESUME_NBYTES_MAX, &at) && (whole_ends_before(s, at) || ends_array(s, at)))
        return at;
    s->vain_nbytes += at - s->pos;
    return 0;
}

bool whole_strange(struct salvage *s, uint64_t end)
{
    size_t at;
    const char *text = look_text(s, s->pos);
    enum torn_result torn = torn_find(text, (size_t)(end - s->pos), &at);
    if (torn == TORN_NO_MEMORY)
        return look_no_memory(s);
    if (torn == TORN_YES || !is_understood(s, s->pos, end))
        return false;
    gap_keep(s, s->pos, end);
    s->events++;
    return true;
}

bool whole_quoted(struct salvage *s)
{
    uint64_t begin = s->pos, limit = begin + QUOTES_NBYTES_MAX;
    if (!may_look(s))
        return false;
    bool at_end = !look_reach(s, limit - 1);
    if (s->failed)
        return false;
    const char *text = look_text(s, begin);
    size_t end, n = look_at_hand(s, begin, limit);
    if (begin >= s->learnt_end) { /* the first events may be the broken ones */
        s->learnt_end = begin + n;
        if (!quotes_learn_ahead(&s->quotes, text, n))
            return look_no_memory(s);
    }
    switch (quotes_find(&s->quotes, text, n, at_end, &end)) {
    case QUOTES_NO_MEMORY:
        return look_no_memory(s);
    case QUOTES_NONE:
        s->vain_nbytes += end;
        return false;
    case QUOTES_FOUND:
        break;
    }
    gap_keep(s, begin, begin + end);
    gap_count(s, FINDING_UNREAD, 1, begin);
    for (size_t i = 0; i < s->quotes.n; i++) {
        uint64_t place = begin + s->quotes.places[i];
        gap_replace(s, place, place, "\\");
    }
    s->events++;
    return true;
}
