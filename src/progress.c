#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "messages.h"
#include "progress_text.h"
#include "terminal.h"

static const int64_t SECOND_NS = 1000000000;

struct progress {
    struct progress_options options;
    pthread_t ticker;
    bool ticks; /* there is one */
    pthread_cond_t ends;
    pthread_mutex_t lock; /* for all below, and for the files */
    bool stopping;
    int64_t begun_ns, next_ns;
    bool drawn;
    const struct progress_file *current; /* the one that was heard of last; NULL: none */
    unsigned nfiles, ended;              /* nfiles 0: one file, which speaks for itself */
    uint64_t done_nbytes, total_nbytes;
};

enum progress_style progress_style(enum progress_wish wish, bool quiet, bool can_draw)
{
    if (wish == PROGRESS_OFF || (wish == PROGRESS_AUTO && (quiet || !can_draw)))
        return PROGRESS_NONE;
    return can_draw ? PROGRESS_DRAWN : PROGRESS_PLAIN;
}

int64_t progress_clock(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? t.tv_sec * SECOND_NS + t.tv_nsec : 0;
}

struct progress_options progress_options(enum progress_style style, FILE *out)
{
    if (style == PROGRESS_PLAIN)
        return (struct progress_options){out, false, 60 * SECOND_NS, 60 * SECOND_NS};
    return (struct progress_options){out, true, SECOND_NS, SECOND_NS / 5};
}

struct progress *progress_new(const struct progress_options *options, int64_t now_ns)
{
    pthread_condattr_t monotonic;
    struct progress *p = calloc(1, sizeof *p);
    if (!p || pthread_condattr_init(&monotonic) != 0) {
        free(p);
        return NULL;
    }
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC); /* these three do not fail */
    pthread_cond_init(&p->ends, &monotonic);
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_destroy(&monotonic);
    p->options = *options;
    p->begun_ns = now_ns;
    p->next_ns = now_ns + options->first_ns;
    return p;
}

/* The lock is held. */
static void erase(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", p->options.out);
    p->drawn = false;
}

void progress_free(struct progress *p)
{
    if (!p)
        return;
    if (p->ticks) {
        pthread_mutex_lock(&p->lock);
        p->stopping = true;
        pthread_cond_signal(&p->ends);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->ticker, NULL);
    }
    erase(p);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->ends);
    free(p);
}

void progress_expect(struct progress *p, unsigned nfiles, uint64_t nbytes)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->nfiles = nfiles;
    p->total_nbytes = nbytes;
    pthread_mutex_unlock(&p->lock);
}

void progress_begin_file(struct progress *p, struct progress_file *file, const char *name,
                         uint64_t nbytes)
{
    *file = (struct progress_file){.progress = p, .name = name, .nbytes = nbytes};
}

void progress_listen(struct progress_file *file, struct lanefix_options *options)
{
    if (!file->progress)
        return;
    options->progress = progress_hear;
    options->progress_data = file;
}

/* So many bytes of a file count as done, if they are more than before. The lock is held. */
static void count(struct progress_file *file, uint64_t nbytes)
{
    if (nbytes <= file->counted_nbytes)
        return;
    file->progress->done_nbytes += nbytes - file->counted_nbytes;
    file->counted_nbytes = nbytes;
}

void progress_end_file(struct progress_file *file)
{
    struct progress *p = file->progress;
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    count(file, file->nbytes);
    p->ended++;
    if (p->current == file)
        p->current = NULL;
    pthread_mutex_unlock(&p->lock);
}

/* How much of all its passes a run has behind it, from 0 to 1. */
static double share_done(const struct lanefix_progress *now)
{
    bool reads = now->step == LANEFIX_STEP_READ || now->step == LANEFIX_STEP_WRITE;
    double of_pass = reads ? 0 : 1;
    if (reads && now->total_nbytes)
        of_pass = (double)now->done_nbytes / (double)now->total_nbytes;
    return now->pass ? (now->pass - 1 + of_pass) / now->passes : 0;
}

/* Shows it, if it is time to. The lock is held. One write, so that nothing comes between. */
static void show(struct progress *p, int64_t now_ns)
{
    char text[NAME_ROOM + PROGRESS_TEXT_ROOM];
    const struct progress_file *file = p->current;
    if (now_ns < p->next_ns || !file)
        return;
    const char *name = p->nfiles ? NULL : file->name;
    struct progress_figures figures = p->nfiles
                                          ? progress_of_files(p->ended, p->nfiles, p->done_nbytes,
                                                              p->total_nbytes, now_ns - p->begun_ns)
                                          : progress_of_run(&file->now, now_ns - file->step_ns);
    if (!p->options.drawn) {
        progress_text(name, &figures, SIZE_MAX, text, sizeof text);
        fprintf(p->options.out, "trace-lanefix: %s\n", text);
    } else if (terminal_is_ours(p->options.out)) {
        /* The last column stays free, for the cursor */
        progress_text(name, &figures, terminal_columns(p->options.out) - 1, text, sizeof text);
        fprintf(p->options.out, "\r%s\033[K", text);
        p->drawn = true;
    }
    p->next_ns = now_ns + p->options.interval_ns;
}

void progress_hear_at(struct progress_file *file, const struct lanefix_progress *now,
                      int64_t now_ns)
{
    struct progress *p = file->progress;
    if (!p)
        return;
    bool begins = now->step != file->now.step || now->pass != file->now.pass || !file->step_ns;
    pthread_mutex_lock(&p->lock);
    if (begins)
        file->step_ns = now_ns;
    file->now = *now;
    p->current = file;
    count(file, (uint64_t)(share_done(now) * (double)file->nbytes));
    show(p, now_ns);
    pthread_mutex_unlock(&p->lock);
}

void progress_hear(void *file, const struct lanefix_progress *now)
{
    progress_hear_at(file, now, progress_clock());
}

void progress_tick_at(struct progress *p, int64_t now_ns)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    show(p, now_ns);
    pthread_mutex_unlock(&p->lock);
}

static void *tick(void *progress)
{
    struct progress *p = progress;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping) {
        int64_t ns = progress_clock();
        show(p, ns);
        if (p->next_ns <= ns)
            p->next_ns = ns + p->options.interval_ns;
        struct timespec next = {p->next_ns / SECOND_NS, p->next_ns % SECOND_NS};
        pthread_cond_timedwait(&p->ends, &p->lock, &next);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void progress_start(struct progress *p)
{
    sigset_t all, before;
    if (!p)
        return;
    /* A signal is to interrupt what the run waits for */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->ticks = pthread_create(&p->ticker, NULL, tick, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct progress *progress_to_stderr(enum progress_wish wish, bool quiet)
{
    enum progress_style style = progress_style(wish, quiet, terminal_can_draw(stderr));
    if (style == PROGRESS_NONE)
        return NULL;
    struct progress_options options = progress_options(style, stderr);
    struct progress *p = progress_new(&options, progress_clock());
    progress_start(p);
    return p;
}

void progress_hold(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    erase(p);
}

void progress_release(struct progress *p)
{
    if (p)
        pthread_mutex_unlock(&p->lock);
}
