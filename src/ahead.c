/* A ring of pieces, each a job. A job that is done hands over the next one as long as a piece is
 * free; the reader does so when it gives one back. So at most one is under way at any time. */
#define _POSIX_C_SOURCE 200809L
#include "ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4 };

struct piece {
    struct job job;
    struct ahead *ahead;
    char *bytes;
    size_t len, used;
    bool ok;
    struct lanefix_error err;
};

struct ahead {
    struct crew *crew;
    ahead_fill *fill;
    void *context;
    size_t piece_nbytes;
    pthread_mutex_t lock; /* for the fields down to `stopping` */
    size_t started, used; /* pieces so far: handed over, and given back by the reader */
    bool under_way;       /* a piece is being filled */
    bool last;            /* the one before was the end, or an error */
    bool stopping;
    struct piece pieces[PIECES];
};

/* Hands over the next piece if one is free. The lock is held. */
static void start(struct ahead *a)
{
    a->under_way = !a->last && !a->stopping && a->started - a->used < PIECES;
    if (a->under_way)
        crew_submit(a->crew, &a->pieces[a->started++ % PIECES].job, true);
}

static void fill_piece(struct job *job)
{
    struct piece *piece = (struct piece *)job;
    struct ahead *a = piece->ahead;
    piece->used = piece->len = 0;
    piece->ok = a->fill(a->context, piece->bytes, a->piece_nbytes, &piece->len, &piece->err);
    pthread_mutex_lock(&a->lock);
    a->last = !piece->ok || !piece->len;
    start(a);
    pthread_mutex_unlock(&a->lock);
}

struct ahead *ahead_new(struct crew *crew, size_t piece_nbytes, ahead_fill *fill, void *context)
{
    struct ahead *a = malloc(sizeof *a);
    if (!a)
        return NULL;
    *a = (struct ahead){
        .crew = crew, .fill = fill, .context = context, .piece_nbytes = piece_nbytes};
    if (pthread_mutex_init(&a->lock, NULL) != 0) {
        free(a);
        return NULL;
    }
    bool ok = true;
    for (int i = 0; i < PIECES; i++) {
        a->pieces[i] = (struct piece){.job.run = fill_piece, .ahead = a};
        a->pieces[i].bytes = malloc(piece_nbytes);
        ok = ok && a->pieces[i].bytes;
    }
    if (ok)
        return a;
    ahead_free(a);
    return NULL;
}

/* The piece that the reader is at, once it is filled. */
static struct piece *current(struct ahead *a)
{
    struct piece *piece = &a->pieces[a->used % PIECES];
    pthread_mutex_lock(&a->lock);
    if (a->started == a->used && !a->under_way)
        start(a);
    pthread_mutex_unlock(&a->lock);
    crew_wait(a->crew, &piece->job);
    return piece;
}

static void give_back(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->used++;
    if (!a->under_way)
        start(a);
    pthread_mutex_unlock(&a->lock);
}

bool ahead_read(struct ahead *a, char *out, size_t n, size_t *got, struct lanefix_error *err)
{
    struct piece *piece = current(a);
    *got = 0;
    if (!piece->ok) {
        *err = piece->err;
        return false;
    }
    size_t left = piece->len - piece->used;
    *got = n < left ? n : left;
    memcpy(out, piece->bytes + piece->used, *got);
    piece->used += *got;
    if (piece->len && piece->used == piece->len)
        give_back(a);
    return true;
}

void ahead_stop(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->stopping = true;
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < PIECES; i++)
        crew_wait(a->crew, &a->pieces[i].job);
    a->started = a->used = 0;
    a->last = a->under_way = a->stopping = false;
}

void ahead_free(struct ahead *a)
{
    if (!a)
        return;
    ahead_stop(a);
    for (int i = 0; i < PIECES; i++)
        free(a->pieces[i].bytes);
    pthread_mutex_destroy(&a->lock);
    free(a);
}
