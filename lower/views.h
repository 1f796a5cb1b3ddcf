/* Which names of a function mean the same memory, and what is done with it. */
#ifndef PLD_LOWER_VIEWS_H
#define PLD_LOWER_VIEWS_H

#include "base/map.h"
#include "ir/ir.h"

typedef enum {
    VIEW_DATA = 1,   /* read or written as data */
    VIEW_SIGNAL = 2, /* operand of a notify, a wait, or the signal of a collective */
} ViewUse;

/* Memory of one function, by variable. */
typedef struct {
    VarId *parent; /* union-find */
    uint8_t *use;  /* ViewUse bits, at the root */
    uint32_t n;
} FuncViews;

typedef struct {
    Program *p;
    Map done; /* Func * -> FuncViews * */
} Views;

/* Follows memory through results, loops, branches and calls. Requires SSA and flat code. */
const FuncViews *views_of(Views *views, Func *f);
VarId view_root(const FuncViews *v, VarId var);
static inline uint8_t view_use(const FuncViews *v, VarId var)
{
    return v->use[view_root(v, var)];
}
void views_free(Views *views);

/* The variable of an operand, VAR_NONE when it is none. */
static inline VarId operand_var(const Expr *e)
{
    return e && e->kind == EX_VAR ? e->var : VAR_NONE;
}

#endif
