/* The checked machine (make VMCHECK=1): every access is held against the real size of what it is
 * in, and a run that leaves it aborts with a message. The machine itself trusts what the verifier
 * has established; this build tells where the two differ. Without PLD_VM_CHECK nothing of it is
 * compiled. */
#ifndef PLD_SIM_MACHINE_VM_CHECK_H
#define PLD_SIM_MACHINE_VM_CHECK_H

#include "sim/machine/world.h"

#ifdef PLD_VM_CHECK
#define VM_CHECKED 1
/* Operands of the instruction that the lane is about to execute, by their letters in
 * codegen/bytecode.def: registers, runs, slots and tables of the frame. */
void vm_check_insn(const World *w, const Lane *lane);
/* The tile lies in the lane's memory; what is accessed next may be in it. */
void vm_check_slot(Lane *lane, const BcTile *t);
/* The local side of an access at `at`: in the tile that vm_check_slot named, or an element of 8
 * bytes. */
void vm_check_local(const Lane *lane, const RectPair *p, const char *at);
/* The other side, in a region of device memory. */
void vm_check_region(const Region *region, const FabRect *r);
/* Valid extents within the tile's shape. */
void vm_check_valid(const BcTile *t, const int64_t *valid);
#else
#define VM_CHECKED 0
#define vm_check_insn(w, lane) ((void)0)
#define vm_check_slot(lane, t) ((void)0)
#define vm_check_local(lane, p, at) ((void)0)
#define vm_check_region(region, r) ((void)0)
#define vm_check_valid(t, valid) ((void)0)
#endif

#endif
