/*
 * lanefix.h - rewrite a Chrome/Kineto JSON trace so that Perfetto shows every slice.
 *
 * Slices of one thread that cross (neither apart nor nested) are dropped or misplaced by trace
 * viewers. The library snaps tiny crossings in place, moves real ones to a synthetic thread (a
 * lane) below their own, lets flow arrows follow, and leaves every other byte as it was.
 *
 *     struct lanefix_options options = LANEFIX_OPTIONS_DEFAULT;
 *     struct lanefix_report *report = NULL;
 *     struct lanefix_error error;
 *
 *     if (lanefix_fix("trace.json.gz", "trace.fixed.json.gz", &options, &report, &error) == 0)
 *         lanefix_report_text(report, stdout);
 *     else
 *         lanefix_error_text(&error, "trace.json.gz", line, sizeof line);
 *     lanefix_report_free(report);
 *
 * The library prints nothing by itself, never exits, installs no signal handler and keeps no
 * mutable global. Every function may be called from several threads at once, on different objects.
 *
 * Units: times are nanoseconds (the viewer's own resolution) in int64_t, offsets are bytes from the
 * start of the uncompressed trace in uint64_t, events are numbered from 0 in the order of the file,
 * so that event N of an ordinary trace is `.traceEvents[N]`.
 */
#ifndef LANEFIX_H
#define LANEFIX_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LANEFIX_VERSION "0.1.0"

#if defined(__GNUC__)
#define LANEFIX_API __attribute__((visibility("default")))
#else
#define LANEFIX_API
#endif

/* What went wrong. Zero is success; the numbers are stable. */
enum lanefix_status {
    LANEFIX_OK = 0,
    LANEFIX_ERR_USAGE = 1,       /* an option is out of its range, or asks for what cannot be done
                                    with this trace, or a path is NULL or empty */
    LANEFIX_ERR_NO_MEMORY = 2,   /* malloc or mmap failed */
    LANEFIX_ERR_OPEN = 3,        /* a file could not be opened; sys_errno says why */
    LANEFIX_ERR_READ = 4,        /* reading failed; sys_errno says why */
    LANEFIX_ERR_WRITE = 5,       /* writing, closing or renaming failed; sys_errno says why */
    LANEFIX_ERR_SPOOL = 6,       /* a pipe, or the edits for the report, could not be spooled to a
                                    temporary file */
    LANEFIX_ERR_EMPTY = 7,       /* no byte but white space */
    LANEFIX_ERR_FORMAT = 8,      /* not a JSON trace: zip, zstd, ... (the message names it) */
    LANEFIX_ERR_GZIP_DATA = 9,   /* a gzip stream is damaged */
    LANEFIX_ERR_GZIP_CUT = 10,   /* a gzip stream ends too early */
    LANEFIX_ERR_SYNTAX = 11,     /* the trace's outer JSON is not understood at the offset */
    LANEFIX_ERR_BRACKET = 12,    /* a bracket that does not match the one that it closes */
    LANEFIX_ERR_CUT_EVENT = 13,  /* the input ends inside an event */
    LANEFIX_ERR_CUT_OBJECT = 14, /* the input ends inside the outer object */
    LANEFIX_ERR_NO_EVENTS = 15,  /* an object without a traceEvents array */
    LANEFIX_ERR_TRAILING = 16,   /* text after the end of the trace */
    LANEFIX_ERR_TOO_LARGE = 17,  /* a limit of the program; the message names it */
    LANEFIX_ERR_CHANGED = 18,    /* the input was changed by someone between the two passes */
    LANEFIX_ERR_CANCELLED = 19,  /* *options->cancel became non-zero */
    LANEFIX_ERR_TORN = 20,       /* an event begins inside another one, which is broken */
    LANEFIX_ERR_SYNC = 21,       /* the file is in place, whole, but its folder could not be flushed
                                    to the disk; sys_errno says why */
    LANEFIX_ERR_REPORT = 22,     /* of lanefix_undo: the report is broken, or none with which a run
                                    can be undone */
    LANEFIX_ERR_MISMATCH = 23,   /* of lanefix_undo: the input is not the output that the report is
                                    about, as it was written */
    LANEFIX_ERR_NO_SLICE = 24    /* options->explain: no slice has that name, or the event with that
                                    number, if there is one, is no slice */
};

