/* The layout of any bytes: however they are sliced it is the same, and laid out again it stays; all
 * that is no white space is there, in its order; it is not much longer; and JSON comes out as from
 * the tests' own way of it. */
#include "../model/layout.h"
#include "../model/strict.h"
#include "fuzz.h"
#include "pretty.h"

struct text {
    char *bytes;
    size_t n;
};

static bool take(void *context, const char *bytes, size_t n)
{
    struct text *text = context;
    text->bytes = realloc(text->bytes, text->n + n);
    MUST(text->bytes);
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
    return true;
}

static struct text lay_out(const char *bytes, size_t n, size_t piece)
{
    struct text text = {malloc(1), 0}; /* so that there is something, if nothing comes */
    struct pretty *p = pretty_new(take, &text);
    for (size_t done = 0, some; done < n; done += some) {
        some = piece < n - done ? piece : n - done;
        char *copy = malloc(some); /* so that reading beyond it is noticed */
        memcpy(copy, bytes + done, some);
        MUST(pretty_write(p, copy, some));
        free(copy);
    }
    MUST(pretty_finish(p));
    pretty_free(p);
    return text;
}

static void must_equal(const struct text *a, const struct text *b)
{
    MUST(a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1)
        return 0;
    const char *in = (const char *)data + 1;
    struct text whole = lay_out(in, --n, SIZE_MAX), sliced = lay_out(in, n, 1 + data[0] % 40);
    struct text again = lay_out(whole.bytes, whole.n, SIZE_MAX), was, is;
    must_equal(&whole, &sliced);
    must_equal(&whole, &again);
    MUST(whole.n <= n * (2 + 2 * PRETTY_LEVELS_MAX) + 1);
    was.bytes = layout_bare(in, n, &was.n);
    is.bytes = layout_bare(whole.bytes, whole.n, &is.n);
    must_equal(&was, &is);
    free(was.bytes);
    free(is.bytes);
    if (strict_json(in, n)) {
        struct text expected;
        expected.bytes = layout_json(in, n, &expected.n);
        must_equal(&whole, &expected);
        free(expected.bytes);
    }
    free(whole.bytes);
    free(sliced.bytes);
    free(again.bytes);
    return 0;
}
