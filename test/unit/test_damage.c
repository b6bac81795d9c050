/* Small traces with every byte changed, left out or put in, and every prefix of them, plain and
 * gzip: an error in one line and the old output untouched, or an output that a model of the viewer
 * finds faithful. Never a crash, and never an output for what is no whole trace. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../model/judge.h"
#include "lanefix.h"
#include "units.h"

/* With it there are snaps and moves below. */
enum { THRESHOLD_NS = 3000 };

static const char OLD[] = "the old output";

/* Lines, CRLF, spaces, odd elements and values. */
static const char LINES[] =
    "\xEF\xBB\xBF{\"schemaVersion\": 1, \"deep\": [[{\"traceEvents\": [1]}]],\r\n"
    "\"traceEvents\": [\r\n"
    "  {\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": 7, \"args\": {\"name\": "
    "\"stream \\u0037\"}},\r\n"
    "  {\"ph\": \"X\", \"name\": \"k0\", \"pid\": 0, \"tid\": 7, \"ts\": 10, \"dur\": 6},, 5,\r\n"
    "  {\"ph\": \"X\", \"name\": \"k1\", \"pid\": 0, \"tid\": 7, \"ts\": 15.2, \"dur\": 6, "
    "\"args\": {\"bad\": NaN, \"s\": \"\xFF\"}},\r\n"
    "  {\"ph\": \"X\", \"name\": \"C:\\q\", \"pid\": 0, \"tid\": 7, \"ts\": \"18.000\", "
    "\"dur\": 100},\r\n"
    "  {\"ph\": \"f\", \"bp\": \"e\", \"id\": 1, \"pid\": 0, \"tid\": 7, \"ts\": 15.2},\r\n"
    "  {\"ph\": \"s\", \"id\": 2, \"pid\": 0, \"tid\": 7, \"ts\": 18}\r\n"
    "], \"traceName\": \"x\"}\r\n";

static const char COMPACT[] =
    "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":\"h\",\"ts\":1712195496004644.123,\"dur\":6.5},"
    "{\"dur\":1e1,\"ts\":1712195496004650.100,\"ph\":\"X\",\"pid\":\"h\"},"
    "{\"ph\":\"X\",\"pid\":\"h\",\"tid\":0,\"ts\":1712195496004655,\"dur\":9,\"args\":{\"a\":[]}},"
    "{\"ph\":\"f\",\"id\":\"a\",\"pid\":\"h\",\"ts\":1712195496004655}],\"traceEvents\":[]}";

static const char PRETTY[] = "[\n"
                             "  {\n"
                             "    \"ph\": \"X\",\n"
                             "    \"tid\": \"a b\",\n"
                             "    \"ts\": 5,\n"
                             "    \"dur\": 20,\n"
                             "    \"dur\": 10\n"
                             "  },\n"
                             "  {\n"
                             "    \"ph\": \"X\",\n"
                             "    \"tid\": \"a b\",\n"
                             "    \"ts\": 14.99,\n"
                             "    \"dur\": 0.02\n"
                             "  }\n"
                             "]\n";

static const char *const traces[] = {LINES, COMPACT, PRETTY};

static struct lanefix_options options;

/* Fixes a file of the scratch folder. Returns the output, owned by the caller; NULL on an error,
 * which must be in order. `out` has the old output before, and after an error. */
static char *fix(const char *in, size_t *n, enum lanefix_status *status)
{
    struct lanefix_error error;
    static bool old_is_there;
    if (!old_is_there)
        write_file(scratch("damaged.out"), OLD, strlen(OLD));
    *status = lanefix_fix(scratch(in), scratch("damaged.out"), &options, NULL, &error);
    char *out = read_file(scratch("damaged.out"), n);
    old_is_there = *status != LANEFIX_OK;
    if (!old_is_there)
        return out;
    char line[300];
    int length = lanefix_error_text(&error, "x", line, sizeof line);
    ck_assert(length > 0 && (size_t)length < sizeof line && !strchr(line, '\n'));
    ck_assert_int_eq(error.code, *status);
    ck_assert_str_eq(out, OLD);
    free(out);
    return NULL;
}

/* What the model has to say of text[0, n) and of what becomes of it. Returns whether it was good.
 */
static bool check_plain(const char *text, size_t n)
{
    size_t out_n, event;
    struct judge_counts counts = {0};
    enum lanefix_status status;
    write_file(scratch("damaged.json"), text, n);
    char *out = fix("damaged.json", &out_n, &status);
    struct model *m = model_new(text, n);
    /* The model does not know of torn events, nor of elements that run into each other */
    bool stricter = !out && (status == LANEFIX_ERR_TORN || status == LANEFIX_ERR_SYNTAX);
    ck_assert_msg(stricter || (out != NULL) == (m != NULL), "status %d, but the model %s:\n%.*s",
                  (int)status, m ? "reads it" : "refuses it", (int)n, text);
    model_free(m);
    if (!out)
        return false;
    const char *wrong = judge_fix(text, n, out, out_n, THRESHOLD_NS, &counts, &event);
    ck_assert_msg(!wrong, "event %zu: %s:\n%.*s\n=>\n%.*s", event, wrong, (int)n, text, (int)out_n,
                  out);
    free(out);
    return true;
}

