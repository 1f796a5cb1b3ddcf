/* Integers that a loop rebinds with another dtype than they had before it: the function is
 * elaborated again, with the wider dtype for the whole loop. */
#ifndef PLD_ELAB_WIDEN_H
#define PLD_ELAB_WIDEN_H

#include "elab/typed/typed.h"

/* Notes that `name` needs dtype `to` in the loop; false when it has it already. */
bool elab_note_widening(Elab *e, const Loop *loop, Sym name, Dtype to);
/* After a loop: what is still to be widened means nothing in this round. */
void elab_forget_widened(Elab *e, const Loop *loop);
/* Before a loop: converts the names that are wider in it. */
void elab_widen_entries(Elab *e, const Ast *loop);
/* A value that is bound to `name`, as wide as the loops around want it. */
Expr *elab_widen_binding(Elab *e, Sym name, Expr *x);

#endif
