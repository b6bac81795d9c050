#include "salvage_parts.h"

int gap_next(struct salvage *s)
{
    int b;
    while ((b = look_skip_space(s)) == ',') {
        s->commas++;
        s->pos++;
    }
    return b;
}

void gap_begin(struct salvage *s)
{
    s->kept_end = s->pos;
    s->any_kept = s->broken = false;
    s->commas = 0;
}

void gap_add(struct salvage *s, uint64_t begin, uint64_t end, const char *instead, bool counts,
             uint64_t nbytes)
{
    struct loss loss = {.begin = begin,
                        .end = end,
                        .instead = instead,
                        .counts = counts,
                        .off = s->lost_off,
                        .nbytes = nbytes,
                        .events = s->events};
    if (!s->failed && !losses_add(s->losses, &loss))
        look_no_memory(s);
}

void gap_broken(struct salvage *s, uint64_t off)
{
    if (!s->broken) {
        s->lost_off = off;
        s->lost_commas = s->commas;
    }
    s->broken = true;
}

/* Makes what stands between what is kept and `off` what should stand there: so many commas. What
 * stands before a broken element stays if it will do. */
static void close_gap(struct salvage *s, uint64_t off, unsigned commas)
{
    if (s->broken && s->lost_commas == commas)
        gap_add(s, s->lost_off, off, "", true, off - s->lost_off);
    else if (s->broken || s->commas != commas)
        gap_add(s, s->kept_end, off, commas ? ",\n" : "", s->broken,
                s->broken ? off - s->lost_off : 0);
    s->broken = false;
    s->commas = 0;
}

void gap_keep(struct salvage *s, uint64_t begin, uint64_t end)
{
    close_gap(s, begin, s->any_kept);
    s->kept_end = s->pos = end;
    s->any_kept = true;
}

void gap_lose_rest(struct salvage *s, uint64_t off, const char *brackets, bool counts)
{
    counts |= s->broken;
    gap_broken(s, off);
    uint64_t end = off > s->w.off ? off : s->w.off;
    while (look_reach(s, end)) {
        end = s->w.off + s->w.len;
        look_forget(s, end);
    }
    gap_add(s, s->kept_end, UINT64_MAX, brackets, counts || end > off, end - s->lost_off);
}

void gap_end(struct salvage *s, uint64_t off)
{
    close_gap(s, off, 0);
}
