/* The caller's arrays: shapes, strides, copies. */
#ifndef PLD_API_ARRAYS_H
#define PLD_API_ARRAYS_H

#include "api/pld.h"
#include "sim/machine/run_config.h"

/* What is wrong with an array for a parameter, in the arena; NULL: nothing. */
const char *arrays_check(Arena *arena, const char *name, const pld_tensor *t, const BcParam *param);
/* Shape and strides of a tensor that arrays_check has let pass. */
void arrays_layout(const pld_tensor *t, int64_t *shape, int64_t *strides);
/* As the simulator takes it: the memory itself where it is dense and no copy is asked for, else a
 * copy in the arena. `t` has strides. */
HostArray arrays_dense(Arena *arena, const char *name, const pld_tensor *t, bool copy);
/* Writes dense elements to where the tensor, which has strides, wants them. */
void arrays_scatter(const pld_tensor *t, const char *dense);

#endif
