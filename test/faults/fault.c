/* A library to preload that makes calls fail: FAULT=KIND FAULT_AT=N lets the call number N (from 0)
 * of that kind fail, with FAULT_FOR_GOOD=1 all later ones too.
 *
 *   memory   malloc, calloc, realloc           thread   pthread_create
 *   open     open, fopen, mkstemp              stat     stat, fstat, access, lseek, readlink
 *   read     read                              pread    pread
 *   write    write, to files only              copy     copy_file_range
 *   fsync    fsync                             close    close (which closes all the same)
 *   rename   rename                            unlink   unlink
 *   fchmod   fchmod                            fchown   fchown
 *   link     link
 *   eintr    open, read, pread, write, fsync, copy_file_range, close, with EINTR
 *
 * FAULT=raise-open, raise-read, raise-write or raise-rename lets SIGTERM come just before the call
 * number N.
 * FAULT=short shortens all reads, writes and copies instead. FAULT_LOG=FILE appends to FILE the
 * kind of each call, one a line (but eintr and raise). Only the calls that the program and zlib
 * make themselves are seen, by the names that they have with 64 bit offsets; those within the C
 * library are not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static const char *wanted = ""; /* the kind */
static atomic_long left;        /* calls until the one that is to fail */
static bool for_good;
static int log_fd = -1;

/* The functions that this library hides. */
static int (*real_open)(const char *, int, ...);
static FILE *(*real_fopen)(const char *, const char *);
static int (*real_mkstemp)(char *);
static int (*real_stat)(const char *, struct stat *);
static int (*real_fstat)(int, struct stat *);
static int (*real_access)(const char *, int);
static off_t (*real_lseek)(int, off_t, int);
static ssize_t (*real_readlink)(const char *, char *, size_t);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_copy)(int, off_t *, int, off_t *, size_t, unsigned);
static int (*real_close)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_link)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_fchmod)(int, mode_t);
static int (*real_fchown)(int, uid_t, gid_t);
static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* By way of memcpy, since ISO C knows no object pointer that is a function. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

__attribute__((constructor)) static void begin(void)
{
    find("open64", &real_open);
    find("fopen64", &real_fopen);
    find("mkstemp64", &real_mkstemp);
    find("stat64", &real_stat);
    find("fstat64", &real_fstat);
    find("access", &real_access);
    find("lseek64", &real_lseek);
    find("readlink", &real_readlink);
    find("read", &real_read);
    find("pread64", &real_pread);
    find("write", &real_write);
    find("copy_file_range", &real_copy);
    find("close", &real_close);
    find("rename", &real_rename);
    find("link", &real_link);
    find("unlink", &real_unlink);
    find("fchmod", &real_fchmod);
    find("fchown", &real_fchown);
    find("pthread_create", &real_create);
    const char *at = getenv("FAULT_AT"), *path = getenv("FAULT_LOG");
    left = at ? strtol(at, NULL, 10) : 0;
    for_good = getenv("FAULT_FOR_GOOD") != NULL;
    if (path)
        log_fd = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("FAULT"))
        wanted = getenv("FAULT"); /* last, so that nothing of the above fails */
}

/* Is this the call that is to fail? */
static bool fails(const char *kind, int error)
{
    if (log_fd >= 0 && strcmp(kind, "eintr") != 0 && strncmp(kind, "raise", 5) != 0) {
        char line[16];
        int n = snprintf(line, sizeof line, "%s\n", kind);
        if (real_write(log_fd, line, (size_t)n) != n)
            abort();
    }
    if (strcmp(kind, wanted) != 0)
        return false;
    long before = atomic_fetch_sub(&left, 1);
    if (before > 0 || (before < 0 && !for_good))
        return false;
    errno = error;
    return true;
}

static bool fails_or_interrupted(const char *kind, int error)
{
    return fails(kind, error) || fails("eintr", EINTR);
}

static void raise_before(const char *kind)
{
    if (fails(kind, 0))
        raise(SIGTERM);
}

static size_t shortened(size_t n)
{
    return strcmp(wanted, "short") == 0 && n > 1 ? 1 + n / 3 : n;
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

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is initialized, clang-tidy 14 errs */
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    raise_before("raise-open");
    return fails_or_interrupted("open", EMFILE) ? -1 : real_open(path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return fails("open", EMFILE) ? NULL : real_fopen(path, mode);
}

int mkstemp64(char *path)
{
    return fails("open", EMFILE) ? -1 : real_mkstemp(path);
}

int stat64(const char *path, struct stat64 *st)
{
    return fails("stat", EIO) ? -1 : real_stat(path, (struct stat *)st);
}

int fstat64(int fd, struct stat64 *st)
{
    return fails("stat", EIO) ? -1 : real_fstat(fd, (struct stat *)st);
}

int access(const char *path, int mode)
{
    return fails("stat", EIO) ? -1 : real_access(path, mode);
}

off_t lseek64(int fd, off_t off, int whence)
{
    return fails("stat", EIO) ? -1 : real_lseek(fd, off, whence);
}

ssize_t readlink(const char *path, char *room, size_t n)
{
    return fails("stat", EIO) ? -1 : real_readlink(path, room, n);
}

ssize_t read(int fd, void *out, size_t n)
{
    raise_before("raise-read");
    return fails_or_interrupted("read", EIO) ? -1 : real_read(fd, out, shortened(n));
}

ssize_t pread64(int fd, void *out, size_t n, off_t off)
{
    return fails_or_interrupted("pread", EIO) ? -1 : real_pread(fd, out, shortened(n), off);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    raise_before("raise-write");
    if (fd <= STDERR_FILENO)
        return real_write(fd, bytes, n);
    return fails_or_interrupted("write", ENOSPC) ? -1 : real_write(fd, bytes, shortened(n));
}

ssize_t copy_file_range(int in, off_t *in_off, int out, off_t *out_off, size_t n, unsigned flags)
{
    return fails_or_interrupted("copy", EIO)
               ? -1
               : real_copy(in, in_off, out, out_off, shortened(n), flags);
}

int fsync(int fd)
{
    (void)fd; /* the disk need not wait for a test */
    return fails_or_interrupted("fsync", EIO) ? -1 : 0;
}

int close(int fd)
{
    bool failed = fails_or_interrupted("close", EIO);
    int error = errno, result = real_close(fd);
    errno = error;
    return failed ? -1 : result;
}

int rename(const char *from, const char *to)
{
    raise_before("raise-rename");
    return fails("rename", EIO) ? -1 : real_rename(from, to);
}

int link(const char *from, const char *to)
{
    return fails("link", EPERM) ? -1 : real_link(from, to);
}

int unlink(const char *path)
{
    return fails("unlink", EIO) ? -1 : real_unlink(path);
}

int fchmod(int fd, mode_t mode)
{
    return fails("fchmod", EIO) ? -1 : real_fchmod(fd, mode);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
    return fails("fchown", EPERM) ? -1 : real_fchown(fd, uid, gid);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return fails("thread", EAGAIN) ? EAGAIN : real_create(thread, attr, start, arg);
}
