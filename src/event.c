#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "text.h"

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* else a flat object of many keys takes quadratic time */
/* The header belongs to the system: its own warnings are not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <jsmn.h>
#pragma GCC diagnostic pop

struct event_parser {
    jsmntok_t *tokens;
    size_t cap;
    struct buf mended; /* a copy of an event without its bad escapes */
};

struct event_parser *event_parser_new(void)
{
    return calloc(1, sizeof(struct event_parser));
}

void event_parser_free(struct event_parser *parser)
{
    if (!parser)
        return;
    free(parser->tokens);
    buf_free(&parser->mended);
    free(parser);
}

static bool more_tokens(struct event_parser *parser)
{
    jsmntok_t *tokens =
        array_grow(parser->tokens, &parser->cap, parser->cap + 64, sizeof *parser->tokens);
    if (tokens)
        parser->tokens = tokens;
    return tokens && parser->cap <= INT32_MAX;
}

/* Lets jsmn run on to text[0, n). Returns 0 or its error; JSMN_ERROR_NOMEM: there is no memory.
 *
 * All of jsmn is inlined here and works on a parser whose address nobody has: only so can its place
 * in the text stay in a register, and that makes it twice as fast. */
__attribute__((flatten)) static int run_jsmn(struct event_parser *parser, jsmn_parser *jsmn,
                                             const char *text, size_t n)
{
    int count = JSMN_ERROR_NOMEM;
    while (count == JSMN_ERROR_NOMEM) {
        jsmn_parser local = *jsmn;
        if (parser->cap)
            count = jsmn_parse(&local, text, n, parser->tokens, (unsigned)parser->cap);
        *jsmn = local;
        if (count == JSMN_ERROR_NOMEM && !more_tokens(parser))
            return JSMN_ERROR_NOMEM;
    }
    return count < 0 ? count : 0;
}

/* Puts a token for a value in brackets where jsmn is, as if it had walked through. */
static bool skip_value(struct event_parser *parser, jsmn_parser *jsmn, const char *text,
                       struct span span)
{
    if (jsmn->toknext >= parser->cap && !more_tokens(parser))
        return false;
    int parent = jsmn->toksuper;
    if (parent != -1)
        parser->tokens[parent].size++;
    parser->tokens[jsmn->toknext++] =
        (jsmntok_t){.type = text[span.begin] == '{' ? JSMN_OBJECT : JSMN_ARRAY,
                    .start = (int)span.begin,
                    .end = (int)span.end,
                    .parent = parent};
    jsmn->pos = span.end;
    return true;
}

/* Tokenizes the text, without what lies in the spans, which are values in brackets. Returns the
 * number of tokens, or jsmn's error. */
static int tokenize(struct event_parser *parser, const char *text, size_t n,
                    const struct span *skip, size_t nskip)
{
    jsmn_parser jsmn;
    jsmn_init(&jsmn);
    for (size_t i = 0; i < nskip; i++) {
        int result = run_jsmn(parser, &jsmn, text, skip[i].begin);
        if (result < 0 && result != JSMN_ERROR_PART) /* the object is still open, of course */
            return result;
        if (jsmn.pos != skip[i].begin)
            return JSMN_ERROR_INVAL;
        if (!skip_value(parser, &jsmn, text, skip[i]))
            return JSMN_ERROR_NOMEM;
    }
    int result = run_jsmn(parser, &jsmn, text, n);
    if (result < 0)
        return result;
    /* jsmn stops without a word at a NUL byte */
    return jsmn.pos < n ? JSMN_ERROR_INVAL : (int)jsmn.toknext;
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

/* Copies the text into parser->mended with the backslash of each bad escape blanked. Returns false
 * if there is none, or no memory (mended.failed). */
static bool blank_bad_escapes(struct event_parser *parser, const char *text, size_t n)
{
    struct buf *copy = &parser->mended;
    copy->len = 0;
    buf_add(copy, text, n);
    if (copy->failed)
        return false;
    bool found = false;
    char *p = copy->data, *end = p + n;
    while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
        size_t length = escape_length(p, end);
        if (!length) {
            *p = ' ';
            found = true;
            length = 1;
        }
        p += length;
    }
    return found;
}

