/* A crew of threads that do jobs.
 *
 * A run has one crew. Whoever waits for a job does other ones meanwhile, so with N threads in all
 * no core is idle while there is work, and with one thread everything happens where it is called.
 * What is shared between jobs is handed over by submitting and waiting alone: a job has its own
 * memory until crew_wait says that it is done. */
#ifndef CREW_H
#define CREW_H

#include <stdbool.h>

struct crew;

enum job_state { JOB_IDLE = 0, JOB_QUEUED, JOB_RUNNING, JOB_DONE };

/* A piece of work, as the first member of a struct with what it works on. Zeroed to begin with. */
struct job {
    void (*run)(struct job *job);
    struct job *next;     /* private to crew.c, as is the state */
    enum job_state state; /* guarded by the crew's lock */
};

/* More threads than this do not help: one thread cuts, another one inflates (pass_one.c). */
enum { CREW_THREADS_MAX = 32 };

/* A crew of `threads` threads, the caller among them: 1 to CREW_THREADS_MAX. They are started once
 * two jobs are there at a time, so not for a small trace; if the system has no more threads to
 * give, fewer do the work, down to the caller alone. NULL if there is no memory. */
struct crew *crew_new(unsigned threads);

/* Ends the threads. No job may be queued or running. NULL is fine. */
void crew_free(struct crew *crew);

/* How many threads there are, the caller among them. */
unsigned crew_threads(const struct crew *crew);

/* Hands over a job that is idle or done. An urgent one goes to the head of the queue: on it others
 * wait. In a crew of one it is done at once. May be called from a job. */
void crew_submit(struct crew *crew, struct job *job, bool urgent);

/* Returns when the job is done (at once if it was never handed over), and does others meanwhile.
 * Not to be called from a job. */
void crew_wait(struct crew *crew, struct job *job);

#endif
