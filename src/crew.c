#define _POSIX_C_SOURCE 200809L
#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job was queued or done, or the crew is to end */
    struct job *first, *last;
    bool ending, started;
    unsigned threads;  /* with the caller */
    unsigned nworkers; /* those besides the caller that could be started */
    pthread_t workers[CREW_THREADS_MAX - 1];
};

static void queue(struct crew *crew, struct job *job, bool urgent)
{
    job->state = JOB_QUEUED;
    job->next = urgent ? crew->first : NULL;
    if (!crew->first)
        crew->last = job;
    if (urgent || !crew->first)
        crew->first = job;
    else
        crew->last->next = job;
    if (!job->next)
        crew->last = job;
}

/* Does the first job of the queue, which is not empty. The lock is held before and after. */
static void do_first(struct crew *crew)
{
    struct job *job = crew->first;
    crew->first = job->next;
    job->state = JOB_RUNNING;
    pthread_mutex_unlock(&crew->lock);
    job->run(job);
    pthread_mutex_lock(&crew->lock);
    job->state = JOB_DONE;
    pthread_cond_broadcast(&crew->changed);
}

static void *work(void *arg)
{
    struct crew *crew = arg;
    pthread_mutex_lock(&crew->lock);
    while (!crew->ending) {
        if (crew->first)
            do_first(crew);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Signals are for the thread that called the library: it may wait in a read or write. */
static void start_workers(struct crew *crew)
{
    sigset_t all, old;
    crew->started = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (crew->nworkers < crew->threads - 1 &&
           pthread_create(&crew->workers[crew->nworkers], NULL, work, crew) == 0)
        crew->nworkers++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct crew *crew_new(unsigned threads)
{
    struct crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    if (pthread_mutex_init(&crew->lock, NULL) != 0) {
        free(crew);
        return NULL;
    }
    if (pthread_cond_init(&crew->changed, NULL) != 0) {
        pthread_mutex_destroy(&crew->lock);
        free(crew);
        return NULL;
    }
    crew->threads = threads < CREW_THREADS_MAX ? threads : CREW_THREADS_MAX;
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->ending = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->nworkers; i++)
        pthread_join(crew->workers[i], NULL);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

unsigned crew_threads(const struct crew *crew)
{
    return crew->threads;
}

void crew_submit(struct crew *crew, struct job *job, bool urgent)
{
    if (crew->threads == 1) {
        job->run(job);
        job->state = JOB_DONE;
        return;
    }
    pthread_mutex_lock(&crew->lock);
    if (!crew->started && crew->first)
        start_workers(crew);
    queue(crew, job, urgent);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

void crew_wait(struct crew *crew, struct job *job)
{
    if (crew->threads == 1)
        return;
    pthread_mutex_lock(&crew->lock);
    while (job->state == JOB_QUEUED || job->state == JOB_RUNNING) {
        if (crew->first)
            do_first(crew);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}
