#include "cutter.h"

#include <string.h>

#include "error.h"
#include "event.h"
#include "text.h"

#define EVENTS_KEY "traceEvents"
enum { KEY_MAX = 6 * sizeof EVENTS_KEY }; /* every letter as \uXXXX */

static const char BRACKET_MESSAGE[] = "this bracket does not match the one that it closes";

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Ends a bare word such as a number: what can come next in the outer JSON. */
static bool ends_word(char c)
{
    return is_space(c) || c == ',' || c == ':' || c == '"' || c == '{' || c == '}' || c == '[' ||
           c == ']';
}

void cutter_init(struct cutter *c)
{
    *c = (struct cutter){.state = CUTTER_START};
}

void cutter_free(struct cutter *c)
{
    buf_free(&c->brackets);
    buf_free(&c->key);
}

static enum cut_result error_at(struct cutter *c, enum lanefix_status code, const char *message)
{
    fail_at(&c->error, code, message, c->pos, c->events);
    return CUT_ERROR;
}

static bool push_bracket(struct cutter *c, bool object)
{
    size_t byte = c->depth / 8, bit = c->depth % 8;
    if (byte == c->brackets.len)
        buf_add_char(&c->brackets, 0);
    if (c->brackets.failed)
        return false;
    unsigned bits = (unsigned char)c->brackets.data[byte] & ~(1u << bit);
    c->brackets.data[byte] = (char)(bits | (unsigned)object << bit);
    if (++c->depth > c->depth_seen)
        c->depth_seen = c->depth;
    return true;
}

/* Closes the innermost bracket; false if it is of the other kind. */
static bool pop_bracket(struct cutter *c, bool object)
{
    c->depth--;
    return (c->brackets.data[c->depth / 8] >> c->depth % 8 & 1) == object;
}

/* Runs through a string up to its closing quote. Returns where it stopped. */
static const char *skip_string(bool *escaped, bool *in_string, const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*escaped) {
            *escaped = false;
        } else if (*p == '\\') {
            *escaped = true;
        } else if (*p == '"') {
            *in_string = false;
            return p + 1;
        }
    }
    return p;
}

enum nested { NESTED_MORE, NESTED_CLOSED, NESTED_ERROR };

/* Runs on inside brackets or a string until both are closed. c->pos is kept. */
static enum nested run_nested(struct cutter *c, const char *window, size_t len, uint64_t window_off)
{
    const char *p = window + (c->pos - window_off), *end = window + len;
    enum nested result = NESTED_MORE;
    while (p < end && result == NESTED_MORE) {
        if (c->in_string) {
            p = skip_string(&c->escaped, &c->in_string, p, end);
            if (!c->in_string && !c->depth)
                result = NESTED_CLOSED;
            continue;
        }
        switch (*p) {
        case '"':
            c->in_string = true;
            break;
        case '{':
        case '[':
            if (!push_bracket(c, *p == '{'))
                result = NESTED_ERROR;
            break;
        case '}':
        case ']':
            if (!pop_bracket(c, *p == '}'))
                result = NESTED_ERROR;
            else if (!c->depth)
                result = NESTED_CLOSED;
            break;
        default:
            break;
        }
        p += result != NESTED_ERROR;
    }
    c->pos = window_off + (uint64_t)(p - window);
    return result;
}

static enum cut_result nested_error(struct cutter *c)
{
    if (c->brackets.failed)
        return error_at(c, LANEFIX_ERR_NO_MEMORY, "out of memory");
    return error_at(c, LANEFIX_ERR_BRACKET, BRACKET_MESSAGE);
}

/* Begins a value that is no event, at the byte `b`. */
static void begin_skip(struct cutter *c, char b, enum cutter_state after)
{
    c->after = after;
    c->depth = 0;
    if (b == '{' || b == '[' || b == '"') {
        c->state = CUTTER_SKIP;
    } else {
        c->state = CUTTER_WORD;
        c->pos++;
    }
}

static void begin_array(struct cutter *c)
{
    c->any_array = true;
    c->state = CUTTER_ELEMENT;
    c->gap_off = ++c->pos;
}

static enum cut_result step_start(struct cutter *c, char b)
{
    if (b == '[') {
        c->bare = true;
        begin_array(c);
    } else if (b == '{') {
        c->state = CUTTER_KEY;
        c->pos++;
    } else {
        return error_at(c, LANEFIX_ERR_FORMAT, "not a JSON trace: it begins with neither { nor [");
    }
    return CUT_MORE;
}

static enum cut_result step_key(struct cutter *c, char b)
{
    if (b == '}') {
        c->state = CUTTER_DONE;
    } else if (b == '"') {
        c->state = CUTTER_IN_KEY;
        c->in_string = true;
        c->key.len = 0;
    } else if (b != ',') {
        return error_at(c, LANEFIX_ERR_SYNTAX, "expected a key of the outer object, or its }");
    }
    c->pos++;
    return CUT_MORE;
}

static enum cut_result step_value(struct cutter *c, char b)
{
    if (b == ',' || b == '}' || b == ']')
        return error_at(c, LANEFIX_ERR_SYNTAX, "expected a value in the outer object");
    if (b == '[' && c->key.len == strlen(EVENTS_KEY) &&
        memcmp(c->key.data, EVENTS_KEY, c->key.len) == 0)
        begin_array(c);
    else
        begin_skip(c, b, CUTTER_KEY);
    return CUT_MORE;
}

