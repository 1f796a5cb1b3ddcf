/* The report of a deadlock. */
#ifndef PLD_SIM_SCHED_DEADLOCK_H
#define PLD_SIM_SCHED_DEADLOCK_H

#include "sim/machine/world.h"

/* Nothing can move and something has not finished: adds one report. */
void deadlock_report(World *w);

#endif
