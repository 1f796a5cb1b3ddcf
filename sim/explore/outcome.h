/* The set of final outputs of many executions. */
#ifndef PLD_SIM_EXPLORE_OUTCOME_H
#define PLD_SIM_EXPLORE_OUTCOME_H

#include "sim/machine/world.h"

typedef struct {
    Arena arena;
    VEC(const char *) lines; /* distinct */
    Map seen;                /* hashes of them */
} Outcomes;

/* How this execution ended: `y=[0 1] z=[2]` of all Out and InOut tensors, or deadlock, fault. */
void outcomes_add(Outcomes *o, const World *w, const RunResult *r);
/* Adds those of `from`. */
void outcomes_join(Outcomes *o, const Outcomes *from);
/* Sorted; copies in `arena`. */
const char **outcomes_list(const Outcomes *o, Arena *arena, uint32_t *n);
void outcomes_free(Outcomes *o);

#endif
