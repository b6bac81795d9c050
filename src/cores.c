/* A cgroup's quota is so much time in each period; the file is cpu.max in version 2 ("200000
 * 100000", or "max 100000"), two files in version 1. A quota of the groups around it counts too. */
#define _GNU_SOURCE
#include "cores.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"

/* The number at the start of the file DIR/NAME; the number behind it in *second if there is one.
 * -1 if there is none. */
static long long read_numbers(const struct buf *dir, const char *name, long long *second)
{
    char path[4096], line[64] = "";
    int n = snprintf(path, sizeof path, "%.*s/%s", (int)dir->len, dir->data, name);
    FILE *file = n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
    if (!file)
        return -1;
    if (!fgets(line, sizeof line, file))
        line[0] = 0;
    fclose(file);
    long long first = -1, next = -1;
    if (sscanf(line, "%lld %lld", &first, &next) < 1) /* NOLINT(cert-err34-c): a kernel's file */
        first = -1;
    if (second)
        *second = next;
    return first;
}

/* What the quota of the group in `dir` leaves of the cores. */
static unsigned within(const struct buf *dir, unsigned cores)
{
    long long period = -1, quota = read_numbers(dir, "cpu.max", &period);
    if (quota < 0) {
        quota = read_numbers(dir, "cpu.cfs_quota_us", NULL);
        period = read_numbers(dir, "cpu.cfs_period_us", NULL);
    }
    if (quota <= 0 || period <= 0)
        return cores;
    long long whole = (quota + period - 1) / period;
    return whole < cores ? (unsigned)whole : cores;
}

/* The same with all groups around it, up to the root. */
static unsigned within_all(const char *root, const char *group, unsigned cores)
{
    struct buf dir = {0};
    buf_add_str(&dir, root);
    size_t root_len = dir.len;
    buf_add_str(&dir, group);
    while (!dir.failed) {
        while (dir.len > root_len && dir.data[dir.len - 1] == '/')
            dir.len--;
        cores = within(&dir, cores);
        if (dir.len <= root_len)
            break;
        while (dir.len > root_len && dir.data[dir.len - 1] != '/')
            dir.len--;
    }
    buf_free(&dir);
    return cores;
}

/* Has the list "cpu,cpuacct" this controller? */
static int has_controller(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (; list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, name, n) == 0 && (list[n] == ',' || !list[n]))
            return 1;
    }
    return 0;
}

unsigned cores_within_quota(const char *proc_cgroup, const char *root, unsigned cores)
{
    FILE *file = fopen(proc_cgroup, "re");
    char line[4096], mounted[4096];
    while (file && fgets(line, sizeof line, file)) { /* "0::/group" or "4:cpu,cpuacct:/group" */
        char *controllers = strchr(line, ':'), *group = controllers;
        if (controllers)
            group = strchr(++controllers, ':');
        if (!group)
            continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        const char *mount = !*controllers ? "" : has_controller(controllers, "cpu") ? "/cpu" : NULL;
        if (!mount)
            continue;
        int n = snprintf(mounted, sizeof mounted, "%s%s", root, mount);
        if (n > 0 && (size_t)n < sizeof mounted)
            cores = within_all(mounted, group, cores);
    }
    if (file)
        fclose(file);
    return cores;
}

unsigned cores_usable(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned cores = online > 0 ? (unsigned)online : 1;
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        cores = (unsigned)CPU_COUNT(&set);
    cores = cores_within_quota("/proc/self/cgroup", "/sys/fs/cgroup", cores);
#endif
    return cores;
}
