/* What a picture of one fix shows: the slices around a crossing, before and after. Pure: times,
 * names and numbers in, rows and a stretch of time out (draw.h draws it). */
#ifndef SCENE_H
#define SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind.h"

enum {
    SCENE_BARS_MAX = 24,
    SCENE_ARROWS_MAX = 8,
    SCENE_LANES_MAX = 4, /* with lane 0 */
    SCENE_DEPTH_MAX = 8  /* rows of a lane */
};

/* Of two: how it was, and how it is now. */
enum { BEFORE, AFTER, SIDES };

#define SCENE_NONE SIZE_MAX
#define SCENE_NO_ROW UINT32_MAX

struct bar {
    char *name; /* to be shown; owned. NULL: it has none */
    enum kind kind;
    uint64_t event; /* its number */
    int64_t start_ns[SIDES], end_ns[SIDES];
    uint32_t lane; /* which of the scene's lanes it is on afterwards */
    /* Of scene_lay_out: */
    uint32_t row[SIDES]; /* within its lane; SCENE_NO_ROW: it lies too deep to be shown */
    bool crosses;        /* before, as the viewer judges */
};

/* An endpoint of a flow arrow. */
struct arrow {
    size_t bar;
    bool leaves; /* it starts at the slice; else it ends or goes on there */
    int64_t ts_ns[SIDES];
};

struct scene_lane {
    uint32_t number;       /* 0: the thread itself */
    char *name, *tid;      /* to be shown; owned */
    uint32_t nrows[SIDES]; /* of scene_lay_out; before, all is on the thread itself */
};

struct scene {
    char *pid;                       /* to be shown; owned */
    struct bar bars[SCENE_BARS_MAX]; /* in the order of the plan */
    size_t nbars;
    size_t slice, over; /* the one that crosses, and the one that it crosses, or SCENE_NONE, */
    bool too_deep;      /* as it lies too deep; else it crosses nothing */
    struct scene_lane lanes[SCENE_LANES_MAX];
    size_t nlanes;
    struct arrow arrows[SCENE_ARROWS_MAX];
    size_t narrows;
    uint64_t more; /* slices within that time that have no bar or no row */
    /* Of scene_lay_out: */
    int64_t by_ns, cross_from_ns, cross_to_ns; /* the part that crosses; 0 and none without over */
    int64_t from_ns, to_ns;                    /* what is shown; to_ns > from_ns */
};

/* So many times as long as the part that crosses is what is shown, at most: less of that could not
 * be seen. */
enum { SCENE_ZOOM = 30 };

/* The part of two slices, of which the first starts within the second and ends behind it, for which
 * they would be apart or nested if one were shorter by it. */
void scene_crossing(const struct bar *slice, const struct bar *over, int64_t *from_ns,
                    int64_t *to_ns);

/* Finds what is to be shown of a time from from_ns to to_ns (both slices), around the crossing. */
void scene_window(int64_t from_ns, int64_t to_ns, int64_t cross_from_ns, int64_t cross_to_ns,
                  int64_t window_ns[2]);

/* Finds the rows, as the viewer would nest the slices, and the time that is shown. `slice` is one
 * of the bars. */
void scene_lay_out(struct scene *scene);

/* Has the slice changed? */
bool bar_retimed(const struct bar *bar);
bool bar_changed(const struct bar *bar);

void scene_free(struct scene *scene);

#endif
