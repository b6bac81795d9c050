#include "cutter.h"

#include <string.h>

#include "error.h"
#include "event.h"
#include "text.h"
#include "torn.h"

#define EVENTS_KEY "traceEvents"
enum {
    KEY_MAX = 6 * sizeof CUTTER_BASE_KEY, /* every letter as \uXXXX, and the quotes */
    BASE_NBYTES_MAX = 64,
    BLANKS_MAX = 126,           /* before the trace, for the viewer to recognise it */
    TORN_CHECK_NBYTES = 1 << 20 /* a torn event may go on to the end of the trace: one that is as
                                   long as this is looked at, and again when it is twice that */
};

static const char BRACKET_MESSAGE[] = "this bracket does not match the one that it closes";

/* Ends a bare word such as a number: what can come next in the outer JSON. */
static bool ends_word(char c)
{
    return text_is_space(c) || c == ',' || c == ':' || c == '"' || c == '{' || c == '}' ||
           c == '[' || c == ']';
}

static bool is_key(const struct buf *key, const char *name)
{
    return key->data && key->len == strlen(name) && memcmp(key->data, name, key->len) == 0;
}

bool cutter_is_events_key(const struct buf *key)
{
    return is_key(key, EVENTS_KEY);
}

void cutter_init(struct cutter *c)
{
    *c = (struct cutter){.state = CUTTER_START};
}

void cutter_resume(struct cutter *c, uint64_t off, uint64_t event)
{
    c->state = CUTTER_ELEMENT;
    c->any_array = true;
    c->last = c->last_member = CUTTER_LAST_NOTHING;
    c->pos = c->keep = c->gap_off = off;
    c->events = event;
}

void cutter_free(struct cutter *c)
{
    nest_free(&c->nest);
    buf_free(&c->key);
    buf_free(&c->base);
}

static enum cut_result error_at(struct cutter *c, enum lanefix_status code, const char *message)
{
    fail_at(&c->error, code, message, c->pos, c->events);
    return CUT_ERROR;
}

/* Something at this place should not be there. */
static void note(struct cutter *c, enum finding_kind kind)
{
    struct cutter_note *n = &c->notes[kind - CUTTER_NOTES_BEGIN];
    if (n->count++)
        return;
    n->off = c->pos;
    n->event = c->events;
}

/* Runs on in an event or other value. */
static enum cut_result run_nest(struct cutter *c, const char *p, size_t len, bool *closed)
{
    size_t used;
    enum nest_result result = nest_run(&c->nest, p, len, &used);
    c->pos += used;
    *closed = result == NEST_CLOSED;
    if (result == NEST_NO_MEMORY)
        return error_at(c, LANEFIX_ERR_NO_MEMORY, "out of memory");
    if (result == NEST_MISMATCH)
        return error_at(c, LANEFIX_ERR_BRACKET, BRACKET_MESSAGE);
    return CUT_MORE;
}

/* Begins a value that is no event, at the byte `b`. */
static void begin_skip(struct cutter *c, char b, enum cutter_state after)
{
    c->after = after;
    if (b == '{' || b == '[' || b == '"') {
        nest_begin(&c->nest);
        c->state = CUTTER_SKIP;
    } else {
        c->state = CUTTER_WORD;
        c->pos++;
    }
}

/* A value that is no event has ended. Returns CUT_MORE, or CUT_MEMBER if that is to be given. */
static enum cut_result end_skip(struct cutter *c, struct cut *cut)
{
    c->state = c->after;
    if (c->in_base)
        c->base_end = c->pos;
    c->in_base = false;
    uint64_t len = c->pos - c->member_off;
    if (!c->members || c->after != CUTTER_KEY || len > CUTTER_MEMBER_MAX)
        return CUT_MORE;
    *cut = (struct cut){.off = c->member_off, .len = (uint32_t)len};
    c->keep = c->pos;
    return CUT_MEMBER;
}

static void begin_array(struct cutter *c)
{
    c->any_array = true;
    c->state = CUTTER_ELEMENT;
    c->last = CUTTER_LAST_NOTHING;
    c->gap_off = ++c->pos;
}

