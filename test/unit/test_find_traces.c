#define _XOPEN_SOURCE 700
#include "find_traces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "units.h"

static const char *const NO_OUTPUTS[FOLDERS_OF_OUTPUTS];
static char root[256];

/* A tree of all that may lie in such a folder. */
static const char *const FOLDERS[] = {"",     "a",        "a/b",          "a/b/empty",
                                      ".hid", "out.json", "out.json/more"};
static const char *const FILES[] = {
    "z.json",         "a.json.gz",          "a/b/deep.json",
    "a/c.fixed.json", "notes.txt",          "json",
    ".json",          ".hidden.json",       ".hid/x.json",
    "t.json.orig",    "t.json.report.json", "t.json.gz.report.json",
    "x.JSON",         "out.json/o.json",    "out.json/more/p.json",
    "report.json",
};

static const char *in_root(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s%s%s", root, *name ? "/" : "", name);
    return path;
}

static void make_tree(void)
{
    snprintf(root, sizeof root, "%s", scratch("tree"));
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++)
        ck_assert_int_eq(mkdir(in_root(FOLDERS[i]), 0777), 0);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
        write_file(in_root(FILES[i]), "12345", 5);
    ck_assert_int_eq(symlink("../z.json", in_root("a/link.json")), 0);
    ck_assert_int_eq(symlink("nothing", in_root("a/lost.json")), 0);
    ck_assert_int_eq(symlink(".", in_root("a/loop")), 0);
    ck_assert_int_eq(symlink("..", in_root("a/up.json")), 0);
    ck_assert_int_eq(mkfifo(in_root("pipe.json"), 0666), 0);
}

static void remove_tree(void)
{
    const char *const others[] = {"a/link.json", "a/lost.json", "a/loop", "a/up.json", "pipe.json"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        remove(in_root(others[i]));
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
        remove(in_root(FILES[i]));
    for (size_t i = sizeof FOLDERS / sizeof *FOLDERS; i-- > 0;)
        ck_assert_int_eq(rmdir(in_root(FOLDERS[i])), 0);
}

/* What is kept of each path, with a blank behind it. */
static void expect_below(const struct traces *traces, const char *expected)
{
    char all[1024] = "";
    size_t n = 0;
    for (size_t i = 0; i < traces->n; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s ", traces->items[i].below);
    ck_assert_str_eq(all, expected);
    ck_assert(!traces->failed);
}

START_TEST(a_folder_stands_for_what_is_below_it)
{
    struct traces traces = {0};
    make_tree();
    ck_assert_uint_eq(traces_find(&traces, root, true, NO_OUTPUTS), 8);
    expect_below(&traces, "a/b/deep.json a/c.fixed.json a/link.json a.json.gz "
                          "out.json/more/p.json out.json/o.json report.json z.json ");
    for (size_t i = 0; i < traces.n; i++) {
        ck_assert(!traces.items[i].wrong && traces.items[i].nbytes == 5);
        ck_assert_str_eq(traces.items[i].path, in_root(traces.items[i].below));
    }
    traces_free(&traces);
    remove_tree();
}
END_TEST

START_TEST(what_is_below_is_the_same_however_it_is_named)
{
    struct traces traces = {0};
    make_tree();
    char name[600];
    snprintf(name, sizeof name, "%s/", in_root("a/b"));
    traces_find(&traces, name, true, NO_OUTPUTS);
    expect_below(&traces, "deep.json ");
    ck_assert_str_eq(traces.items[0].path, in_root("a/b/deep.json"));
    traces_find(&traces, in_root("a/loop/b"), true, NO_OUTPUTS);  /* by a link that was given */
    traces_find(&traces, in_root("notes.txt"), true, NO_OUTPUTS); /* a file, whatever its name */
    traces_find(&traces, in_root("pipe.json"), true, NO_OUTPUTS);
    traces_find(&traces, in_root("absent.json"), false, NO_OUTPUTS); /* will fail in its turn */
    traces_find(&traces, "-", true, NO_OUTPUTS);
    expect_below(&traces, "deep.json deep.json notes.txt pipe.json absent.json - ");
    ck_assert(!traces.items[4].wrong && traces.items[3].nbytes == 0);
    traces_free(&traces);
    remove_tree();
}
END_TEST

START_TEST(outputs_are_no_traces)
{
    struct traces traces = {0};
    make_tree();
    char out[600], reports[600];
    snprintf(out, sizeof out, "%s", in_root("out.json/"));
    snprintf(reports, sizeof reports, "%s", in_root("a/loop/b")); /* another name of it */
    const char *const outputs[FOLDERS_OF_OUTPUTS] = {out, reports};
    traces_find(&traces, root, true, outputs);
    expect_below(&traces, "a/c.fixed.json a/link.json a.json.gz report.json z.json ");
    traces_free(&traces);
    traces_find(&traces, in_root("out.json"), true, outputs); /* unless it was given itself */
    expect_below(&traces, "more/p.json o.json ");
    traces_free(&traces);
    remove_tree();
}
END_TEST

START_TEST(what_cannot_be_read_says_why)
{
    struct traces traces = {0};
    make_tree();
    ck_assert_uint_eq(traces_find(&traces, in_root("a"), false, NO_OUTPUTS), 1);
    ck_assert_str_eq(traces.items[0].wrong, "is a folder; -r takes the traces in it");
    ck_assert_uint_eq(traces_find(&traces, in_root("a/b/empty"), true, NO_OUTPUTS), 0);
    if (geteuid() != 0) { /* who may read everything */
        chmod(in_root("a/b"), 0);
        ck_assert_uint_eq(traces_find(&traces, in_root("a/b"), true, NO_OUTPUTS), 1);
        ck_assert_int_eq(traces.items[1].sys_errno, EACCES);
        chmod(in_root("a/b"), 0777);
    }
    traces_free(&traces);
    sig_atomic_t cancelled = 1;
    traces.cancel = &cancelled;
    ck_assert_uint_eq(traces_find(&traces, root, true, NO_OUTPUTS), 0);
    traces_free(&traces);
    remove_tree();
}
END_TEST

Suite *find_traces_suite(void)
{
    const TTest *const tests[] = {
        a_folder_stands_for_what_is_below_it,
        what_is_below_is_the_same_however_it_is_named,
        outputs_are_no_traces,
        what_cannot_be_read_says_why,
    };
    return SUITE_OF("find_traces", tests);
}
