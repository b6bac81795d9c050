/*
 * measure: how long a shell command took, and how much memory its largest process had.
 *
 *   measure [-o FILE] COMMAND [ARG...]
 *
 * Runs `sh -c COMMAND sh ARG...` and writes one line to FILE, or to descriptor 3 without -o, so
 * that the command keeps its own standard output and error:
 *
 *   WALL_SECONDS PEAK_RSS_KIB            as in: 1.234567890 20480
 *
 * The peak is that of the largest single process among the shell and those it waited for; in a
 * pipeline they are not added up. Exits with the command's status, 128 + N if signal N ended it,
 * 126 if it could not be measured.
 */
#define _GNU_SOURCE /* wait4 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { UNMEASURED = 126 };

static int fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    return UNMEASURED;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void become_shell(char **words, size_t count)
{
    static char sh[] = "sh", option[] = "-c";
    char **argv = calloc(count + 4, sizeof(*argv));
    if (argv) {
        argv[0] = argv[3] = sh;
        argv[1] = option;
        argv[2] = words[0];
        memcpy(argv + 4, words + 1, (count - 1) * sizeof(*argv));
        execv("/bin/sh", argv);
    }
    _exit(fail("/bin/sh"));
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    if (argc > 2 && strcmp(argv[1], "-o") == 0) {
        path = argv[2];
        argv += 2;
        argc -= 2;
    }
    if (argc < 2) {
        fputs("usage: measure [-o FILE] COMMAND [ARG...]\n", stderr);
        return UNMEASURED;
    }
    const char *name = path ? path : "descriptor 3";
    int result = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : 3;
    /* So that the command cannot hold it open or write to it; fails if 3 is not open. */
    if (result < 0 || fcntl(result, F_SETFD, FD_CLOEXEC) < 0)
        return fail(name);

    int64_t start_ns = now_ns();
    pid_t child = fork();
    if (child < 0)
        return fail("fork");
    if (child == 0)
        become_shell(argv + 1, (size_t)argc - 1);
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR)
            return fail("wait4");
    }
    int64_t wall_ns = now_ns() - start_ns;

    int len = dprintf(result, "%lld.%09lld %ld\n", (long long)(wall_ns / 1000000000),
                      (long long)(wall_ns % 1000000000), usage.ru_maxrss);
    if (len < 0 || close(result) != 0)
        return fail(name);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
