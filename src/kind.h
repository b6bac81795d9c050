/* What kind of work a slice is, by its category: of two that cross, the softer one may give way.
 *
 * The index has no room for it, so it is kept beside it, and only where it is asked for. Pure. */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* The softer one first. */
enum kind {
    KIND_MARK,    /* annotations, synchronisation: marks around the work */
    KIND_PYTHON,  /* frames of Python */
    KIND_OP,      /* operators, and all that is not known */
    KIND_RUNTIME, /* calls of the device's runtime and driver */
    KIND_DEVICE   /* kernels, memory copies */
};

/* One byte: a kind, and whether the slice's times have to stay as they are. */
enum { KIND_BITS = 0x07, KIND_KEEP_TIMES = 0x08 };

/* What is said of categories beside what is known of them. Of each list one that is any of an
 * event's will do; one may be several, with commas. Not owned. */
struct kind_rules {
    bool kinds;              /* kinds are wanted; else all are KIND_OP */
    const char *const *soft; /* marks as well */
    size_t nsoft;
    const char *const *keep; /* of KIND_KEEP_TIMES */
    size_t nkeep;
};

/* The byte of an event, by its cat (of a list such as "ipc,toplevel" the first one that is known)
 * and its name (ProfilerStep#5 is a mark, whatever its cat). Categories are compared as they are
 * meant where they are written with escapes. Returns false if there is no memory. */
bool kind_byte(const char *text, const struct event *event, const struct kind_rules *rules,
               uint8_t *byte);

/* The bytes of the slices at some offsets, 8 bytes each; KIND_OP of all others. */
struct kinds {
    uint64_t *items; /* offset << 8 | byte, in the order of the offsets; owned */
    size_t n, cap;
    size_t nkept; /* of these with KIND_KEEP_TIMES */
};

/* Notes that of the slice at an offset, which is larger than those noted before. KIND_OP needs no
 * room. Returns false if there is no memory. */
bool kinds_add(struct kinds *kinds, uint64_t off, uint8_t byte);

/* O(log n). */
uint8_t kinds_get(const struct kinds *kinds, uint64_t off);

void kinds_free(struct kinds *kinds);

#endif
