/* What was done, collected while it happens. report_text.c gives it as text afterwards,
 * report_json.h as JSON while it goes. */
#ifndef REPORT_H
#define REPORT_H

#include "buf.h"
#include "event.h"
#include "findings.h"
#include "id_map.h"
#include "lanefix.h"
#include "lanes.h"
#include "plan.h"
#include "track.h"

/* Rows of a list that the text shows (spec 8). */
enum { REPORT_ROWS_MAX = 100 };

/* A slice that changed. */
struct slice_change {
    uint32_t slice;        /* its place in the order of the plan */
    uint32_t lane;         /* 0: it stayed on its track */
    uint64_t off, end_off; /* of the event; of a pair's B, and its E. end_off 0: there is none */
    const struct track *track;
    const char *text; /* the event, and its fields */
    const struct event *event;
    int64_t start_ns, end_ns, new_start_ns, new_end_ns;
    const char *tid_text; /* of the lane, or NULL */
};

/* A row of a list: its place in the order, and its text without indent. */
struct report_row {
    uint32_t slice;
    char *text;
};

/* The first rows of a list in the order of the plan, and how many there are in all. */
struct report_list {
    struct report_row rows[REPORT_ROWS_MAX];
    size_t nrows;
    uint64_t total;
};

/* Kernels whose names are kept, and the bytes of these; the runs of all others are added up. */
enum { REPORT_KERNELS_MAX = 1 << 16, REPORT_NAMES_NBYTES_MAX = 1 << 23 };

/* An event of a crossing. */
struct crossing_event {
    uint64_t off, event; /* its place, and its number */
    char *name;          /* as shown, owned; or NULL */
};

/* One of the largest crossings (fixes.h), of which so many are listed. */
enum { CROSSINGS_MAX = 10 };

struct crossing_row {
    int64_t by_ns;
    struct crossing_event slice, over;
    const struct track *track; /* lives as long as the run */
    char *text;                /* owned */
};

/* All runs of a kernel that changed. */
struct kernel_summary {
    char *name; /* as shown; owned */
    uint64_t runs, moved, snapped;
    int64_t start_shift_ns, end_shift_ns, max_shift_ns;
};

struct lanefix_report {
    struct lanefix_totals totals;
    struct findings findings; /* if examine, or if it is no check: else of crossings alone */
    bool check, examine, dry_run;
    int64_t threshold_ns;
    bool first, trim_unfinished; /* of the options: snap is LANEFIX_SNAP_FIRST; the same */
    struct buf rules;            /* what they say beside that, as shown; empty: nothing */
    uint64_t unfinished_tracks, unfinished_moved; /* of totals.unfinished_slices */
    struct buf heading;                           /* the lines of the tracks */
    uint64_t track_lines;
    struct buf output; /* the name of what was or would be written, as shown */
    struct report_list moved, snapped;
    struct buf explanation;
    struct buf new_ids; /* the lines of threads with new ids */
    struct crossing_row crossings[CROSSINGS_MAX];
    size_t ncrossings;
    struct kernel_summary *kernels;
    size_t nkernels, kernels_cap;
    uint32_t *kernel_table; /* open addressing: index + 1, or 0 */
    size_t kernel_table_size;
    struct hash_key kernel_key;
    size_t kernel_names_nbytes;
    struct kernel_summary other_kernels; /* without a name */
    uint64_t kernel_runs;
};

/* NULL if there is no memory. Freed by lanefix_report_free. */
struct lanefix_report *report_new(const struct lanefix_options *options, bool check,
                                  const char *output);

/* Did anything that is kept for the text find no memory? */
bool report_failed(const struct lanefix_report *r);

/* What was planned for a track; to be called in the order of the ranks. */
void report_add_track(struct lanefix_report *r, const struct track *track,
                      const struct plan_stats *stats);

/* So many of the unfinished slices (struct plan_stats) of a track move to lanes. */
void report_add_unfinished(struct lanefix_report *r, uint64_t moved);

/* A slice that changed. Returns false if there is no memory. */
bool report_add_slice(struct lanefix_report *r, const struct slice_change *change);

/* Threads that have new ids. */
void report_add_new_ids(struct lanefix_report *r, const struct id_map *ids);

/* One of the largest crossings; its names are taken over, its text is made. Returns false if there
 * is no memory. */
bool report_add_crossing(struct lanefix_report *r, const struct crossing_row *row);

/* The event's value for a person to read: a string's content, a bare value as it stands,
 * `otherwise` if it is absent or nested. */
void show_value(struct buf *out, const char *text, const struct value *value,
                const char *otherwise);

/* An event's name for a person to read, cut where it is long, in *out, owned by the caller; NULL if
 * there is none. Returns false if there is no memory. */
bool show_name(const char *text, const struct value *name, char **out);

/* An id as it was written, for a person to read; None if it is absent, as in the reference. */
void show_id(struct buf *out, const char *id_text);

/* The name of a rule that there is: "first". */
const char *report_rule_name(enum lanefix_snap snap);

/* A time as the reference writes it: whole ns below 1 us, else us with three decimals. ns >= 0. */
void report_time(struct buf *out, int64_t ns);

/* A number between two pieces of text. */
void report_count(struct buf *out, const char *before, uint64_t n, const char *after);

#endif
