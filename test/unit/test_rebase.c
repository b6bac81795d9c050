#include "rebase.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

/* What a token becomes: "=" if it stays, "!" if it is refused. For the next 3 calls. */
static const char *shifted(const char *token, int64_t shift_us, bool clamp)
{
    static char results[4][1024];
    static unsigned next;
    char *result = results[next++ % 4];
    struct buf out = {0};
    buf_add_char(&out, '>');
    enum rebase_result what = rebase_token(&out, token, strlen(token), shift_us, clamp);
    ck_assert(what == REBASE_DONE || out.len == 1);
    ck_assert(!out.failed && out.len < sizeof results[0]);
    memcpy(result, out.data + 1, out.len - 1);
    result[out.len - 1] = 0;
    buf_free(&out);
    return what == REBASE_DONE ? result : what == REBASE_SAME ? "=" : "!";
}

struct shift_row {
    const char *token;
    int64_t shift_us;
    const char *expected;
};

static void check_rows(const struct shift_row *rows, size_t n, bool clamp)
{
    for (size_t i = 0; i < n; i++) {
        const char *got = shifted(rows[i].token, rows[i].shift_us, clamp);
        ck_assert_msg(strcmp(got, rows[i].expected) == 0, "%s - %" PRId64 ": %s, expected %s",
                      rows[i].token, rows[i].shift_us, got, rows[i].expected);
    }
}

START_TEST(shifts_exactly)
{
    static const struct shift_row rows[] = {
        {"1700000000000001.257", 1700000000000000, "1.257"},
        {"1736408883690507.080", 1736408883690500, "7.080"},
        {"1736408883690507.000", 1736408883690507, "0.000"},
        {"5", 5, "0"},
        {"5", -5, "10"},
        {"99", -1, "100"},
        {"100", 1, "99"},
        {"1.7000000001e15", 1700000000000000, "100000"},
        {"1.7000000001E+15", 1, "1700000000099999"},
        {"9.9999999999999995e-07", -1, "1.000000999999999999"},
        {"25e-1", 2, "0.5"},
        {"0.0125e2", 1, "0.25"},
        {"0.0125e2", -1, "2.25"},
        {"1e-400", -3, "3"},
        {"1e-99999999999999999999", -3, "3"},
        {"1e22", 1, "9999999999999999999999"},
        /* below 0 */
        {"-0.25", -1, "0.75"},
        {"-0.250", -1, "0.750"},
        {"-0.95", -1, "0.05"},
        {"-7", -7, "0"},
        {"-7.0", -7, "0.0"},
        {"-7.5", -8, "0.5"},
        {"-75e-1", -10, "2.5"},
        {"-0", -2, "2"},
        {"-0.00", -2, "2.00"},
        {"-9223372036854774", -9223372036854775, "1"},
        /* of any length */
        {"10000000000000000000000000000000.5", 1, "9999999999999999999999999999999.5"},
        {"99999999999999999999999999999999.5", -1, "100000000000000000000000000000000.5"},
        {"99999999999999999999", -9223372036854775, "100009223372036854774"},
        /* more decimals than the viewer's integers hold are cut off */
        {"2.1234567890123456789", 1, "1.123456789012345678"},
        {"-0.1234567890123456789", -1, "0.876543210987654322"},
        {"-0.0000000000000000001", -1, "1.000000000000000000"},
    };
    check_rows(rows, sizeof rows / sizeof *rows, false);
}
END_TEST

START_TEST(refuses_what_would_be_wrong)
{
    static const struct shift_row rows[] = {
        {"4", 5, "!"},     {"4.9", 5, "!"},   {"-1", 1, "!"},    {"-0", 1, "!"},
        {"-5", -4, "!"},   {"-4.1", -4, "!"}, {"1e401", 1, "!"}, {"1e99999999999999999999", 1, "!"},
        {"05", 1, "!"},    {"1.", 1, "!"},    {"NaN", 1, "!"},   {"", 1, "!"},
        {"true", -1, "!"}, {"0x10", -1, "!"}, {"12 ", 1, "!"},   {"-99999999999999999999", -1, "!"},
    };
    check_rows(rows, sizeof rows / sizeof *rows, false);
}
END_TEST

START_TEST(metadata_stays_at_0)
{
    static const struct shift_row rows[] = {
        {"0", 5, "="},  {"4.5", 5, "0"}, {"0.0", 5, "0"},
        {"-3", 5, "0"}, {"7", 5, "2"},   {"x", 5, "!"},
    };
    check_rows(rows, sizeof rows / sizeof *rows, true);
}
END_TEST

