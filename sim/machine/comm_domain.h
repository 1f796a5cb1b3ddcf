/* Dispatches as the host function queues them: which bytes, which windows, in which order; and the
 * domains of windows that follow from all of them. */
#ifndef PLD_SIM_MACHINE_COMM_DOMAIN_H
#define PLD_SIM_MACHINE_COMM_DOMAIN_H

#include "sim/machine/world.h"

/* Queues a dispatch: its arguments become regions of device memory and window views. False after a
 * fault. */
bool domain_dispatch(World *w, Lane *lane, const Dispatch *d);
/* After the host function: domains of all windows, dependencies of all dispatches. */
bool domain_finish(World *w);

#endif
