#define _XOPEN_SOURCE 700
#include "targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "messages.h"

enum place_kind { PLACE_TRACE, PLACE_OUTPUT, PLACE_REPORT, PLACE_PAGE };

/* A file that is read or written, by the name that it has without links. */
struct place {
    char *real;
    size_t trace;
    enum place_kind kind;
};

/* One after the other, with `between`; owned by the caller, NULL without memory. */
static char *join(const char *a, size_t a_len, const char *between, const char *b)
{
    size_t size = a_len + strlen(between) + strlen(b) + 1;
    char *all = malloc(size);
    if (all)
        snprintf(all, size, "%.*s%s%s", (int)a_len, a, between, b);
    return all;
}

/* The part of a path before its last slash, owned by the caller: "." or "/" if there is none. NULL
 * without memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A path without links, as far as it is there; owned by the caller. NULL without memory. */
static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);
    if (real || errno == ENOMEM)
        return real;
    const char *slash = strrchr(path, '/');
    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0)
        return strdup(path); /* whatever it is, to write there will be an error */
    char *folder = folder_of(path), *real_folder = folder ? real_path(folder) : NULL;
    if (real_folder)
        real = join(real_folder, strlen(real_folder), "/", slash ? slash + 1 : path);
    free(real_folder);
    free(folder);
    return real;
}

bool targets_is_folder(const char *name)
{
    struct stat st;
    size_t n = strlen(name);
    return (n && name[n - 1] == '/') || (stat(name, &st) == 0 && S_ISDIR(st.st_mode));
}

bool targets_make_folder(const char *file)
{
    struct stat st;
    char *folder = folder_of(file);
    if (!folder)
        return false;
    bool ok = stat(folder, &st) == 0 || mkdir(folder, 0777) == 0 || errno == EEXIST;
    if (!ok && errno == ENOENT && strcmp(folder, ".") != 0 && targets_make_folder(folder))
        ok = mkdir(folder, 0777) == 0 || errno == EEXIST;
    int error = errno;
    free(folder);
    errno = error;
    return ok;
}

/* The file `below` within a folder; owned by the caller, NULL without memory. */
static char *within(const char *folder, const char *below)
{
    size_t n = strlen(folder);
    while (n && folder[n - 1] == '/')
        n--;
    return join(folder, n, "/", below);
}

static bool out_of_memory(void)
{
    message_plain("", "out of memory");
    return false;
}

/* What is written beside the outputs: a file for each trace. */
struct beside {
    const char *path;   /* as given; NULL: there is none */
    const char *ending; /* behind the name of the trace */
    const char *one;    /* what is wrong with a single file */
    bool folder;        /* the path is that of a folder, which may be yet to be made */
};

/* Is there a file for each trace? */
static bool set_beside(struct beside *beside, const struct traces *traces, const char *output_dir)
{
    if (!beside->path)
        return true;
    beside->folder =
        targets_is_folder(beside->path) || (output_dir && strcmp(beside->path, output_dir) == 0);
    if (!beside->folder && traces->n > 1)
        message_plain(beside->path, beside->one);
    return beside->folder || traces->n <= 1;
}

/* The file of the trace with that name in *out, which is owned by the caller. Returns false without
 * memory. */
static bool name_beside(const struct beside *beside, const char *below, char **out)
{
    if (!beside->path)
        return true;
    char *name = join(below, strlen(below), "", beside->ending);
    if (name)
        *out = beside->folder ? within(beside->path, name) : strdup(beside->path);
    free(name);
    return *out != NULL;
}

/* Gives the traces their names below the folders. */
static bool name_all(struct traces *traces, const struct arguments *args)
{
    const char *output_dir = args->output_dir;
    struct beside report = {args->options.report_path, ".report.json",
                            "one file for the reports of many traces; a folder would do "
                            "(--report DIR/)",
                            false};
    struct beside page = {args->options.html_path, ".html",
                          "one file for the pages of many traces; a folder would do (--html DIR/)",
                          false};
    if (!set_beside(&report, traces, output_dir) || !set_beside(&page, traces, output_dir))
        return false;
    for (size_t i = 0; i < traces->n; i++) {
        struct trace *trace = &traces->items[i];
        if (trace->wrong)
            continue;
        const char *below = strcmp(trace->path, "-") == 0 ? "stdin" : trace->below;
        if (output_dir)
            trace->output = within(output_dir, below);
        if ((output_dir && !trace->output) || !name_beside(&report, below, &trace->report) ||
            !name_beside(&page, below, &trace->page))
            return out_of_memory();
    }
    return true;
}

