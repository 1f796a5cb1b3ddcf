/* Dispatches that wait for bytes of one that will never end. */
#ifndef PLD_SIM_SCHED_HOST_WAIT_H
#define PLD_SIM_SCHED_HOST_WAIT_H

#include "sim/machine/world.h"

/* Appends a line for each: the tensor, the dispatch that it waits for, and the way out. */
void host_waits_text(const World *w, Buf *out);

#endif
