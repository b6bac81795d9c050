/* The Check suites, one per module, and what they share. */
#ifndef UNITS_H
#define UNITS_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crew.h"

/* Check writes a record of each assertion that holds, to say of a crash which one was the last.
 * Where millions hold it takes more time than all else, and the sanitizers say where a crash is. */
#define _mark_point(FILE, LINE) ((void)0)

Suite *buf_suite(void);
Suite *text_suite(void);
Suite *viewer_time_suite(void);
Suite *event_suite(void);
Suite *nest_suite(void);
Suite *mend_suite(void);
Suite *quotes_suite(void);
Suite *cutter_suite(void);
Suite *torn_suite(void);
Suite *salvage_suite(void);
Suite *repair_scan_suite(void);
Suite *sort_suite(void);
Suite *crew_suite(void);
Suite *keep_suite(void);
Suite *plan_suite(void);
Suite *plan_random_suite(void);
Suite *lane_set_suite(void);
Suite *pair_suite(void);
Suite *plan_pairs_suite(void);
Suite *plan_watch_suite(void);
Suite *plan_rules_suite(void);
Suite *plan_ways_suite(void);
Suite *flow_suite(void);
Suite *track_suite(void);
Suite *lanes_suite(void);
Suite *rows_suite(void);
Suite *patch_suite(void);
Suite *source_suite(void);
Suite *sink_suite(void);
Suite *pretty_suite(void);
Suite *dry_run_suite(void);
Suite *report_suite(void);
Suite *lanefix_suite(void);
Suite *in_place_suite(void);
Suite *find_traces_suite(void);
Suite *share_jobs_suite(void);
Suite *model_suite(void);
Suite *random_suite(void);
Suite *damage_suite(void);
Suite *findings_suite(void);
Suite *repair_suite(void);
Suite *repair_damage_suite(void);
Suite *rebase_suite(void);
Suite *id_map_suite(void);
Suite *revalue_suite(void);
Suite *undo_suite(void);
Suite *meter_suite(void);
Suite *arguments_suite(void);
Suite *progress_suite(void);
Suite *kind_suite(void);
Suite *rules_suite(void);
Suite *explain_suite(void);
Suite *scene_suite(void);
Suite *draw_suite(void);

/* What each test case has, of a suite that is made by hand too: the words of the suite's name as
 * tags, for CK_EXCLUDE_TAGS; "threads" as one more where tests may start some, for CK_INCLUDE_TAGS.
 */
void prepare_tests(TCase *tcase, const char *suite);
Suite *rules_random_suite(void);

/* A suite of one test case that has the given tests. */
Suite *make_suite(const char *name, const TTest *const *tests, size_t n);
#define SUITE_OF(NAME, TESTS) make_suite(NAME, TESTS, sizeof(TESTS) / sizeof *(TESTS))

/* The same twice: with a crew of one thread, and with one of three, in `test_crew`. */
Suite *make_suite_with_crews(const char *name, const TTest *const *tests, size_t n);
#define SUITE_WITH_CREWS(NAME, TESTS)                                                              \
    make_suite_with_crews(NAME, TESTS, sizeof(TESTS) / sizeof *(TESTS))
extern struct crew *test_crew;

/* A random number below n > 0; the same on every machine and in every run. */
uint64_t random_below(uint64_t *state, uint64_t n);

/* A file for tests in a folder of the test's own, which is removed at the end of the program.
 * The name lives for the next 15 calls. */
const char *scratch(const char *name);

void write_file(const char *path, const void *bytes, size_t n);
/* Whole content, NUL-terminated, owned by the caller; aborts the test if it cannot be read. */
char *read_file(const char *path, size_t *n);
bool file_exists(const char *path);
/* Compresses to one gzip member; owned by the caller. */
char *gzip_bytes(const void *bytes, size_t n, size_t *out_n);
/* The reverse, for any number of members; NULL if it is no gzip. */
char *gunzip_bytes(const void *bytes, size_t n, size_t *out_n);

#endif