/* Which of the files an error is about. */
enum lanefix_file {
    LANEFIX_FILE_INPUT = 0,
    LANEFIX_FILE_OUTPUT = 1,
    LANEFIX_FILE_REPORT = 2,
    LANEFIX_FILE_PAGE = 3,   /* html_path */
    LANEFIX_FILE_PICTURE = 4 /* svg_path */
};

/* An offset or event number that is not known. */
#define LANEFIX_NOWHERE UINT64_MAX

/* An error. `message` is a constant string, in English, without a line break. */
struct lanefix_error {
    enum lanefix_status code;
    enum lanefix_file file;
    const char *message;
    uint64_t offset; /* where in the uncompressed trace (the report, if `file` says so), or
                        LANEFIX_NOWHERE */
    uint64_t event;  /* the event there or, between events, the next one; or LANEFIX_NOWHERE */
    int sys_errno;   /* errno of a failed call, or 0 */
};

/* Whether the output is compressed. */
enum lanefix_gzip {
    LANEFIX_GZIP_AUTO = 0, /* by the output's name (.gz); "-" as the input was */
    LANEFIX_GZIP_ON = 1,
    LANEFIX_GZIP_OFF = 2
};

/* Of two slices that cross, which one gives way. */
enum lanefix_snap {
    LANEFIX_SNAP_FIRST = 0, /* the later one */
    LANEFIX_SNAP_SOFT = 1,  /* the softer one: annotations, then frames of Python, operators, calls
                               of the runtime, kernels and memory copies. Its boundary goes to that
                               of the other one, outward or inward */
    LANEFIX_SNAP_LEAST = 2  /* those that leave the fewest slices touched */
};

/* What a run is at. */
enum lanefix_step {
    LANEFIX_STEP_SPOOL = 0, /* it copies a pipe to a temporary file */
    LANEFIX_STEP_READ = 1,  /* it reads the file, to learn what is to be done */
    LANEFIX_STEP_PLAN = 2,  /* it decides that */
    LANEFIX_STEP_WRITE = 3, /* it reads the file and writes the output */
    LANEFIX_STEP_SYNC = 4   /* it waits until the output is on the disk */
};

/* How far a run has come. Nothing of it ever falls within a step. */
struct lanefix_progress {
    enum lanefix_step step;
    unsigned pass;         /* so many times the file has been read, with this one; from 1 on */
    unsigned passes;       /* as many in all as are known to be needed: a broken trace, or one that
                              is repaired, turns out to need more */
    uint64_t done_nbytes;  /* of the file as it is stored (compressed, if it is gzip) */
    uint64_t total_nbytes; /* which comes to this at the end of a step that reads it; 0: not known,
                              as of a pipe that is spooled, or nothing to count */
    uint64_t trace_nbytes; /* of the uncompressed trace, in this step; of a pipe that is spooled, as
                              done_nbytes */
};

/* Hears of it. The struct is the library's, and valid during the call. */
typedef void lanefix_progress_fn(void *data, const struct lanefix_progress *progress);

/* Options of a run. Start from LANEFIX_OPTIONS_DEFAULT; fields may be added at the end. Those of
 * another size than the library's own are LANEFIX_ERR_USAGE, and nothing else of them is read. */
