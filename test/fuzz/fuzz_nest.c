/* The cutter's blocks of 64 bytes see what the plain way sees, however the text is sliced; and an
 * event gives the same fields whether or not jsmn looks into its inner values. */
#include "event.h"
#include "fuzz.h"
#include "nest.h"

static enum nest_result run(struct nest *n, const char *text, size_t len, size_t slice, size_t *end)
{
    enum nest_result result = NEST_MORE;
    nest_begin(n);
    *end = 0;
    while (*end < len && result == NEST_MORE) {
        size_t used, some = len - *end < slice ? len - *end : slice;
        char *copy = malloc(some); /* so that reading beyond it is noticed */
        memcpy(copy, text + *end, some);
        result = nest_run(n, copy, some, &used);
        free(copy);
        *end += used;
    }
    return result;
}

static void compare(const struct nest *a, const struct nest *b)
{
    MUST(a->odd == b->odd && a->depth == b->depth && a->depth_max == b->depth_max);
    MUST(a->ninner == b->ninner);
    for (uint64_t i = 0; i < a->ninner && i < NEST_INNER_MAX; i++)
        MUST(a->inner[i].begin == b->inner[i].begin && a->inner[i].end == b->inner[i].end);
}

static void compare_values(const struct value *a, const struct value *b)
{
    MUST(a->kind == b->kind && a->off == b->off && a->len == b->len);
}

static void compare_events(const char *text, size_t n, const struct nest *nest)
{
    static struct event_parser *parser;
    struct event whole, skipped;
    struct outline outline = event_outline(nest);
    if (!parser)
        parser = event_parser_new();
    enum event_status status = event_parse(parser, text, n, NULL, &whole);
    if (nest->depth_max > EVENT_DEPTH_MAX)
        return;
    MUST(event_parse(parser, text, n, &outline, &skipped) == status);
    MUST(whole.ph == skipped.ph);
    compare_values(&whole.name, &skipped.name);
    compare_values(&whole.cat, &skipped.cat);
    compare_values(&whole.pid, &skipped.pid);
    compare_values(&whole.tid, &skipped.tid);
    compare_values(&whole.ts, &skipped.ts);
    compare_values(&whole.dur, &skipped.dur);
    compare_values(&whole.bp, &skipped.bp);
    compare_values(&whole.arg_name, &skipped.arg_name);
    compare_values(&whole.arg_sort_index, &skipped.arg_sort_index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *text = (const char *)data + 1;
    if (n < 2 || (text[0] != '{' && text[0] != '[' && text[0] != '"'))
        return 0;
    size_t end, plain_end, slice = data[0] < 200 ? data[0] + 1u : 1u << 20;
    struct nest blocks = {0}, plain = {.plain_only = true};
    enum nest_result result = run(&blocks, text, n - 1, slice, &end);
    MUST(run(&plain, text, n - 1, n, &plain_end) == result);
    MUST(end == plain_end);
    if (result == NEST_CLOSED || result == NEST_MORE)
        compare(&blocks, &plain);
    if (result == NEST_CLOSED && text[0] == '{')
        compare_events(text, end, &blocks);
    nest_free(&blocks);
    nest_free(&plain);
    return 0;
}
