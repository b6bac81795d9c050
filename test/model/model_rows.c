#include "model_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the trace says of a thread. */
struct facts {
    bool shown, named, has_number, has_string;
    int64_t number, number_ns, string, string_ns;
};

/* An integer as it is, any other number cut off; the least integer for what is too large. */
static int64_t whole(const char *token, size_t n)
{
    char text[64], *end;
    if (n >= sizeof text)
        return INT64_MIN;
    memcpy(text, token, n);
    text[n] = '\0';
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0)
        return integer;
    double number = strtod(text, NULL);
    return number < 9.2e18 && number > -9.2e18 ? (int64_t)number : INT64_MIN;
}

static int64_t time_of(const struct model *m, const struct model_event *e)
{
    int64_t ns = 0;
    bool number = e->ts.kind == MODEL_BARE || e->ts.kind == MODEL_STRING;
    return number && model_ns(m->text + e->ts.off, e->ts.len, &ns) ? ns : 0;
}

/* The first index counts, in the order of their times. */
static void note_index(const struct model *m, const struct model_event *e, struct facts *f)
{
    const struct model_value *arg = &e->arg_sort_index;
    const char *token = m->text + arg->off;
    int64_t ns = time_of(m, e), none;
    bool string = arg->kind == MODEL_STRING;
    if (!(string || arg->kind == MODEL_BARE) || !model_ns(token, arg->len, &none))
        return;
    bool *has = string ? &f->has_string : &f->has_number;
    int64_t *value = string ? &f->string : &f->number;
    int64_t *value_ns = string ? &f->string_ns : &f->number_ns;
    if (*has && ns >= *value_ns)
        return;
    *has = true;
    *value = whole(token, arg->len);
    *value_ns = ns;
}

static struct facts *find_facts(struct model *m)
{
    struct facts *facts = calloc(m->nthreads + 1, sizeof *facts);
    if (!facts)
        abort();
    for (size_t i = 0; i < m->nevents; i++) {
        const struct model_event *e = &m->events[i];
        char ph = model_ph(m, i);
        size_t thread = e->readable ? model_thread_of(m, i, false) : MODEL_NONE;
        if (thread == MODEL_NONE)
            continue;
        facts[thread].shown |= ph && strchr("BEiIR", ph);
        if (ph == 'M' && model_is(m->text, &e->name, "thread_name"))
            facts[thread].named |= e->arg_name.kind == MODEL_STRING && e->arg_name.len;
        if (ph == 'M' && model_is(m->text, &e->name, "thread_sort_index"))
            note_index(m, e, &facts[thread]);
    }
    for (size_t i = 0; i < m->nslices; i++)
        facts[m->slices[i].thread].shown = true;
    return facts;
}

/* ---- order ----------------------------------------------------------------------------------- */

static const struct model *compared; /* qsort hands nothing on; the tests have one thread */

static int compare_rows(const void *pa, const void *pb)
{
    const struct model_row *a = pa, *b = pb;
    const struct model_id *x = &compared->threads[a->thread].tid,
                          *y = &compared->threads[b->thread].tid;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->sort_index != b->sort_index)
        return a->sort_index < b->sort_index ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (!x->string != !y->string)
        return x->string ? 1 : -1;
    if (!x->string)
        return x->number < y->number ? -1 : x->number > y->number;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static size_t first_of_process(const struct model *m, size_t thread)
{
    size_t first = 0;
    while (!model_id_equal(&m->threads[first].pid, &m->threads[thread].pid))
        first++;
    return first;
}

static struct model_row make_row(const struct model *m, size_t thread, const struct facts *f,
                                 enum model_order order)
{
    const struct model_thread *t = &m->threads[thread];
    struct model_row row = {.thread = thread, .process = first_of_process(m, thread)};
    row.rank = model_id_equal(&t->pid, &t->tid) ? 0 : f->named || t->tid.string ? 1 : 2;
    row.indexed = f->has_number || f->has_string;
    if (order != MODEL_V56 && f->has_number)
        row.sort_index = f->number;
    else if (order == MODEL_V57_STRINGS && f->has_string)
        row.sort_index = f->string;
    return row;
}