/* The same, once more without its bad escapes if it is refused. */
static int tokenize_mended(struct event_parser *parser, const char *text, size_t n,
                           const struct span *skip, size_t nskip)
{
    int count = tokenize(parser, text, n, skip, nskip);
    if (count == JSMN_ERROR_INVAL && blank_bad_escapes(parser, text, n))
        count = tokenize(parser, parser->mended.data, n, skip, nskip);
    return parser->mended.failed ? JSMN_ERROR_NOMEM : count;
}

static struct value value_of(const jsmntok_t *token)
{
    enum value_kind kind = token->type == JSMN_STRING      ? VALUE_STRING
                           : token->type == JSMN_PRIMITIVE ? VALUE_BARE
                                                           : VALUE_NESTED;
    return (struct value){kind, (uint32_t)token->start, (uint32_t)(token->end - token->start)};
}

bool value_is(const char *text, const struct value *value, const char *string)
{
    return value->kind == VALUE_STRING && value->len == strlen(string) &&
           memcmp(text + value->off, string, value->len) == 0;
}

/* The field that a key of the event names, or NULL. */
static struct value *field(struct event *event, struct value *ph, struct value *args,
                           const char *key, size_t n)
{
    switch (n) {
    case 2:
        return memcmp(key, "ph", n) == 0   ? ph
               : memcmp(key, "ts", n) == 0 ? &event->ts
               : memcmp(key, "bp", n) == 0 ? &event->bp
                                           : NULL;
    case 3:
        return memcmp(key, "dur", n) == 0   ? &event->dur
               : memcmp(key, "pid", n) == 0 ? &event->pid
               : memcmp(key, "tid", n) == 0 ? &event->tid
               : memcmp(key, "cat", n) == 0 ? &event->cat
                                            : NULL;
    case 4:
        return memcmp(key, "name", n) == 0   ? &event->name
               : memcmp(key, "args", n) == 0 ? args
                                             : NULL;
    default:
        return NULL;
    }
}

/* args.name and args.sort_index. */
static enum event_status read_args(struct event_parser *parser, const char *text,
                                   const struct value *args, struct event *event)
{
    int count = tokenize_mended(parser, text + args->off, args->len, NULL, 0);
    const jsmntok_t *tokens = parser->tokens;
    for (int i = 1; i + 1 < count; i++) {
        struct value key = value_of(&tokens[i]), member = value_of(&tokens[i + 1]);
        if (tokens[i].parent != 0 || tokens[i + 1].parent != i)
            continue;
        key.off += args->off;
        member.off += args->off;
        if (value_is(text, &key, "name"))
            event->arg_name = member;
        else if (value_is(text, &key, "sort_index"))
            event->arg_sort_index = member;
    }
    return count == JSMN_ERROR_NOMEM ? EVENT_NO_MEMORY : EVENT_OK;
}

/* Reads the object's own members. Returns false if the tokens are no proper object. */
static bool read_members(const struct event_parser *parser, int count, const char *text, size_t n,
                         struct event *event, struct value *args)
{
    const jsmntok_t *tokens = parser->tokens;
    if (count < 1 || tokens[0].type != JSMN_OBJECT || tokens[0].start != 0 ||
        (size_t)tokens[0].end != n)
        return false;
    struct value ph = {0};
    for (int i = 1; i < count;) {
        if (tokens[i].parent != 0 || tokens[i].type != JSMN_STRING || tokens[i].size != 1 ||
            i + 1 >= count || tokens[i + 1].parent != i)
            return false;
        struct value *member = field(event, &ph, args, text + tokens[i].start,
                                     (size_t)(tokens[i].end - tokens[i].start));
        if (member)
            *member = value_of(&tokens[i + 1]);
        int end = tokens[i + 1].end;
        for (i += 2; i < count && tokens[i].start < end; i++)
            ;
    }
    if (ph.kind == VALUE_STRING && ph.len)
        event->ph = text[ph.off];
    return true;
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
    struct value args = {0};
    int count = JSMN_ERROR_INVAL;
    *event = (struct event){0};
    if (!outline)
        outline = &all;
    if (!outline->too_deep)
        count = tokenize_mended(parser, text, n, outline->inner, outline->ninner);
    if (count == JSMN_ERROR_NOMEM)
        return EVENT_NO_MEMORY;
    if (count < 0 || !read_members(parser, count, text, n, event, &args)) {
        *event = (struct event){0};
        return EVENT_UNREAD;
    }
    bool metadata = event->ph == 'M' && args.kind == VALUE_NESTED && text[args.off] == '{';
    return metadata ? read_args(parser, text, &args, event) : EVENT_OK;
}
