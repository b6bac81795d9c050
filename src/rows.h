/* The viewer's rows of one process, and the sort indexes by which each lane stands right below its
 * thread (spec 5; perfetto.md, Threads). Pure: no I/O, no text, depends on nothing.
 *
 * Rows stand by sort index; at one index the main thread comes first, then those with a name, then
 * the others, each by tid. What a thread has of the trace stays, since the first index counts. So
 * room for lanes and for threads without an index is in the gaps between the threads that have one.
 *
 * Where a gap is too narrow, what does not fit goes on to the next one that has room, in its order:
 * - a lane whose thread has an index of the trace, if the next such thread has the same one or the
 *   next higher, and would stand above the lane at that: a thread without a name among others, or
 *   one with a name and a number between those of the thread and the lane, or a string as its id.
 *   Nothing that may be added to a trace can put that lane right below its thread;
 * - a thread without an index, with its lanes. They stay together. */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_rank { ROW_MAIN, ROW_NAMED, ROW_UNNAMED };

/* A thread, or a lane of the thread above it. */
struct row {
    enum row_rank rank;
    bool number;  /* is its tid one? How the viewer orders strings is not known for sure */
    uint32_t tid; /* if so */
    bool lane;
    bool fixed;         /* its sort index is of the trace; never so for a lane */
    int64_t sort_index; /* fixed: given; else found by rows_arrange */
};

/* Must a stand above b, where both have one sort index? */
bool row_surely_above(const struct row *a, const struct row *b);

/* Finds sort indexes for the rows of one process, which are given in the order that they are to
 * have: each thread followed by its lanes, and the threads as they stand without lanes. Linear.
 * Returns false if there is no memory. */
bool rows_arrange(struct row *rows, size_t n);

#endif
