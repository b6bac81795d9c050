#include "salvage.h"

#include "cutter.h"
#include "error.h"
#include "text.h"
#include "torn.h"
#include "window.h"

enum {
    RESUME_NBYTES_MAX = 1 << 20,    /* how far the end of a broken event is looked for */
    LOOK_AHEAD_NBYTES_MAX = 1 << 16 /* of white space, for what may stand behind it */
};

struct scan {
    struct window w;
    struct event_parser *parser;
    struct losses *losses;
    struct lanefix_error *err;
    struct shape shape;
    struct nest nest;
    uint64_t pos;    /* the next byte to look at */
    uint64_t events; /* kept so far */
    /* The list that it is in, an event array or the outer object: */
    uint64_t kept_end;    /* what is kept of it so far ends here; */
    unsigned commas;      /* commas since then, */
    unsigned lost_commas; /* and before something else that stands there, */
    uint64_t lost_off;    /* and the place of that, if broken */
    /* Of the last broken element: */
    uint64_t resume;      /* where it ends, to judge by its brackets; 0 if that is not known */
    uint64_t damaged_end; /* where it stopped making sense */
    bool unsure;          /* it is torn, and what follows may still be a part of it */
    bool any_kept, broken;
    bool bare;
    bool failed; /* *err is filled */
};

static bool fail_scan(struct scan *s)
{
    s->failed = true;
    return false;
}

static bool fail_scan_memory(struct scan *s)
{
    if (!s->failed)
        fail_memory(s->err);
    return fail_scan(s);
}

/* Is there a byte at `off`? Reads as far as it takes, and keeps what is in the window. */
static bool reach(struct scan *s, uint64_t off)
{
    while (!s->failed && off - s->w.off >= s->w.len) {
        if (s->w.at_end)
            return false;
        if (!window_more(&s->w, s->err))
            return fail_scan(s);
    }
    return !s->failed;
}

/* The byte at `off`, as unsigned char; -1 at the end, or if the scan has failed. */
static int byte_at(struct scan *s, uint64_t off)
{
    return reach(s, off) ? (unsigned char)s->w.data[off - s->w.off] : -1;
}

static void forget_until(struct scan *s, uint64_t off)
{
    if (!s->failed && !window_drop(&s->w, off, s->err))
        fail_scan(s);
}

/* Looks ahead: the first byte from `off` on that is no white space, its place in *at; -1 as well if
 * there is too much of that. */
static int after_space(struct scan *s, uint64_t off, uint64_t *at)
{
    uint64_t begin = off;
    int b;
    while ((b = byte_at(s, off)) >= 0 && text_is_space((char)b))
        if (++off - begin > LOOK_AHEAD_NBYTES_MAX)
            return -1;
    *at = off;
    return b;
}

/* Goes on to the next byte that is no white space, and forgets what is before it. Returns it, or
 * -1. */
static int skip_space(struct scan *s)
{
    int b;
    while ((b = byte_at(s, s->pos)) >= 0 && text_is_space((char)b))
        if (++s->pos == s->w.off + s->w.len)
            forget_until(s, s->pos);
    forget_until(s, s->pos);
    return b;
}

/* Goes on to the next byte that is neither white space nor a comma. Returns it, or -1. */
static int next_token(struct scan *s)
{
    int b;
    while ((b = skip_space(s)) == ',') {
        s->commas++;
        s->pos++;
    }
    return b;
}

static void begin_list(struct scan *s)
{
    s->kept_end = s->pos;
    s->any_kept = s->broken = false;
    s->commas = 0;
}

static void add_loss(struct scan *s, uint64_t begin, uint64_t end, const char *instead, bool counts,
                     uint64_t nbytes)
{
    struct loss loss = {.begin = begin,
                        .end = end,
                        .instead = instead,
                        .counts = counts,
                        .off = s->lost_off,
                        .nbytes = nbytes,
                        .events = s->events};
    if (!s->failed && !losses_add(s->losses, &loss))
        fail_scan_memory(s);
}

