/* A library to preload that makes one call fail: FAULT=KIND FAULT_AT=N lets the call number N (from
 * 0) of that kind fail. FAULT=short shortens all reads and writes instead.
 *
 *   memory   malloc, calloc, realloc           read    pread
 *   write    write, to files only              close   close
 *   rename   rename                            eintr   pread and write, with EINTR
 *   thread   pthread_create
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static bool is_kind(const char *kind)
{
    const char *wanted = getenv("FAULT");
    return wanted && strcmp(wanted, kind) == 0;
}

/* Is this the call that is to fail? */
static bool fails(const char *kind, int error)
{
    static atomic_long left = -1;
    static atomic_bool known;
    if (!is_kind(kind))
        return false;
    if (!atomic_exchange(&known, true)) { /* before there is a second thread */
        const char *at = getenv("FAULT_AT");
        left = at ? strtol(at, NULL, 10) : -1;
    }
    if (atomic_fetch_sub(&left, 1) != 0)
        return false;
    errno = error;
    return true;
}

/* The function that this library hides. */
static void hidden(const char *name, void *function, size_t size)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, size);
}

void *malloc(size_t n)
{
    return fails("memory", ENOMEM) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails("memory", ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails("memory", ENOMEM) ? NULL : __libc_realloc(p, n);
}

ssize_t pread64(int fd, void *out, size_t n, off_t off)
{
    ssize_t (*real)(int, void *, size_t, off_t);
    hidden("pread64", &real, sizeof real);
    if (fails("read", EIO) || fails("eintr", EINTR))
        return -1;
    return real(fd, out, is_kind("short") && n > 1 ? 1 + n / 3 : n, off);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    ssize_t (*real)(int, const void *, size_t);
    hidden("write", &real, sizeof real);
    bool file = fd > STDERR_FILENO;
    if (file && (fails("write", ENOSPC) || fails("eintr", EINTR)))
        return -1;
    return real(fd, bytes, file && is_kind("short") && n > 1 ? n / 2 : n);
}

int close(int fd)
{
    int (*real)(int);
    hidden("close", &real, sizeof real);
    if (!fails("close", EIO))
        return real(fd);
    real(fd);
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    hidden("rename", &real, sizeof real);
    return fails("rename", EIO) ? -1 : real(from, to);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    hidden("pthread_create", &real, sizeof real);
    return fails("thread", EAGAIN) ? EAGAIN : real(thread, attr, start, arg);
}
