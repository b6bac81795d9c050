/* --explain: finds the slices that it is about, chooses those of which there is most to say, and
 * has their stories told, while pass one, the plan and pass two go their ways. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "explain_query.h"
#include "explain_story.h"
#include "explain_words.h"
#include "fixes.h"
#include "lanefix.h"
#include "places.h"

/* Slices that are explained in full. */
enum { STORIES_MAX = 10 };

struct explain {
    struct query query;
    struct matches matches;
    /* Of them those that change, and the others that are crossed or lie too deep: */
    uint64_t nchanged, ncrossed;
    struct story
        stories[STORIES_MAX]; /* of these: what changes first, then the largest crossings */
    size_t nstories;
    struct story first; /* of the first match in the file, as long as there are none of these;
                           without one its slice is UINT32_MAX */
    uint64_t arrows[STORIES_MAX]; /* endpoints that changed with each */
    struct slice *before, *again; /* a track as it was, and room for it */
    size_t nbefore, before_cap, again_cap;
    unsigned char *marks; /* a byte for each slice of it */
    size_t marks_cap;
    struct place places[STORIES_MAX * STORY_PLACES_MAX];
    size_t nplaces;
};

struct item;
struct run;

/* What options->explain asks for; NULL if there is no memory. It points into the options. */
struct explain *explain_new(const struct lanefix_options *options);
void explain_free(struct explain *explain);

/* The steps of a run call these; none does anything if nothing is to be explained. Those that
 * return a bool return false with *run->err on an error. */

/* Before each pass one. */
void explain_begin_read(struct run *run);

/* An event that it has read, in the order of the file; false if there is no memory. */
bool explain_note(struct run *run, const struct item *item, uint64_t event);

/* Once the slices are known, before the plan: LANEFIX_ERR_NO_SLICE if none is asked for. */
bool explain_resolve(struct run *run);

/* Before a track is planned: s, n as for plan_track. */
bool explain_begin_track(struct run *run, const struct slice *s, size_t n);

/* After it, with its rewrites from `rewrites_begin` on. Adds to run->explained, too. */
bool explain_end_track(struct run *run, const struct pairs *pairs, uint32_t base,
                       const struct plan_rules *rules, size_t rewrites_begin);

/* After the plan: reads the names that the stories need. */
bool explain_find_places(struct run *run);

/* In pass two, when a flow endpoint changes with its slice. */
void explain_note_arrow(struct run *run, uint32_t slice);

/* After pass two: the text, into the report (explain_text.c). */
bool explain_tell(struct run *run);

#endif
