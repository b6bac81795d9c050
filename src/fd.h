/* Calls on files that begin again after a signal which does not end the run. */
#ifndef FD_H
#define FD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* open, which may wait for the other end of a pipe; a file that it makes is the owner's alone but
 * for `mode`. Returns -1 with errno set, also when the run was cancelled (as in lanefix.h) while it
 * waited. */
int fd_open(const char *path, int flags, unsigned mode, const volatile sig_atomic_t *cancel);

/* Returns false with errno set. */
bool fd_write_all(int fd, const char *bytes, size_t n);

/* Waits until a file or folder is on the disk. What cannot be flushed, as in some file systems, is
 * no error. Returns false with errno set. */
bool fd_sync(int fd);

/* Closes, once and for all. Returns false with errno set if something was not written. */
bool fd_close(int fd);

#endif
