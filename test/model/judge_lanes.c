/* The threads that a fix has added: which slices are on them, their ids, names and sort indexes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

/* A lane as it was found in the output. */
struct lane {
    size_t thread, lane, after; /* thread: of the input; after: its thread in the output */
    size_t first_slice, first_of_thread;
};

struct lanes {
    struct lane *items;
    size_t n, cap;
};

/* A growing text. */
static void add(char **text, const char *more, size_t n)
{
    size_t len = *text ? strlen(*text) : 0;
    *text = realloc(*text, len + n + 1);
    if (!*text)
        abort();
    memcpy(*text + len, more, n);
    (*text)[len + n] = '\0';
}

static void add_lane_number(char **text, const char *before, size_t lane)
{
    char number[48];
    add(text, number, (size_t)snprintf(number, sizeof number, "%s%zu", before, lane));
}

/* The thread of the output in which a thread of the input goes on. */
static size_t same_thread(const struct judge *j, size_t thread)
{
    const struct model_thread *t = &j->before->threads[thread];
    for (size_t i = 0; i < j->after->nthreads; i++)
        if (model_id_equal(&t->pid, &j->after->threads[i].pid) &&
            model_id_equal(&t->tid, &j->after->threads[i].tid))
            return i;
    return MODEL_NONE;
}

/* Every lane is one thread, and no thread is two lanes or was there before. */
static bool note_lane(struct judge *j, struct lanes *lanes, size_t slice)
{
    const struct model_slice *b = &j->before->slices[slice], *a = &j->after->slices[slice];
    size_t lane = j->lane_of[slice];
    if (!lane)
        return a->thread == same_thread(j, b->thread) ||
               judge_fail(j, b->event, "a slice is on another thread");
    for (size_t i = 0; i < lanes->n; i++) {
        const struct lane *l = &lanes->items[i];
        bool same_lane = l->thread == b->thread && l->lane == lane;
        if (same_lane != (l->after == a->thread))
            return judge_fail(j, b->event, "a slice is not on the lane that was planned");
        if (same_lane)
            return true;
    }
    for (size_t i = 0; i < j->before->nthreads; i++)
        if (same_thread(j, i) == a->thread)
            return judge_fail(j, b->event, "a lane is a thread that was there before");
    lanes->items = model_grow(lanes->items, &lanes->cap, lanes->n, sizeof *lanes->items);
    size_t first = 0;
    while (j->before->slices[first].thread != b->thread)
        first++;
    lanes->items[lanes->n++] = (struct lane){b->thread, lane, a->thread, slice, first};
    return true;
}

/* ---- ids ------------------------------------------------------------------------------------- */

/* The tid as it was first written for the thread, without quotes: or its pid where it has none. */
static const char *tid_text(const struct judge *j, size_t thread, size_t *n, bool *quoted)
{
    const struct model *m = j->before;
    const struct model_event *e = &m->events[m->threads[thread].first_event];
    bool has_tid = e->tid.kind == MODEL_BARE || e->tid.kind == MODEL_STRING;
    bool has_pid = e->pid.kind == MODEL_BARE || e->pid.kind == MODEL_STRING;
    const struct model_value *value = has_tid ? &e->tid : &e->pid;
    *quoted = (has_tid || has_pid) && value->kind == MODEL_STRING;
    *n = has_tid || has_pid ? value->len : 1;
    return has_tid || has_pid ? m->text + value->off : "0";
}

/* The number that a lane gets if nothing is in the way, or 0: the thread's tid has to be written as
 * an integer, and what comes out has to fit into 32 bits. */
static uint32_t wished_number(const struct judge *j, const struct lane *lane)
{
    size_t n;
    bool quoted;
    const char *tid = tid_text(j, lane->thread, &n, &quoted);
    uint64_t number = 0;
    if (quoted || n == 0 || n > 10)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (tid[i] < '0' || tid[i] > '9')
            return 0;
        number = number * 10 + (uint64_t)(tid[i] - '0');
    }
    number = number * 1000 + lane->lane;
    return number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Is (pid, id) a thread of the input, or an earlier lane? */
