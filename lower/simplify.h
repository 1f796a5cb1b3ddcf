/* The work of the passes simplify and final. */
#ifndef PLD_LOWER_SIMPLIFY_H
#define PLD_LOWER_SIMPLIFY_H

#include "ir/ir.h"

/* Simplifies a function in SSA form until nothing changes; a function in which there was nothing to
 * simplify is marked untouched. */
void simplify_func(Program *p, Func *f);

#endif
