#include "salvage.h"

#include "cutter.h"
#include "salvage_parts.h"
#include "text.h"
#include "torn.h"

/* Goes on behind a broken element at s->pos: keeps the next event, or goes to where the broken one
 * ends. Returns false if there is neither. The element was tried unless it is known to be a part of
 * a broken one. */
static bool recover(struct salvage *s, bool tried, int first, uint64_t reached)
{
    uint64_t begin = s->pos;
    if (tried) /* within one that is broken its end is not looked for again: it may be far */
        s->resume = first == '{' && begin >= s->damaged_end ? whole_end(s) : 0;
    if (tried && s->resume && !s->unsure && whole_strange(s, s->resume))
        return true;
    if (reached > s->damaged_end)
        s->damaged_end = reached;
    uint64_t until = s->resume ? s->resume : UINT64_MAX;
    uint64_t end = whole_next(s, begin + (tried && first == '{'), until);
    if (!end || s->pos != begin)
        gap_broken(s, begin);
    if (end) {
        gap_keep(s, s->pos, end);
        s->events++;
    } else if (s->resume) {
        s->pos = s->damaged_end = s->resume;
    }
    s->unsure = end != 0; /* else it was one by itself, and not torn */
    bool found = end || s->resume;
    if (end > s->resume) /* so that was not where it ends */
        s->resume = 0;
    return found;
}

/* An event array, from behind its [ to behind its ]. Returns false if the rest is lost. */
static bool scan_array(struct salvage *s)
{
    const char *brackets = s->bare ? "\n]\n" : "\n]}\n";
    gap_begin(s);
    for (int first; (first = gap_next(s)) != ']' || (s->unsure && !whole_ends_before(s, s->pos));) {
        if (first < 0) {
            gap_lose_rest(s, s->pos, brackets, !s->bare);
            return false;
        }
        uint64_t reached = s->pos;
        bool tried = s->pos >= s->resume;
        enum run_result result = tried ? whole_element(s, first, &reached) : RUN_BROKEN;
        if (result == RUN_WHOLE) {
            gap_keep(s, s->pos, reached);
            s->events += first == '{';
            s->unsure = false;
        } else if (!recover(s, tried, first, reached)) {
            gap_lose_rest(s, s->pos, brackets, true);
            return false;
        }
        if (s->failed)
            return false;
    }
    gap_end(s, s->pos);
    s->kept_end = ++s->pos;
    s->unsure = false;
    s->any_kept = true; /* in the outer object */
    return true;
}

/* Reads a key of the outer object at s->pos, and goes on to its value. Returns the first byte of
 * that, or -1 if it is none. */
static int read_key(struct salvage *s, bool *of_events)
{
    struct buf key = {0};
    uint64_t begin = s->pos, end;
    int first = -1;
    if (look_run(s, begin, 1, TORN_NBYTES_MAX, true, &end) == RUN_WHOLE) {
        text_unescape(&key, look_text(s, begin + 1), (size_t)(end - begin - 2));
        s->pos = end;
        if (look_skip_space(s) == ':') {
            s->pos++;
            first = look_skip_space(s);
        }
    }
    *of_events = cutter_is_events_key(&key);
    if (key.failed)
        look_no_memory(s);
    buf_free(&key);
    return first;
}

/* The outer object, from behind its { to behind its }. Returns false if the rest is lost. */
static bool scan_object(struct salvage *s)
{
    gap_begin(s);
    for (int first; (first = gap_next(s)) != '}';) {
        bool of_events = false;
        uint64_t begin = s->pos, end;
        int value = first == '"' ? read_key(s, &of_events) : -1;
        if (value == '[' && of_events) {
            gap_keep(s, begin, s->pos + 1);
            if (!scan_array(s))
                return false;
        } else if (value >= 0 &&
                   look_run(s, s->pos, SIZE_MAX, UINT64_MAX, false, &end) == RUN_WHOLE) {
            gap_keep(s, begin, end);
        } else {
            gap_lose_rest(s, begin, "\n}\n", true);
            return false;
        }
        if (s->failed)
            return false;
    }
    gap_end(s, s->pos);
    s->kept_end = ++s->pos;
    return true;
}

static void scan_trace(struct salvage *s)
{
    if (look_byte(s, 0) == 0xEF) { /* a byte order mark, or pass one would have said what it is */
        s->pos = 3;
        gap_add(s, 0, 3, "", false, 0);
    }
    s->bare = look_skip_space(s) == '[';
    s->pos++;
    if (!(s->bare ? scan_array(s) : scan_object(s)) || s->failed)
        return;
    if (look_skip_space(s) >= 0)
        gap_lose_rest(s, s->pos, "\n", true);
}

enum salvage_result salvage_scan(struct source *source, size_t chunk_nbytes,
                                 struct event_parser *parser, struct losses *losses,
                                 struct lanefix_error *err)
{
    struct salvage s = {.parser = parser, .losses = losses, .err = err};
    window_init(&s.w, source, chunk_nbytes);
    scan_trace(&s);
    if (source_broken(source) && !s.failed) {
        if (!losses->n || losses->items[losses->n - 1].end != UINT64_MAX)
            gap_lose_rest(&s, s.pos, "\n", true); /* it was complete, for all that is known */
        if (losses->n)
            losses->items[losses->n - 1].counts = true;
    }
    window_free(&s.w);
    shape_free(&s.shape);
    nest_free(&s.nest);
    return s.failed ? SALVAGE_ERROR : s.events ? SALVAGE_DONE : SALVAGE_NOTHING;
}
