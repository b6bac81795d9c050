/* The page that shows what a run did: one HTML file that needs nothing else. Pure.
 *
 * It can be read without scripts; the one it has filters. It has no style or script but its own two
 * and one, which the policy in its head names by their SHA-256 (page_parts.c; `make check-html`
 * fails where they differ). Nothing of the trace is in the script, or read by it but as text. */
#ifndef PAGE_H
#define PAGE_H

#include "buf.h"
#include "lanefix.h"
#include "scene.h"

/* No page is larger. What has no room is left out, and the page says how much. */
enum { PAGE_NBYTES_MAX = 1000000 };

/* A row of the table of threads. */
struct page_track {
    char *name, *pid, *tid; /* to be shown; owned by the caller */
    uint64_t slices, crossings, too_deep, snapped, moved, lanes;
};

struct page {
    const char *input; /* its name, to be shown */
    bool check, dry_run;
    const struct lanefix_totals *totals;
    const struct page_track *tracks; /* the worst first */
    size_t ntracks;
    const struct scene *scenes; /* laid out: those asked for, then the largest fix first */
    size_t nscenes;
    uint64_t fixes;    /* crossings in all */
    bool explained;    /* some were asked for */
    const char *rules; /* which slice gives way, where that is not by default; or NULL */
};

/* Appends the page. */
void page_write(struct buf *out, const struct page *page);

/* Its style, besides DRAW_STYLE, its script, and the policy that allows these alone. */
extern const char PAGE_STYLE[], PAGE_SCRIPT[], PAGE_POLICY[];

#endif
