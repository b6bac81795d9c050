/* The parts of the salvage scan (salvage.h), each of which builds on those before it: how it looks
 * at the trace, what becomes of the gaps between what is kept, and which events are whole. Private
 * to them. */
#ifndef SALVAGE_PARTS_H
#define SALVAGE_PARTS_H

#include "event.h"
#include "losses.h"
#include "mend.h"
#include "quotes.h"
#include "salvage.h"
#include "shape.h"
#include "window.h"

enum {
    RESUME_NBYTES_MAX = 1 << 20,     /* how far the end of a broken event is looked for */
    LOOK_AHEAD_NBYTES_MAX = 1 << 16, /* of white space, for what may stand behind it */
    /* Where broken events and their strings end is looked for, with nothing found, in up to so many
     * bytes, and so many for each byte of the trace. On a trace that is made to use that up more is
     * lost than must be, but no time. */
    VAIN_NBYTES_MIN = 1 << 26,
    VAIN_FACTOR = 8
};

struct salvage {
    struct window w;
    struct event_parser *parser;
    struct losses *losses;
    struct lanefix_error *err;
    struct shape shape;
    struct nest nest;
    /* To repair: */
    struct salvage_mends *mends; /* or NULL */
    struct mend mend;
    struct quotes quotes;
    uint64_t learnt_end;  /* up to there the order of keys was looked for ahead */
    uint64_t vain_nbytes; /* looked through in vain for where events and their strings end */
    uint64_t pos;         /* the next byte to look at */
    uint64_t events;      /* kept so far */
    /* The list that it is in, an event array or the outer object: */
    uint64_t kept_end;                /* what is kept of it so far ends here; */
    unsigned commas;                  /* commas since then, */
    unsigned lost_commas;             /* and before something else that stands there, */
    uint64_t lost_off;                /* and the place of that, if broken; */
    bool lost_counts;                 /* it is more than elements that are no objects */
    uint64_t first_comma, last_comma; /* the places of the commas */
    /* Of the last broken element: */
    uint64_t resume;      /* where it ends, to judge by its brackets; 0 if that is not known */
    uint64_t damaged_end; /* where it stopped making sense */
    bool unsure;          /* it is torn, and what follows may still be a part of it */
    bool any_kept, broken;
    bool bare;
    bool failed; /* *err is filled; then nothing is found any more */
};

/* ---- looking (salvage_look.c) ---------------------------------------------------------------- */

/* Both return false. *err is to be filled before look_failed. */
bool look_failed(struct salvage *s);
bool look_no_memory(struct salvage *s);

/* Is there a byte at `off`? Reads as far as it takes, and keeps what is in the window. */
bool look_reach(struct salvage *s, uint64_t off);

/* The byte at `off`, as unsigned char; -1 at the end, or if the scan has failed. */
int look_byte(struct salvage *s, uint64_t off);

/* The text from `off` on, which the window holds. */
const char *look_text(const struct salvage *s, uint64_t off);

/* Forgets what is before `off`. */
void look_forget(struct salvage *s, uint64_t off);

/* Looks ahead: the first byte from `off` on that is no white space, its place in *at; -1 as well if
 * there is too much of that, and *at is how far it looked. */
int look_after_space(struct salvage *s, uint64_t off, uint64_t *at);

/* Does the value in brackets at s->pos end, to judge by these alone, within so many bytes? *end is
 * where it does, or how far it looked; all of that stays in the window. */
bool look_brackets(struct salvage *s, uint64_t nbytes_max, uint64_t *end);

/* Goes on to the next byte that is no white space, and forgets what is before it. Returns it, or
 * -1. */
int look_skip_space(struct salvage *s);

/* How many bytes the window has from `at` on, of which none is asked for from `end` on. */
size_t look_at_hand(const struct salvage *s, uint64_t at, uint64_t end);

enum run_result { RUN_WHOLE, RUN_CUT, RUN_BROKEN };

/* Runs through the value at `from`; *end is where it ends or breaks. `hold` keeps it in the
 * window. */
enum run_result look_run(struct salvage *s, uint64_t from, size_t depth_max, uint64_t nbytes_max,
                         bool hold, uint64_t *end);

/* ---- gaps (salvage_gap.c) -------------------------------------------------------------------- */

/* A list begins at s->pos, behind its bracket. */
void gap_begin(struct salvage *s);

/* Goes on to the next byte that is neither white space nor a comma. Returns it, or -1. */
int gap_next(struct salvage *s);

/* Something of the kind was mended, n times. */
void gap_count(struct salvage *s, enum finding_kind kind, uint64_t n, uint64_t off);

/* trace[begin, end) is left out for `instead`, and is nothing of worth. */
void gap_replace(struct salvage *s, uint64_t begin, uint64_t end, const char *instead);

/* Something that cannot be kept begins at `off`. */
void gap_broken(struct salvage *s, uint64_t off);

/* An element that is no object, from s->pos to `end`, goes. */
void gap_leave_out(struct salvage *s, uint64_t end);

/* An element or member is kept. */
void gap_keep(struct salvage *s, uint64_t begin, uint64_t end);

/* The list ends at `off`. */
void gap_end(struct salvage *s, uint64_t off);

/* All from `off` on is lost, and the separators before it; `brackets` close what is open. */
void gap_lose_rest(struct salvage *s, uint64_t off, const char *brackets, bool counts);

/* ---- events (salvage_whole.c) ---------------------------------------------------------------- */

/* Is there an element at s->pos that can be kept? What may be a part of a broken one must be an
 * event, and within the limits. *end as of look_run. */
enum run_result whole_element(struct salvage *s, int first, uint64_t *end);

/* The next event from `from` on that begins before `until`; s->pos is its place. Returns its end,
 * or 0 if there is none. */
uint64_t whole_next(struct salvage *s, uint64_t from, uint64_t until);

/* May an event end before `off`, to judge by what follows: a comma and another one, or the end of
 * the array? */
bool whole_ends_before(struct salvage *s, uint64_t off);

/* Where a broken event at s->pos ends to judge by its brackets, if what follows bears that out;
 * else 0. */
uint64_t whole_end(struct salvage *s);

/* Keeps an event [s->pos, end) that has not the shape of JSON, but is understood like any other and
 * not torn: what is wrong lies in its args, or is a bare word. Returns false if it is none. */
bool whole_strange(struct salvage *s, uint64_t end);

/* Keeps an event at s->pos with its quotes escaped. Returns false if it is none such. */
bool whole_quoted(struct salvage *s);

#endif
