/* The cost card of a run: what the probe counted, beside the closed forms of the builtins. */
#ifndef PLD_SIM_REPORT_COST_H
#define PLD_SIM_REPORT_COST_H

#include "base/json.h"
#include "sim/machine/world.h"

/* Reports every counter of a builtin that is not what its closed form says: an error of ours. For
 * a run that ended. */
void cost_check(World *w);
/* All a rank did. */
CostCount cost_rank(World *w, uint32_t rank);
/* All it did in one function, builtins in it included; false: nothing. */
bool cost_kernel(World *w, uint32_t rank, uint32_t func, CostCount *out);
/* Modelled time at which a rank was done, or stuck. */
int64_t cost_rank_time(const World *w, uint32_t rank);
/* Of all ranks: how long the run took. */
int64_t cost_time(const World *w);
/* Most on-core memory in use on a core of the rank, bytes. */
int64_t cost_core_peak(const World *w, uint32_t rank);
/* One word for an exit status: "OK", "deadlock", ... */
const char *cost_verdict(const RunResult *r);

/* sim/report/cost_card.c: tables for reading. */
void cost_print(World *w, Buf *out);
/* sim/report/cost_json.c: one object, with the verdict in it. `w` may be NULL. */
void cost_print_json(World *w, const RunResult *result, Buf *out);

#endif
