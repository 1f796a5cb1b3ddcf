/* State of inline_unroll, shared by its two halves. */
#ifndef PLD_LOWER_EXPAND_H
#define PLD_LOWER_EXPAND_H

#include "base/map.h"
#include "ir/ir.h"

typedef struct {
    Program *p;
    Func *f;    /* the function that is being expanded */
    Map taken;  /* names of f before the pass, and of temporaries since */
    Sym prefix; /* for temporaries: the helper being called */
    uint32_t n_statements;
    uint32_t scopes; /* pl.at around the statement at hand: InCore code */
    bool failed;
} Expand;

/* Is a call of this function made where the call is replaced by the body? */
static inline bool expand_inlines(const Expand *x, const Func *callee)
{
    return x->f->kind == FN_INCORE || x->scopes || callee->spliced;
}
/* Adds the names that appear in a function: its parameters and what it binds. */
void expand_names(Func *f, Map *out);
/* A name that nothing in the caller has: for what lives only between two statements. */
Sym expand_unused_name(void *env, Sym consumer);
/* Appends; reports when the function becomes too long. */
void expand_add(Expand *x, Block *b, Stmt *s);
void expand_let(Expand *x, Block *b, Loc loc, VarId v, Expr *value);
/* targets = values, all at once. */
void expand_assign(Expand *x, Block *b, Loc loc, const VarId *targets, Expr **values, uint32_t n);
/* The body of the helper that the statement calls, in place of the statement (inline.c). */
void expand_call(Expand *x, Block *b, Stmt *call);

#endif
