/* A run of whole events on its way through pass one: cut by one thread, read by any one, taken into
 * the index in the order of the file (pass_one.c). */
#ifndef BATCH_H
#define BATCH_H

#include "crew.h"
#include "cutter.h"
#include "event.h"
#include "explain_query.h"
#include "hash.h"
#include "kind.h"
#include "pair.h"
#include "repair.h"

enum item_kind {
    ITEM_OTHER,  /* nothing of it matters but its thread */
    ITEM_DRAWN,  /* the same, and the viewer draws it on its thread's row */
    ITEM_BEGIN,  /* a B: start_ns, edge */
    ITEM_END,    /* an E: the same */
    ITEM_SLICE,  /* start_ns, end_ns */
    ITEM_FLOW,   /* start_ns, owner */
    ITEM_THREAD, /* may say something of its thread: metadata */
    ITEM_UNREAD, /* not understood */
    ITEM_TORN    /* another event begins in it (torn.h) */
};

/* An event, and what the plan needs of it. */
struct item {
    uint64_t off; /* in the trace */
    uint32_t len;
    uint32_t inner, ninner; /* its outline (event.h), in the batch's spans */
    bool too_deep, odd;     /* nest.h */
    /* What batch_read found: */
    enum item_kind kind;
    uint8_t kind_byte;  /* of ITEM_SLICE and ITEM_BEGIN, if wanted (kind.h) */
    char ph;            /* 0 if it is not understood */
    enum match match;   /* of its name, if it is an X or B that may be asked for */
    bool repaired;      /* its text is another one, */
    size_t repaired_at; /* which stands there in the batch's `repaired` */
    bool on_thread;     /* the viewer draws it on its thread's row, or it names that */
    struct value pid, tid, name;
    int64_t start_ns;
    finding_set found;
    bool unmendable;    /* it is no JSON, and cannot be made such (mend.h); if examined deep */
    bool starts_flow;   /* it is an s, and flows are examined: */
    uint64_t flow_hash; /* of its id, cat and name */
    union {
        int64_t end_ns;
        uint32_t owner;        /* FLOW_ENCLOSING or FLOW_NEXT (flow.h) */
        uint32_t metadata;     /* of ITEM_THREAD: which of the batch's */
        uint32_t torn_at;      /* of ITEM_TORN */
        struct edge_text edge; /* of ITEM_BEGIN and ITEM_END */
    };
};

/* More events than this are left for the next batch: it bounds the memory where they are tiny. */
enum { BATCH_ITEMS_MAX = 4096 };

struct batch {
    struct job job; /* runs batch_read */
    char *text;     /* the bytes [off, off + len) of the trace; owned, as is all else */
    size_t len, cap;
    uint64_t off;
    struct item *items;
    size_t nitems, items_cap;
    struct span *spans;
    size_t nspans, spans_cap;
    struct event *metadata;
    size_t nmetadata, metadata_cap;
    struct event_parser *parser;
    bool examine; /* item.found is wanted, */
    bool deep;    /* in args and of flows, too */
    struct mend mend;
    const struct kind_rules *kind_rules; /* item.kind_byte is wanted, by these; or NULL */
    bool repair;                         /* the events are read as the repairer makes them; */
    struct repairer repairer;
    struct buf repaired; /* the texts of those that changed */
    struct ts_range ts_range;
    const struct query *query; /* whose matches are wanted; NULL: none are */
    struct hash_key key;       /* of the texts of flows, B and E */
    bool no_memory;            /* batch_read ended early */
};

/* An empty batch; false if there is no memory. The key is that of all batches of a run. */
bool batch_init(struct batch *b, struct hash_key key);

/* Has it fill item.found; `deep` as in the struct. */
void batch_examine(struct batch *b, bool deep);

/* Has it fill item.kind_byte, by rules that outlive it. */
void batch_note_kinds(struct batch *b, const struct kind_rules *rules);

void batch_free(struct batch *b);

/* Empties it, but for the bytes of `before` (another one, or NULL at the start of the trace) from
 * the offset `keep` on. Returns false if there is no memory. */
bool batch_begin(struct batch *b, const struct batch *before, uint64_t keep);

/* Has its events repaired. */
void batch_repair(struct batch *b, const struct repair_rules *rules);

/* Gives back the text of a batch that was taken, if that is large. */
void batch_shrink(struct batch *b);

/* Forgets the bytes before the offset `keep`. There are no items yet. */
void batch_drop(struct batch *b, uint64_t keep);

/* Makes room for n more bytes behind those that are there; NULL if there is no memory. */
char *batch_room(struct batch *b, size_t n);

/* Adds an event of its text. Returns false if there is no memory. */
bool batch_add(struct batch *b, const struct cut *cut);

/* The text of an item, as it is repaired if it is. */
static inline const char *batch_text(const struct batch *b, const struct item *item)
{
    return item->repaired ? b->repaired.data + item->repaired_at : b->text + (item->off - b->off);
}

/* Reads each of its events. */
void batch_read(struct job *job);

#endif
