/* The words of an explanation: what the files that write it share (explain_text.c, and
 * explain_steps.c for the decisions). */
#ifndef EXPLAIN_WORDS_H
#define EXPLAIN_WORDS_H

#include "buf.h"
#include "explain_story.h"
#include "places.h"

/* The events that a story names. */
enum { STORY_PLACES_MAX = 2 + 2 * STORY_OTHERS_MAX + STORY_STEPS_MAX };

/* What the text of one story is made of. */
struct teller {
    const struct story *story;
    const struct place *places; /* of all it names, by offset */
    size_t nplaces;
    int64_t threshold_ns;
    enum plan_snap snap; /* the rule by which it was decided */
    struct buf *out;
    struct other named[STORY_PLACES_MAX]; /* so far, with the times that were said */
    size_t nnamed;
};

/* The event at an offset. */
const struct place *words_place(const struct teller *t, uint64_t off);

/* Its name. */
void words_name(struct teller *t, const struct place *place);

/* Another slice: "k0 (event 1, kernel, 10.000 to 16.000)"; of what was named before "event 1", and
 * its times if they are others by now. */
void words_other(struct teller *t, const struct other *other);

/* "ts 15.200, dur 6.000" */
void words_times(struct buf *out, int64_t start_ns, int64_t end_ns);

/* The decisions in their order, a line each, with what else could have been. */
void words_steps(struct teller *t);

#endif
