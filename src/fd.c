#define _POSIX_C_SOURCE 200809L
#include "fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int fd_open(const char *path, int flags, unsigned mode, const volatile sig_atomic_t *cancel)
{
    for (;;) {
        int fd = open(path, flags | O_CLOEXEC, (mode_t)mode);
        if (fd >= 0 || errno != EINTR || (cancel && *cancel))
            return fd;
    }
}

bool fd_write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t w = write(fd, bytes, n);
        if (w < 0 && errno != EINTR)
            return false;
        if (w > 0) {
            bytes += w;
            n -= (size_t)w;
        }
    }
    return true;
}

bool fd_sync(int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP || errno == EROFS;
    return true;
}

/* After EINTR the descriptor is closed on Linux, and may be another thread's already. */
bool fd_close(int fd)
{
    return close(fd) == 0 || errno == EINTR;
}
