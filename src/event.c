#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "examine.h"
#include "text.h"

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* else a flat object of many keys takes quadratic time */
/* The header belongs to the system: its own warnings are not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <jsmn.h>
#pragma GCC diagnostic pop

/* Tokens are few at a time, whatever the event: once they are used up, the members that are
 * complete are read and forgotten (fold). */
enum {
    TOKENS_MAX = 256,
    TOKENS_KEPT_MAX = TOKENS_MAX * 3 / 4,
    KEPT_NBYTES = 1 << 20, /* a larger copy of an event is given back */
    TOO_DEEP = -100        /* beside jsmn's errors */
};
_Static_assert(2 * EVENT_DEPTH_MAX + 1 < TOKENS_KEPT_MAX, "a key and a value for each level");

struct event_parser {
    jsmntok_t tokens[TOKENS_MAX];
    struct buf mended; /* a copy of an event without its bad escapes */
    struct nest nest;  /* of the args of an event */
    bool examine;
};

struct event_parser *event_parser_new(void)
{
    return calloc(1, sizeof(struct event_parser));
}

void event_parser_examine(struct event_parser *parser, bool examine)
{
    parser->examine = examine;
}

void event_parser_free(struct event_parser *parser)
{
    if (!parser)
        return;
    buf_free(&parser->mended);
    nest_free(&parser->nest);
    free(parser);
}

/* An object that is being read: an event, or the args of one. */
struct reader {
    struct event_parser *parser;
    jsmn_parser jsmn;
    const char *text;
    uint32_t off; /* of the text in the event's */
    bool of_args; /* of which two members are wanted, however the others look */
    bool examine; /* event->found is wanted; */
    bool escapes; /* there is a backslash in the text */
    struct event *event;
    struct value ph, args;
    bool bad; /* a member that is none */
};

static struct value value_of(const struct reader *r, const jsmntok_t *token)
{
    enum value_kind kind = token->type == JSMN_STRING      ? VALUE_STRING
                           : token->type == JSMN_PRIMITIVE ? VALUE_BARE
                                                           : VALUE_NESTED;
    return (struct value){kind, r->off + (uint32_t)token->start,
                          (uint32_t)(token->end - token->start)};
}

bool value_is(const char *text, const struct value *value, const char *string)
{
    return value->kind == VALUE_STRING && value->len == strlen(string) &&
           memcmp(text + value->off, string, value->len) == 0;
}

/* The field that a key of the event names, or NULL. */
static struct value *event_field(struct reader *r, const char *key, size_t n)
{
    struct event *event = r->event;
    switch (n) {
    case 2:
        return memcmp(key, "ph", n) == 0   ? &r->ph
               : memcmp(key, "ts", n) == 0 ? &event->ts
               : memcmp(key, "bp", n) == 0 ? &event->bp
               : memcmp(key, "id", n) == 0 ? &event->id
                                           : NULL;
    case 3:
        return memcmp(key, "dur", n) == 0   ? &event->dur
               : memcmp(key, "pid", n) == 0 ? &event->pid
               : memcmp(key, "tid", n) == 0 ? &event->tid
               : memcmp(key, "cat", n) == 0 ? &event->cat
               : memcmp(key, "tts", n) == 0 ? &event->tts
                                            : NULL;
    case 4:
        return memcmp(key, "name", n) == 0   ? &event->name
               : memcmp(key, "args", n) == 0 ? &r->args
               : memcmp(key, "tdur", n) == 0 ? &event->tdur
                                             : NULL;
    default:
        return NULL;
    }
}

static struct value *args_field(struct reader *r, const char *key, size_t n)
{
    return n == 4 && memcmp(key, "name", n) == 0          ? &r->event->arg_name
           : n == 10 && memcmp(key, "sort_index", n) == 0 ? &r->event->arg_sort_index
                                                          : NULL;
}

/* An own member of the event, or one of its args. */
static void take_member(struct reader *r, const jsmntok_t *key, const jsmntok_t *token)
{
    size_t n = (size_t)(key->end - key->start);
    const char *name = r->text + key->start;
    struct event *event = r->event;
    struct value *field = r->of_args ? args_field(r, name, n) : event_field(r, name, n);
    struct value value = value_of(r, token);
    if (field)
        *field = value;
    if (!r->examine || field == &event->ts || field == &event->dur)
        return;
    if (r->escapes)
        event->found |= examine_string(name, n);
    if (r->escapes && value.kind == VALUE_STRING)
        event->found |= examine_string(r->text + value.off, value.len);
    if (field == &event->tts || field == &event->tdur)
        event->found |= examine_clock(r->text, &value);
    else if (value.kind == VALUE_BARE)
        event->found |= examine_bare(r->text + value.off, value.len);
}

