/* The whole rewrite of any bytes: what comes out has no crossing, is the same when it is fixed
 * again and where nothing crossed, is the same by way of gzip with any number of threads, and the
 * same trace if it is laid out; and the tests' model of the viewer finds nothing wrong with it. */
#define _GNU_SOURCE
#include <zlib.h>

#include "../model/judge.h"
#include "fuzz_files.h"
#include "lanefix.h"

/* The crossings and slices too deep that a check finds. */
static uint64_t findings(const char *path, const struct lanefix_options *options)
{
    struct lanefix_report *report;
    MUST(lanefix_check(path, options, &report, NULL) == LANEFIX_OK);
    const struct lanefix_totals *totals = lanefix_report_totals(report);
    uint64_t n = totals->crossings + totals->too_deep;
    lanefix_report_free(report);
    return n;
}

/* The same by way of gzip, kept and made anew: `fixed` is what it must come to. */
static void check_gzip(const uint8_t *data, size_t n, const char *fixed,
                       struct lanefix_options options)
{
    gzFile gz = gzopen(name(2), "wb6");
    MUST(gz && gzwrite(gz, data, (unsigned)n) == (int)n && gzclose(gz) == Z_OK);
    struct lanefix_options unpack = options;
    unpack.gzip = LANEFIX_GZIP_OFF;
    options.gzip = LANEFIX_GZIP_ON;
    for (options.level = LANEFIX_LEVEL; options.level <= 1; options.level += 2) {
        MUST(lanefix_fix(name(2), name(3), &options, NULL, NULL) == LANEFIX_OK);
        MUST(lanefix_fix(name(3), name(3), &unpack, NULL, NULL) == LANEFIX_OK);
        must_equal(name(3), fixed);
    }
    unlink(name(2));
    unlink(name(3));
}

/* Laid out, it has the same events, and to fix and lay out that changes nothing. */
static void check_pretty(struct lanefix_options options)
{
    struct lanefix_report *fixed, *laid_out;
    options.pretty = true;
    MUST(lanefix_fix(name(0), name(2), &options, NULL, NULL) == LANEFIX_OK);
    MUST(lanefix_fix(name(2), name(3), &options, NULL, NULL) == LANEFIX_OK);
    must_equal(name(2), name(3));
    options.pretty = false;
    MUST(lanefix_check(name(1), &options, &fixed, NULL) == LANEFIX_OK);
    MUST(lanefix_check(name(2), &options, &laid_out, NULL) == LANEFIX_OK);
    const struct lanefix_totals *a = lanefix_report_totals(fixed);
    const struct lanefix_totals *b = lanefix_report_totals(laid_out);
    MUST(a->events == b->events && a->slices == b->slices && a->tracks == b->tracks);
    MUST(a->unread_events == b->unread_events && a->pairs == b->pairs);
    lanefix_report_free(fixed);
    lanefix_report_free(laid_out);
    unlink(name(2));
    unlink(name(3));
}

/* By the model. */
static void judge(const uint8_t *data, size_t n, int64_t threshold_ns)
{
    struct judge_counts counts = {0};
    size_t fixed_n, event;
    char *fixed = slurp(name(1), &fixed_n);
    const char *wrong =
        judge_fix((const char *)data, n, fixed, fixed_n, threshold_ns, &counts, &event);
    if (wrong)
        fprintf(stderr, "event %zu: %s\n", event, wrong);
    MUST(!wrong);
    free(fixed);
}

/* Is an input that was refused no trace for the model either? It is not that strict with what
 * stands between events, and knows nothing of torn ones. */
static void judge_error(const uint8_t *data, size_t n, const struct lanefix_error *error)
{
    bool gzip = n && data[0] == 0x1F;
    if (gzip || error->code < LANEFIX_ERR_BRACKET || error->code > LANEFIX_ERR_TRAILING)
        return;
    struct model m = {.text = (const char *)data, .n = n};
    MUST(!model_read_events(&m));
    free(m.events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    options.no_sync = true;
    struct lanefix_error error;
    need_dir();
    if (n < 2)
        return 0;
    options.chunk_nbytes = data[0] & 64 ? 0 : 1 + data[0] % 64;
    options.jobs = 1 + data[0] % 3;
    options.snap_threshold_ns = data[0] & 128 ? 5000 : data[0] % 8 * 100000;
    options.gzip = LANEFIX_GZIP_OFF;
    data++;
    n--;
    spill(name(0), data, n);
    if (lanefix_fix(name(0), name(1), &options, NULL, &error) != LANEFIX_OK) {
        char line[256];
        lanefix_error_text(&error, "x", line, sizeof line);
        MUST(access(name(1), F_OK) != 0 && !strchr(line, '\n'));
        judge_error(data, n, &error);
        unlink(name(0));
        return 0;
    }
    uint64_t before = findings(name(0), &options);
    MUST(findings(name(1), &options) == 0);
    if (data[0] != 0x1F)
        judge(data, n, options.snap_threshold_ns);
    if (!before && data[0] != 0x1F)
        must_equal(name(0), name(1));
    check_pretty(options);
    if (data[0] != 0x1F)
        check_gzip(data, n, name(1), options);
    options.chunk_nbytes = 0;
    MUST(lanefix_fix(name(1), name(0), &options, NULL, NULL) == LANEFIX_OK);
    must_equal(name(0), name(1));
    unlink(name(0));
    unlink(name(1));
    return 0;
}
