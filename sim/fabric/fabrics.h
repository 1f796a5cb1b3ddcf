/* The implementations of sim/machine/fabric.h. */
#ifndef PLD_SIM_FABRIC_FABRICS_H
#define PLD_SIM_FABRIC_FABRICS_H

#include "sim/machine/fabric.h"

/* Sequentially consistent, in this process. */
Fabric *fabric_local_new(uint32_t n_ranks);
/* The same with writes that become visible at fences. */
Fabric *fabric_weak_new(uint32_t n_ranks);

#endif