/* Reads the object's own members among the first `count` tokens, up to one that is to be kept. */
static void read_members(struct reader *r, int count, const bool keep[TOKENS_MAX])
{
    const jsmntok_t *tokens = r->parser->tokens;
    for (int i = 1; i < count && !r->bad && !keep[i];) {
        const jsmntok_t *key = &tokens[i], *value = &tokens[i + 1];
        bool member =
            key->parent == 0 && key->type == JSMN_STRING && i + 1 < count && value->parent == i;
        i++;
        if (member)
            take_member(r, key, value);
        if (r->of_args)
            continue;
        r->bad = !member || key->size != 1;
        for (i++; i < count && tokens[i].start < value->end; i++)
            ;
    }
}

/* Reads the members that are complete, and keeps only the tokens that jsmn will look at again: the
 * last one and those around it, of which the one that it is at is one. Returns false if that leaves
 * too little room. */
static bool fold(struct reader *r)
{
    jsmntok_t *tokens = r->parser->tokens;
    bool keep[TOKENS_MAX] = {true};
    int place[TOKENS_MAX] = {0}, count = (int)r->jsmn.toknext, kept = 0;
    for (int i = count - 1; i >= 0; i = tokens[i].parent)
        keep[i] = true;
    read_members(r, count, keep);
    for (int i = 0; i < count; i++) {
        if (!keep[i])
            continue;
        place[i] = kept;
        tokens[kept] = tokens[i];
        if (tokens[i].parent >= 0)
            tokens[kept].parent = place[tokens[i].parent];
        kept++;
    }
    if (r->jsmn.toksuper >= 0)
        r->jsmn.toksuper = place[r->jsmn.toksuper];
    r->jsmn.toknext = (unsigned)kept;
    return kept <= TOKENS_KEPT_MAX;
}

/* Lets jsmn run on to text[0, n). Returns 0 or its error.
 *
 * All of jsmn is inlined here and works on a parser whose address nobody has: only so can its place
 * in the text stay in a register, and that makes it twice as fast. */
__attribute__((flatten)) static int run_jsmn(struct reader *r, const char *text, size_t n)
{
    for (;;) {
        jsmn_parser local = r->jsmn;
        int count = jsmn_parse(&local, text, n, r->parser->tokens, TOKENS_MAX);
        r->jsmn = local;
        if (count != JSMN_ERROR_NOMEM)
            return count < 0 ? count : 0;
        if (!fold(r))
            return TOO_DEEP;
    }
}

/* Puts a token for a value in brackets where jsmn is, as if it had walked through. */
static bool skip_value(struct reader *r, const char *text, struct span span)
{
    jsmntok_t *tokens = r->parser->tokens;
    if (r->jsmn.toknext >= TOKENS_MAX && !fold(r))
        return false;
    int parent = r->jsmn.toksuper;
    if (parent != -1)
        tokens[parent].size++;
    tokens[r->jsmn.toknext++] =
        (jsmntok_t){.type = text[span.begin] == '{' ? JSMN_OBJECT : JSMN_ARRAY,
                    .start = (int)span.begin,
                    .end = (int)span.end,
                    .parent = parent};
    r->jsmn.pos = span.end;
    return true;
}

/* Tokenizes the text, without what lies in the outline's spans, and reads its members. Returns 0,
 * or jsmn's error. */
static int read_text(struct reader *r, const char *text, size_t n, const struct outline *outline)
{
    static const bool none[TOKENS_MAX];
    jsmn_init(&r->jsmn);
    r->bad = false;
    for (size_t i = 0; i < outline->ninner; i++) {
        struct span span = outline->inner[i];
        int result = run_jsmn(r, text, span.begin);
        if (result < 0 && result != JSMN_ERROR_PART) /* the object is still open, of course */
            return result;
        if (r->jsmn.pos != span.begin)
            return JSMN_ERROR_INVAL;
        if (!skip_value(r, text, span))
            return TOO_DEEP;
    }
    int result = run_jsmn(r, text, n);
    if (result < 0)
        return result;
    const jsmntok_t *tokens = r->parser->tokens;
    /* jsmn stops without a word at a NUL byte */
    if (r->jsmn.pos < n)
        return JSMN_ERROR_INVAL;
    r->bad = r->bad || !r->jsmn.toknext || tokens[0].type != JSMN_OBJECT || tokens[0].start != 0 ||
             (size_t)tokens[0].end != n;
    read_members(r, (int)r->jsmn.toknext, none);
    return 0;
}