/* Those of one file next to each other, the traces first, in their order. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->real, y->real);
    if (order)
        return order;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->trace > y->trace) - (x->trace < y->trace);
}

static bool add_place(struct place *places, size_t *n, const char *path, size_t trace,
                      enum place_kind kind)
{
    char *real = path ? real_path(path) : NULL;
    if (!real)
        return !path;
    places[(*n)++] = (struct place){real, trace, kind};
    return true;
}

static void free_places(struct place *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(places[i].real);
    free(places);
}

/* All files of which the names are known, sorted; NULL without memory. */
static struct place *list_places(const struct traces *traces, size_t *n)
{
    struct place *places = malloc((4 * traces->n + 1) * sizeof *places);
    bool ok = places != NULL;
    *n = 0;
    for (size_t i = 0; ok && i < traces->n; i++) {
        const struct trace *t = &traces->items[i];
        if (!t->wrong && strcmp(t->path, "-") != 0)
            ok = add_place(places, n, t->path, i, PLACE_TRACE) &&
                 add_place(places, n, t->output, i, PLACE_OUTPUT) &&
                 add_place(places, n, t->report, i, PLACE_REPORT) &&
                 add_place(places, n, t->page, i, PLACE_PAGE);
    }
    if (ok) {
        qsort(places, *n, sizeof *places, compare_places);
        return places;
    }
    free_places(places, *n);
    return NULL;
}

/* Takes those from the list whose file is another one's before them. Returns false without memory.
 */
static bool drop_repeated(struct traces *traces)
{
    size_t n, kept = 0;
    struct place *places = list_places(traces, &n);
    if (!places)
        return false;
    for (size_t i = 1; i < n; i++)
        if (strcmp(places[i - 1].real, places[i].real) == 0)
            trace_clear(&traces->items[places[i].trace]);
    for (size_t i = 0; i < traces->n; i++)
        if (traces->items[i].path)
            traces->items[kept++] = traces->items[i];
    traces->n = kept;
    free_places(places, n);
    return true;
}

/* Two neighbours of one file, of which the latter is written. */
static void print_clash(const struct traces *traces, const struct place *a, const struct place *b)
{
    const struct trace *first = &traces->items[a->trace], *second = &traces->items[b->trace];
    const char *path = b->kind == PLACE_OUTPUT   ? second->output
                       : b->kind == PLACE_REPORT ? second->report
                                                 : second->page;
    char one[NAME_ROOM], other[NAME_ROOM], line[2 * NAME_ROOM + 128];
    lanefix_show(first->path, one, sizeof one);
    lanefix_show(second->path, other, sizeof other);
    if (a->kind == PLACE_TRACE && b->kind == PLACE_OUTPUT && a->trace == b->trace)
        snprintf(line, sizeof line, "the output would overwrite its own trace; -i fixes in place");
    else if (a->kind == PLACE_TRACE)
        snprintf(line, sizeof line, "the output of %s would overwrite the trace %s", other, one);
    else
        snprintf(line, sizeof line, "the output of both %s and %s would go there", one, other);
    message_plain(path, line);
}

bool targets_set(struct traces *traces, const struct arguments *args)
{
    size_t n;
    bool ok = true;
    if (traces->failed || (args->options.in_place && !drop_repeated(traces)))
        return out_of_memory();
    if (!name_all(traces, args))
        return false;
    struct place *places = list_places(traces, &n);
    if (!places)
        return out_of_memory();
    for (size_t i = 1; i < n && ok; i++) {
        const struct place *a = &places[i - 1], *b = &places[i];
        ok = b->kind == PLACE_TRACE || strcmp(a->real, b->real) != 0;
        if (!ok)
            print_clash(traces, a, b);
    }
    free_places(places, n);
    return ok;
}
