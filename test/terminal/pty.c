/* Runs a program whose standard output and error are a terminal, and prints what comes there.
 *
 *   pty [-b] [-c TEXT] [-w COLUMNS] PROGRAM ARGUMENTS...
 *
 * -b: as a job in the background of that terminal. -c: types ^C once TEXT has come. Standard input
 * stays as it is. Exits as the program does, by a signal with 128 and its number. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* TIOCSWINSZ */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct wish {
    bool background;
    const char *until; /* or NULL */
    unsigned short columns;
};

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(99);
}

static int status_of(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* In the child: a session of its own with that terminal. */
static _Noreturn void run(int terminal, const struct wish *wish, char **argv)
{
    struct winsize size = {.ws_row = 24, .ws_col = wish->columns};
    int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    if (setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0 ||
        ioctl(terminal, TIOCSWINSZ, &size) != 0 || dup2(terminal, STDOUT_FILENO) < 0 ||
        dup2(terminal, STDERR_FILENO) < 0)
        fail("terminal");
    close(terminal);
    signal(SIGINT, SIG_DFL); /* a shell lets it be ignored in the background */
    if (wish->background) {  /* another process has the terminal, and waits */
        pid_t pid = fork();
        if (pid > 0)
            exit(status_of(pid));
        if (pid < 0 || setpgid(0, 0) != 0)
            fail("setpgid");
    }
    execvp(argv[0], argv);
    dprintf(copy, "pty: cannot run %s\n", argv[0]);
    exit(99);
}

/* Prints what comes, until nothing does any more. */
static void pass_on(int master, const char *until)
{
    static char seen[1 << 20];
    size_t n = 0;
    for (;;) {
        ssize_t got = read(master, seen + n, sizeof seen - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) /* EIO once the other end is closed */
            return;
        if (write(STDOUT_FILENO, seen + n, (size_t)got) != got)
            fail("write");
        n += (size_t)got;
        seen[n] = 0;
        if (until && strstr(seen, until)) {
            until = NULL;
            if (write(master, "\003", 1) != 1)
                fail("write");
        }
    }
}

int main(int argc, char **argv)
{
    struct wish wish = {.columns = 80};
    for (int c; (c = getopt(argc, argv, "+bc:w:")) != -1;) {
        if (c == '?')
            return 99;
        if (c == 'b')
            wish.background = true;
        else if (c == 'c')
            wish.until = optarg;
        else
            wish.columns = (unsigned short)strtoul(optarg, NULL, 10);
    }
    if (optind == argc)
        return 99;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        fail("posix_openpt");
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (terminal < 0)
        fail("open");
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0)
        run(terminal, &wish, argv + optind);
    close(terminal);
    pass_on(master, wish.until);
    return status_of(pid);
}
