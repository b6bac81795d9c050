/*
 * tokenize: how long jsmn takes for the events of a trace, on several threads.
 *
 *   tokenize FILE [THREADS]
 *
 * A peer for --check: what it would take merely to cut the text of each event into tokens, by a
 * common tokenizer, with the work divided perfectly. So FILE is read into memory and its events are
 * found before the clock starts; then each of the threads (default 2) tokenizes its share of them,
 * a run of neighbours, one event at a time with one array of tokens. Prints
 *
 *   WALL_SECONDS EVENTS                  as in: 1.234567890 2510331
 *
 * Exit: 0; 1 FILE cannot be read or tokenized; 2 wrong usage.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, threads */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS /* as the program has it: else long flat objects take quadratic time */
/* The header belongs to the system: its own warnings are not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <jsmn.h>
#pragma GCC diagnostic pop

enum { THREADS_MAX = 64, TOKENS_AT_FIRST = 256 };

struct event {
    const char *text;
    size_t len;
};

struct events {
    struct event *items; /* owned */
    size_t n, cap;
};

struct share {
    pthread_t thread;
    const struct event *first, *end;
    const char *trouble; /* NULL: all went well */
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "tokenize: %s: %s\n", what, why);
    return 1;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- before the clock starts ---- */

/* The whole file with a NUL behind it; owned by the caller. NULL: errno says why. */
static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file)
        return NULL;
    char *text = NULL;
    if (fstat(fileno(file), &status) == 0 && (text = malloc((size_t)status.st_size + 1))) {
        *len = fread(text, 1, (size_t)status.st_size, file);
        text[*len] = '\0';
        if (ferror(file)) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

static bool add_event(struct events *events, const char *begin, const char *end)
{
    if (events->n == events->cap) {
        size_t cap = events->cap ? events->cap * 2 : 1024;
        struct event *items = realloc(events->items, cap * sizeof *items);
        if (!items)
            return false;
        events->items = items;
        events->cap = cap;
    }
    events->items[events->n++] = (struct event){.text = begin, .len = (size_t)(end - begin)};
    return true;
}

/* The quote that ends the string which begins at p; or `end`. */
static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\';
    return p < end ? p : end;
}

/* Finds the objects in the array at p. Returns false if there is no memory. */
static bool find_events(const char *p, const char *end, struct events *events)
{
    const char *begin = p;
    size_t depth = 0;
    for (; p < end; p++) {
        if (*p == '"') {
            p = string_end(p, end);
        } else if (*p == '{' || *p == '[') {
            if (*p == '{' && depth == 1)
                begin = p;
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (--depth == 0)
                break;
            if (*p == '}' && depth == 1 && !add_event(events, begin, p + 1))
                return false;
        }
    }
    return true;
}

/* ---- while it runs ---- */

static bool more_tokens(jsmntok_t **tokens, size_t *cap)
{
    size_t wanted = *cap ? *cap * 2 : TOKENS_AT_FIRST;
    jsmntok_t *grown = wanted <= INT_MAX ? realloc(*tokens, wanted * sizeof *grown) : NULL;
    if (!grown)
        return false;
    *tokens = grown;
    *cap = wanted;
    return true;
}

static void *run_share(void *argument)
{
    struct share *share = argument;
    jsmntok_t *tokens = NULL;
    size_t cap = 0;
    if (!more_tokens(&tokens, &cap))
        share->trouble = "out of memory";
    for (const struct event *e = share->first; e < share->end && !share->trouble; e++) {
        jsmn_parser jsmn;
        jsmn_init(&jsmn);
        int count;
        /* Where tokens run out it goes on behind the last one. */
        while ((count = jsmn_parse(&jsmn, e->text, e->len, tokens, (unsigned)cap)) ==
               JSMN_ERROR_NOMEM) {
            if (!more_tokens(&tokens, &cap))
                break;
        }
        if (count < 0)
            share->trouble = count == JSMN_ERROR_NOMEM ? "out of memory" : "jsmn refuses an event";
    }
    free(tokens);
    return NULL;
}

/* Returns what went wrong, or NULL. */
static const char *run_threads(const struct events *events, size_t threads)
{
    struct share shares[THREADS_MAX];
    const char *trouble = NULL;
    size_t started = 0;
    for (; started < threads; started++) {
        struct share *share = &shares[started];
        *share = (struct share){.first = events->items + events->n * started / threads,
                                .end = events->items + events->n * (started + 1) / threads};
        int error = pthread_create(&share->thread, NULL, run_share, share);
        if (error) {
            trouble = strerror(error); /* NOLINT: the other threads do not call it */
            break;
        }
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(shares[i].thread, NULL);
        if (shares[i].trouble)
            trouble = shares[i].trouble;
    }
    return trouble;
}

static int measure(const char *path, const char *text, size_t len, size_t threads)
{
    struct events events = {0};
    const char *key = strstr(text, "\"traceEvents\""); /* else it is a bare array */
    const char *array = strchr(key ? key : text, '[');
    if (array && !find_events(array, text + len, &events)) {
        free(events.items);
        return fail(path, "out of memory");
    }
    if (!events.n) {
        free(events.items);
        return fail(path, "there are no events");
    }
    int64_t start_ns = now_ns();
    const char *trouble = run_threads(&events, threads);
    int64_t wall_ns = now_ns() - start_ns;
    free(events.items);
    if (trouble)
        return fail(path, trouble);
    printf("%lld.%09lld %zu\n", (long long)(wall_ns / 1000000000),
           (long long)(wall_ns % 1000000000), events.n);
    return fflush(stdout) == 0 ? 0 : fail("standard output", strerror(errno));
}

int main(int argc, char **argv)
{
    char *rest = NULL;
    unsigned long threads = argc > 2 ? strtoul(argv[2], &rest, 10) : 2;
    if (argc < 2 || argc > 3 || (rest && *rest) || threads < 1 || threads > THREADS_MAX) {
        fprintf(stderr, "usage: tokenize FILE [THREADS]   (1 to %d)\n", THREADS_MAX);
        return 2;
    }
    size_t len = 0;
    char *text = read_file(argv[1], &len);
    if (!text)
        return fail(argv[1], strerror(errno));
    int status = measure(argv[1], text, len, threads);
    free(text);
    return status;
}
