#include "rebase.h"

/* From here on the viewer reads decimals on a grid that is too coarse for ns. */
#define COARSE_FROM_US (UINT64_C(1) << 42)

#define NS_PER_US 1000
#define WHOLE_US_MAX ((uint64_t)INT64_MAX / NS_PER_US - 1)

void ts_range_note(struct ts_range *range, const char *token, size_t n, bool quoted)
{
    struct decimal d;
    uint64_t whole;
    if (!decimal_read(token, n, &d))
        return;
    range->string |= quoted;
    if (!decimal_whole(&d, &whole) || whole > WHOLE_US_MAX) {
        range->beyond++;
        return;
    }
    bool fraction = decimal_has_fraction(&d);
    int64_t us = d.negative ? -(int64_t)whole - fraction : (int64_t)whole;
    if (!range->any || us < range->least_us)
        range->least_us = us;
    if (!range->any || us > range->greatest_us)
        range->greatest_us = us;
    range->any = true;
    range->negative |= us < 0;
    range->coarse |= d.nfraction > 0 && whole >= COARSE_FROM_US;
}

void ts_range_merge(struct ts_range *range, const struct ts_range *part)
{
    range->string |= part->string;
    range->beyond += part->beyond;
    if (!part->any)
        return;
    if (!range->any || part->least_us < range->least_us)
        range->least_us = part->least_us;
    if (!range->any || part->greatest_us > range->greatest_us)
        range->greatest_us = part->greatest_us;
    range->any = true;
    range->negative |= part->negative;
    range->coarse |= part->coarse;
}

bool ts_range_wants_rebase(const struct ts_range *range)
{
    return range->negative || range->string || range->coarse;
}

bool ts_range_shift(const struct ts_range *range, int64_t *shift_us)
{
    *shift_us = range->any ? range->least_us : 0;
    return !range->any || (uint64_t)range->greatest_us - (uint64_t)range->least_us <= WHOLE_US_MAX;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The number, which is not negative, minus the constant. Returns false if that is below 0. */
static bool shift_positive(struct buf *out, const struct decimal *d, int64_t shift_us)
{
    uint64_t whole, by = magnitude(shift_us);
    bool fits = decimal_whole(d, &whole);
    if (shift_us > 0 && fits) {
        if (whole < by)
            return false;
        buf_add_u64(out, whole - by);
    } else {
        size_t from = out->len;
        decimal_add_whole(out, d);
        if (out->failed)
            return true;
        if (shift_us > 0)
            decimal_decrease(out, from, by);
        else
            decimal_increase(out, from, by);
    }
    decimal_add_fraction(out, d, false);
    return true;
}

/* The same for one that is negative, or -0: -(whole + fraction) + by. */
static bool shift_negative(struct buf *out, const struct decimal *d, int64_t shift_us)
{
    uint64_t whole, by = magnitude(shift_us);
    bool fraction = decimal_has_fraction(d);
    if (!decimal_whole(d, &whole))
        return false;
    if (shift_us > 0 || whole > by || (whole == by && fraction))
        return false;
    buf_add_u64(out, by - whole - fraction);
    decimal_add_fraction(out, d, fraction);
    return true;
}

enum rebase_result rebase_token(struct buf *out, const char *token, size_t n, int64_t shift_us,
                                bool clamp)
{
    struct decimal d;
    if (!decimal_read(token, n, &d))
        return REBASE_REFUSED;
    if (shift_us == 0)
        return REBASE_SAME;
    bool done = d.negative ? shift_negative(out, &d, shift_us) : shift_positive(out, &d, shift_us);
    if (done)
        return REBASE_DONE;
    if (!clamp)
        return REBASE_REFUSED;
    if (n == 1 && *token == '0')
        return REBASE_SAME;
    buf_add_char(out, '0');
    return REBASE_DONE;
}

bool rebase_base_time(struct buf *out, const char *token, size_t n, int64_t shift_us)
{
    static const char absent[] = "0";
    struct decimal d;
    uint64_t whole, by = magnitude(shift_us) * NS_PER_US;
    bool minus = shift_us < 0;
    if (!decimal_read(n ? token : absent, n ? n : 1, &d) || !decimal_is_whole(&d))
        return false;
    bool fits = decimal_whole(&d, &whole);
    if (d.negative != minus && fits && whole < by) { /* the sign is the constant's */
        if (minus)
            buf_add_char(out, '-');
        buf_add_u64(out, by - whole);
        return true;
    }
    if (d.negative && !(fits && whole == by && !minus))
        buf_add_char(out, '-');
    size_t from = out->len;
    decimal_add_whole(out, &d);
    if (!out->failed && d.negative == minus)
        decimal_increase(out, from, by);
    else if (!out->failed)
        decimal_decrease(out, from, by);
    return true;
}
