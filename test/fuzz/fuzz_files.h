/* The files of a fuzz target that goes through the public functions: in a folder of its own, which
 * must be empty at the end. */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include <stdbool.h>
#include <unistd.h>

#include "fuzz.h"

static char dir[64];

static void remove_dir(void)
{
    MUST(rmdir(dir) == 0); /* nothing may be left in it */
}

/* To be called before each input; the folder is made once. */
static void need_dir(void)
{
    if (dir[0])
        return;
    bool in_memory = access("/dev/shm", W_OK) == 0;
    snprintf(dir, sizeof dir, "%s/lanefix-fuzz.XXXXXX", in_memory ? "/dev/shm" : "/tmp");
    MUST(mkdtemp(dir));
    atexit(remove_dir);
}

/* One of four files. */
static const char *name(int i)
{
    static char names[4][80];
    snprintf(names[i], sizeof names[i], "%s/%d", dir, i);
    return names[i];
}

/* The content, owned by the caller. */
static char *slurp(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    MUST(file && fseek(file, 0, SEEK_END) == 0);
    *n = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*n + 1);
    MUST(fread(bytes, 1, *n, file) == *n);
    fclose(file);
    return bytes;
}

static void spill(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static void must_equal(const char *a, const char *b)
{
    size_t an, bn;
    char *at = slurp(a, &an), *bt = slurp(b, &bn);
    MUST(an == bn && memcmp(at, bt, an) == 0);
    free(at);
    free(bt);
}

#endif
