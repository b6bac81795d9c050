/* What options->progress hears of a run. */
#define _XOPEN_SOURCE 700
#include "meter.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "source.h"
#include "units.h"

enum {
    MANY = 60000, /* events of a trace of 5 MiB */
    FEW = 3000,
    APART_MAX = (1 << 22) + (1 << 18), /* of the trace between two calls: and one piece */
    STEPS_MAX = 16
};

/* What was heard; a step is a letter of "SRPWY" (Y: sync). */
struct heard {
    pthread_t thread;
    struct lanefix_progress last;
    struct lanefix_progress begins[STEPS_MAX], ends[STEPS_MAX];
    char steps[STEPS_MAX + 1];
    size_t nsteps, ncalls;
};

/* Within a step nothing may fall; the last call of each is kept. */
static void hear(void *data, const struct lanefix_progress *p)
{
    struct heard *h = data;
    const struct lanefix_progress *last = &h->last;
    ck_assert(pthread_equal(h->thread, pthread_self()));
    ck_assert_uint_le(p->pass, p->passes);
    bool begins = !h->ncalls++ || p->step != last->step || p->pass != last->pass;
    if (begins) {
        ck_assert_uint_lt(h->nsteps, STEPS_MAX);
        ck_assert_uint_eq(p->done_nbytes, 0);
        ck_assert_uint_eq(p->trace_nbytes, 0);
        bool reads = p->step == LANEFIX_STEP_READ || p->step == LANEFIX_STEP_WRITE;
        ck_assert_uint_eq(p->pass, last->pass + reads);
        h->begins[h->nsteps] = *p;
        h->steps[h->nsteps++] = "SRPWY"[p->step];
    } else {
        ck_assert_uint_ge(p->done_nbytes, last->done_nbytes);
        ck_assert_uint_ge(p->trace_nbytes, last->trace_nbytes);
        ck_assert_uint_eq(p->total_nbytes, last->total_nbytes);
        ck_assert_uint_eq(p->passes, last->passes);
        if (p->total_nbytes)
            ck_assert_uint_le(p->done_nbytes, p->total_nbytes);
    }
    if (!begins && p->step == LANEFIX_STEP_READ && p->pass == 1)
        ck_assert_uint_le(p->trace_nbytes - last->trace_nbytes, APART_MAX);
    h->last = h->ends[h->nsteps - 1] = *p;
}

static void add_event(struct buf *out, const char *ph, int ts, const char *rest)
{
    buf_add_str(out, "{\"ph\":\"");
    buf_add_str(out, ph);
    buf_add_str(out,
                "\",\"name\":\"a kernel with a name of some length\",\"pid\":1,\"tid\":7,\"ts\":");
    buf_add_i64(out, ts);
    buf_add_str(out, rest);
    buf_add_str(out, "},\n");
}

/* A crossing stands here and there, and `rest` in the middle. */
static struct buf make_trace(int nevents, const char *rest)
{
    struct buf out = {0};
    buf_add_str(&out, "[\n");
    for (int i = 0; i < nevents; i++) {
        add_event(&out, "X", 100 * i, i % 1000 == 9 ? ",\"dur\":150" : ",\"dur\":60");
        if (i == nevents / 2)
            buf_add_str(&out, rest);
    }
    buf_add_str(&out, "{}]");
    ck_assert(!out.failed);
    return out;
}

static void write_trace(const char *name, int nevents, const char *rest, bool gzip)
{
    struct buf trace = make_trace(nevents, rest);
    size_t n = trace.len;
    char *bytes = gzip ? gzip_bytes(trace.data, trace.len, &n) : trace.data;
    write_file(scratch(name), bytes, n);
    if (gzip)
        free(bytes);
    buf_free(&trace);
}

static struct lanefix_options listening(struct heard *h)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    memset(h, 0, sizeof *h);
    h->thread = pthread_self();
    options.progress = hear;
    options.progress_data = h;
    options.no_sync = true;
    options.jobs = crew_threads(test_crew);
    return options;
}

