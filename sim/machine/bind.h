/* Dynamic extents: finding them from what arrives, and shape expressions over them. */
#ifndef PLD_SIM_MACHINE_BIND_H
#define PLD_SIM_MACHINE_BIND_H

#include "sim/machine/world.h"

typedef enum { DIM_OK, DIM_UNKNOWN, DIM_OVERFLOW } DimResult;

/* Value of a shape expression; `extents` per extent of the program, -1 for unknown. */
DimResult dim_value(const BcProgram *p, BcDim d, const int64_t *extents, int64_t *out);
/* Is it one dynamic name and nothing else? */
bool dim_is_name(const BcProgram *p, BcDim d, uint32_t *extent);
/* If `d` is linear in its only unknown name: which name it is, and d = mul * name + add. */
bool dim_linear(const BcProgram *p, BcDim d, const int64_t *extents, uint32_t *extent, int64_t *mul,
                int64_t *add);

/* Sets regs[0 .. n_binds) of a function that is called with `mem`, and checks every shape. A fault
 * at the lane's current instruction and false when something does not fit. */
bool bind_call(World *w, Lane *lane, const BcFunc *f, const MemRef *mem, int64_t *regs);

#endif
