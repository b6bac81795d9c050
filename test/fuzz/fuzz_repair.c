/* Any bytes with --repair: what comes out is JSON of which a check finds what the repair says is
 * left, and needs no repair; it is the input where nothing is wrong, and does not depend on how
 * that is read. And with --rebase alone, which a second time changes nothing. */
#define _GNU_SOURCE
#include "../model/judge_repair.h"
#include "fuzz_files.h"

/* The same however the input is read. Of damaged gzip it may be another error, since a codec may
 * see the damage earlier than another, or with other pieces. */
static void check_other_ways(struct lanefix_options options, bool gzip)
{
    struct repair_run one = repair_run(name(0), name(1), &options);
    options.jobs = 3 - options.jobs;
    options.chunk_nbytes = options.chunk_nbytes ? 0 : 1;
    struct repair_run other = repair_run(name(0), name(2), &options);
    MUST((one.status == LANEFIX_OK) == (other.status == LANEFIX_OK));
    MUST(gzip || one.status == other.status);
    if (one.status == LANEFIX_OK) {
        must_equal(name(1), name(2));
        for (size_t i = 0; i < one.nfindings; i++) {
            const struct lanefix_finding *a = &one.findings[i], *b = &other.findings[i];
            MUST(a->count == b->count && a->left == b->left && a->offset == b->offset &&
                 a->event == b->event && !a->name == !b->name &&
                 (!a->name || strcmp(a->name, b->name) == 0));
        }
        struct lanefix_totals totals = *other.totals;
        if (gzip)
            totals.lost_reason = one.totals->lost_reason; /* that error */
        MUST(memcmp(one.totals, &totals, sizeof totals) == 0);
    }
    lanefix_report_free(one.report);
    lanefix_report_free(other.report);
}

static void check_rebase(struct lanefix_options options)
{
    options.repair = false;
    options.rebase = true;
    struct repair_run once = repair_run(name(0), name(1), &options);
    if (once.status == LANEFIX_OK) {
        struct repair_run twice = repair_run(name(1), name(2), &options);
        MUST(twice.status == LANEFIX_OK && twice.totals->ts_shift_us == 0);
        must_equal(name(1), name(2));
        lanefix_report_free(twice.report);
    }
    lanefix_report_free(once.report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    need_dir();
    if (n < 2)
        return 0;
    options.gzip = LANEFIX_GZIP_OFF;
    options.no_sync = true;
    options.repair = true;
    uint8_t choice = data[--n]; /* the last byte, so that seeds stay the traces that they are */
    options.snap_threshold_ns = choice & 128 ? 5000 : 0;
    options.chunk_nbytes = choice & 64 ? 0 : 1 + choice % 64;
    options.jobs = 1 + choice % 2;
    spill(name(0), data, n);
    struct repair_files files = {name(0), name(1), name(2), name(3)};
    struct repair_counts counts = {0};
    const char *wrong = judge_repair(&files, &options, &counts);
    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    MUST(!wrong || data[0] == 0x1F);
    check_other_ways(options, data[0] == 0x1F);
    check_rebase(options);
    for (int i = 0; i < 4; i++)
        unlink(name(i));
    return 0;
}