/* Every pass begins at 0 of the whole file and comes to its end; of the trace, to at least so much.
 */
static void check_passes(const struct heard *h, uint64_t file_nbytes, uint64_t read_nbytes)
{
    for (size_t i = 0; i < h->nsteps; i++) {
        const struct lanefix_progress *end = &h->ends[i];
        bool reads = end->step == LANEFIX_STEP_READ || end->step == LANEFIX_STEP_WRITE;
        ck_assert_uint_eq(end->total_nbytes, reads ? file_nbytes : 0);
        ck_assert_uint_eq(h->begins[i].total_nbytes, end->total_nbytes);
        if (reads)
            ck_assert_uint_eq(end->done_nbytes, file_nbytes);
        if (reads && end->pass == 1)
            ck_assert_uint_eq(end->trace_nbytes, read_nbytes);
    }
}

static uint64_t nbytes_of(const char *name)
{
    size_t n;
    free(read_file(scratch(name), &n));
    return n;
}

START_TEST(fixes_in_two_passes)
{
    struct heard h;
    struct lanefix_options options = listening(&h);
    write_trace("meter.json", MANY, "", false);
    uint64_t n = nbytes_of("meter.json");
    ck_assert_int_eq(lanefix_fix(scratch("meter.json"), scratch("out.json"), &options, NULL, NULL),
                     LANEFIX_OK);
    ck_assert_str_eq(h.steps, "RPW");
    ck_assert_uint_eq(h.begins[0].passes, 2);
    ck_assert_uint_eq(h.ends[2].passes, 2);
    ck_assert_uint_gt(h.ncalls, 6 + n / APART_MAX - 1);
    check_passes(&h, n, n);
    ck_assert_uint_ge(h.ends[2].trace_nbytes, n - APART_MAX);
    options = listening(&h);
    options.no_sync = false;
    ck_assert_int_eq(lanefix_fix(scratch("meter.json"), scratch("out.json"), &options, NULL, NULL),
                     LANEFIX_OK);
    ck_assert_str_eq(h.steps, "RPWY");
}
END_TEST

/* The bytes of the file are compressed ones, whatever becomes of them: those of a map that are
 * kept, compressed anew, or not compressed any more. */
START_TEST(counts_compressed_bytes)
{
    static const char *const outs[] = {"out.gz", "out.gz", "out.json"};
    write_trace("meter.gz", FEW, "", true);
    write_trace("meter.json", FEW, "", false);
    for (int i = 0; i < 3; i++) {
        struct heard h;
        struct lanefix_options options = listening(&h);
        options.level = i == 1 ? 1 : LANEFIX_LEVEL;
        ck_assert_int_eq(lanefix_fix(scratch("meter.gz"), scratch(outs[i]), &options, NULL, NULL),
                         LANEFIX_OK);
        ck_assert_str_eq(h.steps, "RPW");
        check_passes(&h, nbytes_of("meter.gz"), nbytes_of("meter.json"));
        ck_assert_uint_ge(h.ncalls, 6);
    }
}
END_TEST

/* A map lets pass two jump, but what was kept is counted when it is copied: where nothing changes,
 * all of it is at the very end. */
