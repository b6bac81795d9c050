/* What the model says of a trace, in one line. For a comparison with other models of the viewer.
 *
 *   model-stats TRACE            plain JSON
 *   model-stats TRACE FIXED      where the lanes of the fixed trace stand, by both orders of rows
 *
 * The second form names each lane that is not right below its thread, and says why. It exits 1 if
 * one is not from v57 on though there is room. Exit 2 if a trace cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_rows.h"

static char *read_all(FILE *file, size_t *n)
{
    char *text = NULL;
    size_t cap = 0, got = 1;
    for (*n = 0; got; *n += got) {
        text = model_grow(text, &cap, *n + 65536, 1);
        got = fread(text + *n, 1, 65536, file);
    }
    return text;
}

/* The model of a file, or NULL; *text is what it stands on, owned by the caller. */
static struct model *read_model(const char *path, char **text)
{
    size_t n;
    FILE *file = fopen(path, "rb");
    *text = NULL;
    if (!file) {
        fprintf(stderr, "model-stats: cannot open %s\n", path);
        return NULL;
    }
    *text = read_all(file, &n);
    fclose(file);
    struct model *m = model_new(*text, n);
    if (!m)
        fprintf(stderr, "model-stats: %s: not a trace\n", path);
    return m;
}

static void print_counts(const struct model *m)
{
    size_t unbound = 0;
    for (size_t i = 0; i < m->nflows; i++)
        unbound += m->flows[i].encloses && m->flows[i].bound_to == MODEL_NONE;
    printf("%zu events, %zu unreadable, %zu slices, %zu crossing, %zu spilled, %zu too deep, "
           "%zu unbound, %zu misplaced\n",
           m->nevents, m->nunreadable, m->nslices, m->crossings, m->spilled, m->too_deep, unbound,
           m->misplaced);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

struct lanes {
    const struct model *before, *after;
    struct model_lane *items;
    size_t n;
};

/* The number at the end of the name that was given to a lane. */
static size_t lane_number(struct model *after, size_t nbefore, size_t thread)
{
    for (size_t i = nbefore; i < after->nevents; i++) {
        const struct model_event *e = &after->events[i];
        size_t digits = 0;
        while (digits < e->arg_name.len &&
               strchr("0123456789", after->text[e->arg_name.off + e->arg_name.len - digits - 1]))
            digits++;
        if (digits && model_thread_of(after, i, false) == thread)
            return strtoull(after->text + e->arg_name.off + e->arg_name.len - digits, NULL, 10);
    }
    return 0;
}

/* A lane is where a slice is that was on another thread. */
static void find_lanes(struct lanes *lanes, const struct model *before, struct model *after)
{
    size_t cap = 0;
    *lanes = (struct lanes){.before = before, .after = after};
    for (size_t i = 0; i < before->nslices && i < after->nslices; i++) {
        size_t thread = before->slices[i].thread, now = after->slices[i].thread, k = 0;
        while (k < lanes->n && lanes->items[k].after != now)
            k++;
        if (k < lanes->n || model_same_thread(before, thread, after) == now)
            continue;
        lanes->items = model_grow(lanes->items, &cap, lanes->n, sizeof *lanes->items);
        lanes->items[lanes->n++] =
            (struct model_lane){thread, lane_number(after, before->nevents, now), now};
    }
}

static void print_id(const struct model_id *id)
{
    if (id->string)
        printf("\"%.*s\"", (int)id->len, id->string);
    else
        printf("%u", (unsigned)id->number);
}

static void print_apart(const struct lanes *lanes, size_t k, const char *version, size_t above,
                        const char *why)
{
    const struct model_thread *lane = &lanes->after->threads[lanes->items[k].after];
    printf("       %s: pid ", version);
    print_id(&lane->pid);
    printf(" lane ");
    print_id(&lane->tid);
    printf(" of thread ");
    print_id(&lanes->before->threads[lanes->items[k].thread].tid);
    printf(" is below ");
    if (above == MODEL_NONE)
        printf("none");
    else
        print_id(&lanes->after->threads[above].tid);
    printf(": %s\n", why);
}

/* Why a lane that stands by name and tid alone is not right below its thread. */
static const char *why_apart(const struct lanes *lanes, size_t k, const struct model_row *rows,
                             size_t nrows)
{
    size_t thread = model_same_thread(lanes->before, lanes->items[k].thread, lanes->after);
    for (size_t i = 0; i < nrows; i++)
        if (rows[i].thread == thread && rows[i].rank == 2)
            return "its thread has no name";
    return "the ids of others are between theirs";
}

/* Counts the lanes that are right below their threads, and prints the others. *wrong: of these,
 * those from v57 on that could be. */
static size_t count_right(struct lanes *lanes, struct model *before, struct model *after,
                          enum model_order order, size_t *wrong)
{
    size_t nbefore, nafter, right = 0, above;
    struct model_row *first = model_rows(before, MODEL_V57_STRINGS, &nbefore),
                     *rows = model_rows(after, order, &nafter);
    for (size_t k = 0; k < lanes->n; k++) {
        if (model_lane_is_below(before, after, rows, nafter, lanes->items, lanes->n, k, &above)) {
            right++;
        } else if (order == MODEL_V56) {
            print_apart(lanes, k, "before v57", above, why_apart(lanes, k, rows, nafter));
        } else {
            bool room =
                model_lane_has_room(before, after, first, nbefore, lanes->items, lanes->n, k);
            *wrong += room;
            print_apart(lanes, k, "from v57 on", above,
                        room ? "WRONG" : "the sort indexes of the trace leave no room");
        }
    }
    free(first);
    free(rows);
    return right;
}

/* Returns false if a lane is not where it could be. */
static bool print_lanes(struct model *before, struct model *after)
{
    struct lanes lanes;
    size_t wrong = 0;
    find_lanes(&lanes, before, after);
    size_t v57 = count_right(&lanes, before, after, MODEL_V57, &wrong);
    size_t v56 = count_right(&lanes, before, after, MODEL_V56, &wrong);
    printf("%zu lanes, right below: %zu from v57 on, %zu before\n", lanes.n, v57, v56);
    free(lanes.items);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    char *texts[2] = {NULL, NULL};
    struct model *models[2] = {NULL, NULL};
    bool ok = argc == 2 || argc == 3, good = true;
    for (int i = 0; ok && i < argc - 1; i++)
        ok = (models[i] = read_model(argv[i + 1], &texts[i])) != NULL;
    if (ok && argc == 3)
        good = print_lanes(models[0], models[1]);
    else if (ok)
        print_counts(models[0]);
    for (int i = 0; i < 2; i++) {
        model_free(models[i]);
        free(texts[i]);
    }
    return !ok ? 2 : good ? 0 : 1;
}
