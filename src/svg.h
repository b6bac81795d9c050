/* What draw.c is made of: the parts of a timeline in SVG. Pure; all lengths are in tenths of a
 * pixel.
 */
#ifndef SVG_H
#define SVG_H

#include "buf.h"
#include "scene.h"

enum {
    SVG_WIDTH = 7600,
    SVG_LEFT = 80,
    SVG_RIGHT = SVG_WIDTH - 80,
    SVG_ROW = 230, /* from row to row */
    SVG_BAR = 190  /* the height of a bar */
};

/* Where a time stands; within what is shown. */
int64_t svg_x(const struct scene *scene, int64_t ns);

/* Begins a text, of a class (or NULL), with a text-anchor (or NULL), and ends it. */
void svg_begin_text(struct buf *out, const char *class_name, int64_t x, int64_t y,
                    const char *anchor);
void svg_end_text(struct buf *out);

void svg_line(struct buf *out, const char *class_name, int64_t x1, int64_t y1, int64_t x2,
              int64_t y2);
void svg_rect(struct buf *out, const char *class_name, int64_t x, int64_t y, int64_t width,
              int64_t height);

/* A command of a path, or a blank, and its number. */
void svg_step(struct buf *out, const char *command, int64_t tenths);

/* The bar i on one side; lane_y[] is where the rows of each lane begin. */
void svg_bar(struct buf *out, const struct scene *scene, size_t i, int side, const int64_t *lane_y);

/* Where a slice was that has other times now, in its new row. */
void svg_ghost(struct buf *out, const struct scene *scene, const struct bar *bar,
               const int64_t *lane_y);

/* An arrow comes from above, or leaves downwards. Before, the viewer takes that of a slice that
 * crosses to the one that it crosses. */
void svg_arrow(struct buf *out, const struct scene *scene, const struct arrow *arrow, int side,
               const int64_t *lane_y);

#endif
