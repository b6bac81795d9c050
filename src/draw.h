/* A scene as SVG: the slices before and, below, after, on one axis of time. Pure.
 *
 * Kinds are told apart by colour and by pattern. Colours are in the style, for light and dark; the
 * drawing has classes alone. Nothing depends on how wide a font turns out: names are cut by their
 * columns, in a font whose characters are of one width. */
#ifndef DRAW_H
#define DRAW_H

#include "buf.h"
#include "scene.h"

/* CSS for what is drawn, and the patterns (a <defs>) that it refers to: both once in a document. */
extern const char DRAW_STYLE[];
extern const char DRAW_PATTERNS[];

/* What a person calls the kind. */
const char *draw_kind_name(enum kind kind);

/* Appends a time as a person may read it, in ns, us, ms or s, with as many decimals as it has (at
 * most three) and a sign if it is negative. */
void draw_time(struct buf *out, int64_t ns);

/* Appends a ts, not negative, as it stands in a trace: in us, with three decimals. */
void draw_ts(struct buf *out, int64_t ns);

/* Appends in words what became of the slice, such as "start delayed by 1.424 µs", as markup. */
void draw_change(struct buf *out, const struct scene *scene, const struct bar *bar);

/* Appends the name of a slice, as markup. */
void draw_name(struct buf *out, const struct bar *bar, size_t columns);

/* Appends an <svg> element of a scene that is laid out. Its title and description have ids with the
 * number n. */
void draw_scene(struct buf *out, const struct scene *scene, unsigned n);

/* Appends an SVG file of its own: of that scene, or of one that has nothing but a line of text. */
void draw_file(struct buf *out, const struct scene *scene, const char *otherwise);

#endif
