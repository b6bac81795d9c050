/* The cuts are the same for every way in which the input is sliced into windows, and with both ways
 * of running through an event; they are disjoint, in order, each from a { to a }; and the model of
 * the tests finds the same events. */
#include "../model/model.h"
#include "cutter.h"
#include "fuzz.h"

enum { CUTS_MAX = 4096 };

struct cuts {
    struct cut items[CUTS_MAX]; /* nest unset */
    struct nest_facts {
        bool odd;
        size_t depth_max;
        uint64_t ninner;
        struct span inner[NEST_INNER_MAX];
    } facts[CUTS_MAX];
    size_t n;
    enum cut_result end;
    struct lanefix_error error;
};

static void note_cut(struct cuts *cuts, const struct cut *cut, const char *text)
{
    const struct nest *nest = cut->nest;
    MUST(cuts->n < CUTS_MAX);
    const struct cut *before = cuts->n ? &cuts->items[cuts->n - 1] : NULL;
    MUST(!before || before->off + before->len <= cut->off);
    MUST(text[cut->off] == '{' && text[cut->off + cut->len - 1] == '}');
    MUST(cut->gap_off <= cut->off && (!before || cut->gap_off >= before->off + before->len));
    struct nest_facts *facts = &cuts->facts[cuts->n];
    memset(facts, 0, sizeof *facts);
    facts->odd = nest->odd;
    facts->depth_max = nest->depth_max;
    facts->ninner = nest->ninner;
    memcpy(facts->inner, nest->inner,
           sizeof *nest->inner *
               (nest->ninner < NEST_INNER_MAX ? (size_t)nest->ninner : NEST_INNER_MAX));
    cuts->items[cuts->n] = *cut;
    cuts->items[cuts->n++].nest = NULL;
}

/* Cuts the text, read `slice` bytes at a time. */
static void cut_all(struct cuts *cuts, const char *text, size_t n, size_t slice, bool plain)
{
    struct cutter c;
    struct cut cut;
    size_t got = 0;
    cutter_init(&c);
    c.nest.plain_only = plain;
    cuts->n = 0;
    for (;;) {
        size_t keep = (size_t)c.keep, len = got - keep;
        char *window = malloc(len); /* so that reading beyond it is noticed */
        MUST(window || !len);
        if (len)
            memcpy(window, text + keep, len);
        enum cut_result result = cutter_next(&c, window, len, keep, got == n, &cut);
        if (result == CUT_EVENT) {
            MUST(cut.off >= keep && cut.off + cut.len <= got);
            MUST(cut.off - cut.gap_off > CUTTER_GAP_MAX || cut.gap_off >= keep);
            note_cut(cuts, &cut, text);
        }
        free(window);
        if (result == CUT_MORE) {
            MUST(got < n);
            got += n - got < slice ? n - got : slice;
        } else if (result != CUT_EVENT) {
            cuts->end = result;
            break;
        }
    }
    MUST(c.events == cuts->n);
    cuts->error = c.error;
    cutter_free(&c);
}

static void compare(const struct cuts *a, const struct cuts *b)
{
    MUST(a->n == b->n && a->end == b->end);
    for (size_t i = 0; i < a->n; i++) {
        MUST(a->items[i].off == b->items[i].off && a->items[i].len == b->items[i].len);
        MUST(a->items[i].gap_off == b->items[i].gap_off);
        const struct nest_facts *x = &a->facts[i], *y = &b->facts[i];
        MUST(x->odd == y->odd && x->depth_max == y->depth_max && x->ninner == y->ninner);
        for (size_t k = 0; k < NEST_INNER_MAX; k++)
            MUST(x->inner[k].begin == y->inner[k].begin && x->inner[k].end == y->inner[k].end);
    }
    if (a->end == CUT_ERROR)
        MUST(a->error.code == b->error.code && a->error.offset == b->error.offset &&
             a->error.event == b->error.event);
}

static void compare_with_model(const struct cuts *cuts, const char *text, size_t n)
{
    struct model m = {.text = text, .n = n};
    bool read = model_read_events(&m);
    /* it does not mind what stands between events, and knows nothing of torn ones */
    bool stricter = cuts->end == CUT_ERROR && (cuts->error.code == LANEFIX_ERR_SYNTAX ||
                                               cuts->error.code == LANEFIX_ERR_TORN);
    MUST(stricter || (read == (cuts->end == CUT_END) && m.nevents == cuts->n));
    MUST(m.nevents >= cuts->n);
    for (size_t i = 0; i < cuts->n; i++)
        MUST(m.events[i].off == cuts->items[i].off &&
             m.events[i].end == cuts->items[i].off + cuts->items[i].len);
    free(m.events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct cuts whole, sliced;
    if (n < 1 || n > CUTS_MAX)
        return 0;
    const char *text = (const char *)data + 1;
    size_t slice = data[0] < 128 ? 1 + data[0] % 8 : data[0];
    n--;
    cut_all(&whole, text, n, n + 1, false);
    cut_all(&sliced, text, n, slice, data[0] % 2);
    compare(&whole, &sliced);
    compare_with_model(&whole, text, n);
    return 0;
}
