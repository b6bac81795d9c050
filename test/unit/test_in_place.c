/* A fix in place: what it replaces, what it leaves alone, and what it keeps. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lanefix.h"
#include "units.h"

static const char CROSSING[] =
    "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":7,\"ts\":0,\"dur\":10},"
    "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":7,\"ts\":9,\"dur\":5}]";
static const char FIXED[] =
    "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":7,\"ts\":0,\"dur\":10},"
    "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":7,\"ts\":10,\"dur\":4}]";
static const char CLEAN[] =
    "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":7,\"ts\":0,\"dur\":10}]";

static struct lanefix_options options;
static struct lanefix_error error;
static struct lanefix_totals totals;

static void reset_options(void)
{
    options = (struct lanefix_options)LANEFIX_OPTIONS_DEFAULT;
    options.jobs = 1;
    options.no_sync = options.in_place = true;
    remove(scratch("t.json"));
    remove(scratch("t.json.orig"));
    remove(scratch("report"));
    remove(scratch("link.json"));
    remove(scratch("elsewhere.json"));
}

static void put(const char *name, const char *text)
{
    write_file(scratch(name), text, strlen(text));
}

static void put_gzip(const char *name, const char *text)
{
    size_t n;
    char *gz = gzip_bytes(text, strlen(text), &n);
    write_file(scratch(name), gz, n);
    free(gz);
}

static void expect(const char *name, const char *text)
{
    size_t n;
    char *got = read_file(scratch(name), &n);
    ck_assert_str_eq(got, text);
    free(got);
}

static enum lanefix_status fix(const char *name)
{
    struct lanefix_report *report = NULL;
    enum lanefix_status status =
        lanefix_fix(scratch(name), scratch(name), &options, &report, &error);
    totals = report ? *lanefix_report_totals(report) : (struct lanefix_totals){0};
    lanefix_report_free(report);
    return status;
}

static ino_t inode(const char *name)
{
    struct stat st;
    ck_assert_int_eq(lstat(scratch(name), &st), 0);
    return st.st_ino;
}

START_TEST(what_is_clean_is_left_alone)
{
    reset_options();
    put("t.json", CLEAN);
    ino_t before = inode("t.json");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(totals.unchanged == 1 && totals.slices == 1);
    ck_assert(inode("t.json") == before);
    put_gzip("t.json", CLEAN); /* whose form nobody wants otherwise */
    before = inode("t.json");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(totals.unchanged == 1 && inode("t.json") == before);
    options.in_place = false; /* else it is written, changed or not */
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert_uint_eq(totals.unchanged, 1);
    expect("t.json", CLEAN);
}
END_TEST

START_TEST(what_crosses_is_replaced)
{
    reset_options();
    put("t.json", CROSSING);
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert_uint_eq(totals.unchanged, 0);
    expect("t.json", FIXED);
}
END_TEST

START_TEST(it_stays_compressed_whatever_its_name)
{
    size_t n, plain_n;
    reset_options();
    put_gzip("t.json", CROSSING);
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    char *gz = read_file(scratch("t.json"), &n), *plain = gunzip_bytes(gz, n, &plain_n);
    ck_assert_ptr_nonnull(plain);
    ck_assert(plain_n == strlen(FIXED) && memcmp(plain, FIXED, plain_n) == 0);
    free(gz);
    free(plain);
    put("t.json.gz", CROSSING);
    ck_assert_int_eq(fix("t.json.gz"), LANEFIX_OK);
    expect("t.json.gz", FIXED);
    remove(scratch("t.json.gz"));
}
END_TEST

START_TEST(another_form_that_was_asked_for_is_written)
{
    reset_options();
    options.gzip = LANEFIX_GZIP_ON;
    put("t.json", CLEAN);
    ino_t before = inode("t.json");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(totals.unchanged == 1 && inode("t.json") != before);
    before = inode("t.json"); /* now it has that form */
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(inode("t.json") == before);
    options.level = 9;
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(inode("t.json") != before);
}
END_TEST

/* A level says nothing of an output that is not compressed: it was written anew, over and over. */
START_TEST(a_level_is_no_other_form_of_what_is_plain)
{
    reset_options();
    options.level = 6;
    options.keep_original = true;
    put("t.json", CLEAN);
    ino_t before = inode("t.json");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(totals.unchanged == 1 && inode("t.json") == before);
    ck_assert(!file_exists(scratch("t.json.orig")));
}
END_TEST

START_TEST(a_repair_and_a_rebase_change_it_once)
{
    reset_options();
    options.repair = options.rebase = true;
    put("t.json", "[{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":5,\"dur\":NaN}");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert_uint_eq(totals.unchanged, 0);
    expect("t.json", "[{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":0,\"dur\":0}\n]\n");
    ino_t before = inode("t.json");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    ck_assert(totals.unchanged == 1 && inode("t.json") == before);
}
END_TEST

