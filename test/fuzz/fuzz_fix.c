/* The whole rewrite of any bytes: what comes out has no crossing, is the same when it is fixed
 * again and where nothing crossed, and is the same by way of gzip with any number of threads. */
#define _GNU_SOURCE
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"
#include "lanefix.h"

static char dir[] = "/tmp/fuzz_fix.XXXXXX";

static void remove_dir(void)
{
    MUST(rmdir(dir) == 0); /* nothing may be left in it */
}

static const char *name(int i)
{
    static char names[4][64];
    snprintf(names[i], sizeof names[i], "%s/%d", dir, i);
    return names[i];
}

static char *slurp(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    MUST(file && fseek(file, 0, SEEK_END) == 0);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n + 1);
    MUST(fread(bytes, 1, *n, file) == *n);
    fclose(file);
    return bytes;
}

static void must_equal(const char *a, const char *b)
{
    size_t an, bn;
    char *at = slurp(a, &an), *bt = slurp(b, &bn);
    MUST(an == bn && memcmp(at, bt, an) == 0);
    free(at);
    free(bt);
}

static void spill(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

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
    for (int level = LANEFIX_LEVEL; level <= 1; level += 2) {
        options.gzip = LANEFIX_GZIP_ON;
        options.level = level;
        MUST(lanefix_fix(name(2), name(3), &options, NULL, NULL) == LANEFIX_OK);
        options.gzip = LANEFIX_GZIP_OFF;
        options.snap_threshold_ns = 0; /* nothing is left to fix: this unpacks it */
        MUST(lanefix_fix(name(3), name(3), &options, NULL, NULL) == LANEFIX_OK);
        must_equal(name(3), fixed);
    }
    unlink(name(2));
    unlink(name(3));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    options.no_sync = true;
    struct lanefix_error error;
    if (dir[strlen(dir) - 1] == 'X') {
        MUST(mkdtemp(dir));
        atexit(remove_dir);
    }
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
        unlink(name(0));
        return 0;
    }
    uint64_t before = findings(name(0), &options);
    MUST(findings(name(1), &options) == 0);
    if (!before && data[0] != 0x1F)
        must_equal(name(0), name(1));
    if (data[0] != 0x1F)
        check_gzip(data, n, name(1), options);
    options.chunk_nbytes = 0;
    MUST(lanefix_fix(name(1), name(0), &options, NULL, NULL) == LANEFIX_OK);
    must_equal(name(0), name(1));
    unlink(name(0));
    unlink(name(1));
    return 0;
}
