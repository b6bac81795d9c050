/* Any bytes with --salvage: what comes out is a trace that needs no salvage, is the same however
 * the input is read, and what it would be without the option where nothing is broken. */
#define _GNU_SOURCE
#include <zlib.h>

#include "fuzz_files.h"
#include "lanefix.h"

/* Returns whether there is an output. */
static bool fix(const char *input, const char *output, const struct lanefix_options *options,
                struct lanefix_totals *totals)
{
    struct lanefix_report *report;
    if (lanefix_fix(input, output, options, &report, NULL) != LANEFIX_OK) {
        MUST(access(output, F_OK) != 0);
        return false;
    }
    *totals = *lanefix_report_totals(report);
    lanefix_report_free(report);
    return true;
}

/* The input with a gzip header in front and no trailer, so that it is a stream that is cut. */
static void check_cut_gzip(const uint8_t *data, size_t n, struct lanefix_options options)
{
    struct lanefix_totals totals, same;
    gzFile gz = gzopen(name(0), "wb6");
    MUST(gz && gzwrite(gz, data, (unsigned)n) == (int)n && gzclose(gz) == Z_OK);
    size_t gz_n;
    char *bytes = slurp(name(0), &gz_n);
    spill(name(0), bytes, gz_n - 8);
    free(bytes);
    bool one = fix(name(0), name(1), &options, &totals);
    options.chunk_nbytes = 0;
    options.jobs = 1;
    MUST(fix(name(0), name(2), &options, &same) == one);
    if (one) {
        must_equal(name(1), name(2));
        MUST(totals.lost_places && totals.lost_places == same.lost_places &&
             totals.lost_nbytes == same.lost_nbytes);
    }
    unlink(name(1));
    unlink(name(2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT, plain;
    struct lanefix_totals totals = {0}, other = {0};
    need_dir();
    if (n < 2)
        return 0;
    options.gzip = LANEFIX_GZIP_OFF;
    options.no_sync = true;
    options.snap_threshold_ns = data[0] & 128 ? 5000 : 0;
    plain = options;
    options.salvage = true;
    options.chunk_nbytes = data[0] & 64 ? 0 : 1 + data[0] % 64;
    options.jobs = 1 + data[0] % 3;
    data++;
    n--;
    spill(name(0), data, n);
    bool sound = fix(name(0), name(3), &plain, &other);
    bool done = fix(name(0), name(1), &options, &totals);
    MUST(done || !sound || other.unread_events == other.events);
    if (done && !totals.lost_places && !other.unread_events && data[0] != 0xEF && sound) {
        size_t an, bn; /* but for a ] at its end, and commas */
        char *a = slurp(name(3), &an), *b = slurp(name(1), &bn);
        MUST(an <= bn + n && bn <= an + 16);
        free(a);
        free(b);
    }
    if (done) {
        plain.salvage = true;
        MUST(fix(name(0), name(2), &plain, &other));
        must_equal(name(1), name(2));
        MUST(totals.lost_places == other.lost_places && totals.lost_nbytes == other.lost_nbytes &&
             totals.lost_offset == other.lost_offset && totals.lost_nbytes <= n);
        /* what was salvaged is sound, and needs neither salvage nor a fix */
        plain.salvage = false;
        MUST(fix(name(1), name(2), &plain, &other));
        must_equal(name(1), name(2));
        MUST(other.unread_events == totals.unread_events &&
             other.slices == totals.slices); /* lanes add events */
        plain.salvage = true;
        MUST(fix(name(1), name(2), &plain, &other));
        must_equal(name(1), name(2));
        MUST(other.lost_places == 0);
        unlink(name(2));
    }
    unlink(name(1));
    unlink(name(3));
    if (data[0] != 0x1F)
        check_cut_gzip(data, n, options);
    unlink(name(0));
    return 0;
}
