/* What may have been meant by an option that there is not. The table is one of getopt_long. */
#ifndef HINT_H
#define HINT_H

#include <getopt.h>
#include <stddef.h>

/* The length of an option's name in a word without its dashes, which may go on with =VALUE. */
size_t hint_name_length(const char *word);

/* The name that is nearest to name[0, n): a third of its letters are other ones, too many, missing
 * or swapped with the next, at most; one of two. The first of those that are equally near; NULL if
 * none is. */
const char *hint_nearest(const struct option *table, const char *name, size_t n);

/* The names that begin with name[0, n), as "--a, --b", into `room`, cut to `size` bytes with its
 * final NUL. Returns how many there are, 1 for a name itself; 0 of an n of 0. */
size_t hint_beginning(const struct option *table, const char *name, size_t n, char *room,
                      size_t size);

#endif
