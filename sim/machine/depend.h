/* Order between dispatches of different devices that touch the same host bytes. */
#ifndef PLD_SIM_MACHINE_DEPEND_H
#define PLD_SIM_MACHINE_DEPEND_H

#include "sim/machine/world.h"

/* Sets the dependencies of every dispatch. */
void depend_find(World *w);

#endif
