/* An event gives the same fields whether or not jsmn looks into its inner values; they lie within
 * it, and where it is JSON the reader of the tests' model finds the same. */
#include "../model/model.h"
#include "event.h"
#include "fuzz.h"

static void must_lie_within(const struct value *v, const char *text, size_t n)
{
    MUST((uint64_t)v->off + v->len <= n);
    if (v->kind == VALUE_STRING)
        MUST(v->off > 0 && text[v->off - 1] == '"' && text[v->off + v->len] == '"');
    if (v->kind == VALUE_NESTED)
        MUST(v->len >= 2 && strchr("{[", text[v->off]) && strchr("}]", text[v->off + v->len - 1]));
}

static void must_equal(const struct value *a, const struct value *b)
{
    MUST(a->kind == b->kind && a->off == b->off && a->len == b->len);
}

static void must_be(const struct value *v, const struct model_value *m)
{
    MUST((v->kind == VALUE_NONE) == (m->kind == MODEL_ABSENT) &&
         (v->kind == VALUE_STRING) == (m->kind == MODEL_STRING) &&
         (v->kind == VALUE_BARE) == (m->kind == MODEL_BARE));
    MUST(m->kind == MODEL_ABSENT || (v->off == m->off && v->len == m->len));
}

static void compare_with_model(const struct event *e, const char *text, const struct model_event *m)
{
    bool has_ph = m->ph.kind == MODEL_STRING && m->ph.len;
    MUST(has_ph ? e->ph == text[m->ph.off] : !e->ph);
    must_be(&e->name, &m->name);
    must_be(&e->cat, &m->cat);
    must_be(&e->pid, &m->pid);
    must_be(&e->tid, &m->tid);
    must_be(&e->ts, &m->ts);
    must_be(&e->dur, &m->dur);
    must_be(&e->bp, &m->bp);
    if (e->ph == 'M') {
        must_be(&e->arg_name, &m->arg_name);
        must_be(&e->arg_sort_index, &m->arg_sort_index);
    }
}

/* All fields but ph. */
#define FIELDS(E)                                                                                  \
    {                                                                                              \
        &(E)->name, &(E)->cat, &(E)->pid, &(E)->tid, &(E)->ts, &(E)->dur, &(E)->bp,                \
            &(E)->arg_name, &(E)->arg_sort_index                                                   \
    }

static void check_event(const char *text, size_t n, const struct nest *nest)
{
    static struct event_parser *parser;
    struct event whole, skipped;
    struct outline outline = event_outline(nest);
    struct model_event by_model;
    if (!parser)
        parser = event_parser_new();
    enum event_status status = event_parse(parser, text, n, NULL, &whole);
    MUST(status == EVENT_OK || status == EVENT_UNREAD);
    const struct value *a[] = FIELDS(&whole), *b[] = FIELDS(&skipped);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        must_lie_within(a[i], text, n);
    if (!outline.too_deep) {
        MUST(event_parse(parser, text, n, &outline, &skipped) == status);
        MUST(whole.ph == skipped.ph);
        for (size_t i = 0; i < sizeof a / sizeof *a; i++)
            must_equal(a[i], b[i]);
    }
    model_read_event(text, 0, n, &by_model);
    if (by_model.readable) {
        MUST(status == EVENT_OK);
        compare_with_model(&whole, text, &by_model);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    size_t used;
    struct nest nest = {0};
    if (!n || data[0] != '{')
        return 0;
    char *text = malloc(n);
    memcpy(text, data, n);
    nest_begin(&nest);
    if (nest_run(&nest, text, n, &used) == NEST_CLOSED) {
        char *event = malloc(used); /* so that reading beyond it is noticed */
        memcpy(event, text, used);
        check_event(event, used, &nest);
        free(event);
    }
    free(text);
    nest_free(&nest);
    return 0;
}