struct lanefix_options {
    size_t options_nbytes;     /* sizeof(struct lanefix_options), set by the default */
    int64_t snap_threshold_ns; /* shifts below this are snapped; 0: never; not negative */
    enum lanefix_gzip gzip;
    int level;                           /* gzip level of the output, 0 to 9; or LANEFIX_LEVEL:
                                            from gzip to gzip the compressed data of what does not
                                            change is kept as it is, else level 1 */
    size_t chunk_nbytes;                 /* read in pieces of this size; 0: the default. The output
                                            does not depend on it */
    const char *report_path;             /* write the whole report as JSON to this file, or NULL */
    const volatile sig_atomic_t *cancel; /* the run ends with LANEFIX_ERR_CANCELLED soon after
                                            this becomes non-zero (a signal handler may set it);
                                            or NULL */
    unsigned jobs;                       /* threads to use, the caller's among them, at most
                                            LANEFIX_JOBS_MAX (more than 32 count as 32); 1: none is
                                            started; 0: as many as there are cores that the process
                                            may use. The output does not depend on it */
    bool salvage;                        /* of a trace that is cut, torn or damaged keep what is
                                            whole: see lost_places of the totals */
    bool no_sync;                        /* do not wait until output and report are on the disk: a
                                            crash of the system soon after may lose them */
    uint64_t max_size_nbytes;            /* a trace that is larger, uncompressed, is refused with
                                            LANEFIX_ERR_TOO_LARGE; 0: no limit */
    bool examine;                        /* look for all that keeps the trace from showing, in args
                                            and flows too (lanefix_report_findings); without it,
                                            for what costs nothing to see. With lanefix_check, what
                                            is whole of a broken trace is examined, and that it is
                                            broken is a finding, not an error */
    bool repair;                         /* mend what can be mended of what is found; implies
                                            salvage, and rebase where ts need it */
    bool rebase;        /* shift all ts by one constant, so that the first is within
                           the first us */
    bool in_place;      /* input and output are one name, of a regular file: it is left alone where
                           nothing would change but for compression that was not asked for, and
                           with LANEFIX_GZIP_AUTO it is compressed if it was. One that is to be laid out
                           anew is never left alone. Where it is left alone, a
                           report that is there stays as well: it may be the one to undo it by;
                           so do a page and a picture, which may show what was done */
    bool keep_original; /* with in_place: the file that is replaced stays as NAME.orig; if there
                           is one already, that is an error */
    lanefix_progress_fn *progress; /* is called by the thread that called the library, and by no
                                      other: when a step begins and ends, and within it about every
                                      50 ms or 4 MiB of the trace, as long as bytes come and go.
                                      What it does holds the run up. NULL: nothing is */
    void *progress_data;           /* its first argument */
    bool pretty;                   /* lay out the output anew: two blanks for each level (of
                                      the first 64; lines of deeper ones stand as far in as
                                      those of the 64th), ": ", one value a line, a line feed
                                      at the end. Only white space between tokens changes */
    bool dry_run;                  /* write no trace: lanefix_fix makes the report, and
                                      report_path, alone. The output is only a name then */
    enum lanefix_snap snap;
    const char *const *soft; /* with LANEFIX_SNAP_SOFT, else none: categories that are annotations
                                as well. A string may be several with commas, as the cat of an
                                event may be; any of them counts. None is NULL or empty */
    size_t soft_count;
    const char *const *no_snap; /* the same, of slices whose times are never changed: they move */
    size_t no_snap_count;
    bool trim_unfinished;  /* slices that all end at the trace's end, which never returned, are cut
                              to end with what is around them, however far that is */
    const char *html_path; /* write a page that shows the largest fixes to this file ("-": standard
                              output), which appears as report_path does; or NULL */
    const char *svg_path;  /* write a picture of the fix that is explained, else of the largest one,
                              to this file; the same */
    const char *explain;   /* slices: all digits, an event's number; else a name or, if no slice has
                              just that, what is in theirs. What becomes of them, and why, is in
                              lanefix_report_explanation. If there are none, the run ends with
                              LANEFIX_ERR_NO_SLICE, and writes nothing. Or NULL */
};

#define LANEFIX_JOBS_MAX 1024

/* 5 us is the reference's threshold: above the noise seen between kernels of one stream. */
#define LANEFIX_SNAP_THRESHOLD_NS 5000
#define LANEFIX_LEVEL (-1)
#define LANEFIX_OPTIONS_DEFAULT                                                                    \
    {                                                                                              \
        sizeof(struct lanefix_options), LANEFIX_SNAP_THRESHOLD_NS, LANEFIX_GZIP_AUTO,              \
            LANEFIX_LEVEL, 0, NULL, NULL, 0, false, false, 0, false, false, false, false, false,   \
            NULL, NULL, false, false, LANEFIX_SNAP_FIRST, NULL, 0, NULL, 0, false, NULL, NULL,     \
            NULL                                                                                   \
    }

/* The report of a run. Opaque; freed with lanefix_report_free. */
struct lanefix_report;

