/* The report of a deadlock. */
#ifndef PLD_SIM_SCHED_DEADLOCK_H
#define PLD_SIM_SCHED_DEADLOCK_H

#include "sim/machine/world.h"

/* Nothing can move and something has not finished: adds one report. */
void deadlock_report(World *w);
/* "line 14", or the place in code without lines; a builtin call is one place. */
void deadlock_line(const World *w, Buf *out, CodePlace at);

#endif
