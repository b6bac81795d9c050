/* How many cores this process may use: those of its affinity mask, fewer where a cgroup (a
 * container, a Slurm step) has a quota on processor time. Linux; elsewhere what sysconf says. */
#ifndef CORES_H
#define CORES_H

#include <stddef.h>

/* At least 1. Reads /proc and /sys; what is not there does not count. Thread safe. */
unsigned cores_usable(void);

/*
 * The same for a given place of these trees and a number of cores so far: `proc_cgroup` is a file
 * like /proc/self/cgroup, `root` a folder like /sys/fs/cgroup. For tests.
 */
unsigned cores_within_quota(const char *proc_cgroup, const char *root, unsigned cores);

#endif