/* A comma, an element (or key), or the end of an array (or object), after what was last in it. */
static void note_comma(struct cutter *c, enum cutter_last *last)
{
    if (*last != CUTTER_LAST_ELEMENT)
        note(c, FINDING_COMMAS);
    *last = CUTTER_LAST_COMMA;
}

static void note_element(struct cutter *c, enum cutter_last *last)
{
    if (*last == CUTTER_LAST_ELEMENT)
        note(c, FINDING_NO_COMMA);
    *last = CUTTER_LAST_ELEMENT;
}

static void note_end(struct cutter *c, const enum cutter_last *last)
{
    if (*last == CUTTER_LAST_COMMA)
        note(c, FINDING_LAST_COMMA);
}

static enum cut_result step_start(struct cutter *c, char b)
{
    if (c->pos > BLANKS_MAX && !c->notes[FINDING_START - CUTTER_NOTES_BEGIN].count)
        note(c, FINDING_START);
    if (b == '[') {
        c->bare = true;
        begin_array(c);
    } else if (b == '{') {
        c->state = CUTTER_KEY;
        c->object_off = c->pos++;
    } else {
        return error_at(c, LANEFIX_ERR_FORMAT, "not a JSON trace: it begins with neither { nor [");
    }
    return CUT_MORE;
}

static enum cut_result step_key(struct cutter *c, char b)
{
    if (b == '}') {
        note_end(c, &c->last_member);
        c->state = CUTTER_DONE;
    } else if (b == '"') {
        note_element(c, &c->last_member);
        c->member_off = c->pos;
        c->state = CUTTER_IN_KEY;
        c->key.len = 0;
        nest_begin(&c->nest);
        return CUT_MORE;
    } else if (b == ',') {
        note_comma(c, &c->last_member);
    } else {
        return error_at(c, LANEFIX_ERR_SYNTAX, "expected a key of the outer object, or its }");
    }
    c->pos++;
    return CUT_MORE;
}

static enum cut_result step_value(struct cutter *c, char b)
{
    if (b == ',' || b == '}' || b == ']')
        return error_at(c, LANEFIX_ERR_SYNTAX, "expected a value in the outer object");
    if (b == '[' && cutter_is_events_key(&c->key)) {
        begin_array(c);
        return CUT_MORE;
    }
    c->in_base = is_key(&c->key, CUTTER_BASE_KEY);
    if (c->in_base) {
        c->base.len = 0;
        c->base_off = c->pos;
    }
    if (c->in_base && b != '"' && b != '{' && b != '[')
        buf_add_char(&c->base, b);
    begin_skip(c, b, CUTTER_KEY);
    return CUT_MORE;
}

static enum cut_result step_element(struct cutter *c, char b)
{
    bool control = (unsigned char)b < ' '; /* such as the zero bytes that a crash leaves */
    if (control || (c->pos == c->scalar_end && b != ',' && b != ']'))
        return error_at(c, LANEFIX_ERR_SYNTAX, "expected an element of the array, a comma or ]");
    switch (b) {
    case ']':
        note_end(c, &c->last);
        c->state = c->bare ? CUTTER_DONE : CUTTER_KEY;
        c->pos++;
        break;
    case '{':
        note_element(c, &c->last);
        c->state = CUTTER_EVENT_BODY;
        c->event_off = c->pos;
        c->torn_check = TORN_CHECK_NBYTES;
        nest_begin(&c->nest);
        break;
    case '}':
        return error_at(c, LANEFIX_ERR_BRACKET, BRACKET_MESSAGE);
    case ',':
        note_comma(c, &c->last);
        c->pos++;
        break;
    default:
        note(c, FINDING_NO_OBJECT);
        c->last = CUTTER_LAST_ELEMENT;
        begin_skip(c, b, CUTTER_ELEMENT);
    }
    return CUT_MORE;
}

