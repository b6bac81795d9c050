#include "crossings.h"

void crossings_init(struct crossings *c)
{
    *c = (struct crossings){.first_off = UINT64_MAX, .first_deep_off = UINT64_MAX};
}

void crossings_add(struct crossings *c, const struct crossing *crossing)
{
    if (c->n == CROSSINGS_MAX && c->worst[c->n - 1].by_ns >= crossing->by_ns)
        return;
    size_t i = c->n < CROSSINGS_MAX ? c->n++ : c->n - 1;
    for (; i > 0 && c->worst[i - 1].by_ns < crossing->by_ns; i--)
        c->worst[i] = c->worst[i - 1];
    c->worst[i] = *crossing;
}

void crossings_note(struct crossings *c, uint64_t off)
{
    if (off < c->first_off)
        c->first_off = off;
}

void crossings_note_deep(struct crossings *c, uint64_t off)
{
    if (off < c->first_deep_off)
        c->first_deep_off = off;
}