START_TEST(counts_what_is_kept_when_it_is_copied)
{
    struct meter meter;
    struct heard h;
    struct lanefix_options options = listening(&h);
    struct lanefix_error err;
    char out[10000];
    size_t got = 1, size = 0;
    write_trace("meter.gz", MANY, "", true);
    meter_init(&meter, &options, true);
    struct source *src =
        source_open_up_to(scratch("meter.gz"), 0, sizeof out, test_crew, NULL, &meter, &err);
    ck_assert_ptr_nonnull(src);
    ck_assert(source_make_map(src));
    for (; got; size += got)
        ck_assert(source_read(src, out, sizeof out, &got, &err));
    ck_assert(source_rewind(src, &err));
    ck_assert_ptr_nonnull(source_seek(src));
    meter_begin(&meter, LANEFIX_STEP_WRITE);
    ck_assert(source_skip_to(src, size / 4, &err));
    ck_assert_uint_eq(meter.now.done_nbytes, 0);
    ck_assert(source_read(src, out, sizeof out, &got, &err));
    ck_assert_uint_gt(meter.now.done_nbytes, 0);
    ck_assert_uint_lt(meter.now.done_nbytes, meter.now.total_nbytes / 3);
    ck_assert(source_skip_to(src, size - 1, &err));
    uint64_t half = meter.now.total_nbytes / 2;
    ck_assert(source_pread_to_copy(src, half, out, sizeof out, &got, &err));
    ck_assert_uint_eq(meter.now.done_nbytes, half + got);
    ck_assert_uint_gt(meter.now.trace_nbytes, size / 3);
    ck_assert_uint_lt(meter.now.trace_nbytes, 2 * size / 3);
    ck_assert(source_read(src, out, sizeof out, &got, &err));
    ck_assert_uint_eq(got, 1);
    ck_assert_uint_ge(meter.now.done_nbytes, half + got);
    ck_assert_uint_eq(meter.now.trace_nbytes, size);
    source_free(src);
}
END_TEST

START_TEST(spools_a_pipe_first)
{
    struct heard h;
    struct lanefix_options options = listening(&h);
    write_trace("meter.json", FEW, "", false);
    uint64_t n = nbytes_of("meter.json");
    remove(scratch("meter.pipe"));
    ck_assert_int_eq(mkfifo(scratch("meter.pipe"), 0600), 0);
    pid_t pid = fork();
    if (pid == 0) {
        size_t len;
        char *bytes = read_file(scratch("meter.json"), &len);
        write_file(scratch("meter.pipe"), bytes, len);
        _exit(0);
    }
    ck_assert_int_eq(lanefix_fix(scratch("meter.pipe"), scratch("out.json"), &options, NULL, NULL),
                     LANEFIX_OK);
    ck_assert_str_eq(h.steps, "SRPW");
    ck_assert_uint_eq(h.begins[0].pass, 0);
    ck_assert_uint_eq(h.begins[0].passes, 2);
    ck_assert_uint_eq(h.ends[0].done_nbytes, n);
    ck_assert_uint_eq(h.ends[0].trace_nbytes, n);
    check_passes(&h, n, n);
}
END_TEST

/* A trace that is repaired is read again and again, so there are more passes than were known. */
START_TEST(counts_the_passes_of_a_repair)
{
    struct heard h;
    struct lanefix_options options = listening(&h);
    options.repair = true;
    write_trace("meter.json", FEW,
                "{\"ph\":\"X\",\"ts\":NaN,\"dur\":-.5} {\"name\":\"C:\\Users\",\"ts\":-5}\n\"x\",",
                false);
    uint64_t n = nbytes_of("meter.json");
    ck_assert_int_eq(lanefix_fix(scratch("meter.json"), scratch("out.json"), &options, NULL, NULL),
                     LANEFIX_OK);
    ck_assert_str_eq(h.steps, "RRRRRPW");
    ck_assert_uint_eq(h.begins[0].passes, 2);
    ck_assert_uint_eq(h.begins[4].passes, 6);
    ck_assert_uint_eq(h.begins[6].pass, 6);
    check_passes(&h, n, n);
}
END_TEST