/* One byte, no white space, outside of events and of values that are skipped. */
static enum cut_result step(struct cutter *c, char b)
{
    switch (c->state) {
    case CUTTER_START:
        return step_start(c, b);
    case CUTTER_KEY:
        return step_key(c, b);
    case CUTTER_COLON:
        if (b != ':')
            return error_at(c, LANEFIX_ERR_SYNTAX, "expected a : after a key of the outer object");
        c->state = CUTTER_VALUE;
        c->pos++;
        return CUT_MORE;
    case CUTTER_VALUE:
        return step_value(c, b);
    case CUTTER_ELEMENT:
        return step_element(c, b);
    default:
        return error_at(c, LANEFIX_ERR_TRAILING, "text after the end of the trace");
    }
}

/* Reads on in a key of the outer object; of a long one, only that it is long. */
static enum cut_result run_key(struct cutter *c, const char *p, size_t len)
{
    bool closed;
    uint64_t before = c->pos;
    enum cut_result result = run_nest(c, p, len, &closed);
    size_t n = (size_t)(c->pos - before);
    if (c->key.len <= KEY_MAX)
        buf_add(&c->key, p, n <= KEY_MAX ? n : KEY_MAX + 1);
    if (closed) {
        struct buf plain = {0};
        if (!c->key.failed) /* without its quotes; a long one lacks some of its end, no matter */
            text_unescape(&plain, c->key.data + 1, c->key.len - 2);
        plain.failed |= c->key.failed;
        buf_free(&c->key);
        c->key = plain;
        c->state = CUTTER_COLON;
    }
    if (c->key.failed)
        return error_at(c, LANEFIX_ERR_NO_MEMORY, "out of memory");
    return result;
}

/* Skips a byte order mark at the start. Returns false if it takes more bytes to tell. */
static bool skip_bom(struct cutter *c, const char *p, size_t n, bool at_end)
{
    static const char bom[] = "\xEF\xBB\xBF";
    if (c->pos != 0 || (n && memcmp(p, bom, n < 3 ? n : 3) != 0))
        return true;
    if (n >= 3) {
        note(c, FINDING_START);
        c->pos = 3;
    }
    return n >= 3 || at_end;
}

/* An event is whole: describes it. */
static enum cut_result cut_event(struct cutter *c, struct cut *cut)
{
    if (c->pos - c->event_off > EVENT_NBYTES_MAX) {
        c->pos = c->event_off;
        return error_at(c, LANEFIX_ERR_TOO_LARGE, "an event of more than 1 GiB");
    }
    *cut = (struct cut){.off = c->event_off,
                        .len = (uint32_t)(c->pos - c->event_off),
                        .gap_off = c->gap_off,
                        .nest = &c->nest};
    c->gap_off = c->keep = c->pos;
    c->events++;
    c->state = CUTTER_ELEMENT;
    return CUT_EVENT;
}

/* Has another event begun in the first n bytes of this one, which is not whole? Then, or without
 * memory, fills c->error. */
static bool is_torn(struct cutter *c, const char *event, uint64_t n)
{
    size_t at;
    enum torn_result result = torn_find(event, (size_t)n, &at);
    if (result == TORN_YES)
        fail_at(&c->error, LANEFIX_ERR_TORN, TORN_MESSAGE, c->event_off + at, c->events);
    if (result == TORN_NO_MEMORY)
        error_at(c, LANEFIX_ERR_NO_MEMORY, "out of memory");
    return result != TORN_NO;
}

/* Runs on in an event; the arguments are those of cutter_next. */
static enum cut_result run_event(struct cutter *c, const char *window, size_t len,
                                 uint64_t window_off, struct cut *cut)
{
    bool closed;
    size_t at = (size_t)(c->pos - window_off);
    enum cut_result result = run_nest(c, window + at, len - at, &closed);
    const char *event = window + (c->event_off - window_off);
    uint64_t n = c->pos - c->event_off;
    /* At fixed lengths, so that it is the same however the input is sliced */
    for (; c->torn_check <= n; c->torn_check *= 4)
        if (is_torn(c, event, c->torn_check))
            return CUT_ERROR;
    if (result == CUT_ERROR && c->error.code == LANEFIX_ERR_BRACKET)
        is_torn(c, event, n); /* which says more */
    return closed ? cut_event(c, cut) : result;
}