/* The figures of a run. */
struct lanefix_totals {
    uint64_t events;         /* objects in the event arrays */
    uint64_t slices;         /* X events with a readable, non-negative ts and dur; B with an E */
    uint64_t tracks;         /* threads that have slices */
    uint64_t crossings;      /* X that the viewer would drop or misplace for crossing an X */
    uint64_t too_deep;       /* slices that it would drop as deeper than 512 */
    uint64_t snaps;          /* crossings settled by snapping */
    uint64_t snapped_slices; /* slices that got another ts or dur */
    uint64_t moved_slices;   /* slices that got another tid */
    uint64_t lanes;          /* new threads */
    uint64_t flow_endpoints; /* flow events that got another ts or tid */
    int64_t start_shift_ns;  /* sum of how far starts went, later or (not by LANEFIX_SNAP_FIRST)
                                earlier; INT64_MAX: that or more */
    int64_t end_shift_ns;    /* the same of ends, earlier or (by LANEFIX_SNAP_FIRST only where a B
                                and its E stood at one time) later */
    uint64_t unread_events;  /* events copied without being understood; a warning is due */
    uint64_t unread_offset;  /* where the first of them stands */
    uint64_t unread_event;   /* and its number */
    uint64_t garbage_nbytes; /* bytes after the last gzip member that were ignored */
    uint64_t lost_places;    /* where options->salvage left something out (or the trace ends too
                                early); all below is 0 if nowhere */
    uint64_t lost_nbytes;    /* in all. What a gzip stream did not give is not known */
    uint64_t lost_offset;    /* where the first of them begins */
    uint64_t lost_event;     /* the number of whole events before it */
    const char *lost_reason; /* what is wrong with the trace, a constant string; or NULL */
    uint64_t new_ids;        /* threads that got another pid or tid by options->repair */
    int64_t ts_shift_us;     /* what was subtracted from every ts by options->rebase or repair */
    uint64_t pairs;          /* of the slices: those that are a B and its E */
    uint64_t pair_crossings; /* slices that cross a pair, or end under its open B; pairs among them.
                                They come on top of `crossings` */
    uint64_t unchanged;      /* 1: the output has the input's text, byte for byte; 0: not, or it
                                was laid out anew (options->pretty), or it was a check */
    uint64_t unfinished_slices; /* slices that end exactly at the trace's end, two or more of a
                                   thread: they never returned */
};

/* Something that keeps a trace from showing as it should, all there is of one kind. */
struct lanefix_finding {
    const char *id;     /* the kind, such as "bad-number"; stable */
    const char *what;   /* what it is, and */
    const char *viewer; /* what Perfetto does with it: constant strings in English, such as "X
                           event(s) without dur" and "skips them" */
    bool error;         /* it hides other data than its own event; else a warning */
    bool mended;        /* options->repair can mend it */
    uint64_t count;     /* 0: there is none */
    uint64_t offset;    /* where the first one stands in the trace, or LANEFIX_NOWHERE */
    uint64_t event;     /* the event there or, between events, the next one; or LANEFIX_NOWHERE */
    const char *name;   /* of that event, to show to a person; or NULL */
    uint64_t left;      /* so many of them are still in the output; of a check: count */
};

/*
 * Fixes the trace `input` into `output`. "-" is standard input or standard output. Both may name
 * one file. The output appears under its name only when it is whole and on the disk, with the
 * permission bits and, where possible, the owner and group of the input (of the old output, if the
 * input is a pipe). A symbolic link stays; what it leads to is replaced.
 *
 * input, output   paths; not NULL, not empty
 * options         or NULL for the defaults
 * report          gets the report, to be freed by the caller, or NULL on error; or NULL if not
 *                 wanted
 * error           filled on error; or NULL if not wanted
 *
 * Returns LANEFIX_OK, or the error's code: then no output was written, and one that was there
 * before is as it was (unless output is "-", a pipe or a device, where bytes may have gone out; or
 * the code is LANEFIX_ERR_SYNC and error->file LANEFIX_FILE_OUTPUT: then the new output is there,
 * whole, but may not outlive a crash of the system).
 */
LANEFIX_API enum lanefix_status lanefix_fix(const char *input, const char *output,
                                            const struct lanefix_options *options,
                                            struct lanefix_report **report,
                                            struct lanefix_error *error);

/*
 * As lanefix_fix, but writes no trace: the report says what a fix would do. Nothing crosses if
 * crossings, pair_crossings and too_deep of its totals are 0; with options->examine the trace is
 * clean if nothing was found (lanefix_report_findings). options->gzip and options->level are not
 * used; options->repair, rebase, in_place, keep_original, pretty and dry_run are LANEFIX_ERR_USAGE.
 */
