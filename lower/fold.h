/* Rewriting one expression to a simpler one of the same value and type. */
#ifndef PLD_LOWER_FOLD_H
#define PLD_LOWER_FOLD_H

#include "ir/ir.h"

/* Simplifies the node itself; its operands are simple already. Returns `e` when nothing applies.
 * Never folds a fault away, never changes the type. */
Expr *fold_node(Program *p, Expr *e);

#endif
