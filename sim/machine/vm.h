/* The interpreter of lanes. */
#ifndef PLD_SIM_MACHINE_VM_H
#define PLD_SIM_MACHINE_VM_H

#include "sim/machine/world.h"

typedef enum {
    VM_PENDING, /* stands before lane->pending */
    VM_BUDGET,  /* used up its budget; pending.kind is PEND_NONE */
    VM_FAULT,   /* a report was made, World.failed is set */
} VmStatus;

/* Runs a lane until just before its next communication operation, the end of its dispatch
 * (PEND_EXIT), or for `budget` instructions. Data accesses of windows happen in here. */
VmStatus vm_run(World *w, Lane *lane, uint64_t budget);
/* Executes lane->pending, which is enabled, and nothing after it. The lane's state is READY
 * afterwards (BLOCKED: a transfer is under way; EXITED or READY again after PEND_EXIT; FAULTED). */
void vm_commit(World *w, Lane *lane);
/* Is lane->pending enabled now? */
bool vm_enabled(World *w, Lane *lane);
/* Pushes a frame for a function with its arguments bound: dynamic extents, shapes, scalars. A fault
 * is reported and false returned when they do not fit. */
bool vm_enter(World *w, Lane *lane, uint32_t func, const MemRef *mem, const int64_t *scalars);
/* Points the frames of a lane into its stack, which may have moved. */
void vm_place_frames(Lane *lane);
/* Runs the host function to its end. False after a fault. */
bool vm_run_host(World *w);

#endif