/* Within an event alone, so that nothing is left out. */
START_TEST(a_mended_value_is_a_change)
{
    reset_options();
    options.repair = true;
    put("t.json", "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":5,\"dur\":NaN}]}");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    expect("t.json", "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":5,\"dur\":0}]}");
}
END_TEST

START_TEST(the_original_is_kept)
{
    reset_options();
    options.keep_original = true;
    put("t.json", CROSSING);
    ino_t before = inode("t.json");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    expect("t.json", FIXED);
    expect("t.json.orig", CROSSING);
    ck_assert(inode("t.json.orig") == before);
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK); /* nothing to fix: the original of before stays */
    expect("t.json.orig", CROSSING);
}
END_TEST

START_TEST(an_original_is_never_overwritten)
{
    reset_options();
    char report[256];
    snprintf(report, sizeof report, "%s", scratch("report"));
    options.keep_original = true;
    options.report_path = report;
    put("t.json", CROSSING);
    ck_assert_int_eq(symlink("nothing", scratch("t.json.orig")), 0); /* a link to nothing neither */
    ck_assert_int_eq(fix("t.json"), LANEFIX_ERR_WRITE);
    ck_assert_str_eq(error.message, "cannot keep the original as NAME.orig");
    expect("t.json", CROSSING);
    ck_assert(!file_exists(report)); /* of what did not happen */
    remove(scratch("t.json.orig"));
}
END_TEST

START_TEST(a_link_stays_and_the_original_is_beside_the_file)
{
    reset_options();
    options.keep_original = true;
    put("t.json", CROSSING);
    ck_assert_int_eq(symlink("t.json", scratch("link.json")), 0);
    ino_t before = inode("link.json");
    ck_assert_int_eq(fix("link.json"), LANEFIX_OK);
    ck_assert(inode("link.json") == before);
    expect("t.json", FIXED);
    expect("t.json.orig", CROSSING);
    remove(scratch("link.json"));
}
END_TEST

/* Such as /dev/stdout: nothing came out there of a trace that was left alone. */
START_TEST(a_report_that_is_no_file_is_no_earlier_one)
{
    char report[256], got[16] = "";
    int ends[2];
    reset_options();
    put("t.json", CLEAN);
    ck_assert_int_eq(pipe(ends), 0);
    snprintf(report, sizeof report, "/dev/fd/%d", ends[1]);
    options.report_path = report;
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    close(ends[1]);
    ck_assert_int_gt(read(ends[0], got, sizeof got - 1), 0);
    ck_assert(strncmp(got, "{\"lanefix_", 10) == 0);
    close(ends[0]);
}
END_TEST

START_TEST(an_earlier_report_stays)
{
    char report[256];
    reset_options();
    snprintf(report, sizeof report, "%s", scratch("report"));
    options.report_path = report;
    put("t.json", CLEAN);
    put("report", "earlier");
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    expect("report", "earlier");
    put("report", ""); /* as mktemp makes it: that is none */
    ck_assert_int_eq(fix("t.json"), LANEFIX_OK);
    size_t n;
    char *got = read_file(report, &n);
    ck_assert_uint_gt(n, 0);
    free(got);
}
END_TEST

START_TEST(what_is_no_place_is_refused)
{
    reset_options();
    put("t.json", CROSSING);
    ck_assert_int_eq(
        lanefix_fix(scratch("t.json"), scratch("elsewhere.json"), &options, NULL, &error),
        LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_check(scratch("t.json"), &options, NULL, &error), LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_fix("-", "-", &options, NULL, &error), LANEFIX_ERR_USAGE);
    ck_assert_int_eq(lanefix_fix("/dev/null", "/dev/null", &options, NULL, &error),
                     LANEFIX_ERR_USAGE);
    ck_assert_int_eq(fix("absent.json"), LANEFIX_ERR_OPEN);
    options.in_place = false;
    options.keep_original = true;
    ck_assert_int_eq(
        lanefix_fix(scratch("t.json"), scratch("elsewhere.json"), &options, NULL, &error),
        LANEFIX_ERR_USAGE);
    ck_assert(!file_exists(scratch("elsewhere.json")));
    expect("t.json", CROSSING);
}
END_TEST

Suite *in_place_suite(void)
{
    const TTest *const tests[] = {
        what_is_clean_is_left_alone,
        what_crosses_is_replaced,
        a_mended_value_is_a_change,
        it_stays_compressed_whatever_its_name,
        another_form_that_was_asked_for_is_written,
        a_level_is_no_other_form_of_what_is_plain,
        an_earlier_report_stays,
        a_report_that_is_no_file_is_no_earlier_one,
        a_repair_and_a_rebase_change_it_once,
        the_original_is_kept,
        an_original_is_never_overwritten,
        a_link_stays_and_the_original_is_beside_the_file,
        what_is_no_place_is_refused,
    };
    return SUITE_OF("in_place", tests);
}
