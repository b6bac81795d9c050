#include "examine.h"

#include <string.h>

#include "text.h"
#include "viewer_time.h"

/* From here on, in us, decimals are rounded by the viewer. */
#define EXACT_US_MAX (INT64_C(1) << 42)

/* Most are such: a few digits. */
static bool is_plain_integer(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] >= '0' && p[i] <= '9')
        i++;
    return n && i == n && n <= 18 && (p[0] != '0' || n == 1);
}

/* A number that the viewer takes as an event's own value. */
static bool is_number(const char *p, size_t n)
{
    int64_t ns;
    return is_plain_integer(p, n) || viewer_ns(p, n, &ns);
}

finding_set examine_string(const char *p, size_t n)
{
    const char *end = p + n;
    finding_set found = 0;
    while (p < end && (p = memchr(p, '\\', (size_t)(end - p)))) {
        int unit = text_unicode_escape(p, (size_t)(end - p));
        if (unit >= 0xD800 && unit <= 0xDFFF)
            found |= FINDING_BIT(FINDING_SURROGATE);
        p += unit >= 0 ? 6 : 2;
    }
    return found;
}

finding_set examine_bare(const char *p, size_t n)
{
    bool fine = is_plain_integer(p, n) || text_is_literal(p, n) || is_number(p, n);
    return fine ? 0 : FINDING_BIT(FINDING_BAD_NUMBER);
}

finding_set examine_clock(const char *text, const struct value *value)
{
    const char *p = text + value->off;
    if (value->kind == VALUE_BARE && !text_is_literal(p, value->len))
        return examine_bare(p, value->len);
    bool number = value->kind == VALUE_STRING && is_number(p, value->len);
    return number ? 0 : FINDING_BIT(FINDING_BAD_DUR);
}

static bool read_ns(const char *text, const struct value *value, int64_t *ns)
{
    return (value->kind == VALUE_BARE || value->kind == VALUE_STRING) &&
           viewer_ns(text + value->off, value->len, ns);
}

static bool has_decimals(const char *p, size_t n)
{
    for (size_t left = number_decimals(p, n); left; left--)
        if (p[n - left] != '0')
            return true;
    return false;
}

finding_set examine_good_times(const char *text, const struct event *event, int64_t start_ns)
{
    const struct value *ts = &event->ts;
    const struct value *dur = &event->dur;
    bool strings = ts->kind == VALUE_STRING ||
                   (dur->kind == VALUE_STRING && is_number(text + dur->off, dur->len));
    finding_set found = strings ? FINDING_BIT(FINDING_STRING_TS) : 0;
    if (start_ns / 1000 >= EXACT_US_MAX && has_decimals(text + ts->off, ts->len))
        found |= FINDING_BIT(FINDING_ROUNDED_TS);
    return found;
}

/* Of an event with a ts of that time. */
static finding_set examine_timed(const char *text, const struct event *event, int64_t start_ns)
{
    int64_t dur_ns = 0;
    if (start_ns < 0)
        return FINDING_BIT(FINDING_NEGATIVE_TS);
    finding_set found = examine_good_times(text, event, start_ns);
    if (event->ph == 'X' && event->dur.kind == VALUE_NONE)
        found |= FINDING_BIT(FINDING_NO_DUR);
    if (event->ph != 'X' || !read_ns(text, &event->dur, &dur_ns))
        return found; /* of a dur that is none examine_clock tells */
    if (dur_ns < 0)
        found |= FINDING_BIT(FINDING_NEGATIVE_DUR);
    if (dur_ns > INT64_MAX - start_ns)
        found |= FINDING_BIT(FINDING_NEGATIVE_TS);
    return found;
}

finding_set examine_times(const char *text, const struct event *event)
{
    finding_set found = 0, bad_ts = 0;
    int64_t start_ns;
    if (event->ts.kind == VALUE_BARE)
        bad_ts = examine_bare(text + event->ts.off, event->ts.len);
    if (event->dur.kind != VALUE_NONE)
        found = examine_clock(text, &event->dur);
    found |= bad_ts;
    if (!event->ph || event->ph == 'M')
        return found;
    if (!read_ns(text, &event->ts, &start_ns))
        return found | (bad_ts ? 0 : FINDING_BIT(FINDING_BAD_TS));
    return found | examine_timed(text, event, start_ns);
}

finding_set examine_id(const char *text, const struct value *id)
{
    int64_t whole;
    const char *p = text + id->off;
    if (id->kind != VALUE_BARE || (id->len < 10 && *p != '-') || !number_valid(p, id->len))
        return 0;
    bool fits = number_whole(p, id->len, &whole) && whole >= 0 && whole <= UINT32_MAX;
    return fits ? 0 : FINDING_BIT(FINDING_ID_RANGE);
}
