#include "salvage_parts.h"

int gap_next(struct salvage *s)
{
    int b;
    while ((b = look_skip_space(s)) == ',') {
        if (!s->commas++)
            s->first_comma = s->pos;
        s->last_comma = s->pos++;
    }
    return b;
}

void gap_begin(struct salvage *s)
{
    s->kept_end = s->pos;
    s->any_kept = s->broken = false;
    s->commas = 0;
}

void gap_count(struct salvage *s, enum finding_kind kind, uint64_t n, uint64_t off)
{
    if (!s->mends || !n)
        return;
    if (!s->mends->n[kind]) {
        s->mends->off[kind] = off;
        s->mends->events[kind] = s->events;
    }
    s->mends->n[kind] += n;
}

static void add_loss(struct salvage *s, uint64_t begin, uint64_t end, const char *instead,
                     bool counts, uint64_t nbytes, const char *reason)
{
    struct loss loss = {.begin = begin,
                        .end = end,
                        .instead = instead,
                        .counts = counts,
                        .off = s->lost_off,
                        .nbytes = nbytes,
                        .events = s->events,
                        .reason = reason};
    if (!s->failed && !losses_add(s->losses, &loss))
        look_no_memory(s);
}

void gap_replace(struct salvage *s, uint64_t begin, uint64_t end, const char *instead)
{
    add_loss(s, begin, end, instead, false, 0, NULL);
}

static void note_broken(struct salvage *s, uint64_t off, bool counts)
{
    if (!s->broken) {
        s->lost_off = off;
        s->lost_commas = s->commas;
        s->lost_counts = false;
    }
    s->broken = true;
    s->lost_counts |= counts;
}

void gap_broken(struct salvage *s, uint64_t off)
{
    note_broken(s, off, true);
}

void gap_leave_out(struct salvage *s, uint64_t end)
{
    gap_count(s, FINDING_NO_OBJECT, 1, s->pos);
    note_broken(s, s->pos, false);
    s->pos = end;
}

/* Why a broken element is lost, where that is known. */
static const char *reason_of(const struct salvage *s)
{
    return s->mends ? SALVAGE_UNMENDABLE : NULL;
}

/* The gap up to `off` holds commas and white space only, and not as many commas as it should. */
static void mend_commas(struct salvage *s, uint64_t off, unsigned commas)
{
    if (!s->mends) {
        gap_replace(s, s->kept_end, off, commas ? ",\n" : "");
    } else if (s->commas < commas) {
        gap_count(s, FINDING_NO_COMMA, 1, s->kept_end);
        gap_replace(s, s->kept_end, s->kept_end, ",");
    } else {
        bool last = !commas && s->any_kept; /* before the ] */
        gap_count(s, last ? FINDING_LAST_COMMA : FINDING_COMMAS, s->commas - commas,
                  s->first_comma);
        gap_replace(s, s->first_comma + commas, s->last_comma + 1, "");
    }
}

/* Makes what stands between what is kept and `off` what should stand there: so many commas. What
 * stands before a broken element stays if it will do. */
static void close_gap(struct salvage *s, uint64_t off, unsigned commas)
{
    if (s->broken) {
        bool good = s->lost_commas == commas;
        if (s->lost_commas > s->any_kept)
            gap_count(s, FINDING_COMMAS, s->lost_commas - s->any_kept, s->first_comma);
        add_loss(s, good ? s->lost_off : s->kept_end, off, good || !commas ? "" : ",\n",
                 s->lost_counts, off - s->lost_off, reason_of(s));
    } else if (s->commas != commas) {
        mend_commas(s, off, commas);
    }
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
    bool before = s->broken && s->lost_off != off;
    counts |= s->broken && s->lost_counts;
    note_broken(s, off, counts);
    uint64_t end = off > s->w.off ? off : s->w.off;
    while (look_reach(s, end)) {
        end = s->w.off + s->w.len;
        look_forget(s, end);
    }
    add_loss(s, s->kept_end, UINT64_MAX, brackets, counts || end > off, end - s->lost_off,
             before ? reason_of(s) : NULL);
}

void gap_end(struct salvage *s, uint64_t off)
{
    close_gap(s, off, 0);
}