static bool is_taken(const struct judge *j, const struct lanes *lanes, size_t before,
                     const struct model_id *pid, const struct model_id *id)
{
    for (size_t i = 0; i < j->before->nthreads; i++)
        if (model_id_equal(&j->before->threads[i].pid, pid) &&
            model_id_equal(&j->before->threads[i].tid, id))
            return true;
    for (size_t i = 0; i < before; i++) {
        const struct model_thread *t = &j->after->threads[lanes->items[i].after];
        if (model_id_equal(&t->pid, pid) && model_id_equal(&t->tid, id))
            return true;
    }
    return false;
}

/* The id that a lane is to have: its tid in the output, as written between quotes, owned; NULL: the
 * number. `before`: lanes that have theirs already. */
static char *expected_id(const struct judge *j, const struct lanes *lanes, size_t k,
                         uint32_t *number)
{
    const struct lane *lane = &lanes->items[k];
    const struct model_id *pid = &j->before->threads[lane->thread].pid;
    struct model_id id = {.number = wished_number(j, lane)};
    *number = id.number;
    if (id.number && !model_id_equal(&id, pid) && !is_taken(j, lanes, k, pid, &id))
        return NULL;
    for (size_t suffix = 1;; suffix++) {
        size_t n;
        bool quoted, taken;
        char *text = NULL;
        const char *tid = tid_text(j, lane->thread, &n, &quoted);
        add(&text, tid, n);
        add_lane_number(&text, " lane ", lane->lane);
        if (suffix > 1)
            add_lane_number(&text, " #", suffix);
        id = model_id_of(text, &(struct model_value){MODEL_STRING, 0, strlen(text)});
        taken = is_taken(j, lanes, k, pid, &id);
        free(id.string);
        if (!taken)
            return text;
        free(text);
    }
}

static bool judge_id(struct judge *j, const struct lanes *lanes, size_t k)
{
    const struct model *m = j->after;
    const struct lane *lane = &lanes->items[k];
    size_t event = j->before->slices[lane->first_slice].event;
    const struct model_value *tid = &m->events[event].tid;
    uint32_t number;
    char digits[16], *expected = expected_id(j, lanes, k, &number);
    bool quoted = expected != NULL;
    snprintf(digits, sizeof digits, "%u", (unsigned)number);
    const char *id = quoted ? expected : digits;
    bool good = tid->kind == (quoted ? MODEL_STRING : MODEL_BARE) && tid->len == strlen(id) &&
                memcmp(m->text + tid->off, id, tid->len) == 0;
    free(expected);
    return good || judge_fail(j, event, "a lane has not the id that it should have");
}

/* ---- names and rows -------------------------------------------------------------------------- */

static int64_t metadata_time(const struct model *m, size_t event)
{
    const struct model_value *ts = &m->events[event].ts;
    int64_t ns = 0;
    bool number = ts->kind == MODEL_BARE || ts->kind == MODEL_STRING;
    return number && model_ns(m->text + ts->off, ts->len, &ns) ? ns : 0;
}

/* The metadata of a thread that counts: of several names the last, of several sort indexes the
 * first. NULL if there is none. */
static const struct model_value *metadata(struct model *m, size_t thread, bool name)
{
    const struct model_value *found = NULL;
    int64_t found_ns = 0, none;
    for (size_t i = 0; i < m->nevents; i++) {
        const struct model_event *e = &m->events[i];
        const struct model_value *arg = name ? &e->arg_name : &e->arg_sort_index;
        bool string = arg->kind == MODEL_STRING;
        if (model_ph(m, i) != 'M' || model_thread_of(m, i, false) != thread ||
            !model_is(m->text, &e->name, name ? "thread_name" : "thread_sort_index"))
            continue;
        if (name ? !string
                 : !(string || arg->kind == MODEL_BARE) ||
                       !model_ns(m->text + arg->off, arg->len, &none))
            continue;
        int64_t ns = metadata_time(m, i);
        if (!found || (name ? ns >= found_ns : ns < found_ns)) {
            found = arg;
            found_ns = ns;
        }
    }
    return found;
}

