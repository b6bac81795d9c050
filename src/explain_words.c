/* The words of an explanation, and its decisions. */
#include "explain_words.h"

#include "report.h"

const struct place *words_place(const struct teller *t, uint64_t off)
{
    return places_get(t->places, t->nplaces, off);
}

void words_name(struct teller *t, const struct place *place)
{
    buf_add_str(t->out, place->name ? place->name : "<unnamed>");
}

void words_other(struct teller *t, const struct other *other)
{
    struct buf *out = t->out;
    const struct place *place = words_place(t, other->off);
    size_t i = 0;
    while (i < t->nnamed && t->named[i].off != other->off)
        i++;
    struct other *known = &t->named[i];
    bool is_new = i == t->nnamed;
    bool other_times = known->start_ns != other->start_ns || known->end_ns != other->end_ns;
    if (is_new) {
        words_name(t, place);
        report_count(out, " (event ", place->event, ", ");
        buf_add_str(out, place->cat ? place->cat : "");
        buf_add_str(out, place->cat ? ", " : "");
    } else {
        report_count(out, "event ", place->event, other_times ? " (by then " : "");
    }
    if (is_new || other_times) {
        buf_add_us(out, other->start_ns);
        buf_add_str(out, " to ");
        buf_add_us(out, other->end_ns);
        buf_add_char(out, ')');
    }
    *known = *other;
    t->nnamed += is_new;
}

void words_times(struct buf *out, int64_t start_ns, int64_t end_ns)
{
    buf_add_str(out, "ts ");
    buf_add_us(out, start_ns);
    buf_add_str(out, ", dur ");
    buf_add_us(out, end_ns - start_ns);
}
