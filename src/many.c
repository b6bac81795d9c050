/* A pool of threads, each of which does one run after another; the main thread prints.
 *
 * The largest traces begin first, so that none of them is left for the end, when all others are
 * done. A run has as many threads as share_jobs gives it, of those that no other run has, and keeps
 * them. So there are never more threads than were asked for, and no more runs at a time. With one
 * thread the runs are made by the main thread itself, in the order of the arguments. */
#define _XOPEN_SOURCE 700
#include "many.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "find_traces.h"
#include "messages.h"
#include "result.h"
#include "share_jobs.h"
#include "targets.h"

enum {
    THREADS_MAX = 32, /* of use to one run (lanefix.h) */
    GZIP_FACTOR = 10  /* so much longer is what a gzip file has in it, about */
};

/* A trace's place in the order of the runs. */
struct turn {
    uint64_t weight; /* about as many bytes as there are to read, at least 1 */
    size_t trace;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a run ended */
    const struct arguments *args;
    const struct traces *traces;
    struct progress *progress; /* or NULL */
    struct result *results;    /* one each */
    struct turn *turns;
    size_t next;          /* turn to begin */
    uint64_t left_weight; /* of the turns from there on */
    unsigned idle;        /* threads that no run has */
    pthread_t *workers;
    unsigned nworkers;
    unsigned nworking; /* workers that have not ended */
    struct sum sum;
    bool cannot_print;
};

static bool is_cancelled(const struct pool *pool)
{
    return *pool->args->options.cancel != 0;
}

static int by_weight(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->trace > y->trace) - (x->trace < y->trace);
}

static uint64_t weigh(const struct trace *trace)
{
    size_t n = strlen(trace->path);
    bool gzip = n > 3 && strcmp(trace->path + n - 3, ".gz") == 0;
    return trace->nbytes * (gzip ? GZIP_FACTOR : 1) + 1;
}

static void set_turns(struct pool *pool)
{
    for (size_t i = 0; i < pool->traces->n; i++) {
        pool->turns[i] = (struct turn){weigh(&pool->traces->items[i]), i};
        pool->left_weight += pool->turns[i].weight;
    }
    if (pool->idle > 1)
        qsort(pool->turns, pool->traces->n, sizeof *pool->turns, by_weight);
}

/* Does the next run. The lock is held before and after. */
static void do_next(struct pool *pool)
{
    const struct turn *turn = &pool->turns[pool->next++];
    struct result *result = &pool->results[turn->trace];
    unsigned jobs = share_jobs(pool->idle, turn->weight, pool->left_weight);
    jobs = jobs < THREADS_MAX ? jobs : THREADS_MAX;
    pool->left_weight -= turn->weight;
    pool->idle -= jobs;
    pthread_mutex_unlock(&pool->lock);
    result_run(result, &pool->traces->items[turn->trace], pool->args, jobs, pool->progress);
    pthread_mutex_lock(&pool->lock);
    result->done = true;
    pool->idle += jobs;
    pthread_cond_broadcast(&pool->changed);
}

static void *work(void *arg)
{
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    while (pool->next < pool->traces->n && !is_cancelled(pool)) {
        if (pool->idle)
            do_next(pool);
        else
            pthread_cond_wait(&pool->changed, &pool->lock);
    }
    pool->nworking--;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* A worker has the signal alone by which it is interrupted; all others are for the main thread. */
static void start_workers(struct pool *pool)
{
    unsigned wanted = pool->idle < pool->traces->n ? pool->idle : (unsigned)pool->traces->n;
    sigset_t others, old;
    if (pool->idle > 1)
        pool->workers = malloc((wanted + 1) * sizeof *pool->workers);
    if (!pool->workers)
        return;
    sigfillset(&others);
    sigdelset(&others, SIGALRM);
    pthread_sigmask(SIG_SETMASK, &others, &old);
    pthread_mutex_lock(&pool->lock);
    while (pool->nworkers < wanted &&
           pthread_create(&pool->workers[pool->nworkers], NULL, work, pool) == 0)
        pool->nworkers++;
    pool->nworking = pool->nworkers;
    pthread_mutex_unlock(&pool->lock);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Waits a second at most, with the lock held. After a signal, a worker may still wait in a read or
 * open, before which it saw no flag: it is interrupted. */
static void wait_for_change(struct pool *pool)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
    for (unsigned i = 0; is_cancelled(pool) && i < pool->nworkers; i++)
        pthread_kill(pool->workers[i], SIGALRM);
}

/* Standard output has an error, of which one message is enough. */
static void fail_to_print(struct pool *pool)
{
    if (!pool->cannot_print && !is_cancelled(pool))
        message_plain("standard output", strerror(errno));
    pool->cannot_print = true;
}

/* With the lock held, which is not while it prints. */
static void print_result(struct pool *pool, size_t i)
{
    pthread_mutex_unlock(&pool->lock);
    progress_hold(pool->progress);
    if (!result_print(&pool->results[i], &pool->traces->items[i], pool->args, &pool->sum))
        fail_to_print(pool);
    progress_release(pool->progress);
    pthread_mutex_lock(&pool->lock);
}

/* Until all is done, or cancelled and every run has ended. */
static void run_all(struct pool *pool)
{
    start_workers(pool);
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < pool->traces->n && !is_cancelled(pool);) {
        if (pool->results[i].done)
            print_result(pool, i++);
        else if (pool->nworkers)
            wait_for_change(pool);
        else
            do_next(pool);
    }
    while (pool->nworking)
        wait_for_change(pool);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->nworkers; i++)
        pthread_join(pool->workers[i], NULL);
    free(pool->workers);
}