START_TEST(a_check_reads_again_what_crosses)
{
    static const char *const names[] = {"meter.json", "meter.gz"};
    write_trace("meter.json", FEW, "", false);
    write_trace("meter.gz", FEW, "", true);
    for (int i = 0; i < 2; i++) {
        struct heard h;
        struct lanefix_options options = listening(&h);
        ck_assert_int_eq(lanefix_check(scratch(names[i]), &options, NULL, NULL), LANEFIX_OK);
        ck_assert_str_eq(h.steps, "RPR");
        ck_assert_uint_eq(h.begins[0].passes, 1);
        ck_assert_uint_eq(h.begins[2].passes, 2);
        options = listening(&h);
        options.examine = true;
        ck_assert_int_eq(lanefix_check(scratch(names[i]), &options, NULL, NULL), LANEFIX_OK);
        ck_assert_str_eq(h.steps, "RPRR");
    }
}
END_TEST

/* Of a run beside another one. Check's own assertions are for one thread. */
struct beside {
    const char *path;
    struct heard heard;
    bool elsewhere; /* was told by another thread */
    enum lanefix_status status;
};

static void hear_beside(void *data, const struct lanefix_progress *p)
{
    struct beside *beside = data;
    beside->elsewhere |= !pthread_equal(beside->heard.thread, pthread_self());
    beside->heard.last = *p;
}

static void *fix_beside(void *data)
{
    struct beside *beside = data;
    struct lanefix_options options = listening(&beside->heard);
    options.progress = hear_beside;
    options.progress_data = beside;
    beside->status = lanefix_fix(beside->path, "/dev/null", &options, NULL, NULL);
    return NULL;
}

START_TEST(runs_side_by_side_have_their_own)
{
    struct beside runs[2] = {{.path = scratch("meter.json")}, {.path = scratch("meter.gz")}};
    pthread_t other;
    write_trace("meter.json", FEW, "", false);
    write_trace("meter.gz", FEW, "", true);
    ck_assert_int_eq(pthread_create(&other, NULL, fix_beside, &runs[1]), 0);
    fix_beside(&runs[0]);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(runs[i].status, LANEFIX_OK);
        ck_assert(!runs[i].elsewhere);
        ck_assert_uint_eq(runs[i].heard.last.pass, 2);
        ck_assert_uint_eq(runs[i].heard.last.done_nbytes, nbytes_of(i ? "meter.gz" : "meter.json"));
    }
}
END_TEST

START_TEST(never_falls_and_never_passes_its_total)
{
    struct meter meter;
    struct heard h;
    struct lanefix_options options = listening(&h);
    meter_init(&meter, &options, true);
    meter_at(&meter, 5, 5); /* between the steps: of no account */
    meter_end(&meter);
    ck_assert_uint_eq(h.ncalls, 0);
    meter_file(&meter, 100);
    meter_begin(&meter, LANEFIX_STEP_READ);
    meter_at(&meter, 40, 1 << 22);
    ck_assert_uint_eq(h.ncalls, 2);
    meter_at(&meter, 30, 1 << 21);
    ck_assert_uint_eq(meter.now.done_nbytes, 40);
    ck_assert_uint_eq(meter.now.trace_nbytes, 1 << 22);
    meter_at(&meter, 101, 1 << 23);
    ck_assert_uint_eq(meter.now.done_nbytes, 100);
    meter_begin(&meter, LANEFIX_STEP_WRITE);
    meter_end(&meter);
    ck_assert_uint_eq(h.last.done_nbytes, 100);
    ck_assert_uint_eq(h.last.pass, 2);
    ck_assert_uint_eq(h.last.passes, 2);
    meter_at(NULL, 1, 1); /* nobody listens */
    meter_begin(NULL, LANEFIX_STEP_READ);
    meter_end(NULL);
}
END_TEST

Suite *meter_suite(void)
{
    const TTest *const tests[] = {
        fixes_in_two_passes,
        counts_compressed_bytes,
        counts_what_is_kept_when_it_is_copied,
        spools_a_pipe_first,
        counts_the_passes_of_a_repair,
        a_check_reads_again_what_crosses,
        runs_side_by_side_have_their_own,
        never_falls_and_never_passes_its_total,
    };
    return SUITE_WITH_CREWS("meter", tests);
}
