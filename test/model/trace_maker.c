#define _POSIX_C_SOURCE 200809L
#include "trace_maker.h"

/* splitmix64 */
uint64_t maker_below(struct maker *m, uint64_t n)
{
    uint64_t z = m->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % n;
}

bool maker_one_in(struct maker *m, uint64_t n)
{
    return maker_below(m, n) == 0;
}

int64_t maker_threshold(struct maker *m)
{
    static const int64_t thresholds_ns[] = {0, 1, 300, 1000, 5000, 5000, 5000, 100000};
    return PICK(m, thresholds_ns);
}

/* us with three decimals, or as few as it needs, or more, or with an exponent. */
void maker_put_number(struct maker *m, int64_t ns)
{
    const char *sign = ns < 0 ? "-" : "";
    uint64_t all = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned long long us = all / 1000;
    unsigned rest = (unsigned)(all % 1000);
    switch (maker_below(m, 12)) {
    case 0:
        fprintf(m->out, "%s%llu.%03u%03u", sign, us, rest, (unsigned)maker_below(m, 1000));
        break;
    case 1:
        fprintf(m->out, "%s%llu.%03u000000000000", sign, us, rest);
        break;
    case 2:
        fprintf(m->out, "%s%llu.%03ue%s", sign, us, rest, maker_one_in(m, 2) ? "0" : "+00");
        break;
    case 3:
        fprintf(m->out, "%s%llue-3", sign, (unsigned long long)all);
        break;
    case 4:
    case 5:
    case 6:
        fprintf(m->out, "%s%llu.%03u", sign, us, rest);
        break;
    default:
        fprintf(m->out, "%s%llu", sign, us);
        if (rest % 100 == 0 && rest)
            fprintf(m->out, ".%u", rest / 100);
        else if (rest % 10 == 0 && rest)
            fprintf(m->out, ".%02u", rest / 10);
        else if (rest)
            fprintf(m->out, ".%03u", rest);
    }
}

void maker_put_time(struct maker *m, int64_t ns)
{
    static const char *const odd[] = {"null", "05",    "1.",  "true",  "\"\"",
                                      "[1]",  "1e400", "NaN", "\"5 \""};
    bool quoted = maker_one_in(m, 10);
    if (!m->clean && maker_one_in(m, 100)) {
        fputs(PICK(m, odd), m->out);
        return;
    }
    fputs(quoted ? "\"" : "", m->out);
    maker_put_number(m, ns);
    fputs(quoted ? "\"" : "", m->out);
}

/* A few ns, or about the threshold, either way. */
static int64_t small_shift(struct maker *m)
{
    int64_t thr = m->threshold_ns;
    const int64_t shifts[] = {0, 0, 0, 1, 2, thr, thr - 1, thr + 1, thr / 2, 800};
    int64_t shift = PICK(m, shifts) / m->unit_ns * m->unit_ns;
    return maker_one_in(m, 2) ? shift : -shift;
}

/* A time near one of another slice of the thread, or anywhere. */
int64_t maker_time(struct maker *m, const struct thread *t)
{
    if (t->nslices && maker_below(m, 4)) {
        const struct interval *other = &t->slices[maker_below(m, t->nslices)];
        if (maker_below(m, 3)) /* rather a late one: they form chains */
            other = &t->slices[t->nslices - 1];
        return (maker_one_in(m, 3) ? other->start_ns : other->end_ns) + small_shift(m);
    }
    return m->base_ns + (int64_t)maker_below(m, 40000) / m->unit_ns * m->unit_ns;
}

struct interval maker_interval(struct maker *m, const struct thread *t)
{
    struct interval x;
    x.start_ns = maker_time(m, t);
    x.end_ns = maker_one_in(m, 8) ? x.start_ns
               : maker_one_in(m, 2)
                   ? maker_time(m, t)
                   : x.start_ns + (int64_t)maker_below(m, 9000) / m->unit_ns * m->unit_ns;
    if (!m->clean && maker_one_in(m, 60)) /* a dur that is too long to be written exactly */
        x.end_ns = x.start_ns + INT64_C(5000000000000000) + (int64_t)maker_below(m, 2000);
    if (x.end_ns < x.start_ns && maker_below(m, 30)) { /* negative ones are fine now and then */
        int64_t start = x.end_ns;
        x.end_ns = x.start_ns;
        x.start_ns = start;
    }
    return x;
}
