/* Number tokens as exact decimals: nothing is rounded, and a number may be of any length. Pure;
 * a failed allocation is kept in the buffer (buf.h). */
#ifndef DECIMAL_H
#define DECIMAL_H

#include "buf.h"

/* More decimals do not fit the viewer's integers: it would read a number that has them as another
 * one (perfetto.md, Numbers). They are cut off, so everything here is about the rest. */
enum { DECIMAL_FRACTION_MAX = 18 };

/* A larger exponent is refused, as by the viewer. */
enum { DECIMAL_EXPONENT_MAX = 400 };

/* A number without its exponent; points into the token. */
struct decimal {
    bool negative;
    const char *digits; /* those before the point, the point, those behind it */
    size_t nwhole, ndigits;
    int64_t point;      /* so many of the digits stand before the point, the exponent applied */
    unsigned nfraction; /* digits behind it, without those that are cut off. Trailing zeros count
                           if there is no exponent */
};

/* Reads a token. Returns false if it is no JSON number, or its exponent is beyond the limit. */
bool decimal_read(const char *token, size_t n, struct decimal *d);

/* Is there a decimal that is not 0? */
bool decimal_has_fraction(const struct decimal *d);

/* Is it a whole number? What is cut off counts here. */
bool decimal_is_whole(const struct decimal *d);

/* What stands before the point, without the sign. Returns false if that does not fit. */
bool decimal_whole(const struct decimal *d, uint64_t *whole);

/* Appends what stands before the point, without the sign and without leading zeros, but "0". */
void decimal_add_whole(struct buf *out, const struct decimal *d);

/* Appends the point and what stands behind it, if there is something. With `complement`, what is
 * missing there to the next whole number; there must be something that is not 0 then. */
void decimal_add_fraction(struct buf *out, const struct decimal *d, bool complement);

/* Adds `by` to the whole number in digits that begins at out->data[from] and ends the buffer. */
void decimal_increase(struct buf *out, size_t from, uint64_t by);

/* Subtracts `by`, which is not more than the number. Leading zeros go, but "0". */
void decimal_decrease(struct buf *out, size_t from, uint64_t by);

#endif