LANEFIX_API enum lanefix_status lanefix_check(const char *input,
                                              const struct lanefix_options *options,
                                              struct lanefix_report **report,
                                              struct lanefix_error *error);

/*
 * Undoes a fix: of its output, and of the report that options->report_path had of that run, it
 * makes the input again, to the byte. All is by uncompressed content, so either may be gzip now.
 * What the report says of the original's size and CRC-32 has to hold of what comes out; else, or if
 * the input is another file or was changed, it is an error, and no output is written.
 *
 * report          the report, plain or gzip, laid out in any way; "-" is standard input, if `input`
 *                 is not. It is read twice, in little memory, and may come from anyone
 * input, output   as of lanefix_fix; they may be one file, but not the report
 * options         or NULL for the defaults. Used are gzip, level, chunk_nbytes, cancel, jobs,
 *                 no_sync, max_size_nbytes and progress; report_path, html_path, svg_path and
 *                 explain must be NULL, pretty and dry_run false
 * error           filled on error; or NULL if not wanted. If error->file is LANEFIX_FILE_REPORT, it
 *                 is about the report, and so is its offset
 *
 * Returns as lanefix_fix does. Of a trace whose gzip data was damaged, the original is what could
 * be read of it.
 */
LANEFIX_API enum lanefix_status lanefix_undo(const char *report, const char *input,
                                             const char *output,
                                             const struct lanefix_options *options,
                                             struct lanefix_error *error);

/* The report's figures. They live as long as the report does. */
LANEFIX_API const struct lanefix_totals *lanefix_report_totals(const struct lanefix_report *report);

/* What was found in the input, a kind each, errors and warnings mixed; *n kinds, of which those
 * with a count of 0 were not found. They live as long as the report does. */
LANEFIX_API const struct lanefix_finding *
lanefix_report_findings(const struct lanefix_report *report, size_t *n);

/* Puts a finding into one line without line break: "3 X event(s) without dur: Perfetto skips them
 * (first: byte N, event N, NAME)", cut to `size` bytes with its final NUL. Returns the length that
 * the whole line has, as snprintf does. */
LANEFIX_API int lanefix_finding_text(const struct lanefix_finding *finding, char *line,
                                     size_t size);

/*
 * Writes the report to `out` as lines of text (the wording of the Python tool), each list cut after
 * 100 rows. Returns 0, or -1 if `out` has an error.
 */
LANEFIX_API int lanefix_report_text(const struct lanefix_report *report, FILE *out);

/*
 * Writes what options->explain asked for to `out` as lines of text: of at most ten slices, those
 * that change and the largest crossings first, what each crosses, what decided about it, what it
 * becomes, and what that would be by other rules. Nothing if it was NULL. Returns 0, or -1 if `out`
 * has an error.
 */
LANEFIX_API int lanefix_report_explanation(const struct lanefix_report *report, FILE *out);

/* Frees a report. NULL is fine. */
LANEFIX_API void lanefix_report_free(struct lanefix_report *report);

/*
 * Puts an error into one line without line break: "PATH: message: reason (byte N, event N)", cut
 * to `size` bytes with its final NUL. `path` is the name to show for the file that it is about.
 * Returns the length that the whole line has, as snprintf does.
 */
LANEFIX_API int lanefix_error_text(const struct lanefix_error *error, const char *path, char *line,
                                   size_t size);

/* May the run succeed with options->salvage where it failed without? */
LANEFIX_API bool lanefix_salvageable(const struct lanefix_error *error);

/*
 * Puts a file's name or other text into `room` for a person to read in a terminal: in one line,
 * what a terminal could act upon as \n, \xNN or \uNNNN, no more than 4096 bytes of it. Cut to
 * `size` bytes with its final NUL. Returns the length that the whole text has, as snprintf does.
 */
LANEFIX_API int lanefix_show(const char *text, char *room, size_t size);

/* How many threads jobs = 0 of the options stands for: the cores that this process may use. */
LANEFIX_API unsigned lanefix_cores(void);

/* The version of the library that is running, such as "0.1.0". */
LANEFIX_API const char *lanefix_version(void);

/* Puts what it reads and writes gzip with into `room`, cut to `size` bytes with its final NUL, such
 * as "zlib 1.2.13, ISA-L 2.30.0". */
LANEFIX_API void lanefix_codecs(char *room, size_t size);

#ifdef __cplusplus
}
#endif

#endif
