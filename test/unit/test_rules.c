/* The options of which slice gives way, through the public functions. */
#include <string.h>

#include "lanefix.h"
#include "units.h"

static const struct lanefix_options DEFAULTS = LANEFIX_OPTIONS_DEFAULT;

static enum lanefix_status check(const struct lanefix_options *options)
{
    struct lanefix_error error;
    const char *in = scratch("good.json");
    write_file(in, "[{}]", 4);
    enum lanefix_status status = lanefix_check(in, options, NULL, &error);
    ck_assert_int_eq(status, error.code);
    return status;
}

START_TEST(rules_that_there_are)
{
    static const char *const good[] = {"kernel", "a,,b"};
    for (int snap = -1; snap <= LANEFIX_SNAP_LEAST + 1; snap++) {
        bool known = snap >= 0 && snap <= LANEFIX_SNAP_LEAST;
        struct lanefix_options options = DEFAULTS;
        options.snap = (enum lanefix_snap)snap;
        options.no_snap = good;
        options.no_snap_count = 2;
        options.trim_unfinished = true;
        ck_assert_int_eq(check(&options), known ? LANEFIX_OK : LANEFIX_ERR_USAGE);
        options.soft = good;
        options.soft_count = 2;
        ck_assert_int_eq(check(&options),
                         snap == LANEFIX_SNAP_SOFT ? LANEFIX_OK : LANEFIX_ERR_USAGE);
    }
}
END_TEST

static void refuses_categories(const char *const *lists)
{
    struct lanefix_options options = DEFAULTS;
    options.no_snap = lists;
    options.no_snap_count = 2;
    ck_assert_int_eq(check(&options), LANEFIX_ERR_USAGE);
    options = DEFAULTS;
    options.snap = LANEFIX_SNAP_SOFT;
    options.soft = lists;
    options.soft_count = 2;
    ck_assert_int_eq(check(&options), LANEFIX_ERR_USAGE);
}

START_TEST(categories_that_name_nothing)
{
    refuses_categories((const char *const[]){"kernel", NULL});
    refuses_categories((const char *const[]){"", "kernel"});
    refuses_categories((const char *const[]){"kernel", ",,"});
    refuses_categories(NULL);
}
END_TEST

Suite *rules_suite(void)
{
    const TTest *const tests[] = {rules_that_there_are, categories_that_name_nothing};
    return SUITE_OF("rules", tests);
}
