#include "progress_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    ESTIMATE_NS_MIN = 500000000, /* before that much has passed the speed says little */
    PART_ROOM = 32
};

struct progress_figures progress_of_run(const struct lanefix_progress *now, int64_t elapsed_ns)
{
    struct progress_figures f = {.done_nbytes = now->done_nbytes,
                                 .total_nbytes = now->total_nbytes,
                                 .rate_nbytes = now->trace_nbytes,
                                 .elapsed_ns = elapsed_ns};
    switch (now->step) {
    case LANEFIX_STEP_SPOOL:
        snprintf(f.label, sizeof f.label, "reading the pipe");
        break;
    case LANEFIX_STEP_PLAN:
        snprintf(f.label, sizeof f.label, "planning");
        break;
    case LANEFIX_STEP_SYNC:
        snprintf(f.label, sizeof f.label, "waiting for the disk");
        break;
    default:
        snprintf(f.label, sizeof f.label, "pass %u of %u", now->pass, now->passes);
        break;
    }
    return f;
}

struct progress_figures progress_of_files(unsigned ended, unsigned nfiles, uint64_t done_nbytes,
                                          uint64_t total_nbytes, int64_t elapsed_ns)
{
    struct progress_figures f = {.done_nbytes = done_nbytes,
                                 .total_nbytes = total_nbytes,
                                 .rate_nbytes = done_nbytes,
                                 .elapsed_ns = elapsed_ns};
    snprintf(f.label, sizeof f.label, "%u of %u files", ended, nfiles);
    return f;
}

/* Three digits or so: 0.4 MB, 12 MB, 9999 MB, 10.0 GB, 12345 GB. */
static void add_nbytes(char room[PART_ROOM], double nbytes, const char *behind)
{
    double mb = nbytes / 1e6;
    bool giga = mb >= 9999.5;
    snprintf(room, PART_ROOM, "  %.*f %s%s", giga ? mb < 999950 : mb < 9.95, giga ? mb / 1e3 : mb,
             giga ? "GB" : "MB", behind);
}

/* 100 is said of the whole alone. */
static void add_per_cent(char room[PART_ROOM], uint64_t done, uint64_t total)
{
    unsigned per_cent = done >= total ? 100 : (unsigned)((double)done / (double)total * 100);
    snprintf(room, PART_ROOM, " %3u %%", per_cent == 100 && done < total ? 99 : per_cent);
}

/* What is left takes as long, byte for byte, as what is done. */
static void add_left(char room[PART_ROOM], const struct progress_figures *f)
{
    static const uint64_t most = 99 * 3600 + 59 * 60 + 59;
    if (!f->done_nbytes || f->done_nbytes >= f->total_nbytes || f->elapsed_ns < ESTIMATE_NS_MIN)
        return;
    double per_byte = (double)f->elapsed_ns / 1e9 / (double)f->done_nbytes;
    double left = per_byte * (double)(f->total_nbytes - f->done_nbytes);
    uint64_t s = left < (double)most ? (uint64_t)left + 1 : most;
    if (s >= 3600)
        snprintf(room, PART_ROOM, "  %" PRIu64 ":%02u:%02u left", s / 3600, (unsigned)(s / 60 % 60),
                 (unsigned)(s % 60));
    else
        snprintf(room, PART_ROOM, "  %u:%02u left", (unsigned)(s / 60), (unsigned)(s % 60));
}

/* At most so many columns: a letter beyond ASCII may take two. */
static size_t columns_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (unsigned char)*text < 0x80 ? 1 : (unsigned char)*text >= 0xC0 ? 2 : 0;
    return n;
}

void progress_text(const char *name, const struct progress_figures *f, size_t columns, char *room,
                   size_t size)
{
    char count[PART_ROOM] = "", rate[PART_ROOM] = "", left[PART_ROOM] = "";
    char text[PROGRESS_TEXT_ROOM];
    if (f->total_nbytes)
        add_per_cent(count, f->done_nbytes, f->total_nbytes);
    else if (f->done_nbytes)
        add_nbytes(count, (double)f->done_nbytes, "");
    if (*count && f->elapsed_ns > 0)
        add_nbytes(rate, (double)f->rate_nbytes / ((double)f->elapsed_ns / 1e9), "/s");
    add_left(left, f);
    snprintf(text, sizeof text, "%s%s%s%s%s", f->label, *count ? ":" : "", count, rate, left);
    bool fits = name && columns_of(name) + 2 + strlen(text) <= columns;
    if (columns < sizeof text)
        text[columns] = 0;
    snprintf(room, size, "%s%s%s", fits ? name : "", fits ? ": " : "", text);
}