struct model_row *model_rows(struct model *m, enum model_order order, size_t *n)
{
    struct facts *facts = find_facts(m);
    struct model_row *rows = malloc((m->nthreads + 1) * sizeof *rows);
    if (!rows)
        abort();
    *n = 0;
    for (size_t i = 0; i < m->nthreads; i++)
        if (facts[i].shown)
            rows[(*n)++] = make_row(m, i, &facts[i], order);
    compared = m;
    qsort(rows, *n, sizeof *rows, compare_rows);
    free(facts);
    return rows;
}

/* Are two rows, with these ids, in this order for sure? */
static bool surely_above(int rank_a, const struct model_id *a, int rank_b, const struct model_id *b)
{
    if (rank_a != rank_b)
        return rank_a < rank_b;
    return !a->string && !b->string && a->number < b->number;
}

bool model_surely_above(const struct model *m, const struct model_row *a, const struct model_row *b)
{
    return surely_above(a->rank, &m->threads[a->thread].tid, b->rank, &m->threads[b->thread].tid);
}

size_t model_same_thread(const struct model *before, size_t thread, const struct model *after)
{
    const struct model_thread *t = &before->threads[thread];
    for (size_t i = 0; i < after->nthreads; i++)
        if (model_id_equal(&t->pid, &after->threads[i].pid) &&
            model_id_equal(&t->tid, &after->threads[i].tid))
            return i;
    return MODEL_NONE;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static size_t row_of(const struct model_row *rows, size_t nrows, size_t thread)
{
    size_t i = 0;
    while (i < nrows && rows[i].thread != thread)
        i++;
    return i;
}

/* The thread of `after` that the lane before this one is, or that it is a lane of. */
static size_t one_above(const struct model *before, const struct model *after,
                        const struct model_lane *lanes, size_t nlanes, size_t k)
{
    if (lanes[k].lane == 1)
        return model_same_thread(before, lanes[k].thread, after);
    for (size_t i = 0; i < nlanes; i++)
        if (lanes[i].thread == lanes[k].thread && lanes[i].lane + 1 == lanes[k].lane)
            return lanes[i].after;
    return MODEL_NONE;
}

bool model_lane_is_below(const struct model *before, const struct model *after,
                         const struct model_row *rows, size_t nrows, const struct model_lane *lanes,
                         size_t nlanes, size_t k, size_t *above)
{
    size_t row = row_of(rows, nrows, lanes[k].after);
    bool first = row == 0 || row == nrows || rows[row - 1].process != rows[row].process;
    *above = first ? MODEL_NONE : rows[row - 1].thread;
    return *above != MODEL_NONE && *above == one_above(before, after, lanes, nlanes, k);
}

/* Is there another thread with the same index of the trace, above or below it for all that is
 * known? */
static bool place_is_unsure(const struct model *m, const struct model_row *rows, size_t nrows,
                            const struct model_row *row)
{
    for (size_t i = 0; i < nrows; i++)
        if (&rows[i] != row && rows[i].process == row->process && rows[i].indexed &&
            rows[i].sort_index == row->sort_index && !model_surely_above(m, row, &rows[i]) &&
            !model_surely_above(m, &rows[i], row))
            return true;
    return false;
}

bool model_lane_has_room(const struct model *before, const struct model *after,
                         const struct model_row *rows, size_t nrows, const struct model_lane *lanes,
                         size_t nlanes, size_t k)
{
    const struct model_row *row = &rows[row_of(rows, nrows, lanes[k].thread)], *next = row + 1;
    if (!row->indexed)
        return true;
    if (row->sort_index > INT64_MAX - (int64_t)nlanes - 1)
        return false;
    while (next < rows + nrows && !(next->process == row->process && next->indexed))
        next++;
    if (next == rows + nrows)
        return !place_is_unsure(before, rows, nrows, row);
    /* the least index for each lane in turn; a lane has a name and is never the main thread */
    int64_t index = row->sort_index;
    const struct model_id *id = &before->threads[row->thread].tid;
    int rank = row->rank;
    for (size_t lane = 1; lane <= lanes[k].lane; lane++) {
        size_t i = 0;
        while (i < nlanes && !(lanes[i].thread == lanes[k].thread && lanes[i].lane == lane))
            i++;
        const struct model_id *lane_id = &after->threads[lanes[i].after].tid;
        index += !surely_above(rank, id, 1, lane_id);
        id = lane_id;
        rank = 1;
    }
    index += !surely_above(1, id, next->rank, &before->threads[next->thread].tid);
    return index <= next->sort_index && !place_is_unsure(before, rows, nrows, row);
}
