#include "viewer_time.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Below this, three decimals survive the viewer's doubles: their grid is 2^-10 us at 2^42 us. */
#define EXACT_BELOW_NS ((INT64_C(1) << 42) * 1000)

/* How far the nearest value that can be written may be: the grid of doubles is 2 us at the end of
 * the int64 range of ns. */
#define GRID_NS INT64_C(4096)

/* The parts of a number token. Digits wrap as the viewer's integers do. */
struct number {
    bool negative, has_fraction, has_exponent, fits_int64;
    uint64_t whole, fraction, divisor;
    size_t decimals;
    int exponent;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Scans the digits before the point. Returns false on none, or on a leading zero. */
static bool scan_whole(const char **p, const char *end, struct number *num)
{
    const char *first = *p;
    num->fits_int64 = true;
    for (; *p < end && is_digit(**p); ++*p) {
        uint64_t digit = (uint64_t)(**p - '0');
        uint64_t limit = (uint64_t)INT64_MAX + num->negative;
        if (num->whole > limit / 10 || num->whole * 10 > limit - digit)
            num->fits_int64 = false;
        num->whole = num->whole * 10 + digit;
    }
    return *p > first && !(*first == '0' && *p - first > 1);
}

static bool scan_exponent(const char **p, const char *end, struct number *num)
{
    bool minus = false;
    if (*p < end && (**p == '+' || **p == '-'))
        minus = *(*p)++ == '-';
    const char *first = *p;
    for (; *p < end && is_digit(**p); ++*p)
        if (num->exponent < 100000) /* far beyond the range of a double already */
            num->exponent = num->exponent * 10 + (**p - '0');
    if (minus)
        num->exponent = -num->exponent;
    return *p > first;
}

static bool scan_number(const char *token, size_t n, struct number *num)
{
    const char *p = token, *end = token + n;
    *num = (struct number){.divisor = 1};
    if (p < end && *p == '-') {
        num->negative = true;
        p++;
    }
    if (!scan_whole(&p, end, num))
        return false;
    if (p < end && *p == '.') {
        num->has_fraction = true;
        for (p++; p < end && is_digit(*p); p++, num->decimals++) {
            num->fraction = num->fraction * 10 + (uint64_t)(*p - '0');
            num->divisor *= 10;
        }
        if (!num->decimals)
            return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        num->has_exponent = true;
        p++;
        if (!scan_exponent(&p, end, num))
            return false;
    }
    return p == end;
}

bool number_valid(const char *token, size_t n)
{
    struct number num;
    return scan_number(token, n, &num);
}

size_t number_decimals(const char *token, size_t n)
{
    struct number num;
    if (!scan_number(token, n, &num) || num.has_exponent)
        return 0;
    return num.decimals;
}

/* a * 1000 in int64, wrapping. */
static int64_t thousandfold(uint64_t a)
{
    return (int64_t)(a * 1000);
}

/* Microseconds in a double -> ns: whole ones in integers, the others rounded half away from zero.
 */
static bool double_to_ns(double us, int64_t *ns)
{
    if (!isfinite(us))
        return false;
    if (us == trunc(us)) {
        double low = fmod(fabs(us), 18446744073709551616.0); /* 2^64: wraps as an integer does */
        uint64_t whole = (uint64_t)low;
        *ns = thousandfold(us < 0 ? 0 - whole : whole);
        return true;
    }
    *ns = (int64_t)llround(us * 1000.0);
    return true;
}

/* Does the viewer keep the number as an integer? */
static bool is_int64(const struct number *num)
{
    return !num->has_fraction && !num->has_exponent && num->fits_int64;
}

static int64_t int64_value(const struct number *num)
{
    return (int64_t)(num->negative ? 0 - num->whole : num->whole);
}

/* The double that the viewer makes of any other number. */
static double double_value(const struct number *num)
{
    double value = (double)(int64_t)num->whole;
    if (num->has_fraction) /* 10^64 and more wrap to 0; the division is left out then */
        value += (double)(int64_t)num->fraction / (num->divisor ? (double)num->divisor : 1.0);
    if (num->has_exponent)
        value =
            num->exponent < 0 ? value / pow(10, -num->exponent) : value * pow(10, num->exponent);
    return num->negative ? -value : value;
}

bool number_whole(const char *token, size_t n, int64_t *whole)
{
    struct number num;
    if (!scan_number(token, n, &num))
        return false;
    if (is_int64(&num)) {
        *whole = int64_value(&num);
        return true;
    }
    double value = double_value(&num);
    if (!num.fits_int64 || !(fabs(value) < 9223372036854775808.0))
        return false;
    *whole = (int64_t)value;
    return true;
}

bool viewer_ns(const char *token, size_t n, int64_t *ns)
{
    struct number num;
    if (!scan_number(token, n, &num))
        return false;
    if (is_int64(&num)) {
        *ns = thousandfold((uint64_t)int64_value(&num));
        return true;
    }
    return double_to_ns(double_value(&num), ns);
}

/* What the viewer makes of the token that writes ns plainly, with three decimals. Not decreasing
 * in ns, which the two searches below rely on. */
static int64_t read_back(int64_t ns)
{
    int64_t back = 0;
    int64_t whole = ns / 1000, rest = ns % 1000;
    double us = (double)whole + (double)rest / 1000.0;
    double_to_ns(us, &back);
    return back;
}

/* The smallest x in lo..hi with read_back(x) >= ns; hi is known to be one. */
static int64_t first_reaching(int64_t ns, int64_t lo, int64_t hi)
{
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (read_back(mid) >= ns)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

int64_t viewer_ns_ceil(int64_t ns)
{
    assert(ns >= 0);
    if (ns < EXACT_BELOW_NS)
        return ns;
    if (ns > INT64_MAX - 2 * GRID_NS)
        return INT64_MAX;
    return read_back(first_reaching(ns, ns - GRID_NS, ns + GRID_NS));
}

int64_t viewer_ns_floor(int64_t ns)
{
    assert(ns >= 0);
    if (ns < EXACT_BELOW_NS)
        return ns;
    if (ns > INT64_MAX - 2 * GRID_NS)
        ns = INT64_MAX - 2 * GRID_NS;
    return read_back(first_reaching(ns + 1, ns - GRID_NS, ns + GRID_NS) - 1);
}

/* ns / 1000 with three decimals, or as few as it needs. */
static size_t print_plain(char *out, int64_t ns, bool three_decimals)
{
    char digits[VIEWER_NS_PRINT_MAX];
    size_t n = sizeof digits, len = 0;
    uint64_t us = (uint64_t)ns / 1000;
    unsigned rest = (unsigned)((uint64_t)ns % 1000);
    do
        digits[--n] = (char)('0' + us % 10);
    while (us /= 10);
    memcpy(out, digits + n, sizeof digits - n);
    len = sizeof digits - n;
    if (!rest && !three_decimals)
        return len;
    out[len++] = '.';
    out[len++] = (char)('0' + rest / 100);
    out[len++] = (char)('0' + rest / 10 % 10);
    out[len++] = (char)('0' + rest % 10);
    while (!three_decimals && out[len - 1] == '0')
        len--;
    return len;
}

static bool reads_back(const char *token, size_t n, int64_t ns)
{
    int64_t back;
    return viewer_ns(token, n, &back) && back == ns;
}

size_t viewer_ns_print(char out[VIEWER_NS_PRINT_MAX], int64_t ns, bool three_decimals)
{
    assert(ns >= 0);
    size_t n = print_plain(out, ns, three_decimals);
    if (ns < EXACT_BELOW_NS || reads_back(out, n, ns))
        return n;
    /* Some values are reached only by a neighbour's digits: ...001.280 may be read as 1250 while
     * ...001.250 is read as 1280. */
    int64_t lo = ns - GRID_NS, hi = ns > INT64_MAX - GRID_NS ? INT64_MAX : ns + GRID_NS;
    int64_t text_ns = first_reaching(ns, lo, hi);
    n = print_plain(out, text_ns, three_decimals);
    if (!reads_back(out, n, ns))
        n = print_plain(out, text_ns, true);
    return n;
}