/* Something that cannot be kept begins at `off`. */
static void note_broken(struct scan *s, uint64_t off)
{
    if (!s->broken) {
        s->lost_off = off;
        s->lost_commas = s->commas;
    }
    s->broken = true;
}

/* Makes what stands between what is kept and `off` what should stand there: so many commas. What
 * stands before a broken element stays if it will do. */
static void close_gap(struct scan *s, uint64_t off, unsigned commas)
{
    if (s->broken && s->lost_commas == commas)
        add_loss(s, s->lost_off, off, "", true, off - s->lost_off);
    else if (s->broken || s->commas != commas)
        add_loss(s, s->kept_end, off, commas ? ",\n" : "", s->broken,
                 s->broken ? off - s->lost_off : 0);
    s->broken = false;
    s->commas = 0;
}

/* An element or member is kept. */
static void keep(struct scan *s, uint64_t begin, uint64_t end)
{
    close_gap(s, begin, s->any_kept);
    s->kept_end = s->pos = end;
    s->any_kept = true;
}

/* All from `off` on is lost, and the separators before it; `brackets` close what is open. */
static void lose_rest(struct scan *s, uint64_t off, const char *brackets, bool counts)
{
    counts |= s->broken;
    note_broken(s, off);
    uint64_t end = off > s->w.off ? off : s->w.off;
    while (reach(s, end)) {
        end = s->w.off + s->w.len;
        forget_until(s, end);
    }
    add_loss(s, s->kept_end, UINT64_MAX, brackets, counts || end > off, end - s->lost_off);
}

/* How many bytes the window has from `at` on, of which none is asked for from `end` on. */
static size_t at_hand(const struct scan *s, uint64_t at, uint64_t end)
{
    uint64_t have = s->w.len - (at - s->w.off);
    return (size_t)(have < end - at ? have : end - at);
}

enum run_result { RUN_WHOLE, RUN_CUT, RUN_BROKEN };

/* Runs through the value at `from`; *end is where it ends or breaks. `hold` keeps it in the
 * window. */
static enum run_result run_value(struct scan *s, uint64_t from, size_t depth_max,
                                 uint64_t nbytes_max, bool hold, uint64_t *end)
{
    enum shape_result result = SHAPE_MORE;
    uint64_t at = from, limit = nbytes_max < UINT64_MAX - from ? from + nbytes_max : UINT64_MAX;
    shape_begin(&s->shape, depth_max);
    while (result == SHAPE_MORE && at < limit && reach(s, at)) {
        size_t used, n = at_hand(s, at, limit);
        result = shape_run(&s->shape, s->w.data + (at - s->w.off), n, &used);
        at += used;
        if (!hold)
            forget_until(s, at);
    }
    if (result == SHAPE_NO_MEMORY)
        fail_scan_memory(s);
    *end = at;
    if (result == SHAPE_MORE && at < limit)
        return RUN_CUT;
    return result == SHAPE_CLOSED ? RUN_WHOLE : RUN_BROKEN;
}

/* Is the object [begin, end), which the window holds and has the shape of JSON, an event that can
 * be understood? One that is not asked for its depth is no worse than others. */
static bool is_understood(struct scan *s, uint64_t begin, uint64_t end)
{
    const char *text = s->w.data + (begin - s->w.off);
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
        return fail_scan_memory(s);
    return status == EVENT_OK || outline.too_deep;
}

/* Is there an element at s->pos that can be kept? What may be a part of a broken one must be an
 * event, and within the limits. *end as of run_value. */
static enum run_result try_element(struct scan *s, int first, uint64_t *end)
{
    bool inside = s->pos < s->damaged_end;
    enum run_result result = run_value(s, s->pos, inside ? TORN_DEPTH_MAX : SIZE_MAX,
                                       inside ? TORN_NBYTES_MAX : EVENT_NBYTES_MAX, true, end);
    if (result != RUN_WHOLE)
        return result;
    if (s->unsure && !s->shape.has_ph)
        return RUN_BROKEN;
    if (first == '{')
        return is_understood(s, s->pos, *end) ? RUN_WHOLE : RUN_BROKEN;
    uint64_t at;
    int next = after_space(s, *end, &at);
    return next == ',' || next == ']' || next < 0 ? RUN_WHOLE : RUN_BROKEN;
}

