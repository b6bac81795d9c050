#define _POSIX_C_SOURCE 200809L
#include "trace_random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_maker.h"

int64_t trace_random_threshold(uint64_t seed)
{
    struct maker m = {.state = seed};
    return maker_threshold(&m);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void begin_event(struct maker *m)
{
    static const char *const stray[] = {",,", " ,\n, ", " "};
    if (m->any_element) {
        bool odd = !m->clean && maker_one_in(m, 50);
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
    bool tid_first = maker_one_in(m, 2);
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
    if (maker_below(m, 4)) {
        put_key(m, "name", false);
        fputs(m->clean ? names[maker_below(m, 3)] : PICK(m, names), m->out);
    }
    if (maker_one_in(m, 2)) {
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
    if (maker_below(m, 3))
        return;
    put_key(m, "args", false);
    fputs(m->clean ? args[maker_below(m, 3)] : PICK(m, args), m->out);
}

static void put_slice(struct maker *m)
{
    struct thread *t = &m->threads[maker_below(m, m->nthreads)];
    struct interval x = maker_interval(m, t);
    bool dur_first = maker_one_in(m, 3), odd = !m->clean;
    if (t->nslices < SLICES_MAX)
        t->slices[t->nslices++] = x;
    begin_event(m);
    put_phase(m, odd && maker_one_in(m, 20) ? "Xyz" : "X");
    if (odd && maker_one_in(m, 30)) { /* of two the last one counts */
        put_key(m, maker_one_in(m, 2) ? "dur" : "ts", false);
        maker_put_time(m, m->base_ns);
    }
    if (odd && maker_one_in(m, 30))
        put_key(m, "tid\": 12, \"tid", false), fputs("null", m->out);
    for (int i = 0; i < 2; i++) {
        bool is_dur = dur_first == (i == 0);
        if (is_dur && odd && maker_one_in(m, 40))
            continue; /* an X without dur */
        put_key(m, is_dur ? "dur" : "ts", false);
        maker_put_time(m, is_dur ? x.end_ns - x.start_ns : x.start_ns);
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
    const struct thread *t = &m->threads[maker_below(m, m->nthreads)];
    begin_event(m);
    put_phase(m, PICK(m, phases));
    put_key(m, "id", false);
    fputs(PICK(m, ids), m->out);
    if (maker_below(m, 3)) {
        put_key(m, "bp", false);
        fputs("\"e\"", m->out);
    }
    put_ids(m, t);
    put_key(m, "ts", false);
    maker_put_time(m, maker_time(m, t));
    put_args(m);
    fputs("}", m->out);
}

/* B and E in any order, of few names: pairs that nest or cross, some alone, some of one time, near
 * the slices of the thread. Their E may lack a name or category, and now and then a B does. */
static void put_edges(struct maker *m)
{
    static const char *const names[] = {"\"a\"", "\"b\"", "\"c\"", "\"\\u0061\""};
    struct thread *t = &m->threads[maker_below(m, m->nthreads)];
    struct interval x = maker_interval(m, t);
    const char *name = PICK(m, names);
    uint64_t alone = maker_below(m, 16); /* 0: no B, 1: no E, 2: E before B in the file */
    if (maker_one_in(m, 6))
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
        if (maker_below(m, end ? 4 : 20)) {
            put_key(m, "name", false);
            fputs(name, m->out);
        }
        if (maker_one_in(m, 3)) {
            put_key(m, "cat", false);
            fputs(maker_one_in(m, 9) ? "null" : "\"k\"", m->out);
        }
        put_ids(m, t);
        put_key(m, "ts", false);
        maker_put_time(m, end ? x.end_ns : x.start_ns);
        put_args(m);
        fputs("}", m->out);
        if (maker_one_in(m, 4) && i == 0) /* with something between them in the file */
            put_slice(m);
    }
}

/* A B and its E, an instant or a counter. */
static void put_other(struct maker *m)
{
    static const char *const instants[] = {"i", "I", "R", "C", "b", "n"};
    const struct thread *t = &m->threads[maker_below(m, m->nthreads)];
    struct interval x = maker_interval(m, t);
    bool pair = maker_one_in(m, 2);
    for (int i = 0; i <= pair; i++) {
        begin_event(m);
        put_phase(m, pair ? (i ? "E" : "B") : PICK(m, instants));
        put_ids(m, t);
        put_key(m, "ts", false);
        maker_put_time(m, i ? x.end_ns : x.start_ns);
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
    if (maker_one_in(m, 4)) {
        put_key(m, "ts", false);
        maker_put_number(m, (int64_t)maker_below(m, 3000));
    }
    put_key(m, "args", false);
    fprintf(m->out, name ? "{\"name\":%s\"%s\"}}" : "{\"sort_index\":%s%s}}", m->space, value);
}

static void put_metadata(struct maker *m)
{
    static const char *const sort_indexes[] = {"0", "7", "-3", "\"12\"", "1.5", "true"};
    static const char *const names[] = {"stream 7", "", "a\\u0062 \\\"q\\\"", "tid 7 lane 1"};
    const struct thread *t = &m->threads[maker_below(m, m->nthreads)];
    bool name = maker_one_in(m, 2);
    put_metadata_of(m, t, name, name ? PICK(m, names) : PICK(m, sort_indexes));
}

/* Many traces begin with names and sort indexes of all threads, or of some: here with indexes that
 * leave little room between them, or none. */
static void put_head(struct maker *m)
{
    static const char *const near[] = {"0", "0", "0", "1", "1", "2", "-1", "1.9", "\"1\"", "\"0\""};
    uint64_t names = 1 + maker_below(m, 3), indexes = 1 + maker_below(m, 3);
    bool strings = maker_one_in(m, 3);
    for (size_t i = 0; i < m->nthreads; i++) {
        if (maker_one_in(m, names))
            put_metadata_of(m, &m->threads[i], true, "worker");
        if (maker_one_in(m, indexes))
            put_metadata_of(m, &m->threads[i], false, near[maker_below(m, strings ? 10 : 8)]);
    }
}

static void put_junk(struct maker *m)
{
    static const char *const junk[] = {
        "{}",         "5",       "[[{\"ph\":\"X\"},1]]", "\"}{\\\"\"",
        "null",       "NaN",     "{\"ph\":5}",           "{\"a\"}",
        "{\"a\":1,}", "{'a':1}", "{\"args\":[1,2}3]}"};
    const char *text = junk[maker_below(m, 10)];
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
    m->nthreads = 1 + maker_below(m, THREADS_MAX);
    for (size_t i = 0; i < m->nthreads; i++) {
        if (maker_one_in(m, 3))
            pid = PICK(m, pids);
        m->threads[i].pid = m->clean || maker_below(m, 20) ? pid : NULL;
        m->threads[i].tid = PICK(m, tids);
    }
}

static void choose_layout(struct maker *m)
{
    static const char *const separators[] = {",", ", ", ",\n", ",\n  ", ",\r\n", "\n, "};
    m->separator = PICK(m, separators);
    m->space = maker_one_in(m, 2) ? " " : m->clean || maker_below(m, 6) ? "" : "\n    ";
    m->newline = strchr(m->separator, '\r') ? "\r\n" : strchr(m->separator, '\n') ? "\n" : "";
}

/* More nested slices than the viewer opens, around a time that others are near. */
static void put_deep_nest(struct maker *m)
{
    const struct thread *t = &m->threads[0];
    int64_t start = maker_time(m, t), half = 600 * m->unit_ns;
    uint64_t n = 505 + maker_below(m, 15);
    for (uint64_t i = 0; i < n; i++) {
        begin_event(m);
        put_phase(m, "X");
        put_ids(m, t);
        put_key(m, "ts", false);
        maker_put_number(m, start + (int64_t)i * m->unit_ns);
        put_key(m, "dur", false);
        maker_put_number(m, 2 * (half - (int64_t)i * m->unit_ns));
        fputs("}", m->out);
    }
}

static void put_events(struct maker *m)
{
    size_t n = maker_below(m, maker_one_in(m, 20) ? 150 : 30);
    bool others = maker_one_in(m, 4), flows = maker_one_in(m, 2), edges = maker_one_in(m, 4);
    if (maker_one_in(m, 200))
        put_deep_nest(m);
    if (maker_one_in(m, 3))
        put_head(m);
    for (size_t i = 0; i < n; i++) {
        uint64_t kind = maker_below(m, 20);
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
    bool bare = maker_one_in(m, 3), twice = !bare && maker_one_in(m, 6);
    if (maker_one_in(m, 10))
        fputs("\xEF\xBB\xBF", m->out);
    if (bare)
        fprintf(m->out, "[%s", m->newline);
    else
        fprintf(m->out,
                "{%s\"schemaVersion\": 1, \"x\": [{\"traceEvents\": [1]}],%s"
                "\"traceEvents\": [%s",
                m->newline, m->newline, m->newline);
    put_events(m);
    if (bare && maker_one_in(m, 4)) { /* without its ] */
        fputs(maker_one_in(m, 2) ? ",\n" : m->newline, m->out);
        return;
    }
    fprintf(m->out, "%s]", m->newline);
    if (twice) {
        m->any_element = false;
        fprintf(m->out, ", \"traceEvent\\u0073\": [%s", m->newline);
        put_events(m);
        fputs("]", m->out);
    }
    fputs(bare ? m->newline : maker_one_in(m, 2) ? "}\n" : ", \"traceName\": \"]}\"}", m->out);
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
    m.threshold_ns = maker_threshold(&m);
    m.base_ns = PICK(&m, bases_us) * 1000;
    m.unit_ns = maker_one_in(&m, 4) ? 1000 : maker_one_in(&m, 3) ? 100 : 1;
    m.clean = maker_one_in(&m, 2);
    if (m.base_ns == bases_us[7] * 1000 && maker_below(&m, 4))
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
