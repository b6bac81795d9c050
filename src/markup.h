/* Text within HTML and SVG. All functions are pure; a failed allocation is kept in the buffer
 * (buf.h). What they are given is text that a person may read: UTF-8 without control characters, as
 * text_show makes it. */
#ifndef MARKUP_H
#define MARKUP_H

#include "buf.h"

/* So many columns a text takes in a font whose characters are of one width: one each, two for those
 * of East Asia and above. */
size_t markup_columns(const char *text);

/* Appends the text so that it is text wherever it stands: between tags, and in an attribute with
 * quotes of either kind. */
void markup_text(struct buf *out, const char *text);

/* The same, of at most so many columns; what is longer ends in an ellipsis within them. Nothing if
 * there is none. */
void markup_cut(struct buf *out, const char *text, size_t columns);

/* Appends tenths as a number with a decimal if it needs one. */
void markup_tenths(struct buf *out, int64_t tenths);

/* NAME="TENTHS" with a blank before it. */
void markup_attribute(struct buf *out, const char *name, int64_t tenths);

#endif
