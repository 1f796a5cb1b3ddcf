/* Taking nested ops and calls out of a statement: the work of flatten_calls, and of the inliner
 * where a helper is called inside an expression. */
#ifndef PLD_LOWER_FLATTEN_H
#define PLD_LOWER_FLATTEN_H

#include "ir/ir.h"

typedef struct Flatten Flatten;
struct Flatten {
    Program *p;
    Func *f;
    Block *out;                           /* where hoisted statements go, and then the statement */
    Loc loc;                              /* set by flatten_stmt */
    Sym (*name)(void *env, Sym consumer); /* name of a temporary; NULL: its consumer's */
    void *env;
};

/* Appends what has to run before `s`, and then `s` without nested ops. Nested statements stay as
 * they are. The order of evaluation stays left to right. */
void flatten_stmt(Flatten *x, Stmt *s);

#endif
