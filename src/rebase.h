/* Times shifted by one constant, in exact decimal arithmetic, so that the viewer can tell apart
 * what the trace does: far from 0 it reads decimals on a grid (perfetto.md, Numbers).
 *
 * First the range of all ts is noted, which gives the constant: the whole microseconds of the least
 * one. So only whole numbers are ever subtracted, decimals stay as they are written, no ts becomes
 * negative, and the constant of a shifted trace is 0. Pure; safe to call from several threads. */
#ifndef REBASE_H
#define REBASE_H

#include "decimal.h"

/* What the ts of a trace, or of a part of it, are like. All zero: none yet. */
struct ts_range {
    bool any;
    int64_t least_us, greatest_us; /* rounded down; if there are any */
    bool negative;                 /* one is below 0 */
    bool string;                   /* one is a number in quotes */
    bool coarse;                   /* one has decimals and is 2^42 us or more away from 0 */
    uint64_t beyond;               /* so many do not fit int64 ns, and are no part of the range */
};

/* Notes the ts of an event, quoted if it is a string (the token is its content then). Not for M
 * events: theirs is often 0 while all others are far from it. What is no number is passed over. */
void ts_range_note(struct ts_range *range, const char *token, size_t n, bool quoted);

/* Adds what another part of the trace has. The order of parts makes no difference. */
void ts_range_merge(struct ts_range *range, const struct ts_range *part);

/* Does the viewer drop or round some of them, or does its reader depend on their quotes? */
bool ts_range_wants_rebase(const struct ts_range *range);

/* The constant to subtract: 0 if there is no ts. Returns false, and no rebase is possible, if the
 * ts lie too far apart: the last one would not fit int64 ns any more. */
bool ts_range_shift(const struct ts_range *range, int64_t *shift_us);

enum rebase_result {
    REBASE_DONE,   /* the new number was appended */
    REBASE_SAME,   /* the token is what it should be; nothing was appended */
    REBASE_REFUSED /* no number, or it would be negative; nothing was appended */
};

/* Appends the number minus the constant, with as many decimals as it has, but at most
 * DECIMAL_FRACTION_MAX; an exponent is written out. With a constant of 0 every token is what it
 * should be. Where the result would be negative, with `clamp` it is 0. */
enum rebase_result rebase_token(struct buf *out, const char *token, size_t n, int64_t shift_us,
                                bool clamp);

/* Appends what baseTimeNanoseconds becomes: the constant added to its token, which is a number of
 * any length (n = 0: there is none, so 0). Appends nothing and returns false if that is no whole
 * number. */
bool rebase_base_time(struct buf *out, const char *token, size_t n, int64_t shift_us);

#endif
