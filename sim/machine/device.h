/* Lanes and dispatches: what world.c needs of device.c beyond sim/machine/world.h. */
#ifndef PLD_SIM_MACHINE_DEVICE_H
#define PLD_SIM_MACHINE_DEVICE_H

#include "sim/machine/world.h"

/* Makes the lanes that the queued dispatches need. */
void device_prepare(World *w);
/* Frees the memory that a dispatch made. */
void device_free_made(Dispatch *d);
/* Every device as before its first dispatch. */
void device_reset(World *w);

#endif
