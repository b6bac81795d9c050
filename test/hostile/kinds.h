/* The kinds of traces that hostile.c writes. */
#ifndef KINDS_H
#define KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arguments {
    uint64_t n;
    bool fixed;
    const char *what; /* the table's */
};

struct kind {
    const char *name;
    void (*write)(const struct arguments *a);
    const char *what;
    const char *counts; /* what n is the number of */
};

/* Those in which much has to be mended (broken.c); none knows what the fixed trace is. */
extern const struct kind broken_kinds[];
extern const size_t nbroken_kinds;

#endif