/* The next event from `from` on that begins before `until`; s->pos is its place. Returns its end,
 * or 0 if there is none. */
static uint64_t find_event(struct scan *s, uint64_t from, uint64_t until)
{
    while (from < until && reach(s, from)) {
        forget_until(s, from);
        size_t at = torn_next(s->w.data, s->w.len, 0);
        from += at;
        if (at == s->w.len || from >= until)
            continue;
        forget_until(s, from);
        uint64_t end;
        bool whole = run_value(s, from, TORN_DEPTH_MAX, TORN_NBYTES_MAX, true, &end) == RUN_WHOLE;
        if (whole && s->shape.has_ph && is_understood(s, from, end)) {
            s->pos = from;
            return end;
        }
        from++; /* it may be args in which another event begins */
    }
    return 0;
}

/* May an event end before `off`, to judge by what follows: a comma and another one, or the end of
 * the array? */
static bool ends_before(struct scan *s, uint64_t off)
{
    uint64_t at;
    int b = after_space(s, off, &at);
    if (b != ',' && b != ']')
        return false;
    int next = after_space(s, at + 1, &at);
    return next < 0 || (b == ',' ? next == '{' || next == ']' : next == ',' || next == '}');
}

/* Where a broken event at s->pos ends to judge by its brackets, if what follows bears that out;
 * else 0. */
static uint64_t find_end(struct scan *s)
{
    uint64_t at = s->pos, limit = s->pos + RESUME_NBYTES_MAX;
    enum nest_result result = NEST_MORE;
    nest_begin(&s->nest);
    while (result == NEST_MORE && at < limit && reach(s, at)) {
        size_t used, n = at_hand(s, at, limit);
        result = nest_run(&s->nest, s->w.data + (at - s->w.off), n, &used);
        at += used;
    }
    if (result == NEST_NO_MEMORY)
        fail_scan_memory(s);
    return result == NEST_CLOSED && ends_before(s, at) ? at : 0;
}

/* Keeps an event [s->pos, end) that has not the shape of JSON, but is understood like any other and
 * not torn: what is wrong lies in its args, or is a bare word. Returns false if it is none. */
static bool keep_strange(struct scan *s, uint64_t end)
{
    size_t at;
    const char *text = s->w.data + (s->pos - s->w.off);
    enum torn_result torn = torn_find(text, (size_t)(end - s->pos), &at);
    if (torn == TORN_NO_MEMORY)
        return fail_scan_memory(s);
    if (torn == TORN_YES || !is_understood(s, s->pos, end))
        return false;
    keep(s, s->pos, end);
    s->events++;
    return true;
}

/* Goes on behind a broken element at s->pos: keeps the next event, or goes to where the broken one
 * ends. Returns false if there is neither. The element was tried unless it is known to be a part of
 * a broken one. */
