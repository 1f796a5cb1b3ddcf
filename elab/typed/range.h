/* What a run-time integer is known to be. Part of elab/typed/typed.h. */
#ifndef PLD_ELAB_RANGE_H
#define PLD_ELAB_RANGE_H

#include "elab/typed/typed.h"

/* The value that an integer or boolean scalar is known to have here, with device semantics. */
bool elab_constant(Elab *e, const Expr *x, int64_t *out);
/* The literal that a name of a floating type stands for here, or NULL. */
const Expr *elab_literal(Elab *e, const Expr *x);
const Bounds *elab_bounds_of(Elab *e, const Expr *x);
const Bounds *elab_bounds_loop(Elab *e, const Expr *lo, const Expr *hi, const Expr *step);
const Bounds *elab_bounds_join(Elab *e, const Bounds *a, const Bounds *b);
void elab_check_dividend(Elab *e, const Expr *dividend, const char *op, Span span);

#endif