static enum cut_result step_element(struct cutter *c, char b)
{
    switch (b) {
    case ']':
        c->state = c->bare ? CUTTER_DONE : CUTTER_KEY;
        c->pos++;
        break;
    case '{':
        c->state = CUTTER_EVENT_BODY;
        c->event_off = c->pos;
        c->depth = c->depth_seen = 0;
        break;
    case '}':
        return error_at(c, LANEFIX_ERR_BRACKET, BRACKET_MESSAGE);
    case ',':
        c->pos++;
        break;
    default:
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
static bool run_key(struct cutter *c, const char *window, size_t len, uint64_t window_off)
{
    const char *p = window + (c->pos - window_off);
    const char *next = skip_string(&c->escaped, &c->in_string, p, window + len);
    size_t n = (size_t)(next - p) - !c->in_string;
    if (c->key.len <= KEY_MAX)
        buf_add(&c->key, p, n < KEY_MAX ? n : KEY_MAX + 1);
    c->pos += (uint64_t)(next - p);
    if (c->in_string)
        return true;
    c->state = CUTTER_COLON;
    if (c->key.len && memchr(c->key.data, '\\', c->key.len)) {
        struct buf plain = {0};
        text_unescape(&plain, c->key.data, c->key.len);
        buf_free(&c->key);
        c->key = plain;
    }
    return !c->key.failed;
}

/* Skips a byte order mark at the start. Returns false if it takes more bytes to tell. */
static bool skip_bom(struct cutter *c, const char *p, size_t n, bool at_end)
{
    static const char bom[] = "\xEF\xBB\xBF";
    if (c->pos != 0 || (n && memcmp(p, bom, n < 3 ? n : 3) != 0))
        return true;
    if (n >= 3)
        c->pos = 3;
    return n >= 3 || at_end;
}

/* The input ended. */
static enum cut_result finish(struct cutter *c)
{
    switch (c->state) {
    case CUTTER_START:
        return error_at(c, LANEFIX_ERR_EMPTY, "the input is empty");
    case CUTTER_EVENT_BODY:
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

/* An event is whole: describes it. */
static enum cut_result cut_event(struct cutter *c, struct cut *cut)
{
    if (c->pos - c->event_off > EVENT_NBYTES_MAX) {
        c->pos = c->event_off;
        return error_at(c, LANEFIX_ERR_TOO_LARGE, "an event of more than 1 GiB");
    }
    *cut = (struct cut){.off = c->event_off,
                        .len = (uint32_t)(c->pos - c->event_off),
                        .depth = (uint32_t)c->depth_seen,
                        .gap_off = c->gap_off};
    c->gap_off = c->pos;
    c->events++;
    c->state = CUTTER_ELEMENT;
    return CUT_EVENT;
}

/* What must stay in the window: an event that is under way, and a short gap before the next one,
 * however the input is sliced. */
static void set_keep(struct cutter *c)
{
    bool skipping = c->state == CUTTER_SKIP || c->state == CUTTER_WORD;
    bool in_event = c->state == CUTTER_EVENT_BODY;
    c->keep = in_event ? c->event_off : c->pos;
    if (in_event || c->state == CUTTER_ELEMENT || (skipping && c->after == CUTTER_ELEMENT))
        if (c->keep - c->gap_off <= CUTTER_GAP_MAX)
            c->keep = c->gap_off;
}

static enum cut_result run(struct cutter *c, const char *window, size_t len, uint64_t window_off,
                           struct cut *cut)
{
    enum cut_result result = CUT_MORE;
    while (result == CUT_MORE && c->pos - window_off < len) {
        char b = window[c->pos - window_off];
        if (c->state == CUTTER_SKIP || c->state == CUTTER_EVENT_BODY) {
            enum nested nested = run_nested(c, window, len, window_off);
            if (nested == NESTED_ERROR)
                result = nested_error(c);
            else if (nested == NESTED_CLOSED && c->state == CUTTER_EVENT_BODY)
                result = cut_event(c, cut);
            else if (nested == NESTED_CLOSED)
                c->state = c->after;
        } else if (c->state == CUTTER_IN_KEY) {
            if (!run_key(c, window, len, window_off))
                result = error_at(c, LANEFIX_ERR_NO_MEMORY, "out of memory");
        } else if (c->state == CUTTER_WORD) {
            if (ends_word(b))
                c->state = c->after;
            else
                c->pos++;
        } else if (is_space(b)) {
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
    return at_end ? finish(c) : CUT_MORE;
}

size_t event_length(struct event_scan *seen, const char *text, size_t n)
{
    const char *p = text + seen->pos, *end = text + n;
    while (p < end) {
        if (seen->in_string) {
            p = skip_string(&seen->escaped, &seen->in_string, p, end);
            continue;
        }
        char b = *p++;
        if (b == '"') {
            seen->in_string = true;
        } else if (b == '{' || b == '[') {
            seen->depth++;
        } else if ((b == '}' || b == ']') && --seen->depth == 0) {
            return (size_t)(p - text);
        }
    }
    seen->pos = n;
    return 0;
}
