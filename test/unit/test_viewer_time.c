#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "units.h"
#include "viewer_time.h"

static int64_t ns_of(const char *token)
{
    int64_t ns = -1;
    ck_assert_msg(viewer_ns(token, strlen(token), &ns), "%s is refused", token);
    return ns;
}

/* The table of perfetto.md, Numbers. */
START_TEST(reads_as_the_viewer_does)
{
    static const struct {
        const char *token;
        int64_t ns;
    } rows[] = {
        {"1.0005", 1001},
        {"2.5005", 2500}, /* strtod would give 2501 */
        {"0.150", 150},
        {"9.9999999999999995e-07", 0},
        {"1700000000000001.257", 1700000000000001280}, /* a grid of 256 ns */
        {"1700000000000001.100", 1700000000000001000},
        {"0.00012345678901234567", 2}, /* the fraction wraps around as int64 */
        {"0", 0},
        {"-0", 0},
        {"-1.5", -1500},
        {"-0.0005", -1}, /* half away from zero */
        {"12", 12000},
        {"1e3", 1000000},
        {"1.5E+2", 150000},
        {"25e-1", 2500},
        {"1e-400", 0},
        {"9223372036854775", 9223372036854775000},
        {"9223372036854775807", -1000},  /* fits int64, and wraps around in ns */
        {"18446744073709551615", -1000}, /* does not fit: wraps around before it is a double */
        {"1e19", 1864712049423024128},   /* a whole double beyond int64 wraps around too */
        {"1e18", 3875820019684212736},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(ns_of(rows[i].token) == rows[i].ns, "%s: %" PRId64 ", expected %" PRId64,
                      rows[i].token, ns_of(rows[i].token), rows[i].ns);
}
END_TEST

START_TEST(refuses_what_the_viewer_refuses)
{
    static const char *const tokens[] = {
        "",    "1.", ".5", "+5",    "05",       "-05",       "-",     "1e",   "1e+",  "1.e5", "NaN",
        "0x1", "1 ", " 1", "1.2.3", "Infinity", "-Infinity", "1e400", "true", "null", "1,5"};
    int64_t ns;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        ck_assert_msg(!viewer_ns(tokens[i], strlen(tokens[i]), &ns), "%s is read", tokens[i]);
    ck_assert(!viewer_ns("1\0", 2, &ns));
}
END_TEST

START_TEST(counts_decimals)
{
    ck_assert_uint_eq(number_decimals("1", 1), 0);
    ck_assert_uint_eq(number_decimals("1.5", 3), 1);
    ck_assert_uint_eq(number_decimals("-1.000", 6), 3);
    ck_assert_uint_eq(number_decimals("1.0005", 6), 4);
    ck_assert_uint_eq(number_decimals("1.5e3", 5), 0);
    ck_assert_uint_eq(number_decimals("x", 1), 0);
}
END_TEST

START_TEST(cuts_ids_to_their_whole_part)
{
    static const struct {
        const char *token;
        int64_t whole;
    } rows[] = {{"7", 7},    {"-7", -7},    {"7.999", 7},
                {"-0.5", 0}, {"1e3", 1000}, {"9223372036854775807", INT64_MAX}};
    int64_t whole;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert(number_whole(rows[i].token, strlen(rows[i].token), &whole));
        ck_assert_int_eq(whole, rows[i].whole);
    }
    ck_assert(!number_whole("NaN", 3, &whole));
    ck_assert(!number_whole("1e400", 5, &whole));
    ck_assert(!number_whole("18446744073709551623", 20, &whole)); /* not 7 */
}
END_TEST

static void check_print(int64_t ns, bool three, const char *expected)
{
    char text[VIEWER_NS_PRINT_MAX + 1];
    size_t n = viewer_ns_print(text, ns, three);
    ck_assert_uint_le(n, VIEWER_NS_PRINT_MAX);
    text[n] = 0;
    ck_assert_str_eq(text, expected);
}

START_TEST(prints_in_the_form_of_the_old_token)
{
    check_print(16000, false, "16");
    check_print(5200, false, "5.2");
    check_print(5250, false, "5.25");
    check_print(5251, false, "5.251");
    check_print(5, false, "0.005");
    check_print(0, false, "0");
    check_print(0, true, "0.000");
    check_print(16000, true, "16.000");
    check_print(16050, true, "16.050");
    check_print(1712195496004644352, true, "1712195496004644.352");
}
END_TEST

static int64_t print_and_read(int64_t ns, bool three)
{
    char text[VIEWER_NS_PRINT_MAX];
    size_t n = viewer_ns_print(text, ns, three);
    int64_t back = -1;
    ck_assert(viewer_ns(text, n, &back));
    return back;
}

/* At every magnitude: what ceil and floor give can be written, is on the right side, and nothing
 * that can be written lies between. */
START_TEST(every_planned_time_reads_back)
{
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        int64_t ns = (int64_t)(random_below(&state, UINT64_MAX) >> (1 + random_below(&state, 62)));
        if (ns > INT64_MAX - 10000)
            continue;
        int64_t up = viewer_ns_ceil(ns), down = viewer_ns_floor(ns);
        ck_assert_int_ge(up, ns);
        ck_assert_int_le(down, ns);
        ck_assert_int_eq(print_and_read(up, i % 2), up);
        ck_assert_int_eq(print_and_read(down, i % 2), down);
        ck_assert_int_eq(viewer_ns_ceil(up), up);
        ck_assert_int_eq(viewer_ns_floor(down), down);
        if (ns < (INT64_C(1) << 42) * 1000)
            ck_assert(up == ns && down == ns);
        else
            ck_assert(up == down || viewer_ns_ceil(down + 1) == up);
    }
}
END_TEST

/* Brute force against the definition, in the epoch: all plain three-decimal texts around. */
START_TEST(ceil_is_the_smallest_that_can_be_written)
{
    const int64_t epoch = INT64_C(1712195496004644000);
    for (int64_t want = epoch; want < epoch + 1500; want += 7) {
        int64_t best = INT64_MAX;
        for (int64_t text_ns = want - 2000; text_ns < want + 2000; text_ns++) {
            char text[40];
            int n = snprintf(text, sizeof text, "%" PRId64 ".%03d", text_ns / 1000,
                             (int)(text_ns % 1000));
            int64_t back;
            ck_assert(viewer_ns(text, (size_t)n, &back));
            if (back >= want && back < best)
                best = back;
        }
        ck_assert_int_eq(viewer_ns_ceil(want), best);
    }
}
END_TEST

START_TEST(the_end_of_the_range_has_no_ceil)
{
    ck_assert_int_eq(viewer_ns_ceil(INT64_MAX - 1), INT64_MAX);
    ck_assert_int_le(viewer_ns_floor(INT64_MAX), INT64_MAX);
}
END_TEST

Suite *viewer_time_suite(void)
{
    const TTest *const tests[] = {reads_as_the_viewer_does,
                                  refuses_what_the_viewer_refuses,
                                  counts_decimals,
                                  cuts_ids_to_their_whole_part,
                                  prints_in_the_form_of_the_old_token,
                                  every_planned_time_reads_back,
                                  ceil_is_the_smallest_that_can_be_written,
                                  the_end_of_the_range_has_no_ceil};
    return SUITE_OF("viewer_time", tests);
}
