/* A dry run against the run that it stands for. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/trace_random.h"
#include "lanefix.h"
#include "units.h"

/* What a run gave. */
struct outcome {
    enum lanefix_status status;
    struct lanefix_error error;
    struct lanefix_totals totals;
    struct lanefix_finding findings[64];
    size_t nfindings;
    char *text, *json; /* owned; NULL if it was refused */
};

/* Takes out what it takes to undo the run, of which a dry run has none. */
static void drop_edits(char *json, bool none)
{
    static const char nothing[] = "\"edits\":null,\n\"original\":null,\n";
    char *edits = strstr(json, "\n\"edits\":"), *totals = strstr(json, "\n\"totals\":");
    ck_assert(edits && totals && edits < totals);
    ck_assert(!none || strncmp(edits + 1, nothing, strlen(nothing)) == 0);
    memmove(edits, totals, strlen(totals) + 1);
}

/* Fixes the file `in` into `out`. */
static struct outcome run(const char *in, const char *out, struct lanefix_options options, bool dry)
{
    struct outcome o = {0};
    struct lanefix_report *report;
    size_t n;
    options.dry_run = dry;
    options.report_path = scratch("dry.report");
    remove(options.report_path);
    o.status = lanefix_fix(scratch(in), out, &options, &report, &o.error);
    ck_assert(file_exists(options.report_path) == (o.status == LANEFIX_OK));
    if (o.status != LANEFIX_OK)
        return o;
    o.totals = *lanefix_report_totals(report);
    const struct lanefix_finding *findings = lanefix_report_findings(report, &o.nfindings);
    ck_assert_uint_le(o.nfindings, 64);
    memcpy(o.findings, findings, o.nfindings * sizeof *findings);
    for (size_t i = 0; i < o.nfindings; i++)
        o.findings[i].name = NULL; /* the report's */
    FILE *file = open_memstream(&o.text, &n);
    ck_assert_int_eq(lanefix_report_text(report, file), 0);
    fclose(file);
    o.json = read_file(options.report_path, &n);
    drop_edits(o.json, dry || options.pretty);
    lanefix_report_free(report);
    return o;
}

static void free_outcome(struct outcome *o)
{
    free(o->text);
    free(o->json);
}

/* Both texts are the same, but that `is` stands in the one where the other has `was`, once. */
static void check_replaced(const char *one, const char *was, const char *other, const char *is)
{
    const char *at = strstr(one, was);
    ck_assert_ptr_nonnull(at);
    size_t n = (size_t)(at - one);
    ck_assert(strncmp(one, other, n) == 0 && strncmp(other + n, is, strlen(is)) == 0);
    ck_assert_str_eq(at + strlen(was), other + n + strlen(is));
}

/* Nothing is written, and all else is as in the run that writes. Returns whether it was fixed. */
static bool check_run(const char *in, const struct lanefix_options *options, const char *name)
{
    const char *out = scratch(name);
    char was[8192], is[8192];
    struct outcome wet = run(in, out, *options, false);
    remove(out);
    struct outcome dry = run(in, out, *options, true);
    ck_assert(!file_exists(out));
    ck_assert_int_eq(wet.status, dry.status);
    ck_assert(wet.error.message == dry.error.message && wet.error.offset == dry.error.offset &&
              wet.error.event == dry.error.event);
    ck_assert_mem_eq(&wet.totals, &dry.totals, sizeof wet.totals);
    ck_assert_mem_eq(wet.findings, dry.findings, sizeof wet.findings);
    if (wet.status == LANEFIX_OK) {
        snprintf(was, sizeof was, "\nwrote %s: ", out);
        snprintf(is, sizeof is, "\nwould write %s: ", out);
        check_replaced(wet.text, was, dry.text, is);
        snprintf(was, sizeof was, "\"output\":\"%s\",", out);
        snprintf(is, sizeof is, "\"output\":\"%s\",\"dry_run\":true,", out);
        check_replaced(wet.json, was, dry.json, is);
    }
    free_outcome(&wet);
    free_outcome(&dry);
    return wet.status == LANEFIX_OK;
}

/* Random traces, clean and broken, plain and gzip. */
START_TEST(reports_what_the_run_would)
{
    enum { SEEDS = 300 };
    uint64_t fixed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
        size_t n, gz_n;
        char *text = trace_random(seed, &n);
        options.no_sync = true;
        options.jobs = 1 + (unsigned)(seed % 2);
        options.snap_threshold_ns = trace_random_threshold(seed);
        options.repair = seed % 4 == 1;
        options.rebase = seed % 4 == 2;
        options.salvage = seed % 4 == 3;
        options.pretty = seed % 8 == 0;
        if (seed % 3 == 0) /* it is cut */
            n -= seed % (n / 2);
        char *gz = gzip_bytes(text, n, &gz_n);
        if (seed % 5 == 0)
            write_file(scratch("dry.in"), gz, gz_n);
        else
            write_file(scratch("dry.in"), text, n);
        fixed += check_run("dry.in", &options, seed % 10 == 0 ? "dry.out.gz" : "dry.out");
        free(text);
        free(gz);
    }
    ck_assert_uint_gt(fixed, SEEDS / 2);
    ck_assert_uint_lt(fixed, SEEDS);
}
END_TEST

static const char TRACE[] = "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":2}]";

START_TEST(needs_no_place_to_write)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_error error;
    write_file(scratch("dry.in"), TRACE, strlen(TRACE));
    static const char *const outputs[] = {"no/such/folder", ".", "dry.in", "-"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *out = i < 3 ? scratch(outputs[i]) : outputs[i];
        options.dry_run = true;
        ck_assert_int_eq(lanefix_fix(scratch("dry.in"), out, &options, NULL, &error), LANEFIX_OK);
        options.dry_run = false;
        if (i < 2)
            ck_assert_int_eq(lanefix_fix(scratch("dry.in"), out, &options, NULL, &error),
                             LANEFIX_ERR_WRITE);
    }
    size_t n;
    char *text = read_file(scratch("dry.in"), &n);
    ck_assert_str_eq(text, TRACE);
    free(text);
}
END_TEST

START_TEST(usage_errors_are_the_same)
{
    struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
    struct lanefix_error error;
    write_file(scratch("dry.in"), TRACE, strlen(TRACE));
    options.dry_run = true;
    ck_assert_int_eq(lanefix_check(scratch("dry.in"), &options, NULL, &error), LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_fix(scratch("dry.in"), "", &options, NULL, &error), LANEFIX_ERR_USAGE);
    options.report_path = scratch("dry.out");
    ck_assert_int_eq(lanefix_fix(scratch("dry.in"), scratch("dry.out"), &options, NULL, &error),
                     LANEFIX_ERR_USAGE);
    ck_assert(!file_exists(scratch("dry.out")));
    options.report_path = scratch("dry.in");
    ck_assert_int_eq(lanefix_fix(scratch("dry.in"), scratch("dry.out"), &options, NULL, &error),
                     LANEFIX_ERR_USAGE);
}
END_TEST

Suite *dry_run_suite(void)
{
    const TTest *const tests[] = {reports_what_the_run_would, needs_no_place_to_write,
                                  usage_errors_are_the_same};
    return SUITE_OF("dry run", tests);
}