/* The worst of all, but for what was cancelled. */
static int status_of(const struct sum *sum)
{
    return sum->failed  ? EXIT_TROUBLE
           : sum->lost  ? EXIT_LOST
           : sum->found ? EXIT_FINDINGS
                        : EXIT_SUCCESS;
}

/* NULL where none is to be shown. */
static struct progress *start_progress(const struct arguments *args, const struct traces *traces)
{
    struct progress *progress = progress_to_stderr(args->progress, args->quiet);
    uint64_t nbytes = 0;
    for (size_t i = 0; i < traces->n; i++)
        nbytes += traces->items[i].nbytes;
    progress_expect(progress, (unsigned)traces->n, nbytes);
    return progress;
}

static int say_cancelled(const struct pool *pool)
{
    size_t ndone = 0;
    for (size_t i = 0; i < pool->traces->n; i++)
        ndone += pool->results[i].done && pool->results[i].error.code == LANEFIX_OK;
    message_signal_of_many(*pool->args->options.cancel, ndone, pool->traces->n);
    return ARGUMENTS_CANCELLED;
}

/* A run has some files open, and there may be hundreds at a time: more than the soft limit, which
 * is 1024 in most places. */
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int run_pool(const struct arguments *args, const struct traces *traces)
{
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER,
                        .args = args,
                        .traces = traces,
                        .idle = args->options.jobs ? args->options.jobs : lanefix_cores(),
                        .results = calloc(traces->n + 1, sizeof *pool.results),
                        .turns = malloc((traces->n + 1) * sizeof *pool.turns)};
    int64_t begun_ns = progress_clock();
    int status = EXIT_TROUBLE;
    if (pool.results && pool.turns) {
        set_turns(&pool);
        raise_file_limit();
        pool.progress = start_progress(args, traces);
        run_all(&pool);
        progress_free(pool.progress);
        bool all = !pool.sum.interrupted && pool.sum.traces == traces->n;
        if (all && traces->n > 1 && !pool.cannot_print &&
            !result_print_sum(&pool.sum, args, progress_clock() - begun_ns))
            fail_to_print(&pool);
        if (all && !pool.cannot_print)
            status = status_of(&pool.sum);
        else if (is_cancelled(&pool))
            status = say_cancelled(&pool);
    } else {
        message_plain("", "out of memory");
    }
    for (size_t i = 0; pool.results && i < traces->n; i++)
        result_free(&pool.results[i]);
    free(pool.results);
    free(pool.turns);
    return status;
}

int many_run(const struct arguments *args)
{
    struct traces traces = {.cancel = args->options.cancel};
    const char *reports = args->options.report_path;
    const char *const outputs[FOLDERS_OF_OUTPUTS] = {args->output_dir, reports};
    for (size_t i = 0; i < args->ntraces; i++)
        if (!traces_find(&traces, args->traces[i], args->recursive, outputs) && !traces.failed)
            message_plain(args->traces[i], "no .json or .json.gz is below it");
    int status = EXIT_TROUBLE;
    if (*traces.cancel) {
        message_signal_of_many(*traces.cancel, 0, traces.n);
        status = ARGUMENTS_CANCELLED;
    } else if (targets_set(&traces, args)) {
        status = traces.n ? run_pool(args, &traces) : EXIT_SUCCESS;
    }
    traces_free(&traces);
    return status;
}
