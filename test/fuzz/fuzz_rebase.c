/* A number that is shifted is a number that is not negative, and shifted back it is the old one;
 * the least of a range becomes less than 1. The first 8 bytes are the shift, the rest is a token.
 */
#include "fuzz.h"
#include "rebase.h"
#include "viewer_time.h"

static void must_be_time(const struct buf *out)
{
    struct decimal d;
    MUST(!out->failed && decimal_read(out->data, out->len, &d));
    MUST(!d.negative && number_decimals(out->data, out->len) <= DECIMAL_FRACTION_MAX);
}

static void shift_back(const char *token, size_t n, const struct buf *out, int64_t shift_us)
{
    struct decimal d;
    struct buf back = {0};
    enum rebase_result result = rebase_token(&back, out->data, out->len, -shift_us, false);
    MUST(decimal_read(token, n, &d));
    uint64_t whole;
    bool below = d.negative && (!decimal_whole(&d, &whole) || whole || decimal_has_fraction(&d));
    MUST(below ? result == REBASE_REFUSED : result == REBASE_DONE);
    struct buf plain = {0};
    decimal_add_whole(&plain, &d);
    decimal_add_fraction(&plain, &d, false);
    MUST(below || (back.len == plain.len && memcmp(back.data, plain.data, plain.len) == 0));
    buf_free(&plain);
    buf_free(&back);
}

static void check_shift(const char *token, size_t n, int64_t shift_us)
{
    struct buf out = {0}, clamped = {0};
    bool valid = number_valid(token, n);
    enum rebase_result result = rebase_token(&out, token, n, shift_us, false);
    enum rebase_result at_0 = rebase_token(&clamped, token, n, shift_us, true);
    MUST(valid || result == REBASE_REFUSED);
    MUST(result == REBASE_DONE || !out.len);
    MUST(result == REBASE_REFUSED || result == at_0);
    MUST((result == REBASE_SAME) == (result != REBASE_REFUSED && !shift_us));
    if (at_0 == REBASE_DONE)
        must_be_time(&clamped);
    if (result == REBASE_DONE)
        shift_back(token, n, &out, shift_us);
    buf_free(&out);
    buf_free(&clamped);
}

/* The range of one ts, whose shift leaves less than 1 of it. */
static void check_range(const char *token, size_t n)
{
    struct ts_range range = {0};
    int64_t shift_us = 0;
    ts_range_note(&range, token, n, false);
    MUST(ts_range_shift(&range, &shift_us));
    struct buf out = {0};
    enum rebase_result result = rebase_token(&out, token, n, shift_us, false);
    MUST(!range.any || result == (shift_us ? REBASE_DONE : REBASE_SAME));
    if (range.any && shift_us)
        MUST(out.data[0] == '0' && (out.len == 1 || out.data[1] == '.'));
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint64_t bits = 0;
    if (n < 8)
        return 0;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | data[i];
    n -= 8;
    char *token = malloc(n); /* so that reading beyond it is noticed */
    MUST(token || !n);
    if (n)
        memcpy(token, data + 8, n);
    int64_t shift_us = (int64_t)(bits % 9223372036854775) >> data[0] % 50;
    check_shift(token, n, data[1] % 2 ? shift_us : -shift_us);
    check_range(token, n);
    free(token);
    return 0;
}
