/* One event's text -> its fields and where their values stand. The only user of jsmn.
 *
 * jsmn accepts more than JSON, so the shape is checked here: one object that spans the text, each
 * of its own keys a string with one value. What lies deeper is not looked at. With duplicate keys
 * the last one counts, as in the viewer. */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finding.h"
#include "nest.h"

/* Largest event, in bytes (spec 10); also keeps jsmn's int offsets valid. */
#define EVENT_NBYTES_MAX (UINT32_C(1) << 30)

/* jsmn takes quadratic time on brackets that nest deep, so it is not shown deeper ones. */
enum { EVENT_DEPTH_MAX = 64 };

enum value_kind {
    VALUE_NONE = 0, /* the key is absent */
    VALUE_STRING,   /* off and len are those of the content, without the quotes */
    VALUE_BARE,     /* a number, true, null, NaN, ... */
    VALUE_NESTED    /* an object or array */
};

struct value {
    enum value_kind kind;
    uint32_t off, len; /* in the event's text */
};

struct event {
    char ph; /* first character of the last "ph"; 0 if there is none */
    struct value name, cat, id, pid, tid, ts, dur, tts, tdur, bp;
    struct value arg_name, arg_sort_index; /* args.name and args.sort_index, of M events only */
    finding_set
        found; /* in its own members (examine.h), and a bad escape for which it was refused */
};

enum event_status {
    EVENT_OK,
    EVENT_UNREAD, /* no object that can be understood; the event is unset */
    EVENT_NO_MEMORY
};

/* What jsmn need not look at in an event. */
struct outline {
    const struct span *inner; /* values in brackets right within it, in their order */
    uint32_t ninner;
    bool too_deep; /* it would have to look at all, and take quadratic time for it */
};

/* What nest_run found in an event that is closed; points into it. jsmn need not look into its inner
 * spans if it is not odd (nest.h). Else it looks at all of it, and is not asked at all if that
 * nests deeper than EVENT_DEPTH_MAX. */
struct outline event_outline(const struct nest *nest);

/* Room for tokens that is reused from event to event; it does not grow with them, but for a copy of
 * one with bad escapes. Not shared between threads. */
struct event_parser;

/* NULL if there is no memory. */
struct event_parser *event_parser_new(void);
void event_parser_free(struct event_parser *parser);

/* Is event->found to be filled? It is not at first. */
void event_parser_examine(struct event_parser *parser, bool examine);

/*
 * Reads the event text[0, n), n <= EVENT_NBYTES_MAX, into *event. The text is not kept.
 *
 * outline  of the event; one that is too deep is EVENT_UNREAD. NULL: jsmn looks at all of it, with
 *          the same result unless brackets nest deeper than EVENT_DEPTH_MAX.
 *
 * An event that is refused for a bad escape alone ("C:\Users") is read as if that backslash were
 * not there; offsets are those of the text as it stands (spec 10).
 */
enum event_status event_parse(struct event_parser *parser, const char *text, size_t n,
                              const struct outline *outline, struct event *event);

/* Is the value this string (compared as it is written)? */
bool value_is(const char *text, const struct value *value, const char *string);

#endif
