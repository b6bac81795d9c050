#include "json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "text.h"
#include "viewer_time.h"

enum { NO_MORE = -1, FAILED = -2 };

bool json_reader_init(struct json_reader *r, struct source *source, size_t chunk_nbytes)
{
    *r = (struct json_reader){.source = source, .chunk_nbytes = chunk_nbytes};
    r->chunk = malloc(chunk_nbytes);
    return r->chunk != NULL;
}

void json_reader_free(struct json_reader *r)
{
    free(r->chunk);
    buf_free(&r->text);
    *r = (struct json_reader){0};
}

/* The source has failed. */
static int fail_source(struct lanefix_error *err)
{
    if (err->file == LANEFIX_FILE_INPUT)
        err->file = LANEFIX_FILE_REPORT;
    return FAILED;
}

bool json_reader_seek_array(struct json_reader *r, uint64_t off, struct lanefix_error *err)
{
    r->len = r->used = 0;
    r->off = off;
    r->at_end = false;
    r->state = JSON_STATE_FIRST_ELEMENT;
    r->depth = 2;
    r->objects = 2;
    if (source_rewind(r->source, err) && source_skip_to(r->source, off, err))
        return true;
    fail_source(err);
    return false;
}

/* The next byte, which stays; NO_MORE at the end, FAILED with *err filled. */
static int peek(struct json_reader *r, struct lanefix_error *err)
{
    if (r->used < r->len)
        return (unsigned char)r->chunk[r->used];
    if (r->at_end)
        return NO_MORE;
    r->off += r->len;
    r->len = r->used = 0;
    if (!source_read(r->source, r->chunk, r->chunk_nbytes, &r->len, err))
        return fail_source(err);
    r->at_end = r->len == 0;
    return r->at_end ? NO_MORE : (unsigned char)r->chunk[0];
}

/* What is next cannot be there. `next` is what peek gave. */
static enum json_token refuse(const struct json_reader *r, int next, struct lanefix_error *err)
{
    if (next == FAILED)
        return JSON_FAILED;
    fail_at(err, LANEFIX_ERR_REPORT,
            next == NO_MORE ? "the report ends too early" : "the report is no JSON",
            json_reader_off(r), LANEFIX_NOWHERE);
    err->file = LANEFIX_FILE_REPORT;
    return JSON_FAILED;
}

static void add_text(struct json_reader *r, const char *bytes, size_t n)
{
    if (r->text.len + n > JSON_TEXT_MAX)
        r->odd = true;
    else
        buf_add(&r->text, bytes, n);
}

static void add_character(struct json_reader *r, unsigned c)
{
    char byte = (char)c;
    if (c > 0xFF)
        r->odd = true;
    else
        add_text(r, &byte, 1);
}

/* The escape behind a backslash. */
static bool take_escape(struct json_reader *r, struct lanefix_error *err)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    char escape[6] = "\\u";
    int b = peek(r, err);
    const char *letter = b > 0 ? strchr(letters, b) : NULL;
    if (letter) {
        add_text(r, values + (letter - letters), 1);
        r->used++;
        return true;
    }
    if (b != 'u')
        return refuse(r, b, err);
    r->used++;
    for (size_t i = 2; i < sizeof escape; i++) {
        b = peek(r, err);
        if (b < 0 || !strchr("0123456789abcdefABCDEF", b) || !b)
            return refuse(r, b, err);
        escape[i] = (char)b;
        r->used++;
    }
    add_character(r, (unsigned)text_unicode_escape(escape, sizeof escape));
    return true;
}

/* A byte beyond ASCII, the first of a character: of two, if it is one up to U+00FF. */
static bool take_wide(struct json_reader *r, int first, struct lanefix_error *err)
{
    r->used++;
    if (first != 0xC2 && first != 0xC3) {
        r->odd = true;
        return true;
    }
    int b = peek(r, err);
    if (b == FAILED)
        return false;
    if (b < 0x80 || b > 0xBF) {
        r->odd = true;
        return true;
    }
    add_character(r, (unsigned)(first & 3) << 6 | (unsigned)(b & 0x3F));
    r->used++;
    return true;
}

