#include "repair.h"

enum {
    KEPT_NBYTES = 1 << 22
}; /* a buffer that a giant event has grown beyond this is given back */

bool repair_rules_any(const struct repair_rules *rules)
{
    return rules->mend || rules->values.ids || rules->values.times;
}

void repairer_free(struct repairer *r)
{
    mend_free(&r->mend);
    revaluer_free(&r->revaluer);
    buf_free(&r->mended);
    buf_free(&r->revalued);
    nest_free(&r->nest);
}

static void empty(struct buf *buf)
{
    buf->len = 0;
    if (buf->cap > KEPT_NBYTES)
        buf_free(buf);
}

/* The text has become another one; it is read anew, if that is wanted. */
static enum event_status take_text(struct repairer *r, const struct buf *text, bool read,
                                   struct repaired *out)
{
    size_t used;
    out->text = text->data;
    out->n = text->len;
    out->changed = true;
    if (!read)
        return text->failed ? EVENT_NO_MEMORY : EVENT_OK;
    nest_begin(&r->nest);
    enum nest_result result = nest_run(&r->nest, out->text, out->n, &used);
    if (result == NEST_NO_MEMORY || text->failed)
        return EVENT_NO_MEMORY;
    struct outline outline = event_outline(&r->nest);
    return event_parse(r->parser, out->text, out->n, &outline, &out->event);
}

enum event_status repair_event(struct repairer *r, const char *text, size_t n,
                               const struct outline *outline, bool read, struct repaired *out)
{
    finding_set found;
    enum mend_result mended = MEND_SAME;
    *out = (struct repaired){.text = text, .n = n};
    empty(&r->mended);
    empty(&r->revalued);
    if (r->rules->mend)
        mended = mend_event(&r->mend, text, n, &r->mended, &found);
    if (mended == MEND_NO_MEMORY)
        return EVENT_NO_MEMORY;
    enum event_status status = mended == MEND_DONE
                                   ? take_text(r, &r->mended, true, out)
                                   : event_parse(r->parser, text, n, outline, &out->event);
    r->revaluer.rules = &r->rules->values;
    if (status != EVENT_OK ||
        !revalue_event(&r->revaluer, &r->revalued, out->text, out->n, &out->event))
        return status;
    return take_text(r, &r->revalued, read, out);
}
