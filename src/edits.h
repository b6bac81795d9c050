/* Replacements in the text of one event; every other byte stays. Pure; a failed allocation is kept
 * in the buffer (buf.h). */
#ifndef EDITS_H
#define EDITS_H

#include "buf.h"
#include "event.h"

/* A replacement of text[off, off + len). The new text is not owned. */
struct edit {
    uint32_t off, len;
    const char *text;
    size_t text_len;
};

/* The edit that replaces a value, with the quotes of a string. */
struct edit value_edit(const struct value *value, const char *text, size_t text_len);

/* The edit that makes the member `key` of the event have that value (JSON): where it is absent, it
 * becomes the first one, before others. `room` is empty, and holds the new text. */
struct edit member_edit(struct buf *room, const char *key, const struct value *value,
                        const char *json);

/* Appends text[0, n) with the edits, which do not overlap. Sorts them. */
void edits_apply(struct buf *out, const char *text, size_t n, struct edit *edits, size_t count);

#endif
