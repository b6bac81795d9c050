/* How the threads are shared among runs that go on side by side. */
#ifndef SHARE_JOBS_H
#define SHARE_JOBS_H

#include <stdint.h>

/* How many of `idle` > 0 threads a run gets, by its part of the bytes of all that have not begun,
 * its own `nbytes` among these `left_nbytes`: 1 to `idle`. If the largest run begins first, no
 * thread waits for another one at the end longer than it must: a run that is most of the work gets
 * most of the threads, and small ones get one each. */
unsigned share_jobs(unsigned idle, uint64_t nbytes, uint64_t left_nbytes);

#endif
