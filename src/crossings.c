#include "crossings.h"

void crossings_init(struct crossings *c)
{
    *c = (struct crossings){.first_off = UINT64_MAX, .first_deep_off = UINT64_MAX};
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
