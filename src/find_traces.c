#define _XOPEN_SOURCE 700
#include "find_traces.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a search in a folder needs. */
struct search {
    struct traces *traces;
    const char *const *outputs;
    size_t below; /* where, in a path, the part begins that is kept */
};

static struct trace *add(struct traces *traces, const char *path, size_t below)
{
    if (traces->n == traces->cap) {
        size_t cap = traces->cap ? 2 * traces->cap : 64;
        struct trace *items = realloc(traces->items, cap * sizeof *items);
        if (!items) {
            traces->failed = true;
            return NULL;
        }
        traces->items = items;
        traces->cap = cap;
    }
    struct trace *trace = &traces->items[traces->n];
    *trace = (struct trace){.path = strdup(path)};
    if (!trace->path) {
        traces->failed = true;
        return NULL;
    }
    trace->below = trace->path + below;
    traces->n++;
    return trace;
}

static void add_file(struct traces *traces, const char *path, size_t below, const struct stat *st)
{
    struct trace *trace = add(traces, path, below);
    if (trace && S_ISREG(st->st_mode))
        trace->nbytes = (uint64_t)st->st_size;
}

static void add_wrong(struct traces *traces, const char *path, const char *wrong, int sys_errno)
{
    struct trace *trace = add(traces, path, 0);
    if (trace) {
        trace->wrong = wrong;
        trace->sys_errno = sys_errno;
    }
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static bool is_trace_name(const char *name)
{
    return (ends_with(name, ".json") || ends_with(name, ".json.gz")) &&
           !ends_with(name, ".json.report.json") && !ends_with(name, ".json.gz.report.json");
}

static bool is_folder_of_outputs(const char *const *outputs, const struct stat *folder)
{
    struct stat st;
    for (int i = 0; i < FOLDERS_OF_OUTPUTS; i++)
        if (outputs[i] && stat(outputs[i], &st) == 0 && st.st_dev == folder->st_dev &&
            st.st_ino == folder->st_ino)
            return true;
    return false;
}

static void search_folder(const struct search *search, const char *folder);

/* Something in a folder. A link is followed to a file only, so no folder is met twice. */
static void look_at(const struct search *search, const char *path)
{
    struct stat st;
    const volatile sig_atomic_t *cancel = search->traces->cancel;
    if (cancel && *cancel)
        return;
    if (lstat(path, &st) != 0) {
        if (errno != ENOENT) /* then it has just been removed */
            add_wrong(search->traces, path, "cannot look at it", errno);
    } else if (S_ISDIR(st.st_mode)) {
        if (!is_folder_of_outputs(search->outputs, &st))
            search_folder(search, path);
    } else if (is_trace_name(path) && (!S_ISLNK(st.st_mode) || stat(path, &st) == 0) &&
               S_ISREG(st.st_mode)) {
        add_file(search->traces, path, search->below, &st);
    }
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The same order everywhere, whatever the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Owned by the caller; NULL without memory. */
static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder), size = n + strlen(name) + 2;
    bool slash = n && folder[n - 1] == '/';
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    return path;
}

static void search_folder(const struct search *search, const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_shown, by_name);
    if (n < 0) {
        add_wrong(search->traces, folder, "cannot read the folder", errno);
        return;
    }
    for (int i = 0; i < n; i++) {
        char *path = join(folder, entries[i]->d_name);
        if (path)
            look_at(search, path);
        else
            search->traces->failed = true;
        free(path);
        free(entries[i]);
    }
    free(entries);
}

size_t traces_find(struct traces *traces, const char *path, bool recursive,
                   const char *const outputs[FOLDERS_OF_OUTPUTS])
{
    struct stat st = {0};
    size_t before = traces->n, length = strlen(path);
    const char *slash = strrchr(path, '/');
    size_t below = slash ? (size_t)(slash + 1 - path) : 0;
    bool there = strcmp(path, "-") != 0 && stat(path, &st) == 0;
    if (!there || !S_ISDIR(st.st_mode)) { /* what is not there will fail when it is opened */
        add_file(traces, path, below, &st);
    } else if (!recursive) {
        add_wrong(traces, path, "is a folder; -r takes the traces in it", 0);
    } else {
        struct search search = {traces, outputs, length + (path[length - 1] != '/')};
        search_folder(&search, path);
    }
    return traces->n - before;
}

void trace_clear(struct trace *trace)
{
    free(trace->path);
    free(trace->output);
    free(trace->report);
    free(trace->page);
    *trace = (struct trace){0};
}

void traces_free(struct traces *traces)
{
    for (size_t i = 0; i < traces->n; i++)
        trace_clear(&traces->items[i]);
    free(traces->items);
    *traces = (struct traces){0};
}