/* From behind the opening quote to behind the closing one. */
static bool take_string(struct json_reader *r, struct lanefix_error *err)
{
    r->text.len = 0;
    r->odd = false;
    for (;;) {
        int b = peek(r, err);
        if (b < 0x20)
            return refuse(r, b, err);
        size_t begin = r->used;
        while (r->used < r->len && (b = (unsigned char)r->chunk[r->used]) >= 0x20 && b < 0x80 &&
               b != '"' && b != '\\')
            r->used++;
        add_text(r, r->chunk + begin, r->used - begin);
        if (r->used == r->len || b < 0x20)
            continue;
        if (b >= 0x80) {
            if (!take_wide(r, b, err))
                return false;
            continue;
        }
        r->used++;
        if (b == '"')
            return !r->text.failed || fail_memory(err);
        if (!take_escape(r, err))
            return false;
    }
}

/* A number, or true, false, null. */
static enum json_token take_bare(struct json_reader *r, struct lanefix_error *err)
{
    int b;
    r->text.len = 0;
    r->odd = false;
    while ((b = peek(r, err)) > ' ' && !strchr(",:]}[{\"", b)) {
        char c = (char)b;
        add_text(r, &c, 1);
        r->used++;
    }
    if (b == FAILED || r->text.failed)
        return b == FAILED ? JSON_FAILED : (enum json_token)fail_memory(err);
    if (!r->text.len)
        return refuse(r, b, err);
    bool number = r->odd || number_valid(r->text.data, r->text.len);
    if (!number && !text_is_literal(r->text.data, r->text.len))
        return refuse(r, b, err);
    r->state = JSON_STATE_AFTER;
    return number ? JSON_NUMBER : JSON_WORD;
}

static enum json_token open_bracket(struct json_reader *r, bool object, struct lanefix_error *err)
{
    if (r->depth == JSON_DEPTH_MAX)
        return refuse(r, '{', err);
    r->used++;
    r->depth++;
    r->objects = r->objects << 1 | object;
    r->state = object ? JSON_STATE_FIRST_KEY : JSON_STATE_FIRST_ELEMENT;
    return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token close_bracket(struct json_reader *r)
{
    bool object = r->objects & 1;
    r->used++;
    r->depth--;
    r->objects >>= 1;
    r->state = JSON_STATE_AFTER;
    return object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

/* Past white space. */
static int peek_token(struct json_reader *r, struct lanefix_error *err)
{
    int b;
    while ((b = peek(r, err)) >= 0 && text_is_space((char)b))
        r->used++;
    return b;
}

static enum json_token take_value(struct json_reader *r, int b, struct lanefix_error *err)
{
    if (b == '{' || b == '[')
        return open_bracket(r, b == '{', err);
    if (b != '"')
        return take_bare(r, err);
    r->used++;
    r->state = JSON_STATE_AFTER;
    return take_string(r, err) ? JSON_STRING : JSON_FAILED;
}

static enum json_token take_key(struct json_reader *r, int b, struct lanefix_error *err)
{
    if (b != '"')
        return refuse(r, b, err);
    r->used++;
    if (!take_string(r, err))
        return JSON_FAILED;
    b = peek_token(r, err);
    if (b != ':')
        return refuse(r, b, err);
    r->used++;
    r->state = JSON_STATE_VALUE;
    return JSON_KEY;
}

enum json_token json_reader_next(struct json_reader *r, struct lanefix_error *err)
{
    bool object = r->objects & 1;
    int b = peek_token(r, err);
    if (r->state == JSON_STATE_AFTER && !r->depth)
        return b == NO_MORE ? JSON_END : refuse(r, b, err);
    if (r->state == JSON_STATE_AFTER && b == ',') {
        r->used++;
        r->state = object ? JSON_STATE_KEY : JSON_STATE_VALUE;
        b = peek_token(r, err);
    } else if (r->state != JSON_STATE_VALUE && r->state != JSON_STATE_KEY &&
               b == (object ? '}' : ']')) {
        return close_bracket(r);
    }
    switch (r->state) {
    case JSON_STATE_AFTER:
        return refuse(r, b, err);
    case JSON_STATE_KEY:
    case JSON_STATE_FIRST_KEY:
        return take_key(r, b, err);
    default:
        return b < 0 ? refuse(r, b, err) : take_value(r, b, err);
    }
}

bool json_reader_skip(struct json_reader *r, enum json_token token, struct lanefix_error *err)
{
    unsigned depth = r->depth;
    if (token != JSON_OBJECT && token != JSON_ARRAY)
        return true;
    while (r->depth >= depth)
        if (json_reader_next(r, err) == JSON_FAILED)
            return false;
    return true;
}

bool json_reader_is(const struct json_reader *r, const char *text)
{
    size_t n = strlen(text);
    return !r->odd && r->text.len == n && memcmp(r->text.data, text, n) == 0;
}
