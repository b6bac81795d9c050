/* A random trace while it is made: its threads, and random numbers and times. Of trace_random.c. */
#ifndef TRACE_MAKER_H
#define TRACE_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SLICES_MAX = 60, THREADS_MAX = 5 };

struct interval {
    int64_t start_ns, end_ns;
};

struct thread {
    const char *pid, *tid; /* as written; tid NULL: none */
    struct interval slices[SLICES_MAX];
    size_t nslices;
};

struct maker {
    FILE *out;
    uint64_t state;
    int64_t threshold_ns, base_ns, unit_ns; /* times are base + a multiple of unit */
    struct thread threads[THREADS_MAX];
    size_t nthreads;
    const char *separator, *space,
        *newline; /* between events, after : and , in one, of all lines */
    bool any_element;
    bool clean; /* nothing but events that any reader takes */
};

/* A number below n > 0. */
uint64_t maker_below(struct maker *m, uint64_t n);
bool maker_one_in(struct maker *m, uint64_t n);
#define PICK(M, LIST) (LIST)[maker_below(M, sizeof(LIST) / sizeof *(LIST))]

/* A snap threshold in ns. */
int64_t maker_threshold(struct maker *m);

/* Writes a number of us: with three decimals, or as few as it needs, or more, or an exponent. */
void maker_put_number(struct maker *m, int64_t ns);

/* Writes a ts or dur, in one of the ways in which it may be written. */
void maker_put_time(struct maker *m, int64_t ns);

/* A time near one of another slice of the thread, or anywhere; and a slice's. */
int64_t maker_time(struct maker *m, const struct thread *t);
struct interval maker_interval(struct maker *m, const struct thread *t);

#endif
