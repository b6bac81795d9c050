/* A JSON report (report_json.h) as an undo reads it: once for what it says of the original, and
 * that it is whole; then its edits, one by one. Its white space and the order of its keys do not
 * matter, and it may hold anything: what is no report, or one without edits, is an error about it
 * (LANEFIX_FILE_REPORT). */
#ifndef UNDO_REPORT_H
#define UNDO_REPORT_H

#include "json_reader.h"

struct undo_report {
    struct json_reader json;
    uint64_t nbytes; /* of the original, */
    uint32_t crc;    /* and its CRC, as gzip has it */
    uint64_t edits_off;
};

/* What stood at `off` of the original, and what stands in its place. */
struct undo_edit {
    uint64_t off;
    struct buf before, after; /* owned, and used again */
};

/* Reads all of the report, up to its edits. Returns false on an error; either way undo_report_free
 * is to be called. */
bool undo_report_open(struct undo_report *report, struct source *source, size_t chunk_nbytes,
                      struct lanefix_error *err);
void undo_report_free(struct undo_report *report);

/* The next edit; *end if there is none. Returns false on an error. */
bool undo_report_next(struct undo_report *report, struct undo_edit *edit, bool *end,
                      struct lanefix_error *err);

void undo_edit_free(struct undo_edit *edit);

#endif
