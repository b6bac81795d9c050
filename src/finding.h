/* The kinds of what keeps a trace from showing (perfetto.md), in the order in which they are
 * reported: what each is called, what the viewer does with it, and whether --repair mends it. */
#ifndef FINDING_H
#define FINDING_H

#include <stdbool.h>
#include <stdint.h>

enum finding_kind {
    /* of an event's own keys and values */
    FINDING_BAD_NUMBER,  /* a bare value that is no JSON, or no finite number */
    FINDING_BAD_DUR,     /* dur, tts or tdur that is there, but no number */
    FINDING_SURROGATE,   /* \ud83d\ude00 in a key or string */
    FINDING_BAD_TS,      /* no ts, or none that can be read, where there has to be one */
    FINDING_NO_DUR,      /* an X without dur */
    FINDING_NEGATIVE_TS, /* below 0, or an X that ends beyond what int64 holds */
    FINDING_NEGATIVE_DUR,
    FINDING_ROUNDED_TS, /* with decimals, from 2^42 us on */
    FINDING_STRING_TS,  /* a ts or dur that is a string with a number in it */
    /* of an event's text, its args among it */
    FINDING_BAD_ESCAPE, /* "C:\Users" */
    FINDING_CONTROL,    /* a raw control character in a string */
    FINDING_BAD_UTF8,
    FINDING_BAD_ARGS, /* args that are no JSON: a bare word such as NaN, a comma too many */
    FINDING_LOOP,     /* the same in a C or M event */
    FINDING_UNREAD,   /* an event that is not understood */
    /* of the arrays and what is around them */
    FINDING_NO_OBJECT,  /* an element that is no object */
    FINDING_COMMAS,     /* a comma too many before an element */
    FINDING_LAST_COMMA, /* one before the ] */
    FINDING_NO_COMMA,   /* a comma too few between two events */
    FINDING_START,      /* a byte order mark or too many blanks before the trace */
    FINDING_BAD_MEMBER, /* a value around the events that is no JSON */
    FINDING_NO_BRACKET, /* a bare array without its ] */
    FINDING_TORN,       /* the trace ends early, or is damaged */
    /* of threads */
    FINDING_ID_RANGE,       /* a pid or tid out of 0 to 2^32 - 1 */
    FINDING_MERGED_THREADS, /* two threads that are one for the viewer */
    /* of slices and flows */
    FINDING_CROSSING,
    FINDING_TOO_DEEP,
    FINDING_FLOW_TWICE,    /* a flow id that is started again */
    FINDING_FLOW_NO_SLICE, /* a flow endpoint with no slice around it, or after it */
    FINDING_KINDS
};

/* A set of kinds: FINDING_BIT of each. */
typedef uint32_t finding_set;
#define FINDING_BIT(kind) (UINT32_C(1) << (kind))
_Static_assert(FINDING_KINDS <= 32, "a bit for each");

struct finding_text {
    const char *id;     /* such as "bad-number"; stable */
    const char *what;   /* what it is, for any number of them, such as "number(s) that ..." */
    const char *viewer; /* what the viewer does, after "Perfetto" */
    bool error;         /* it hides other data than its own event; else a warning */
    bool mended;        /* by --repair */
};

/* What is said of a kind. */
const struct finding_text *finding_text(enum finding_kind kind);

#endif