static bool equal_values(const struct model *a, const struct model_value *x, const struct model *b,
                         const struct model_value *y)
{
    return x->kind == y->kind && x->len == y->len &&
           memcmp(a->text + x->off, b->text + y->off, x->len) == 0;
}

static bool judge_name_and_row(struct judge *j, const struct lane *lane)
{
    struct model *b = j->before, *a = j->after;
    size_t n, event = b->slices[lane->first_slice].event;
    bool quoted;
    char *expected = NULL;
    const struct model_value *own = metadata(b, lane->thread, true);
    if (own && own->len) {
        add(&expected, b->text + own->off, own->len);
    } else {
        const char *tid = tid_text(j, lane->thread, &n, &quoted);
        add(&expected, "tid ", 4);
        add(&expected, tid, n);
    }
    add_lane_number(&expected, " lane ", lane->lane);
    const struct model_value *name = metadata(a, lane->after, true);
    bool good = name && model_is(a->text, name, expected);
    free(expected);
    if (!good)
        return judge_fail(j, event, "a lane has not the name that it should have");
    /* on its thread's row, or right below */
    const struct model_value *row = metadata(a, lane->after, false),
                             *of_thread = metadata(a, same_thread(j, lane->thread), false),
                             *before = metadata(b, lane->thread, false);
    if (!row != !of_thread || (row && !equal_values(a, row, a, of_thread)))
        return judge_fail(j, event, "a lane has not its thread's sort index");
    if (before && !(of_thread && equal_values(b, before, a, of_thread)))
        return judge_fail(j, event, "a thread has another sort index than before");
    return true;
}

/* What was added is metadata of lanes and, where no thread had a sort index, of threads. */
static bool judge_added(struct judge *j)
{
    const struct model *a = j->after;
    for (size_t i = j->before->nevents; i < a->nevents; i++) {
        const struct model_event *e = &a->events[i];
        bool name = model_is(a->text, &e->name, "thread_name"),
             row = model_is(a->text, &e->name, "thread_sort_index");
        if (!e->readable || model_ph(a, i) != 'M' || !(name || row))
            return judge_fail(j, i, "an event was added that is no metadata of a thread");
        for (size_t k = 0; name && k < j->before->nthreads; k++)
            if (same_thread(j, k) == model_thread_of(j->after, i, false))
                return judge_fail(j, i, "a thread was given a name");
    }
    return true;
}

/* Ids are given thread by thread, in the order of their first slices in the file. */
static int compare_lanes(const void *pa, const void *pb)
{
    const struct lane *a = pa, *b = pb;
    if (a->first_of_thread != b->first_of_thread)
        return a->first_of_thread < b->first_of_thread ? -1 : 1;
    return a->lane < b->lane ? -1 : a->lane > b->lane;
}

bool judge_lanes(struct judge *j)
{
    struct lanes lanes = {0};
    bool good = true;
    for (size_t i = 0; good && i < j->before->nslices; i++)
        good = note_lane(j, &lanes, i);
    if (lanes.n)
        qsort(lanes.items, lanes.n, sizeof *lanes.items, compare_lanes);
    for (size_t k = 0; good && k < lanes.n; k++)
        good = judge_id(j, &lanes, k) && judge_name_and_row(j, &lanes.items[k]);
    good = good && judge_added(j);
    if (good && !lanes.n && j->after->nevents > j->before->nevents)
        good = judge_fail(j, j->before->nevents, "an event was added though there is no lane");
    j->counts->lanes += lanes.n;
    free(lanes.items);
    return good;
}
