/* Which notifies can a rank still execute? A static question about the code that is left to it,
 * answered with the values that are known now. */
#ifndef PLD_SIM_SCHED_REACHABILITY_H
#define PLD_SIM_SCHED_REACHABILITY_H

#include "sim/machine/world.h"

#define REACH_ANY UINT32_MAX

typedef struct {
    uint32_t window; /* REACH_ANY: not known */
    uint32_t target; /* rank; REACH_ANY: not known */
    int64_t offset;  /* bytes; -1: not known */
} ReachSite;

typedef VEC(ReachSite) ReachList;

/* Appends every notify that is reachable for a rank: from where its lanes stand, and in the
 * dispatches it has not started. Duplicates are left out. */
void reach_rank(const World *w, uint32_t rank, ReachList *out);

typedef enum { REACH_NO_WINDOW, REACH_NO_CELL, REACH_YES } ReachAnswer;

/* Can one of the notifies change this cell? */
ReachAnswer reach_cell(const ReachList *list, FabAddr cell);

#endif
