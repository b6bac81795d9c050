/* Runs all suites. Exit 0 if every test passed. */
#define _XOPEN_SOURCE 700
#include "units.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static char scratch_dir[4096];

/* The suites whose tests start threads, and the only ones that ThreadSanitizer can tell something
 * of. */
static const char *const with_threads[] = {
    "crew",   "dry run", "findings", "lanefix", "meter", "pretty", "progress",
    "random", "repair",  "rules",    "salvage", "sink",  "sort",   "undo",
};

/* The Makefile has all of units ask here for threads. */
static atomic_uint threads_started;
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    /* relaxed, so that it puts nothing in order that was not */
    atomic_fetch_add_explicit(&threads_started, 1, memory_order_relaxed);
    return __real_pthread_create(thread, attr, run, arg);
}

static void count_from_none(void)
{
    threads_started = 0;
}

static void none_was_started(void)
{
    ck_assert_msg(!threads_started,
                  "it starts threads: its suite belongs to with_threads (units.c)");
}

void prepare_tests(TCase *tcase, const char *suite)
{
    char tags[100];
    const char *more = "";
    for (size_t i = 0; i < sizeof with_threads / sizeof *with_threads; i++)
        if (strcmp(suite, with_threads[i]) == 0)
            more = " threads";
    snprintf(tags, sizeof tags, "%s%s", suite, more);
    tcase_set_tags(tcase, tags);
    tcase_set_timeout(tcase, 900); /* sanitizers and slow machines; no test is a matter of time */
    if (!*more)
        tcase_add_checked_fixture(tcase, count_from_none, none_was_started);
}

static TCase *add_tests(Suite *suite, const char *suite_name, const char *name,
                        const TTest *const *tests, size_t n)
{
    TCase *tcase = tcase_create(name);
    prepare_tests(tcase, suite_name);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return tcase;
}

Suite *make_suite(const char *name, const TTest *const *tests, size_t n)
{
    Suite *suite = suite_create(name);
    add_tests(suite, name, name, tests, n);
    return suite;
}

struct crew *test_crew;

static void make_one(void)
{
    test_crew = crew_new(1);
}

static void make_three(void)
{
    test_crew = crew_new(3);
}

static void end_crew(void)
{
    crew_free(test_crew);
}

Suite *make_suite_with_crews(const char *name, const TTest *const *tests, size_t n)
{
    Suite *suite = suite_create(name);
    tcase_add_checked_fixture(add_tests(suite, name, "one thread", tests, n), make_one, end_crew);
    tcase_add_checked_fixture(add_tests(suite, name, "three threads", tests, n), make_three,
                              end_crew);
    return suite;
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % n;
}

const char *scratch(const char *name)
{
    static char paths[16][8192];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_dir, name);
    return path;
}

void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

char *read_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    size_t cap = 1 << 16, len = 0, got;
    char *bytes = malloc(cap);
    while ((got = fread(bytes + len, 1, cap - len - 1, file)) > 0) {
        len += got;
        if (cap - len < 2)
            bytes = realloc(bytes, cap *= 2);
    }
    fclose(file);
    bytes[len] = 0;
    *n = len;
    return bytes;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *gzip_bytes(const void *bytes, size_t n, size_t *out_n)
{
    z_stream z = {0};
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t cap = deflateBound(&z, (uLong)n);
    char *out = malloc(cap);
    z.next_in = (z_const Bytef *)bytes;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)cap;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    *out_n = z.total_out;
    deflateEnd(&z);
    return out;
}

char *gunzip_bytes(const void *bytes, size_t n, size_t *out_n)
{
    z_stream z = {0};
    size_t cap = 1 << 22, len = 0;
    char *out = malloc(cap);
    ck_assert_int_eq(inflateInit2(&z, 31), Z_OK);
    int result;
    z.next_in = (z_const Bytef *)bytes;
    z.avail_in = (uInt)n;
    do {
        z.next_out = (Bytef *)out + len;
        z.avail_out = (uInt)(cap - len);
        result = inflate(&z, Z_FINISH);
        len = cap - z.avail_out;
        if (result == Z_STREAM_END && z.avail_in)
            inflateReset(&z);
    } while (result == Z_STREAM_END && z.avail_in);
    inflateEnd(&z);
    if (result != Z_STREAM_END) {
        free(out);
        return NULL;
    }
    *out_n = len;
    return out;
}

static void remove_scratch(void)
{
    DIR *dir = opendir(scratch_dir);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(scratch(entry->d_name));
    closedir(dir);
    rmdir(scratch_dir);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR"); /* many small files: rather in memory */
    const char *otherwise = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(scratch_dir, sizeof scratch_dir, "%s/lanefix-units.XXXXXX",
             tmp && *tmp ? tmp : otherwise);
    if (!mkdtemp(scratch_dir)) {
        perror(scratch_dir);
        return 1;
    }
    SRunner *runner = srunner_create(buf_suite());
    Suite *(*const suites[])(void) = {
        text_suite,      viewer_time_suite,  event_suite,         nest_suite,
        cutter_suite,    sort_suite,         plan_suite,          plan_random_suite,
        lane_set_suite,  flow_suite,         track_suite,         lanes_suite,
        patch_suite,     source_suite,       sink_suite,          report_suite,
        lanefix_suite,   crew_suite,         keep_suite,          salvage_suite,
        torn_suite,      model_suite,        random_suite,        damage_suite,
        mend_suite,      rebase_suite,       findings_suite,      id_map_suite,
        revalue_suite,   repair_suite,       repair_damage_suite, quotes_suite,
        rows_suite,      repair_scan_suite,  plan_pairs_suite,    undo_suite,
        in_place_suite,  find_traces_suite,  share_jobs_suite,    meter_suite,
        progress_suite,  arguments_suite,    pretty_suite,        dry_run_suite,
        kind_suite,      plan_watch_suite,   rules_suite,         explain_suite,
        scene_suite,     draw_suite,         pair_suite,          plan_rules_suite,
        plan_ways_suite, rules_random_suite,
    };
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    remove_scratch();
    return failed ? 1 : 0;
}
