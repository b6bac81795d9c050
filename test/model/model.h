/* A model of the viewer, for the tests alone: small and slow, over a whole trace in memory.
 *
 * It shares no code with src/, so that both have to be wrong in one way before a test is fooled. It
 * follows the facts known of the viewer: how it reads numbers and threads, in which order it takes
 * the events, and what its stacks make of them. A lack of memory aborts. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_NONE SIZE_MAX

/* What the viewer drops for its depth lies below this many open slices. */
enum { MODEL_DEPTH_MAX = 512 };

enum model_kind { MODEL_ABSENT, MODEL_STRING, MODEL_BARE, MODEL_NESTED };

/* Where a value stands in the trace. A string: what is between its quotes. */
struct model_value {
    enum model_kind kind;
    size_t off, len;
};

struct model_event {
    size_t off, end; /* from its { to behind its } */
    bool readable;   /* an object by the grammar of JSON; where not, all fields are absent */
    struct model_value ph, name, cat, ts, dur, pid, tid, bp, scope, args;
    struct model_value arg_name, arg_sort_index; /* of args */
};

/* A pid or tid. */
struct model_id {
    char *string; /* unescaped, owned; NULL: a number */
    size_t len;
    uint32_t number;
};

struct model_thread {
    struct model_id pid, tid;
    size_t first_event; /* which names it, so that its ids can be seen as they were written */
};

/* An X, or a B and its E. */
struct model_slice {
    size_t event, thread;
    size_t end_event; /* the E; MODEL_NONE: it is an X */
    int64_t start_ns, end_ns;
    bool crosses, too_deep; /* of an X, on the stack of its thread's X events alone */
    bool shown;             /* of a pair: the viewer ends the B with its E */
};

/* A flow endpoint. */
struct model_flow {
    size_t event, thread;
    int64_t ts_ns;
    bool encloses;   /* binds to what is open around it, not to what comes next */
    size_t bound_to; /* the event that it binds to, on the stack of all kinds; or MODEL_NONE */
};

struct model {
    const char *text; /* not owned */
    size_t n;
    struct model_event *events; /* all objects in the event arrays, in the order of the file */
    size_t nevents, nunreadable;
    struct model_thread *threads;
    size_t nthreads;
    struct model_slice *slices; /* in the order of the file */
    size_t nslices;
    struct model_flow *flows; /* in the order of the file */
    size_t nflows;
    size_t crossings, too_deep; /* slices that cross, and that lie too deep, if there were only X */
    size_t spilled;             /* slices that cross on the stack of all kinds of events */
    size_t misplaced;           /* X that end there under a B that is still open */
    size_t cut;                 /* X that are open where an E ends a B around them */
    size_t *partner;            /* of each B or E the other one of its pair, or MODEL_NONE */
};

/* Reads a trace, which must outlive the model. NULL if it is none: cut, or with brackets that do
 * not match, or text behind it, or an object without traceEvents. */
struct model *model_new(const char *text, size_t n);
void model_free(struct model *m);

/* ---- parts of it, for tests of single modules ------------------------------------------------ */

/* Reads one event, text[off, end). Sets event->readable. */
void model_read_event(const char *text, size_t off, size_t end, struct model_event *event);

/* Reads the arrays of events of m->text into m->events. Returns false if it is no trace. */
bool model_read_events(struct model *m);

/* The viewer's ns for a token. Returns false where it is no JSON number, or not finite. */
bool model_ns(const char *token, size_t n, int64_t *ns);

/* The digits after the point; 0 for what has an exponent, or is no number. */
size_t model_decimals(const char *token, size_t n);

/* The least writable value >= ns, and the greatest <= ns: writable is what some text with three
 * decimals is read as. ns >= 0 and below INT64_MAX - 10000. */
int64_t model_ns_ceil(int64_t ns);
int64_t model_ns_floor(int64_t ns);

/* The id that a value stands for; its string is owned by the caller. */
struct model_id model_id_of(const char *text, const struct model_value *value);
bool model_id_equal(const struct model_id *a, const struct model_id *b);

/* The thread of an event; MODEL_NONE if there is none such, unless `add` makes it. */
size_t model_thread_of(struct model *m, size_t event, bool add);

/* The first character of ph, or 0. */
char model_ph(const struct model *m, size_t event);

/* Is the value the string, as it is written? */
bool model_is(const char *text, const struct model_value *value, const char *string);

/* ts and, where dur is not NULL, dur, if they can be read and are not negative, and their sum is an
 * int64. */
bool model_times(const struct model *m, size_t event, int64_t *ts, int64_t *dur);

/* Fills m->partner. Each E has the B opened last among those before it, in the viewer's order, that
 * fit it and are not taken; else, of those at its own time that stand before it in the file. */
void model_match(struct model *m);

/* May a B and an E be one slice? A name or category that is absent fits any. */
bool model_fits(const struct model *m, size_t begin, size_t end);

/* Fills m->slices, m->flows and the counts, from the events and threads. */
void model_replay(struct model *m);

/* malloc'd room for n + 1 items, grown if need be: *cap is how many there is room for. */
void *model_grow(void *items, size_t *cap, size_t n, size_t item_nbytes);

#endif
