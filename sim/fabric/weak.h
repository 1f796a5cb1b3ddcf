/* The state of the fabric with late visibility: weak.c changes it, weak_view.c looks at it. */
#ifndef PLD_SIM_FABRIC_WEAK_H
#define PLD_SIM_FABRIC_WEAK_H

#include "base/vec.h"
#include "sim/machine/fabric.h"

typedef struct {
    FabRect rect;
    char *bytes; /* packed: run after run; NULL when empty */
    bool add;    /* atomic add of `dtype` elements */
    Dtype dtype;
    uint64_t id;
} PendingWrite;

/* Where a pending write lies: what reads of its rank look through. */
typedef struct {
    uint32_t rank, window;
    int64_t from, end;
} Span;

typedef struct {
    FabRect rect;
    uint32_t from; /* rank whose write it was */
    char *old;     /* packed bytes before it */
    uint64_t seq;  /* counts changes, from 1 */
} Change;

/* The latest change, and the latest one of another rank than that. */
typedef struct {
    uint64_t seq[2];
    uint32_t from;
} Newest;

/* The changes of a slice that somebody may have to undo, oldest first. */
typedef struct {
    VEC(Change) log;
    uint32_t trim_at; /* length at which to look for those that everybody has acquired */
    Newest newest;
} History;

typedef struct {
    VEC(PendingWrite) writes; /* oldest first */
    VEC(Span) spans;          /* of them */
} Buffer;

typedef struct {
    Fabric base;
    Fabric *mem;
    Buffer *buffers;       /* per rank */
    uint64_t *next_id;     /* per rank */
    uint64_t *acquired;    /* per rank: it sees changes up to this one */
    VEC(History *) slices; /* per window: of each rank */
    uint64_t changes;      /* in all histories */
    uint64_t sweep_at;     /* number of them at which to look through all slices */
    Newest newest;
    uint64_t seq; /* of the latest change */
} Weak;

static inline History *weak_history(const Weak *w, uint32_t rank, uint32_t window)
{
    return rank < w->base.n_ranks && window < w->slices.len ? &w->slices.at[window][rank] : NULL;
}

/* Has another rank changed something that `self` has not acquired? */
static inline bool weak_others_newer(const Weak *w, const Newest *n, uint32_t self)
{
    return n->seq[n->from == self] > w->acquired[self];
}

/* Calls `fn` for each run of a rectangle, with its packed bytes. */
typedef void WeakRunFn(void *env, int64_t offset, int64_t len, char *packed);
void weak_runs(const FabRect *r, char *packed, WeakRunFn *fn, void *env);
bool weak_may_overlap(const FabRect *a, const FabRect *b);

/* FabricOps.read and .test: what a rank sees. */
FabStatus weak_read(Fabric *f, uint32_t self, const FabRect *from, FabLocal to, FabToken *token);
FabStatus weak_test(Fabric *f, uint32_t self, FabAddr cell, int cmp, int32_t expected, bool *yes);

#endif