/* The length of the escape at p (which is a backslash), or 0 if jsmn refuses it. */
static size_t escape_length(const char *p, const char *end)
{
    if (p + 1 >= end)
        return 0;
    if (p[1] != 'u')
        return p[1] && strchr("\"\\/bfnrt", p[1]) ? 2 : 0;
    return text_unicode_escape(p, (size_t)(end - p)) < 0 ? 0 : 6;
}

/* Copies the text into parser->mended with the backslash of each bad escape blanked; one outside of
 * strings is none. Returns false if there is none, or no memory (mended.failed). */
static bool blank_bad_escapes(struct event_parser *parser, const char *text, size_t n)
{
    struct buf *copy = &parser->mended;
    copy->len = 0;
    buf_add(copy, text, n);
    if (copy->failed)
        return false;
    bool found = false, in_string = false;
    for (char *p = copy->data, *end = p + n; p < end; p++) {
        if (*p == '"') {
            in_string = !in_string;
        } else if (*p == '\\' && in_string) {
            size_t length = escape_length(p, end);
            if (length) {
                p += length - 1;
            } else {
                *p = ' ';
                found = true;
            }
        }
    }
    return found;
}

/* Reads the object text[0, n) into *event, once more without its bad escapes if it is refused. */
static enum event_status read_object(struct reader *r, size_t n, const struct outline *outline)
{
    struct event before = *r->event;
    struct buf *mended = &r->parser->mended;
    int result = outline->too_deep ? TOO_DEEP : read_text(r, r->text, n, outline);
    if (result == JSMN_ERROR_INVAL && blank_bad_escapes(r->parser, r->text, n)) {
        *r->event = before;
        r->event->found |= FINDING_BIT(FINDING_BAD_ESCAPE);
        r->ph = r->args = (struct value){0};
        result = read_text(r, mended->data, n, outline);
    }
    bool no_memory = mended->failed;
    if (no_memory || mended->cap > KEPT_NBYTES)
        buf_free(mended);
    return no_memory ? EVENT_NO_MEMORY : result == 0 && !r->bad ? EVENT_OK : EVENT_UNREAD;
}

/* args.name and args.sort_index. */
static enum event_status read_args(struct event_parser *parser, const char *text,
                                   const struct value *args, struct event *event)
{
    struct reader r = {.parser = parser,
                       .text = text + args->off,
                       .off = args->off,
                       .of_args = true,
                       .event = event};
    struct event before = *event;
    struct nest *nest = &parser->nest;
    size_t used;
    nest_begin(nest);
    enum nest_result result = nest_run(nest, r.text, args->len, &used);
    if (result == NEST_NO_MEMORY)
        return EVENT_NO_MEMORY;
    struct outline outline = {0};
    if (result == NEST_CLOSED && used == args->len)
        outline = event_outline(nest);
    enum event_status status = read_object(&r, args->len, &outline);
    if (status == EVENT_UNREAD)
        *event = before;
    return status == EVENT_NO_MEMORY ? status : EVENT_OK;
}

struct outline event_outline(const struct nest *nest)
{
    /* Each span that is left out costs jsmn a walk over its tokens, so few are */
    if (!nest->odd && nest->ninner <= NEST_INNER_MAX)
        return (struct outline){nest->inner, (uint32_t)nest->ninner, false};
    return (struct outline){.too_deep = nest->depth_max > EVENT_DEPTH_MAX};
}

enum event_status event_parse(struct event_parser *parser, const char *text, size_t n,
                              const struct outline *outline, struct event *event)
{
    static const struct outline all = {0};
    struct reader r = {.parser = parser,
                       .text = text,
                       .examine = parser->examine,
                       .escapes = parser->examine && memchr(text, '\\', n) != NULL,
                       .event = event};
    *event = (struct event){0};
    enum event_status status = read_object(&r, n, outline ? outline : &all);
    if (status != EVENT_OK) {
        *event = (struct event){0};
        return status;
    }
    if (r.ph.kind == VALUE_STRING && r.ph.len)
        event->ph = text[r.ph.off];
    bool metadata = event->ph == 'M' && r.args.kind == VALUE_NESTED && text[r.args.off] == '{';
    return metadata ? read_args(parser, text, &r.args, event) : EVENT_OK;
}
