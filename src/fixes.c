#include "fixes.h"

void fixes_add(struct fixes *fixes, const struct fix *fix)
{
    fixes->total++;
    if (fixes->n == FIXES_MAX && fixes->items[fixes->n - 1].by_ns >= fix->by_ns)
        return;
    size_t i = fixes->n < FIXES_MAX ? fixes->n++ : fixes->n - 1;
    for (; i > 0 && fixes->items[i - 1].by_ns < fix->by_ns; i--)
        fixes->items[i] = fixes->items[i - 1];
    fixes->items[i] = *fix;
}
