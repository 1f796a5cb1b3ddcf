/* Happens-before of one execution, and what else should be tried because of it. */
#ifndef PLD_SIM_EXPLORE_EXPLORE_ORDER_H
#define PLD_SIM_EXPLORE_EXPLORE_ORDER_H

#include "sim/explore/explore_trace.h"

/* Before transition `node` one of these lanes or landings should go first in another execution
 * (they are the initials of what may stand there; one of them is enough). */
typedef void OrderWant(void *env, uint32_t node, const uint32_t *names, uint32_t n);

/* Finds the reversible races of an execution, and adds to the
 * scope what it does not bear out: then the search must begin again, and `want` is not called.
 * Returns a hash of its happens-before order: executions that differ in the order of independent
 * transitions only have the same. `want` may be NULL. */
uint64_t order_races(const Execution *x, Scope *scope, OrderWant *want, void *env);

#endif
