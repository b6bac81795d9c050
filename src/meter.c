#define _POSIX_C_SOURCE 200809L
#include "meter.h"

#include <time.h>

/* At the latest after so much it calls again: a few hundred times a second where reading is
 * fastest, and often enough where it is slow. */
enum { EVERY_NBYTES = 1 << 22, EVERY_NS = 50000000 };

static int64_t clock_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

static void call(struct meter *meter, int64_t ns)
{
    meter->called_nbytes = meter->now.trace_nbytes;
    meter->called_ns = ns;
    meter->call(meter->data, &meter->now);
}

void meter_init(struct meter *meter, const struct lanefix_options *options, bool writes)
{
    *meter =
        (struct meter){.call = options->progress, .data = options->progress_data, .writes = writes};
}

void meter_file(struct meter *meter, uint64_t nbytes)
{
    if (meter)
        meter->file_nbytes = nbytes;
}

bool meter_listens(const struct meter *meter)
{
    return meter && meter->call;
}

static bool reads_file(enum lanefix_step step)
{
    return step == LANEFIX_STEP_READ || step == LANEFIX_STEP_WRITE;
}

void meter_begin(struct meter *meter, enum lanefix_step step)
{
    if (!meter_listens(meter))
        return;
    struct lanefix_progress *now = &meter->now;
    now->step = step;
    now->done_nbytes = now->trace_nbytes = now->total_nbytes = 0;
    if (step == LANEFIX_STEP_WRITE)
        meter->writes = false;
    if (reads_file(step)) {
        now->pass++;
        now->total_nbytes = meter->file_nbytes;
    }
    now->passes = (now->pass ? now->pass : 1) + meter->writes;
    meter->open = true;
    call(meter, clock_ns());
}

void meter_at(struct meter *meter, uint64_t done_nbytes, uint64_t trace_nbytes)
{
    if (!meter_listens(meter) || !meter->open)
        return;
    struct lanefix_progress *now = &meter->now;
    if (now->total_nbytes && done_nbytes > now->total_nbytes) /* the file grows */
        done_nbytes = now->total_nbytes;
    if (done_nbytes > now->done_nbytes)
        now->done_nbytes = done_nbytes;
    if (trace_nbytes > now->trace_nbytes)
        now->trace_nbytes = trace_nbytes;
    int64_t ns = clock_ns();
    if (now->trace_nbytes - meter->called_nbytes >= EVERY_NBYTES ||
        ns - meter->called_ns >= EVERY_NS)
        call(meter, ns);
}

void meter_end(struct meter *meter)
{
    if (!meter_listens(meter) || !meter->open)
        return;
    if (meter->now.total_nbytes)
        meter->now.done_nbytes = meter->now.total_nbytes;
    meter->open = false;
    call(meter, clock_ns());
}
