/* Host tensors and scalars before the run: extents, files, init functions. */
#ifndef PLD_SIM_HOST_INPUT_H
#define PLD_SIM_HOST_INPUT_H

#include "sim/host/parts.h"

/* Sets w->extents, w->tensors (shape and initial value), w->scalars. False after an error report.
 */
bool input_prepare(World *w);
/* Gives the tensors of a prepared world the arrays of `config`. False, and nothing has changed,
 * where one has another shape, or an init function made one. */
bool input_again(World *w, const RunConfig *config);
/* Over processes: the values of what is held of the tensors, after the host function. False after
 * an error report. */
bool input_fill(World *w);
/* The init or golden function of a host parameter, or NULL. */
const BcElementFunc *input_func(const World *w, bool golden, uint32_t param);
/* The tensors' values before the run, in parts. */
Parts *input_parts(const World *w);
/* The value of bytes of a tensor, whole elements, put to `to`: as they are now where they are held
 * here, else as they were before the run. False after an error report. */
bool input_bytes(World *w, uint32_t tensor, TensorSpan part, char *to);

#endif
