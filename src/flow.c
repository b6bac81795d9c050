#include "flow.h"

#include <stdlib.h>

#include "buf.h"

bool flow_less(const struct flow *a, const struct flow *b)
{
    uint32_t track_a = flow_track(a), track_b = flow_track(b);
    if (track_a != track_b)
        return track_a < track_b;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns;
    return a->place < b->place;
}

bool flow_bind(struct flow *f, size_t nf, const struct slice *s, size_t n, uint32_t base)
{
    /* What has started, the last on top. One that ended is only taken off when it is on top: those
     * below it started earlier, so they are not wanted before. */
    uint32_t *started = NULL;
    size_t nstarted = 0, cap = 0, next = 0, following = 0;
    for (size_t k = 0; k < nf; k++) {
        int64_t ts_ns = f[k].ts_ns;
        if (f[k].owner == FLOW_NEXT) {
            while (following < n && s[following].start_ns < ts_ns)
                following++;
            f[k].owner = following < n ? base + (uint32_t)following : FLOW_NO_OWNER;
            continue;
        }
        for (; next < n && s[next].start_ns <= ts_ns; next++) {
            uint32_t *grown = array_grow(started, &cap, nstarted + 1, sizeof *started);
            if (!grown) {
                free(started);
                return false;
            }
            started = grown;
            started[nstarted++] = (uint32_t)next;
        }
        while (nstarted && s[started[nstarted - 1]].end_ns < ts_ns)
            nstarted--;
        f[k].owner = nstarted ? base + started[nstarted - 1] : FLOW_NO_OWNER;
    }
    free(started);
    return true;
}