START_TEST(a_shift_of_0_changes_no_token)
{
    static const char *const tokens[] = {"0",  "-0",  "1.50",
                                         "-3", "1e3", "2.12345678901234567890123"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        ck_assert_str_eq(shifted(tokens[i], 0, i % 2), "=");
}
END_TEST

/* A random number below 10^18 of up to `digits` digits. */
static uint64_t random_digits(uint64_t *state, unsigned digits)
{
    uint64_t limit = 1;
    for (uint64_t n = random_below(state, digits + 1); n > 0; n--)
        limit *= 10;
    return random_below(state, limit);
}

/* The oracle counts in units of 10^-18 us, in 128 bits. */
__extension__ typedef __int128 wide;
#define UNITS ((wide)1000000000000000000)

START_TEST(shifts_as_128_bits_do)
{
    uint64_t state = 7;
    for (int i = 0; i < 50000; i++) {
        char token[128], expected[128];
        unsigned decimals = (unsigned)random_below(&state, 19);
        uint64_t fraction = random_digits(&state, decimals);
        uint64_t whole = random_digits(&state, 16);
        bool minus = random_below(&state, 3) == 0;
        int64_t shift_us = (int64_t)random_digits(&state, 16);
        if (random_below(&state, 3) == 0)
            shift_us = (int64_t)whole + (int64_t)random_below(&state, 3) - 1;
        shift_us = random_below(&state, 2) ? -shift_us : shift_us;
        int n = snprintf(token, sizeof token, "%s%" PRIu64, minus ? "-" : "", whole);
        wide value = (wide)whole * UNITS, scale = UNITS;
        for (unsigned k = 0; k < decimals; k++)
            scale /= 10;
        value += fraction * scale;
        if (decimals)
            snprintf(token + n, sizeof token - (size_t)n, ".%0*" PRIu64, (int)decimals, fraction);
        value = (minus ? -value : value) - (wide)shift_us * UNITS;
        if (shift_us == 0)
            snprintf(expected, sizeof expected, "=");
        else if (value < 0)
            snprintf(expected, sizeof expected, "!");
        else if (decimals)
            snprintf(expected, sizeof expected, "%" PRIu64 ".%0*" PRIu64, (uint64_t)(value / UNITS),
                     (int)decimals, (uint64_t)(value % UNITS / scale));
        else
            snprintf(expected, sizeof expected, "%" PRIu64, (uint64_t)(value / UNITS));
        const char *got = shifted(token, shift_us, false);
        ck_assert_msg(strcmp(got, expected) == 0, "%s - %" PRId64 ": %s, expected %s", token,
                      shift_us, got, expected);
    }
}
END_TEST

static struct ts_range range_of(const char *const *tokens, size_t n)
{
    struct ts_range range = {0};
    for (size_t i = 0; i < n; i++) {
        bool quoted = tokens[i][0] == '\'';
        ts_range_note(&range, tokens[i] + quoted, strlen(tokens[i]) - quoted, quoted);
    }
    return range;
}

#define RANGE_OF(...)                                                                              \
    range_of((const char *const[]){__VA_ARGS__},                                                   \
             sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

static int64_t shift_of(struct ts_range range)
{
    int64_t shift_us = -77;
    ck_assert(ts_range_shift(&range, &shift_us));
    return shift_us;
}

START_TEST(the_constant_is_the_least_rounded_down)
{
    ck_assert_int_eq(shift_of(RANGE_OF("7.5", "5.9", "100")), 5);
    ck_assert_int_eq(shift_of(RANGE_OF("7.5", "-5.1", "100")), -6);
    ck_assert_int_eq(shift_of(RANGE_OF("-5.0", "3")), -5);
    ck_assert_int_eq(shift_of(RANGE_OF("-0", "3")), 0);
    ck_assert_int_eq(shift_of(RANGE_OF("-0.001", "3")), -1);
    ck_assert_int_eq(shift_of(RANGE_OF("'1736408883690507.080", "1.8e15")), 1736408883690507);
    ck_assert_int_eq(shift_of(RANGE_OF("0.99", "1")), 0);
    ck_assert_int_eq(shift_of((struct ts_range){0}), 0);
    /* what is no time, or beyond the viewer's range, does not count */
    ck_assert_int_eq(shift_of(RANGE_OF("8", "NaN", "'x", "05", "-1e300", "1e400")), 8);
    ck_assert_uint_eq(RANGE_OF("8", "-9223372036854775.1", "1e300", "9").beyond, 2);
}
END_TEST

START_TEST(ts_too_far_apart_stay)
{
    int64_t shift_us;
    struct ts_range range = RANGE_OF("-9000000000000000", "223372036854773");
    ck_assert(ts_range_shift(&range, &shift_us));
    range = RANGE_OF("-9000000000000000", "223372036854775");
    ck_assert(!ts_range_shift(&range, &shift_us));
    range = RANGE_OF("-9000000000000000", "9000000000000000");
    ck_assert(!ts_range_shift(&range, &shift_us));
}
END_TEST

START_TEST(when_a_rebase_is_wanted)
{
    struct ts_range range;
#define WANTED(...) (range = RANGE_OF(__VA_ARGS__), ts_range_wants_rebase(&range))
    ck_assert(!WANTED("0", "1.257", "1700000000000001", "4398046511103.999", "1.7e15"));
    ck_assert(!WANTED("-0", "-0.0", "NaN", "'abc"));
    ck_assert(WANTED("4398046511104.5"));
    ck_assert(WANTED("1", "-4398046511104.5"));
    ck_assert(WANTED("-0.5"));
    ck_assert(WANTED("1", "'2"));
    ck_assert(WANTED("1.7000000000000005e15"));
}
END_TEST

START_TEST(ranges_merge_in_any_order)
{
    static const char *const tokens[] = {"5.5",  "-3.25", "'17", "4398046511104.5",  "1e300",
                                         "12e1", "x",     "0",   "-9000000000000000"};
    enum { N = sizeof tokens / sizeof *tokens };
    struct ts_range all = range_of(tokens, N);
    for (size_t split = 0; split <= N; split++) {
        struct ts_range a = range_of(tokens, split), b = range_of(tokens + split, N - split);
        struct ts_range ab = a, ba = b;
        ts_range_merge(&ab, &b);
        ts_range_merge(&ba, &a);
        ck_assert_int_eq(ab.least_us, all.least_us);
        ck_assert_int_eq(ba.least_us, all.least_us);
        ck_assert_int_eq(ab.greatest_us, all.greatest_us);
        ck_assert_int_eq(ba.greatest_us, all.greatest_us);
        ck_assert(ab.any && ba.any && ab.negative && ba.negative && ab.string && ba.string);
        ck_assert(ab.coarse && ba.coarse);
        ck_assert_uint_eq(ab.beyond, 1);
        ck_assert_uint_eq(ba.beyond, 1);
    }
}
END_TEST

/* "!" if it is refused. */
static void check_base(const char *token, int64_t shift_us, const char *expected)
{
    struct buf out = {0};
    bool ok = rebase_base_time(&out, token, strlen(token), shift_us);
    ck_assert(ok || out.len == 0);
    if (!ok)
        buf_add_char(&out, '!');
    buf_add_char(&out, 0);
    ck_assert_msg(strcmp(out.data, expected) == 0, "%s + %" PRId64 ": %s, expected %s", token,
                  shift_us, out.data, expected);
    buf_free(&out);
}

START_TEST(the_base_time_takes_the_constant)
{
    check_base("", 1700000000000000, "1700000000000000000");
    check_base("0", -3, "-3000");
    check_base("1736408883690507080", 5, "1736408883690512080");
    check_base("1736408883690507080", -1736408883690508, "-920");
    check_base("-5000", 5, "0");
    check_base("-5001", 5, "-1");
    check_base("-4999", 5, "1");
    check_base("5000", -5, "0");
    check_base("-7", -1, "-1007");
    check_base("-0", 1, "1000");
    check_base("-0", -1, "-1000");
    check_base("9223372036854775807", 9223372036854775, "18446744073709550807");
    check_base("100000000000000000000000000000", -1, "99999999999999999999999999000");
    check_base("-100000000000000000000000000000", 1, "-99999999999999999999999999000");
    check_base("-99999999999999999999999999999", -1, "-100000000000000000000000000999");
    check_base("1.7e18", 1, "1700000000000001000");
    check_base("12.0", 1, "1012");
    check_base("1.5", 1, "!");
    check_base("1e-300", 1, "!");
    check_base("1.0000000000000000000000001", 1, "!");
    check_base("abc", 1, "!");
    check_base("null", 1, "!");
}
END_TEST

Suite *rebase_suite(void)
{
    const TTest *const tests[] = {shifts_exactly,
                                  refuses_what_would_be_wrong,
                                  metadata_stays_at_0,
                                  a_shift_of_0_changes_no_token,
                                  shifts_as_128_bits_do,
                                  the_constant_is_the_least_rounded_down,
                                  ts_too_far_apart_stay,
                                  when_a_rebase_is_wanted,
                                  ranges_merge_in_any_order,
                                  the_base_time_takes_the_constant};
    return SUITE_OF("rebase", tests);
}
