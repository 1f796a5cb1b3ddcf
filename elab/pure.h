/* Init and golden functions; shared by lower/pure.c and lower/pure_expr.c. */
#ifndef PLD_ELAB_PURE_H
#define PLD_ELAB_PURE_H

#include "elab/elab.h"

typedef struct {
    Elab *e;
    const Func *host;
    Map locals; /* indices, assigned names, names of generators: how often bound at this point */
} Pure;

void pure_count_local(Pure *p, Sym name, int by);
Ast *pure_copy(Pure *p, const Ast *a);
/* The expression with compile-time names replaced and what is known folded. */
Ast *pure_fold(Pure *p, const Ast *a);
/* The number that a literal stands for. */
bool pure_known(const Ast *a, Val *v);

#endif
