#include "walks.h"

#include <stdlib.h>

/* A walk of the ring, and the place that it is to be at. */
struct prepared {
    struct job job;
    struct gzwalk *walk;
    uint64_t text;
    bool ok;
    struct lanefix_error err;
};

struct walks {
    struct crew *crew;
    size_t n;
    size_t current, prepared; /* ring[current % n] is used, those up to `prepared` are waiting */
    struct prepared ring[CREW_THREADS_MAX + 1];
};

static void prepare(struct job *job)
{
    struct prepared *p = (struct prepared *)job;
    p->ok = gzwalk_to(p->walk, p->text, &p->err);
}

struct walks *walks_new(const struct gzmap *map, gzwalk_pread *pread, void *context,
                        struct crew *crew)
{
    struct walks *walks = calloc(1, sizeof *walks);
    if (!walks)
        return NULL;
    walks->crew = crew;
    size_t n = crew_threads(crew) > 1 ? (size_t)crew_threads(crew) + 1 : 1;
    for (; walks->n < n; walks->n++) {
        struct prepared *p = &walks->ring[walks->n];
        p->job.run = prepare;
        p->walk = gzwalk_new(map, pread, context);
        if (!p->walk) {
            walks_free(walks);
            return NULL;
        }
    }
    return walks;
}

void walks_free(struct walks *walks)
{
    if (!walks)
        return;
    for (size_t i = 0; i < walks->n; i++) {
        crew_wait(walks->crew, &walks->ring[i].job);
        gzwalk_free(walks->ring[i].walk);
    }
    free(walks);
}

bool walks_prepare(struct walks *walks, uint64_t text)
{
    if (walks->prepared - walks->current + 1 >= walks->n)
        return false;
    struct prepared *p = &walks->ring[++walks->prepared % walks->n];
    p->text = text;
    crew_submit(walks->crew, &p->job, false);
    return true;
}

bool walks_to(struct walks *walks, uint64_t text, struct lanefix_error *err)
{
    while (walks->current < walks->prepared) {
        struct prepared *next = &walks->ring[(walks->current + 1) % walks->n];
        if (next->text > text)
            break;
        crew_wait(walks->crew, &next->job);
        walks->current++;
        if (!next->ok) {
            *err = next->err;
            return false;
        }
    }
    return gzwalk_to(walks_current(walks), text, err);
}

struct gzwalk *walks_current(struct walks *walks)
{
    return walks->ring[walks->current % walks->n].walk;
}
