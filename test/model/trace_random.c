#define _POSIX_C_SOURCE 200809L
#include "trace_random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES_MAX = 60, THREADS_MAX = 5 };

struct interval {
    int64_t start_ns, end_ns;
};

struct thread {
    const char *pid, *tid; /* as written; tid NULL: none */
    struct interval slices[SLICES_MAX];
    size_t nslices;
};

struct maker {
    FILE *out;
    uint64_t state;
    int64_t threshold_ns, base_ns, unit_ns; /* times are base + a multiple of unit */
    struct thread threads[THREADS_MAX];
    size_t nthreads;
    const char *separator, *space,
        *newline; /* between events, after : and , in one, of all lines */
    bool any_element;
    bool clean; /* nothing but events that any reader takes */
};

/* splitmix64 */
static uint64_t below(struct maker *m, uint64_t n)
{
    uint64_t z = m->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % n;
}

static bool one_in(struct maker *m, uint64_t n)
{
    return below(m, n) == 0;
}

#define PICK(M, LIST) (LIST)[below(M, sizeof(LIST) / sizeof *(LIST))]

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t random_threshold(struct maker *m)
{
    static const int64_t thresholds_ns[] = {0, 1, 300, 1000, 5000, 5000, 5000, 100000};
    return PICK(m, thresholds_ns);
}

int64_t trace_random_threshold(uint64_t seed)
{
    struct maker m = {.state = seed};
    return random_threshold(&m);
}

