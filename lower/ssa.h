/* Values carried by loops and branches: which yields feed which results, and dropping dead ones. */
#ifndef PLD_LOWER_SSA_H
#define PLD_LOWER_SSA_H

#include "ir/ir.h"

/* A loop or an if with the yields that give its results a value: for a loop the one that ends its
 * body and those before break and continue, for an if those that end its arms. */
typedef struct {
    Stmt *stmt;
    VEC(Stmt *) yields;
} Carrier;

typedef struct {
    VEC(Carrier *) list; /* in source order, outer before inner */
} Carriers;

/* Collects those that carry anything; all of it lives in the program's arena. */
void ssa_carriers(Program *p, const Block *body, Carriers *out);

/* Removes carried values that nothing needs, bindings that nothing needs and `removable` allows
 * (NULL: none), and yields without values. True when something went. */
bool ssa_sweep(Program *p, Func *f, bool (*removable)(const Stmt *s));

#endif
