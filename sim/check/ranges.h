/* Live ranges: the accesses of a slice of a window that a later one may still conflict with, in a
 * treap by first byte that knows the last byte of each subtree. What it costs depends on how many
 * there are, not on how many bytes they cover. */
#ifndef PLD_SIM_CHECK_RANGES_H
#define PLD_SIM_CHECK_RANGES_H

#include "base/vec.h"
#include "sim/machine/probe.h"

/* The last synchronisation of a thread before an access. */
typedef struct {
    uint8_t kind; /* EV_NOTIFY, EV_WAIT, or EV_LANE_BEGIN: none yet */
    CodePlace at;
} SyncPoint;

typedef struct {
    FabRect rect; /* compacted */
    CodePlace at;
    uint32_t thread, epoch;
    uint32_t puts; /* kind PUT_SOURCE: number of the thread's notify or fence that ends the read */
    uint8_t kind;  /* EventKind */
    uint8_t dtype;
    uint16_t insn; /* BcOp */
    SyncPoint sync;
} Access;

#define RANGE_NONE UINT32_MAX

typedef struct {
    Access a;
    int64_t lo, hi;  /* of a.rect */
    int64_t max_hi;  /* of the subtree */
    uint64_t serial; /* tells a node from another one that took its place */
    uint32_t left, right, prio;
} RangeNode;

/* The nodes of all trees. */
typedef struct {
    VEC(RangeNode) nodes;
    uint32_t free; /* list by `left`; RANGE_NONE: empty */
    uint64_t serial;
} RangePool;

typedef struct {
    uint32_t root, n; /* root is RANGE_NONE when n is 0: see ranges_init */
} RangeTree;

typedef VEC(uint32_t) RangeIds;

void ranges_init(RangeTree *t);
uint32_t ranges_insert(RangePool *p, RangeTree *t, const Access *a);
void ranges_remove(RangePool *p, RangeTree *t, uint32_t id);
/* Gives a node the larger rectangle `rect`. */
void ranges_grow(RangePool *p, RangeTree *t, uint32_t id, const FabRect *rect);
/* Appends the nodes whose extent meets [lo, hi), in order of address: with strided ones, more than
 * those that share a byte. */
void ranges_find(const RangePool *p, const RangeTree *t, int64_t lo, int64_t hi, RangeIds *out);
void ranges_clear(RangePool *p);
void ranges_free(RangePool *p);

#endif
