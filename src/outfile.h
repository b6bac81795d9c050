/* A file that appears under its name whole or not at all.
 *
 * It is written under a temporary name in the same folder and then renamed. A pipe or a device is
 * written to directly. Links are followed, also one that leads to nothing yet: what they lead to is
 * replaced or made, the links stay. */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lanefix.h"

struct outfile_options {
    enum lanefix_file file;  /* for errors: which file this is */
    const struct stat *like; /* a file that has the permission bits, owner and group to take; NULL:
                                those of the file that is replaced, or what the umask leaves */
    bool sync;               /* wait until it is on the disk */
    bool keep_old;           /* leave the file that is replaced as NAME.orig */
    const volatile sig_atomic_t *cancel; /* as in lanefix.h */
};

struct outfile {
    enum lanefix_file file;
    int fd;          /* to write to; -1 when it is closed */
    int folder;      /* the folder, to be flushed after the rename; else -1 */
    char *path;      /* the final name, links followed; NULL when written to directly */
    char *temporary; /* the name until then; NULL once it is renamed or removed */
    char *old_name;  /* the name under which the old file stays; or NULL */
};

/* Opens it. The path is "-" for standard output. Returns false with *err filled; either way
 * outfile_drop is to be called in the end. */
bool outfile_open(struct outfile *out, const char *path, const struct outfile_options *options,
                  struct lanefix_error *err);

/* Is the name free under which the old file is to stay? Returns false with *err filled if not. */
bool outfile_may_keep_old(const struct outfile *out, struct lanefix_error *err);

/* Does outfile_close wait for the disk? */
bool outfile_syncs(const struct outfile *out);

/* Closes it, on the disk if that is wanted: all that can fail for want of room. Returns false on an
 * error. */
bool outfile_close(struct outfile *out, struct lanefix_error *err);

/* Gives it its name, and the old file the other one that it is to keep. Returns false on an error:
 * then the old file is there as it was, or, with LANEFIX_ERR_SYNC, the new one, whole. */
bool outfile_rename(struct outfile *out, struct lanefix_error *err);

/* Closes and removes what was not renamed. Fine for one that is all zero but for fd and folder -1.
 */
void outfile_drop(struct outfile *out);

/* Do two names lead to one regular file, or to one that would be made? "-" is a name of its own.
 * False if that cannot be told. */
bool outfile_same(const char *a, const char *b);

/* Is there a regular file of this name that is not empty? "-" is none. */
bool outfile_holds_some(const char *name);

#endif
