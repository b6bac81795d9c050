#include "parse.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "hint.h"

bool parse_threshold(const char *s, int64_t *ns)
{
    uint64_t value = 0;
    int decimals = -1;
    bool digits = false, rest = false;
    for (; *s; s++) {
        if (*s == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (*s < '0' || *s > '9')
            return false;
        digits = true;
        if (decimals == 3) {
            rest |= *s != '0';
            continue;
        }
        decimals += decimals >= 0;
        value = value > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : value * 10 + (uint64_t)(*s - '0');
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
        value = value > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : value * 10;
    *ns = (int64_t)value + rest;
    return digits;
}

bool parse_level(const char *s, int *level)
{
    if (s[0] < '0' || s[0] > '9' || s[1])
        return false;
    *level = s[0] - '0';
    return true;
}

bool parse_jobs(const char *s, unsigned *jobs)
{
    unsigned n = 0;
    for (const char *p = s; *p; p++) {
        if (*p < '0' || *p > '9' || n > LANEFIX_JOBS_MAX)
            return false;
        n = n * 10 + (unsigned)(*p - '0');
    }
    *jobs = n;
    return n >= 1 && n <= LANEFIX_JOBS_MAX;
}

bool parse_size(const char *s, uint64_t *nbytes)
{
    static const char units[] = "KMGT";
    uint64_t n = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    const char *unit = p > s && *p ? strchr(units, *p) : NULL;
    for (ptrdiff_t i = unit ? unit - units : -1; i >= 0; i--) {
        if (n > UINT64_MAX / 1024)
            return false;
        n *= 1024;
    }
    *nbytes = n;
    return n > 0 && !p[unit != NULL];
}

/* The rules of --snap, as a table to look for the nearest one in. */
static const struct option RULES[] = {{"first", no_argument, NULL, LANEFIX_SNAP_FIRST},
                                      {"soft", no_argument, NULL, LANEFIX_SNAP_SOFT},
                                      {"least", no_argument, NULL, LANEFIX_SNAP_LEAST},
                                      {0}};

bool parse_rule(const char *s, enum lanefix_snap *snap)
{
    const struct option *rule = RULES;
    while (rule->name && strcmp(rule->name, s) != 0)
        rule++;
    if (rule->name)
        *snap = (enum lanefix_snap)rule->val;
    return rule->name != NULL;
}

const char *parse_nearest_rule(const char *s)
{
    return hint_nearest(RULES, s, strlen(s));
}
