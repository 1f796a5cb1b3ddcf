/* The initial values of the host's tensors, any part of them: from where they come, again and
 * again, so that nobody has to hold the whole of one. */
#ifndef PLD_SIM_HOST_PARTS_H
#define PLD_SIM_HOST_PARTS_H

#include "sim/host/npy.h"
#include "sim/machine/world.h"

typedef struct Parts Parts;

/* Of all tensors of a world, each zeros until something is said of it; everything is in its arena.
 */
Parts *parts_new(World *w);
/* A tensor's values are those of a file or an array that fits; `a` outlives the parts. */
void parts_from_file(Parts *p, uint32_t tensor, const NpyArray *a, const char *path);
/* Those of an init function. What it reads must be known by then, and not by this function. */
void parts_from_init(Parts *p, uint32_t tensor, const BcElementFunc *init);
/* Is it still zeros? */
bool parts_are_zero(const Parts *p, uint32_t tensor);
/* What init and golden functions may look at, by the configuration that the world has now. An
 * element stays until the next look at this tensor: from a bounded number of parts that have been
 * made. */
EvaluateEnv parts_env(Parts *p);
/* Puts a range of a tensor's bytes, whole elements, to `to`. False and *why: a file cannot be read
 * any more, or an element has no value. */
bool parts_make(Parts *p, uint32_t tensor, TensorSpan part, char *to, const char **why);

#endif
