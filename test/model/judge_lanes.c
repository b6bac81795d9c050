/* The threads that a fix has added: which slices are on them, their ids, names and sort indexes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "model_rows.h"

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

size_t judge_same_thread(const struct judge *j, size_t thread)
{
    return model_same_thread(j->before, thread, j->after);
}

/* The first event of a thread that is a slice or, with or without an E, begins one. */
static size_t first_event(const struct judge *j, size_t thread)
{
    struct model *m = j->before;
    int64_t ts, dur;
    for (size_t i = 0; i < m->nevents; i++) {
        char ph = model_ph(m, i); /* 0 of one that cannot be read */
        if (((ph == 'X' && model_times(m, i, &ts, &dur)) ||
             (ph == 'B' && model_times(m, i, &ts, NULL))) &&
            model_thread_of(m, i, false) == thread)
            return i;
    }
    return MODEL_NONE;
}

/* Every lane is one thread, and no thread is two lanes or was there before. */
static bool note_lane(struct judge *j, struct lanes *lanes, size_t slice)
{
    const struct model_slice *b = &j->before->slices[slice], *a = &j->after->slices[slice];
    size_t lane = j->lane_of[slice];
    if (!lane)
        return a->thread == judge_same_thread(j, b->thread) ||
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
        if (judge_same_thread(j, i) == a->thread)
            return judge_fail(j, b->event, "a lane is a thread that was there before");
    lanes->items = model_grow(lanes->items, &lanes->cap, lanes->n, sizeof *lanes->items);
    lanes->items[lanes->n++] =
        (struct lane){b->thread, lane, a->thread, slice, first_event(j, b->thread)};
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

/* The name of a thread: the last one. NULL if there is none. */
static const struct model_value *name_of(struct model *m, size_t thread)
{
    const struct model_value *found = NULL;
    int64_t found_ns = 0;
    for (size_t i = 0; i < m->nevents; i++) {
        const struct model_event *e = &m->events[i];
        if (model_ph(m, i) != 'M' || model_thread_of(m, i, false) != thread ||
            !model_is(m->text, &e->name, "thread_name") || e->arg_name.kind != MODEL_STRING ||
            !e->arg_name.len)
            continue;
        int64_t ns = metadata_time(m, i);
        if (!found || ns >= found_ns) {
            found = &e->arg_name;
            found_ns = ns;
        }
    }
    return found;
}

static bool judge_name(struct judge *j, const struct lane *lane)
{
    struct model *b = j->before, *a = j->after;
    size_t n, event = b->slices[lane->first_slice].event;
    bool quoted;
    char *expected = NULL;
    const struct model_value *own = name_of(b, lane->thread);
    if (own) {
        add(&expected, b->text + own->off, own->len);
    } else {
        const char *tid = tid_text(j, lane->thread, &n, &quoted);
        add(&expected, "tid ", 4);
        add(&expected, tid, n);
    }
    add_lane_number(&expected, " lane ", lane->lane);
    const struct model_value *name = name_of(a, lane->after);
    bool good = name && model_is(a->text, name, expected);
    free(expected);
    return good || judge_fail(j, event, "a lane has not the name that it should have");
}

static bool has_lane(const struct judge *j, const struct lanes *lanes, size_t process)
{
    for (size_t i = 0; i < lanes->n; i++)
        if (model_id_equal(&j->before->threads[lanes->items[i].thread].pid,
                           &j->before->threads[process].pid))
            return true;
    return false;
}

/* What a thread has of the trace stays. Where there are lanes, a string is said again as a number,
 * and counts for both kinds of viewers. */
static bool judge_sort_indexes(struct judge *j, const struct lanes *lanes)
{
    static const enum model_order orders[] = {MODEL_V57_STRINGS, MODEL_V57};
    size_t nbefore, nafter;
    struct model_row *before = model_rows(j->before, MODEL_V57_STRINGS, &nbefore);
    bool good = true;
    for (size_t o = 0; o < 2; o++) {
        struct model_row *after = model_rows(j->after, orders[o], &nafter);
        for (size_t i = 0; good && i < nbefore; i++) {
            size_t thread = judge_same_thread(j, before[i].thread), k = 0;
            bool counts = before[i].indexed &&
                          (orders[o] == MODEL_V57_STRINGS || has_lane(j, lanes, before[i].process));
            while (counts && k < nafter && after[k].thread != thread)
                k++;
            if (counts && k < nafter && after[k].sort_index != before[i].sort_index)
                good = judge_fail(j, j->before->threads[before[i].thread].first_event,
                                  "a thread has another sort index than before");
        }
        free(after);
    }
    free(before);
    return good;
}

/* Each lane is right below its thread, or below the lane before it, unless the sort indexes of the
 * trace leave no room there. */
static bool judge_places(struct judge *j, const struct lanes *lanes)
{
    size_t nbefore, nafter, above;
    struct model_row *before = model_rows(j->before, MODEL_V57_STRINGS, &nbefore),
                     *after = model_rows(j->after, MODEL_V57, &nafter);
    struct model_lane *list = malloc((lanes->n + 1) * sizeof *list);
    bool good = list != NULL;
    for (size_t k = 0; good && k < lanes->n; k++)
        list[k] = (struct model_lane){lanes->items[k].thread, lanes->items[k].lane,
                                      lanes->items[k].after};
    for (size_t k = 0; good && k < lanes->n; k++) {
        bool below =
            model_lane_is_below(j->before, j->after, after, nafter, list, lanes->n, k, &above);
        if (!below && model_lane_has_room(j->before, j->after, before, nbefore, list, lanes->n, k))
            good = judge_fail(j, j->before->slices[lanes->items[k].first_slice].event,
                              "a lane is not right below its thread");
        j->counts->lanes_apart += !below;
    }
    free(before);
    free(after);
    free(list);
    return good;
}

/* Where no thread of a process had a sort index they all stand as they did. */
static bool judge_order(struct judge *j)
{
    size_t nbefore, nafter, k = 0;
    struct model_row *before = model_rows(j->before, MODEL_V57, &nbefore),
                     *after = model_rows(j->after, MODEL_V57, &nafter);
    bool good = true;
    for (size_t i = 0; good && i < nbefore; i++) {
        bool indexed = false;
        for (size_t l = 0; l < nbefore; l++)
            indexed |= before[l].indexed && before[l].process == before[i].process;
        if (indexed)
            continue;
        size_t thread = judge_same_thread(j, before[i].thread);
        if (i == 0 || before[i - 1].process != before[i].process)
            k = 0;
        while (k < nafter && after[k].thread != thread)
            k++;
        if (k == nafter && thread != MODEL_NONE)
            good = judge_fail(j, j->before->threads[before[i].thread].first_event,
                              "a thread is above one that was above it");
    }
    free(before);
    free(after);
    return good;
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
            if (judge_same_thread(j, k) == model_thread_of(j->after, i, false))
                return judge_fail(j, i, "a thread was given a name");
    }
    return true;
}

/* Ids are given thread by thread, in the order of their first slices (or lone B) in the file. */
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
        good = judge_id(j, &lanes, k) && judge_name(j, &lanes.items[k]);
    good = good && (!lanes.n ||
                    (judge_sort_indexes(j, &lanes) && judge_places(j, &lanes) && judge_order(j)));
    good = good && judge_added(j);
    if (good && !lanes.n && j->after->nevents > j->before->nevents)
        good = judge_fail(j, j->before->nevents, "an event was added though there is no lane");
    j->counts->lanes += lanes.n;
    free(lanes.items);
    return good;
}