/* The same by way of gzip: it must agree. */
static void check_gzip(const char *text, size_t n)
{
    size_t gz_n, out_n, fixed_n, plain_n;
    enum lanefix_status status, gz_status;
    char *gz = gzip_bytes(text, n, &gz_n);
    write_file(scratch("damaged.json"), text, n);
    write_file(scratch("damaged.gz"), gz, gz_n);
    free(gz);
    char *fixed = fix("damaged.json", &fixed_n, &status);
    options.gzip = LANEFIX_GZIP_ON;
    char *out = fix("damaged.gz", &out_n, &gz_status);
    options.gzip = LANEFIX_GZIP_OFF;
    ck_assert_int_eq(gz_status, status);
    if (out) {
        char *plain = gunzip_bytes(out, out_n, &plain_n);
        ck_assert(plain && plain_n == fixed_n && memcmp(plain, fixed, fixed_n) == 0);
        free(plain);
    }
    free(out);
    free(fixed);
}

static void reset_options(void)
{
    options = (struct lanefix_options)LANEFIX_OPTIONS_DEFAULT;
    options.snap_threshold_ns = THRESHOLD_NS;
    options.gzip = LANEFIX_GZIP_OFF;
    options.jobs = 1;
    options.chunk_nbytes = 4096;
}

START_TEST(every_prefix)
{
    reset_options();
    for (size_t k = 0; k < sizeof traces / sizeof *traces; k++) {
        size_t good = 0, n = strlen(traces[k]);
        for (size_t i = 0; i <= n; i++) {
            good += check_plain(traces[k], i);
            check_gzip(traces[k], i);
        }
        ck_assert_uint_ge(good, 1);
        ck_assert_uint_le(good, 120); /* all but a bare array is only good when it is whole */
    }
}
END_TEST

START_TEST(every_changed_byte)
{
    static const char bytes[] = "\0\"\\{}[],:0e- \xFFX";
    size_t good = 0, all = 0;
    reset_options();
    for (size_t k = 0; k < sizeof traces / sizeof *traces; k++) {
        size_t n = strlen(traces[k]);
        char *text = strdup(traces[k]);
        for (size_t i = 0; i < n; i++) {
            for (size_t b = 0; b < sizeof bytes; b++, all++) { /* the last one flips a bit */
                if (b < sizeof bytes - 1)
                    text[i] = bytes[b];
                else
                    text[i] = (char)(traces[k][i] ^ 1);
                good += check_plain(text, n);
            }
            if (i % 4 == 0)
                check_gzip(text, n);
            text[i] = traces[k][i];
        }
        free(text);
    }
    ck_assert_uint_gt(good, all / 3);
    ck_assert_uint_lt(good, all);
}
END_TEST

START_TEST(every_byte_left_out_or_put_in)
{
    static const char bytes[] = "\0\"\\{,";
    reset_options();
    for (size_t k = 0; k < sizeof traces / sizeof *traces; k++) {
        size_t n = strlen(traces[k]);
        char *text = malloc(n + 1);
        for (size_t i = 0; i < n; i++) {
            memcpy(text, traces[k], i);
            memcpy(text + i, traces[k] + i + 1, n - i - 1);
            check_plain(text, n - 1);
            memcpy(text + i + 1, traces[k] + i, n - i);
            for (size_t b = 0; b < sizeof bytes - 1; b++) {
                text[i] = bytes[b];
                check_plain(text, n + 1);
            }
        }
        free(text);
    }
}
END_TEST

/* Each bit of a compressed trace, and each prefix: an error, or the output of the whole one. */
START_TEST(every_changed_bit_of_gzip)
{
    size_t n, fixed_n, out_n, good = 0;
    enum lanefix_status status;
    reset_options();
    char *gz = gzip_bytes(LINES, strlen(LINES), &n);
    write_file(scratch("damaged.gz"), gz, n);
    char *fixed = fix("damaged.gz", &fixed_n, &status);
    ck_assert_ptr_nonnull(fixed);
    for (size_t i = 0; i < n; i++) {
        write_file(scratch("damaged.gz"), gz, i);
        ck_assert_ptr_null(fix("damaged.gz", &out_n, &status));
    }
    for (size_t i = 0; i < 8 * n; i++) {
        gz[i / 8] = (char)(gz[i / 8] ^ 1 << i % 8);
        write_file(scratch("damaged.gz"), gz, n);
        char *out = fix("damaged.gz", &out_n, &status);
        ck_assert(!out || (out_n == fixed_n && memcmp(out, fixed, out_n) == 0));
        good += out != NULL;
        free(out);
        gz[i / 8] = (char)(gz[i / 8] ^ 1 << i % 8);
    }
    ck_assert_uint_ge(good, 48); /* the header's time and system do not matter */
    free(fixed);
    free(gz);
}
END_TEST

Suite *damage_suite(void)
{
    const TTest *const tests[] = {every_prefix, every_changed_byte, every_byte_left_out_or_put_in,
                                  every_changed_bit_of_gzip};
    return SUITE_OF("damage", tests);
}
