/* Events that another writer has torn: the start of one, and then a whole other one inside it. */
#ifndef TORN_H
#define TORN_H

#include <stdbool.h>
#include <stddef.h>

#include "shape.h"

/* Events that begin inside a broken one are looked for with these limits, which bound the time that
 * it takes on anything: how deep and how long such an event may be. */
enum { TORN_DEPTH_MAX = 64, TORN_NBYTES_MAX = 1 << 24 };

#define TORN_MESSAGE "another event begins inside this one, which is torn"

enum torn_result { TORN_NO, TORN_YES, TORN_NO_MEMORY };

/*
 * Does another event begin in text[0, n), the whole or the first part of an event? It does if the
 * text has not the shape of JSON (shape.h) and there is a place behind its first byte where either
 * {"ph": stands, or an object with that key begins that has the shape of JSON and ends in the text.
 *
 * Returns TORN_YES with the place of that one's { in *at.
 */
enum torn_result torn_find(const char *text, size_t n, size_t *at);

/* The first { of text[from, n) behind which a quote comes, or nothing but white space to the end of
 * the text: where an event may begin. n if there is none. */
size_t torn_next(const char *text, size_t n, size_t from);

#endif
