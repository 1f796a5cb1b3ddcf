/* Accesses of memory by owners (tasks, iterations) that are to be independent of each other. */
#ifndef PLD_SIM_CHECK_ACCESS_LIST_H
#define PLD_SIM_CHECK_ACCESS_LIST_H

#include "base/map.h"
#include "sim/machine/world.h"

typedef struct {
    FabRect rect;
    CodePlace at;
    uint64_t memory; /* equal for accesses of one window slice, or one memory of a dispatch */
    uint64_t owner;
    uint32_t order; /* of the list */
    uint16_t insn;
    uint8_t dtype;
    bool tensor, write, atomic;
} OwnedAccess;

typedef struct {
    VEC(OwnedAccess) list;
} AccessList;

/* The events that are accesses: EV_BITs. */
uint32_t access_list_events(void);
/* Is it an atomic add? Those to device memory come as writes. */
bool access_is_add(const World *w, const Event *e);
/* Adds what an event did; what continues the owner's last access becomes part of it. A list that is
 * very long takes no more. */
void access_list_add(AccessList *list, const World *w, const Event *e, uint64_t owner);
/* Calls `found` for pairs of different owners that touch common bytes [first, end), one writing and
 * not both by atomic adds; `a` was added before `b`. Leaves the list empty. */
typedef void AccessPair(void *env, const OwnedAccess *a, const OwnedAccess *b, int64_t first,
                        int64_t end);
void access_list_judge(AccessList *list, AccessPair *found, void *env);
void access_list_free(AccessList *list);
/* Once for two places of the code; `reported` keeps the pairs. */
bool access_pair_is_new(Map *reported, const World *w, CodePlace a, CodePlace b);
/* "reads", "writes", "adds to" */
const char *access_verb(const OwnedAccess *a);
/* "writes y[0, 0:32] (store)" */
void access_text(const World *w, Buf *out, const OwnedAccess *a, int64_t first, int64_t end);

#endif