/* What must stay in the window: an event that is under way, and a short gap before the next one,
 * however the input is sliced. */
static void set_keep(struct cutter *c)
{
    bool skipping = c->state == CUTTER_SKIP || c->state == CUTTER_WORD;
    bool in_event = c->state == CUTTER_EVENT_BODY;
    bool in_member = c->state == CUTTER_IN_KEY || c->state == CUTTER_COLON ||
                     c->state == CUTTER_VALUE || (skipping && c->after == CUTTER_KEY);
    c->keep = in_event ? c->event_off : c->pos;
    if (c->members && in_member && c->pos - c->member_off <= CUTTER_MEMBER_MAX)
        c->keep = c->member_off;
    if (in_event || c->state == CUTTER_ELEMENT || (skipping && c->after == CUTTER_ELEMENT))
        if (c->keep - c->gap_off <= CUTTER_GAP_MAX)
            c->keep = c->gap_off;
}

/* The input ended. window as in cutter_next. */
static enum cut_result finish(struct cutter *c, const char *window, uint64_t window_off)
{
    switch (c->state) {
    case CUTTER_START:
        return error_at(c, LANEFIX_ERR_EMPTY, "the input is empty");
    case CUTTER_EVENT_BODY:
        if (is_torn(c, window + (c->event_off - window_off), c->pos - c->event_off))
            return CUT_ERROR;
        return error_at(c, LANEFIX_ERR_CUT_EVENT, "the input ends inside an event");
    case CUTTER_ELEMENT:
    case CUTTER_WORD:
        if (c->bare)
            return CUT_END;
        break;
    case CUTTER_SKIP:
        if (c->bare)
            return error_at(c, LANEFIX_ERR_CUT_EVENT,
                            "the input ends inside an element of the array");
        break;
    case CUTTER_DONE:
        if (c->any_array)
            return CUT_END;
        return error_at(c, LANEFIX_ERR_NO_EVENTS,
                        "no traceEvents array in this object: not a Chrome or Kineto trace");
    default:
        break;
    }
    return error_at(c, LANEFIX_ERR_CUT_OBJECT, "the input ends inside the outer object");
}

static enum cut_result run(struct cutter *c, const char *window, size_t len, uint64_t window_off,
                           struct cut *cut)
{
    enum cut_result result = CUT_MORE;
    while (result == CUT_MORE && c->pos - window_off < len) {
        uint64_t at = c->pos - window_off;
        char b = window[at];
        if (c->state == CUTTER_EVENT_BODY) {
            result = run_event(c, window, len, window_off, cut);
        } else if (c->state == CUTTER_SKIP) {
            bool closed;
            result = run_nest(c, window + at, len - at, &closed);
            if (closed)
                result = end_skip(c, cut);
            if (closed && c->nest.depth_max == 0) /* a string */
                c->scalar_end = c->pos;
        } else if (c->state == CUTTER_IN_KEY) {
            result = run_key(c, window + at, len - at);
        } else if (c->state == CUTTER_WORD) {
            if (ends_word(b)) {
                result = end_skip(c, cut);
                c->scalar_end = c->pos;
            } else {
                c->pos++;
                if (c->in_base && c->base.len < BASE_NBYTES_MAX)
                    buf_add_char(&c->base, b);
            }
        } else if (text_is_space(b)) {
            c->pos++;
        } else {
            result = step(c, b);
        }
    }
    return result;
}

enum cut_result cutter_next(struct cutter *c, const char *window, size_t len, uint64_t window_off,
                            bool at_end, struct cut *cut)
{
    if (!skip_bom(c, window, len, at_end))
        return CUT_MORE;
    enum cut_result result = run(c, window, len, window_off, cut);
    if (result != CUT_MORE)
        return result;
    set_keep(c);
    if (c->state == CUTTER_EVENT_BODY && c->pos - c->event_off > EVENT_NBYTES_MAX) {
        c->pos = c->event_off;
        return error_at(c, LANEFIX_ERR_TOO_LARGE, "an event of more than 1 GiB");
    }
    return at_end ? finish(c, window, window_off) : CUT_MORE;
}
