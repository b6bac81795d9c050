#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cores.h"
#include "crew.h"
#include "units.h"

/* A job that doubles a number, and may hand over the next one. */
struct doubling {
    struct job job;
    struct crew *crew;
    struct doubling *then;
    int value;
};

static void twice(struct job *job)
{
    struct doubling *d = (struct doubling *)job;
    d->value *= 2;
    if (d->then)
        crew_submit(d->crew, &d->then->job, true);
}

START_TEST(every_job_is_done_once)
{
    enum { N = 1000 };
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct crew *crew = crew_new(threads);
        struct doubling *jobs = calloc(N, sizeof *jobs);
        ck_assert_uint_eq(crew_threads(crew), threads);
        for (int i = 0; i < N; i++) {
            jobs[i] = (struct doubling){.job.run = twice, .value = i};
            crew_submit(crew, &jobs[i].job, i % 7 == 0);
        }
        for (int i = N; i-- > 0;) {
            crew_wait(crew, &jobs[i].job);
            ck_assert(jobs[i].value == 2 * i);
        }
        free(jobs);
        crew_free(crew);
    }
}
END_TEST

/* A ring of two, as pass one has it: each is handed over again and again. */
START_TEST(a_job_can_be_handed_over_again)
{
    struct crew *crew = crew_new(3);
    struct doubling jobs[2] = {{.job.run = twice, .value = 1}, {.job.run = twice, .value = 3}};
    for (int i = 0; i < 20; i++) {
        crew_wait(crew, &jobs[i % 2].job);
        crew_submit(crew, &jobs[i % 2].job, false);
    }
    crew_wait(crew, &jobs[0].job);
    crew_wait(crew, &jobs[1].job);
    ck_assert_int_eq(jobs[0].value, 1 << 10);
    ck_assert_int_eq(jobs[1].value, 3 << 10);
    crew_free(crew);
}
END_TEST

START_TEST(a_job_hands_over_the_next)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct crew *crew = crew_new(threads);
        struct doubling jobs[50];
        for (int i = 0; i < 50; i++)
            jobs[i] = (struct doubling){{.run = twice}, crew, i < 49 ? &jobs[i + 1] : NULL, i};
        crew_submit(crew, &jobs[0].job, false);
        for (int i = 0; i < 50; i++) {
            crew_wait(crew, &jobs[i].job);
            ck_assert(jobs[i].value == 2 * i);
        }
        crew_free(crew);
    }
}
END_TEST

START_TEST(there_is_a_most)
{
    struct crew *crew = crew_new(1000);
    ck_assert_uint_eq(crew_threads(crew), CREW_THREADS_MAX);
    crew_free(crew);
    crew_free(NULL);
}
END_TEST

static void put(const char *name, const char *text)
{
    write_file(scratch(name), text, strlen(text));
}

/* The groups stand in one folder here: a name in the file is a part of the path. */
START_TEST(a_quota_of_a_group_counts)
{
    char list[256];
    snprintf(list, sizeof list, "%s", scratch("cgroup"));
    const char *root = scratch(".");
    put("cgroup", "0::/\n");
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 8);
    put("cpu.max", "max 100000\n");
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 8);
    put("cpu.max", "250000 100000\n"); /* two and a half: three threads use them up */
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 3);
    ck_assert_uint_eq(cores_within_quota(list, root, 2), 2);
    put("cpu.max", "1000 100000\n");
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 1);
    put("cpu.max", "rubbish\n");
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 8);
    put("cpu.max", "300000 100000\n");
    put("cgroup", "4:memory:/a\n0::/deep/down/here\n"); /* of a group around it */
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 3);
    put("cgroup", "4:memory:/\n5:cpuset:/\nnonsense\n");
    ck_assert_uint_eq(cores_within_quota(list, root, 8), 8);
    ck_assert_uint_eq(cores_within_quota(scratch("absent"), root, 8), 8);
    ck_assert_uint_ge(cores_usable(), 1);
    remove(scratch("cpu.max"));
}
END_TEST

/* Version 1: the controller's folder is named after it, and the quota has two files. */
START_TEST(an_old_quota_counts_too)
{
    char list[256], root[256];
    snprintf(list, sizeof list, "%s", scratch("cgroup"));
    snprintf(root, sizeof root, "%s", scratch("cpu"));
    ck_assert_int_eq(mkdir(root, 0777), 0);
    put("cgroup", "3:cpuset:/\n2:cpuacct,cpu:/\n");
    put("cpu/cpu.cfs_period_us", "50000\n");
    put("cpu/cpu.cfs_quota_us", "-1\n");
    ck_assert_uint_eq(cores_within_quota(list, scratch("."), 8), 8);
    put("cpu/cpu.cfs_quota_us", "200000\n");
    ck_assert_uint_eq(cores_within_quota(list, scratch("."), 8), 4);
    remove(scratch("cpu/cpu.cfs_period_us"));
    remove(scratch("cpu/cpu.cfs_quota_us"));
    remove(root);
}
END_TEST

Suite *crew_suite(void)
{
    const TTest *const tests[] = {
        every_job_is_done_once, a_job_can_be_handed_over_again, a_job_hands_over_the_next,
        there_is_a_most,        a_quota_of_a_group_counts,      an_old_quota_counts_too,
    };
    return SUITE_OF("crew", tests);
}