/* us with three decimals, or as few as it needs, or more, or with an exponent. */
static void put_number(struct maker *m, int64_t ns)
{
    const char *sign = ns < 0 ? "-" : "";
    uint64_t all = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned long long us = all / 1000;
    unsigned rest = (unsigned)(all % 1000);
    switch (below(m, 12)) {
    case 0:
        fprintf(m->out, "%s%llu.%03u%03u", sign, us, rest, (unsigned)below(m, 1000));
        break;
    case 1:
        fprintf(m->out, "%s%llu.%03u000000000000", sign, us, rest);
        break;
    case 2:
        fprintf(m->out, "%s%llu.%03ue%s", sign, us, rest, one_in(m, 2) ? "0" : "+00");
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

static void put_time(struct maker *m, int64_t ns)
{
    static const char *const odd[] = {"null", "05",    "1.",  "true",  "\"\"",
                                      "[1]",  "1e400", "NaN", "\"5 \""};
    bool quoted = one_in(m, 10);
    if (!m->clean && one_in(m, 100)) {
        fputs(PICK(m, odd), m->out);
        return;
    }
    fputs(quoted ? "\"" : "", m->out);
    put_number(m, ns);
    fputs(quoted ? "\"" : "", m->out);
}

/* A few ns, or about the threshold, either way. */
static int64_t small_shift(struct maker *m)
{
    int64_t thr = m->threshold_ns;
    const int64_t shifts[] = {0, 0, 0, 1, 2, thr, thr - 1, thr + 1, thr / 2, 800};
    int64_t shift = PICK(m, shifts) / m->unit_ns * m->unit_ns;
    return one_in(m, 2) ? shift : -shift;
}

/* A time near one of another slice of the thread, or anywhere. */
static int64_t random_time(struct maker *m, const struct thread *t)
{
    if (t->nslices && below(m, 4)) {
        const struct interval *other = &t->slices[below(m, t->nslices)];
        if (below(m, 3)) /* rather a late one: they form chains */
            other = &t->slices[t->nslices - 1];
        return (one_in(m, 3) ? other->start_ns : other->end_ns) + small_shift(m);
    }
    return m->base_ns + (int64_t)below(m, 40000) / m->unit_ns * m->unit_ns;
}

static struct interval random_interval(struct maker *m, const struct thread *t)
{
    struct interval x;
    x.start_ns = random_time(m, t);
    x.end_ns = one_in(m, 8)   ? x.start_ns
               : one_in(m, 2) ? random_time(m, t)
                              : x.start_ns + (int64_t)below(m, 9000) / m->unit_ns * m->unit_ns;
    if (!m->clean && one_in(m, 60)) /* a dur that is too long to be written exactly */
        x.end_ns = x.start_ns + INT64_C(5000000000000000) + (int64_t)below(m, 2000);
    if (x.end_ns < x.start_ns && below(m, 30)) { /* negative ones are fine now and then */
        int64_t start = x.end_ns;
        x.end_ns = x.start_ns;
        x.start_ns = start;
    }
    return x;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void begin_event(struct maker *m)
{
    static const char *const stray[] = {",,", " ,\n, ", " "};
    if (m->any_element) {
        bool odd = !m->clean && one_in(m, 50);
        fputs(odd ? PICK(m, stray) : m->separator, m->out);
    }
    m->any_element = true;
    fputs("{", m->out);
}

static void put_key(struct maker *m, const char *key, bool first)
{
    fprintf(m->out, "%s%s\"%s\":%s", first ? "" : ",", first ? "" : m->space, key, m->space);
}

static void put_ids(struct maker *m, const struct thread *t)
{
    bool tid_first = one_in(m, 2);
    for (int i = 0; i < 2; i++) {
        bool is_tid = tid_first == (i == 0);
        const char *id = is_tid ? t->tid : t->pid;
        if (!id)
            continue;
        put_key(m, is_tid ? "tid" : "pid", false);
        fputs(id, m->out);
    }
}

static void put_phase(struct maker *m, const char *ph)
{
    static const char *const names[] = {"\"a\"",
                                        "\"gemm_kernel<float>\"",
                                        "\"\"",
                                        "\"C:\\Users\"",
                                        "\"q\\\"uote\\\\\"",
                                        "\"\xFF\xC0\"",
                                        "\"\\ud83d\"",
                                        "\"{\\\"ph\\\":\"",
                                        "\"a\tb\"",
                                        "\"\\u12zz ]}\"",
                                        "7",
                                        "null"};
    put_key(m, "ph", true);
    fprintf(m->out, "\"%s\"", ph);
    if (below(m, 4)) {
        put_key(m, "name", false);
        fputs(m->clean ? names[below(m, 3)] : PICK(m, names), m->out);
    }
    if (one_in(m, 2)) {
        put_key(m, "cat", false);
        fputs("\"kernel\"", m->out);
    }
}

static void put_args(struct maker *m)
{
    static const char *const args[] = {"{}",
                                       "{\"a\":1}",
                                       "{\"name\":\"x\",\"ts\":5,\"tid\":[1,{\"dur\":2}]}",
                                       "[]",
                                       "{\"a\":NaN,\"b\":[-Infinity,\"]}\"]}",
                                       "{\"p\":\"C:\\Windows\"}",
                                       "\"{\"",
                                       "null"};
    if (below(m, 3))
        return;
    put_key(m, "args", false);
    fputs(m->clean ? args[below(m, 3)] : PICK(m, args), m->out);
}

static void put_slice(struct maker *m)
{
    struct thread *t = &m->threads[below(m, m->nthreads)];
    struct interval x = random_interval(m, t);
    bool dur_first = one_in(m, 3), odd = !m->clean;
    if (t->nslices < SLICES_MAX)
        t->slices[t->nslices++] = x;
    begin_event(m);
    put_phase(m, odd && one_in(m, 20) ? "Xyz" : "X");
    if (odd && one_in(m, 30)) { /* of two the last one counts */
        put_key(m, one_in(m, 2) ? "dur" : "ts", false);
        put_time(m, m->base_ns);
    }
    if (odd && one_in(m, 30))
        put_key(m, "tid\": 12, \"tid", false), fputs("null", m->out);
    for (int i = 0; i < 2; i++) {
        bool is_dur = dur_first == (i == 0);
        if (is_dur && odd && one_in(m, 40))
            continue; /* an X without dur */
        put_key(m, is_dur ? "dur" : "ts", false);
        put_time(m, is_dur ? x.end_ns - x.start_ns : x.start_ns);
        if (i == 0)
            put_ids(m, t);
    }
    put_args(m);
    fputs("}", m->out);
}

static void put_flow(struct maker *m)
{
    static const char *const phases[] = {"s", "t", "f"};
    static const char *const ids[] = {"1", "2", "\"0x3\"", "4.5", "null"};
    const struct thread *t = &m->threads[below(m, m->nthreads)];
    begin_event(m);
    put_phase(m, PICK(m, phases));
    put_key(m, "id", false);
    fputs(PICK(m, ids), m->out);
    if (below(m, 3)) {
        put_key(m, "bp", false);
        fputs("\"e\"", m->out);
    }
    put_ids(m, t);
    put_key(m, "ts", false);
    put_time(m, random_time(m, t));
    put_args(m);
    fputs("}", m->out);
}

/* B and E in any order, of few names: pairs that nest or cross, some alone, some of one time, near
 * the slices of the thread. Their E may lack a name or category, and now and then a B does. */
static void put_edges(struct maker *m)
{
    static const char *const names[] = {"\"a\"", "\"b\"", "\"c\"", "\"\\u0061\""};
    struct thread *t = &m->threads[below(m, m->nthreads)];
    struct interval x = random_interval(m, t);
    const char *name = PICK(m, names);
    uint64_t alone = below(m, 16); /* 0: no B, 1: no E, 2: E before B in the file */
    if (one_in(m, 6))
        x.end_ns = x.start_ns;
    if (t->nslices < SLICES_MAX)
        t->slices[t->nslices++] = x;
    for (uint64_t i = 0; i < 2; i++) {
        bool end = alone == 2 ? i == 0 : i == 1;
        if (alone == (end ? 1 : 0))
            continue;
        begin_event(m);
        put_key(m, "ph", true);
        fputs(end ? "\"E\"" : "\"B\"", m->out);
        if (below(m, end ? 4 : 20)) {
            put_key(m, "name", false);
            fputs(name, m->out);
        }
        if (one_in(m, 3)) {
            put_key(m, "cat", false);
            fputs(one_in(m, 9) ? "null" : "\"k\"", m->out);
        }
        put_ids(m, t);
        put_key(m, "ts", false);
        put_time(m, end ? x.end_ns : x.start_ns);
        put_args(m);
        fputs("}", m->out);
        if (one_in(m, 4) && i == 0) /* with something between them in the file */
            put_slice(m);
    }
}

/* A B and its E, an instant or a counter. */
static void put_other(struct maker *m)
{
    static const char *const instants[] = {"i", "I", "R", "C", "b", "n"};
    const struct thread *t = &m->threads[below(m, m->nthreads)];
    struct interval x = random_interval(m, t);
    bool pair = one_in(m, 2);
    for (int i = 0; i <= pair; i++) {
        begin_event(m);
        put_phase(m, pair ? (i ? "E" : "B") : PICK(m, instants));
        put_ids(m, t);
        put_key(m, "ts", false);
        put_time(m, i ? x.end_ns : x.start_ns);
        put_args(m);
        fputs("}", m->out);
    }
}

static void put_metadata_of(struct maker *m, const struct thread *t, bool name, const char *value)
{
    begin_event(m);
    put_key(m, "ph", true);
    fputs("\"M\"", m->out);
    put_key(m, "name", false);
    fputs(name ? "\"thread_name\"" : "\"thread_sort_index\"", m->out);
    put_ids(m, t);
    if (one_in(m, 4)) {
        put_key(m, "ts", false);
        put_number(m, (int64_t)below(m, 3000));
    }
    put_key(m, "args", false);
    fprintf(m->out, name ? "{\"name\":%s\"%s\"}}" : "{\"sort_index\":%s%s}}", m->space, value);
}

static void put_metadata(struct maker *m)
{
    static const char *const sort_indexes[] = {"0", "7", "-3", "\"12\"", "1.5", "true"};
    static const char *const names[] = {"stream 7", "", "a\\u0062 \\\"q\\\"", "tid 7 lane 1"};
    const struct thread *t = &m->threads[below(m, m->nthreads)];
    bool name = one_in(m, 2);
    put_metadata_of(m, t, name, name ? PICK(m, names) : PICK(m, sort_indexes));
}

/* Many traces begin with names and sort indexes of all threads, or of some: here with indexes that
 * leave little room between them, or none. */
static void put_head(struct maker *m)
{
    static const char *const near[] = {"0", "0", "0", "1", "1", "2", "-1", "1.9", "\"1\"", "\"0\""};
    uint64_t names = 1 + below(m, 3), indexes = 1 + below(m, 3);
    bool strings = one_in(m, 3);
    for (size_t i = 0; i < m->nthreads; i++) {
        if (one_in(m, names))
            put_metadata_of(m, &m->threads[i], true, "worker");
        if (one_in(m, indexes))
            put_metadata_of(m, &m->threads[i], false, near[below(m, strings ? 10 : 8)]);
    }
}

static void put_junk(struct maker *m)
{
    static const char *const junk[] = {
        "{}",         "5",       "[[{\"ph\":\"X\"},1]]", "\"}{\\\"\"",
        "null",       "NaN",     "{\"ph\":5}",           "{\"a\"}",
        "{\"a\":1,}", "{'a':1}", "{\"args\":[1,2}3]}"};
    const char *text = junk[below(m, 10)];
    if (m->any_element)
        fputs(m->separator, m->out);
    m->any_element = true;
    fputs(text, m->out);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void choose_threads(struct maker *m)
{
    static const char *const pids[] = {"1",        "1",  "0",   "7334",
                                       "\"host\"", "-1", "1.0", "4294967296"};
    static const char *const tids[] = {"7",       "7",
                                       "1",       "0",
                                       NULL,      "7.0",
                                       "7.9",     "\"7\"",
                                       "-3",      "4294967295",
                                       "7001",    "7002",
                                       "\"ab\"",  "\"a\\u0062\"",
                                       "null",    "1e3",
                                       "\"s 1\"", "99999999999999999999",
                                       "4294967", "\"7 lane 1\"",
                                       "12",      "\"\""};
    const char *pid = PICK(m, pids);
    m->nthreads = 1 + below(m, THREADS_MAX);
    for (size_t i = 0; i < m->nthreads; i++) {
        if (one_in(m, 3))
            pid = PICK(m, pids);
        m->threads[i].pid = m->clean || below(m, 20) ? pid : NULL;
        m->threads[i].tid = PICK(m, tids);
    }
}

static void choose_layout(struct maker *m)
{
    static const char *const separators[] = {",", ", ", ",\n", ",\n  ", ",\r\n", "\n, "};
    m->separator = PICK(m, separators);
    m->space = one_in(m, 2) ? " " : m->clean || below(m, 6) ? "" : "\n    ";
    m->newline = strchr(m->separator, '\r') ? "\r\n" : strchr(m->separator, '\n') ? "\n" : "";
}

/* More nested slices than the viewer opens, around a time that others are near. */
static void put_deep_nest(struct maker *m)
{
    const struct thread *t = &m->threads[0];
    int64_t start = random_time(m, t), half = 600 * m->unit_ns;
    uint64_t n = 505 + below(m, 15);
    for (uint64_t i = 0; i < n; i++) {
        begin_event(m);
        put_phase(m, "X");
        put_ids(m, t);
        put_key(m, "ts", false);
        put_number(m, start + (int64_t)i * m->unit_ns);
        put_key(m, "dur", false);
        put_number(m, 2 * (half - (int64_t)i * m->unit_ns));
        fputs("}", m->out);
    }
}

static void put_events(struct maker *m)
{
    size_t n = below(m, one_in(m, 20) ? 150 : 30);
    bool others = one_in(m, 4), flows = one_in(m, 2), edges = one_in(m, 4);
    if (one_in(m, 200))
        put_deep_nest(m);
    if (one_in(m, 3))
        put_head(m);
    for (size_t i = 0; i < n; i++) {
        uint64_t kind = below(m, 20);
        if (kind < 4 && flows)
            put_flow(m);
        else if (kind == 4 && others)
            put_other(m);
        else if (kind == 5)
            put_metadata(m);
        else if (kind >= 14 && edges)
            put_edges(m);
        else if (kind == 6 && !m->clean)
            put_junk(m);
        else
            put_slice(m);
    }
}

static void put_trace(struct maker *m)
{
    bool bare = one_in(m, 3), twice = !bare && one_in(m, 6);
    if (one_in(m, 10))
        fputs("\xEF\xBB\xBF", m->out);
    if (bare)
        fprintf(m->out, "[%s", m->newline);
    else
        fprintf(m->out,
                "{%s\"schemaVersion\": 1, \"x\": [{\"traceEvents\": [1]}],%s"
                "\"traceEvents\": [%s",
                m->newline, m->newline, m->newline);
    put_events(m);
    if (bare && one_in(m, 4)) { /* without its ] */
        fputs(one_in(m, 2) ? ",\n" : m->newline, m->out);
        return;
    }
    fprintf(m->out, "%s]", m->newline);
    if (twice) {
        m->any_element = false;
        fprintf(m->out, ", \"traceEvent\\u0073\": [%s", m->newline);
        put_events(m);
        fputs("]", m->out);
    }
    fputs(bare ? m->newline : one_in(m, 2) ? "}\n" : ", \"traceName\": \"]}\"}", m->out);
}

char *trace_random(uint64_t seed, size_t *n)
{
    static const int64_t bases_us[] = {0,
                                       0,
                                       0,
                                       1000,
                                       INT64_C(1712195496004644),
                                       INT64_C(4398046511104) - 10, /* 2^42 */
                                       INT64_C(1712195496004644),
                                       INT64_C(9007199254740992) - 20}; /* 2^53 */
    struct maker m = {.state = seed};
    char *text = NULL;
    m.threshold_ns = random_threshold(&m);
    m.base_ns = PICK(&m, bases_us) * 1000;
    m.unit_ns = one_in(&m, 4) ? 1000 : one_in(&m, 3) ? 100 : 1;
    m.clean = one_in(&m, 2);
    if (m.base_ns == bases_us[7] * 1000 && below(&m, 4))
        m.base_ns = 0;
    m.out = open_memstream(&text, n);
    if (!m.out)
        abort();
    choose_threads(&m);
    choose_layout(&m);
    put_trace(&m);
    if (fclose(m.out) != 0)
        abort();
    return text;
}
