#include "salvage.h"

#include "cutter.h"
#include "salvage_parts.h"
#include "text.h"
#include "torn.h"

enum { RECOGNISED_NBYTES = 128 }; /* the viewer's */

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
    if (tried && s->mends && first == '{' && whole_quoted(s)) {
        s->resume = 0;
        s->unsure = false;
        return true;
    }
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

/* An element [s->pos, end) is whole. */
static void keep_element(struct salvage *s, int first, uint64_t end)
{
    if (s->mends && first != '{') {
        gap_leave_out(s, end);
        return;
    }
    /* It may end within one of its own strings: "name":"}]"}]" */
    if (s->mends && !whole_ends_before(s, end) && whole_quoted(s))
        return;
    if (s->mends && !quotes_learn(&s->quotes, look_text(s, s->pos), (size_t)(end - s->pos)))
        look_no_memory(s);
    gap_keep(s, s->pos, end);
    s->events += first == '{';
}

/* An event array, from behind its [ to behind its ]. Returns false if the rest is lost. */
static bool scan_array(struct salvage *s)
{
    const char *brackets = s->bare ? "\n]\n" : "\n]}\n";
    gap_begin(s);
    for (int first; (first = gap_next(s)) != ']' || (s->unsure && !whole_ends_before(s, s->pos));) {
        if (first < 0) {
            if (s->bare)
                gap_count(s, FINDING_NO_BRACKET, 1, s->pos);
            gap_lose_rest(s, s->pos, brackets, !s->bare);
            return false;
        }
        uint64_t reached = s->pos;
        bool tried = s->pos >= s->resume;
        enum run_result result = tried ? whole_element(s, first, &reached) : RUN_BROKEN;
        if (result == RUN_WHOLE) {
            keep_element(s, first, reached);
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

/* As look_skip_space, but to repair nothing is forgotten: a member is mended as a whole. */
static int skip_space(struct salvage *s)
{
    if (!s->mends)
        return look_skip_space(s);
    uint64_t at;
    int b = look_after_space(s, s->pos, &at);
    if (b >= 0)
        s->pos = at;
    return b;
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
        if (skip_space(s) == ':') {
            s->pos++;
            first = skip_space(s);
        }
    }
    *of_events = cutter_is_events_key(&key);
    if (key.failed)
        look_no_memory(s);
    buf_free(&key);
    return first;
}

/* A member [begin, end) of the outer object is mended as args are, or goes if it cannot be. */
static bool scan_whole_member(struct salvage *s, uint64_t begin, uint64_t end)
{
    struct buf mended = {0};
    size_t n = (size_t)(end - begin);
    enum mend_result result = mend_member(&s->mend, look_text(s, begin), n, &mended);
    if (result == MEND_CANNOT) {
        gap_broken(s, begin);
        s->pos = end;
    } else if (result != MEND_NO_MEMORY) {
        gap_keep(s, begin, end);
    }
    if (result == MEND_DONE) {
        const char *instead = losses_text(s->losses, &mended);
        if (instead)
            gap_replace(s, begin, end, instead);
        else
            result = MEND_NO_MEMORY;
        gap_count(s, FINDING_BAD_MEMBER, 1, begin);
    }
    buf_free(&mended);
    return result != MEND_NO_MEMORY || look_no_memory(s);
}

/* A member that has not the shape of JSON, but brackets that match, goes by itself. Returns false
 * if it is none such. */
static bool lose_member(struct salvage *s, uint64_t begin)
{
    uint64_t at, behind;
    int first = look_byte(s, s->pos);
    if (first != '{' && first != '[')
        return false;
    int b = look_brackets(s, CUTTER_MEMBER_MAX, &at) ? look_after_space(s, at, &behind) : -1;
    if (b != ',' && b != '}')
        return false;
    gap_broken(s, begin);
    s->pos = at;
    return true;
}

/* A member of the outer object that began at `begin`, from its value at s->pos on. Returns false if
 * it is broken. */
static bool scan_member(struct salvage *s, uint64_t begin)
{
    uint64_t end;
    if (s->mends && look_run(s, s->pos, SIZE_MAX, CUTTER_MEMBER_MAX, true, &end) == RUN_WHOLE)
        return scan_whole_member(s, begin, end);
    if (s->mends && lose_member(s, begin))
        return true;
    if (look_run(s, s->pos, SIZE_MAX, UINT64_MAX, false, &end) != RUN_WHOLE)
        return false;
    gap_keep(s, begin, end);
    return true;
}

/* The outer object, from behind its { to behind its }. Returns false if the rest is lost. */
static bool scan_object(struct salvage *s)
{
    gap_begin(s);
    for (int first; (first = gap_next(s)) != '}';) {
        bool of_events = false;
        uint64_t begin = s->pos;
        int value = first == '"' ? read_key(s, &of_events) : -1;
        if (value == '[' && of_events) {
            gap_keep(s, begin, s->pos + 1);
            if (!scan_array(s))
                return false;
        } else if (value < 0 || !scan_member(s, begin)) {
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

/* Is the trace that begins at s->pos, with its first bracket, behind so many blanks that the viewer
 * does not recognise it? It looks for {" or [{" in the first bytes. */
static bool is_far(struct salvage *s, uint64_t begin)
{
    uint64_t at = s->pos;
    int b = look_byte(s, at);
    if (b == '[')
        b = look_after_space(s, at + 1, &at);
    if (b == '{')
        look_after_space(s, at + 1, &at);
    return at - begin >= RECOGNISED_NBYTES;
}

/* Leaves out a byte order mark, and to repair the blanks that do harm. */
static void scan_start(struct salvage *s)
{
    uint64_t begin = look_byte(s, 0) == 0xEF ? 3 : 0; /* a mark, or pass one would have said what */
    s->pos = begin;
    s->bare = look_skip_space(s) == '[';
    uint64_t end = s->mends && is_far(s, begin) ? s->pos : begin;
    if (end) {
        gap_count(s, FINDING_START, 1, 0);
        gap_replace(s, 0, end, "");
    }
}

static void scan_trace(struct salvage *s)
{
    scan_start(s);
    s->pos++;
    if (!(s->bare ? scan_array(s) : scan_object(s)) || s->failed)
        return;
    if (look_skip_space(s) >= 0)
        gap_lose_rest(s, s->pos, "\n", true);
}

static bool any_counts(const struct losses *losses)
{
    for (size_t i = 0; i < losses->n; i++)
        if (losses->items[i].counts)
            return true;
    return false;
}

enum salvage_result salvage_scan(struct source *source, size_t chunk_nbytes,
                                 struct event_parser *parser, struct losses *losses,
                                 struct salvage_mends *mends, struct lanefix_error *err)
{
    struct salvage s = {.parser = parser, .losses = losses, .mends = mends, .err = err};
    quotes_init(&s.quotes);
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
    quotes_free(&s.quotes);
    mend_free(&s.mend);
    if (s.failed)
        return SALVAGE_ERROR;
    return s.events || (mends && !any_counts(losses)) ? SALVAGE_DONE : SALVAGE_NOTHING;
}