static bool recover(struct scan *s, bool tried, int first, uint64_t reached)
{
    uint64_t begin = s->pos;
    if (tried) /* within one that is broken its end is not looked for again: it may be far */
        s->resume = first == '{' && begin >= s->damaged_end ? find_end(s) : 0;
    if (tried && s->resume && !s->unsure && keep_strange(s, s->resume))
        return true;
    if (reached > s->damaged_end)
        s->damaged_end = reached;
    uint64_t until = s->resume ? s->resume : UINT64_MAX;
    uint64_t end = find_event(s, begin + (tried && first == '{'), until);
    if (!end || s->pos != begin)
        note_broken(s, begin);
    if (end) {
        keep(s, s->pos, end);
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
static bool scan_array(struct scan *s)
{
    const char *brackets = s->bare ? "\n]\n" : "\n]}\n";
    begin_list(s);
    for (int first; (first = next_token(s)) != ']' || (s->unsure && !ends_before(s, s->pos));) {
        if (first < 0) {
            lose_rest(s, s->pos, brackets, !s->bare);
            return false;
        }
        uint64_t reached = s->pos;
        bool tried = s->pos >= s->resume;
        enum run_result result = tried ? try_element(s, first, &reached) : RUN_BROKEN;
        if (result == RUN_WHOLE) {
            keep(s, s->pos, reached);
            s->events += first == '{';
            s->unsure = false;
        } else if (!recover(s, tried, first, reached)) {
            lose_rest(s, s->pos, brackets, true);
            return false;
        }
        if (s->failed)
            return false;
    }
    close_gap(s, s->pos, 0);
    s->kept_end = ++s->pos;
    s->unsure = false;
    s->any_kept = true; /* in the outer object */
    return true;
}

/* Reads a key of the outer object at s->pos, and goes on to its value. Returns the first byte of
 * that, or -1 if it is none. */
static int read_key(struct scan *s, bool *of_events)
{
    struct buf key = {0};
    uint64_t begin = s->pos, end;
    int first = -1;
    if (run_value(s, begin, 1, TORN_NBYTES_MAX, true, &end) == RUN_WHOLE) {
        text_unescape(&key, s->w.data + (begin + 1 - s->w.off), (size_t)(end - begin - 2));
        s->pos = end;
        if (skip_space(s) == ':') {
            s->pos++;
            first = skip_space(s);
        }
    }
    *of_events = cutter_is_events_key(&key);
    if (key.failed)
        fail_scan_memory(s);
    buf_free(&key);
    return first;
}

/* The outer object, from behind its { to behind its }. Returns false if the rest is lost. */
static bool scan_object(struct scan *s)
{
    begin_list(s);
    for (int first; (first = next_token(s)) != '}';) {
        bool of_events = false;
        uint64_t begin = s->pos, end;
        int value = first == '"' ? read_key(s, &of_events) : -1;
        if (value == '[' && of_events) {
            keep(s, begin, s->pos + 1);
            if (!scan_array(s))
                return false;
        } else if (value >= 0 &&
                   run_value(s, s->pos, SIZE_MAX, UINT64_MAX, false, &end) == RUN_WHOLE) {
            keep(s, begin, end);
        } else {
            lose_rest(s, begin, "\n}\n", true);
            return false;
        }
        if (s->failed)
            return false;
    }
    close_gap(s, s->pos, 0);
    s->kept_end = ++s->pos;
    return true;
}

static void scan_trace(struct scan *s)
{
    if (byte_at(s, 0) == 0xEF) { /* a byte order mark, or pass one would have said what it is */
        s->pos = 3;
        add_loss(s, 0, 3, "", false, 0);
    }
    s->bare = skip_space(s) == '[';
    s->pos++;
    if (!(s->bare ? scan_array(s) : scan_object(s)) || s->failed)
        return;
    if (skip_space(s) >= 0)
        lose_rest(s, s->pos, "\n", true);
}

enum salvage_result salvage_scan(struct source *source, size_t chunk_nbytes,
                                 struct event_parser *parser, struct losses *losses,
                                 struct lanefix_error *err)
{
    struct scan s = {.parser = parser, .losses = losses, .err = err};
    window_init(&s.w, source, chunk_nbytes);
    scan_trace(&s);
    if (source_broken(source) && !s.failed) {
        if (!losses->n || losses->items[losses->n - 1].end != UINT64_MAX)
            lose_rest(&s, s.pos, "\n", true); /* it was complete, for all that is known */
        if (losses->n)
            losses->items[losses->n - 1].counts = true;
    }
    window_free(&s.w);
    shape_free(&s.shape);
    nest_free(&s.nest);
    return s.failed ? SALVAGE_ERROR : s.events ? SALVAGE_DONE : SALVAGE_NOTHING;
}
