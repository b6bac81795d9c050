/* The program: what is set up before, and signals. One trace or many are run by one.h and many.h,
 * by means of the library alone (lanefix.h). */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "many.h"
#include "messages.h"
#include "one.h"

static volatile sig_atomic_t caught_signal;

/* A read, write or open that begins to wait just after the library looked at the flag would not
 * notice it; so it is interrupted, by this same handler, every second until the end. The first
 * signal is the one that counts: that nobody reads what is said of it is another one. */
static void on_signal(int number)
{
    if (!caught_signal)
        caught_signal = number;
    alarm(1);
}

/* Ends of the kind that leave time to tidy up: the library is told, and removes what is half done.
 * No SA_RESTART, so that a read or write that waits comes back. A file that grows beyond the limit
 * is an error like a full disk. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU, SIGALRM};
    struct sigaction action = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN}, old;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == SIGALRM ||
            (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* What is opened must not become a standard stream that the caller has closed. Each gets something
 * that it cannot be used with, so that to use it is an error still. */
static bool fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

/* Ends the process by the signal that was caught, so that the caller sees it. */
static void die_of_signal(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    raise(number);
}

/* One trace, with its output. */
static int run_one(const struct arguments *args)
{
    char *output = NULL;
    if (!args->check) {
        output = args->output ? strdup(args->output) : arguments_fixed_name(args->input);
        if (!output) {
            message_plain("", "out of memory");
            return EXIT_TROUBLE;
        }
    }
    int status = one_run(args, output);
    free(output);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments args;
    if (!fill_standard_streams())
        return EXIT_TROUBLE;
    int status = arguments_parse(argc, argv, &args);
    if (status == -1) {
        catch_signals();
        args.options.cancel = &caught_signal;
        status = args.many ? many_run(&args) : run_one(&args);
    }
    arguments_free(&args);
    if (status != ARGUMENTS_CANCELLED)
        return status;
    die_of_signal(caught_signal);
    return EXIT_TROUBLE;
}
