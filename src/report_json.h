/* The whole report as JSON, written while the trace is (schema: man page, JSON REPORT).
 *
 * One object; its arrays have one element a line, so that large reports can be read line by line.
 * The order of calls: open, track (in the order of the ranks), begin_changes, slice and flow (in
 * the order of the file), losses, findings, new_ids, edits, finish, commit. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "lanes.h"
#include "losses.h"
#include "report.h"

/* Raised when a field changes its meaning or goes; new fields do not raise it. */
enum { REPORT_JSON_VERSION = 1 };

struct report_json;

/* NULL with *err filled on failure. `output` is NULL for a check. */
struct report_json *report_json_open(const char *path, const char *input, const char *output,
                                     const struct lanefix_options *options,
                                     struct lanefix_error *err);

bool report_json_track(struct report_json *j, const struct track *track,
                       const struct plan_stats *stats, struct lanefix_error *err);

bool report_json_begin_changes(struct report_json *j, const struct lanes *lanes,
                               const struct tracks *tracks, struct lanefix_error *err);

bool report_json_slice(struct report_json *j, const struct slice_change *change,
                       struct lanefix_error *err);

/* A flow endpoint that moved with its slice; tid_text is NULL where the tid stays. */
bool report_json_flow(struct report_json *j, uint64_t off, const struct track *track, int64_t ts_ns,
                      int64_t new_ts_ns, const char *tid_text, struct lanefix_error *err);

/* What was left out of a broken trace; to be called once, after the last change. */
bool report_json_losses(struct report_json *j, const struct losses *losses,
                        struct lanefix_error *err);

/* What was found; to be called after the losses. */
bool report_json_findings(struct report_json *j, const struct lanefix_report *report,
                          struct lanefix_error *err);

/* The threads that have new ids, or NULL; to be called after the findings. Their offsets are those
 * in the trace without the losses. */
bool report_json_new_ids(struct report_json *j, const struct id_map *ids,
                         const struct losses *losses, struct lanefix_error *err);

/* What was changed, byte by byte; to be called after the new ids: begin_edits, then an edit for
 * each place in the order of the input, then original, which is the uncompressed input; or no_edits
 * in place of all three, where no edits are noted. What stands at `off` of the input as before[0,
 * n) is after[0, m) in the output. */
bool report_json_begin_edits(struct report_json *j, struct lanefix_error *err);
bool report_json_edit(struct report_json *j, uint64_t off, const char *before, size_t n,
                      const char *after, size_t m, struct lanefix_error *err);
bool report_json_original(struct report_json *j, uint64_t nbytes, uint32_t crc,
                          struct lanefix_error *err);
bool report_json_no_edits(struct report_json *j, struct lanefix_error *err);

/* Writes the totals, and gives the file its name (sink_finish, sink_commit). */
bool report_json_finish(struct report_json *j, const struct lanefix_totals *totals,
                        struct lanefix_error *err);
bool report_json_commit(struct report_json *j, struct lanefix_error *err);

/* Frees it; what was not committed is removed. NULL is fine. */
void report_json_free(struct report_json *j);

#endif
