/* Tensor values on their way to tiles: what the files of lower_tensor_ops share. */
#ifndef PLD_LOWER_VALUE_H
#define PLD_LOWER_VALUE_H

#include "ir/build.h"
#include "lower/value_plan.h"

typedef struct {
    Program *p;
    Func *f;
    ValuePlan plan;
    Block *out;     /* where statements are put */
    const Stmt *at; /* that is being replaced */
} ValueLowering;

static inline Builder value_builder(const ValueLowering *x)
{
    return (Builder){x->p, x->f, x->out, x->at->loc};
}

/* Binds `op` to a name of that base and gives a use of it. */
Expr *value_let(ValueLowering *x, Sym base, Expr *op);
Expr *value_op(ValueLowering *x, OpId op, uint32_t n, Expr **slots);
/* `base`: of the statement's result, or the op's word. */
Sym value_base(const ValueLowering *x);
/* A rectangle of an operand as a tile, of memory in `target`. NULL `offsets`: from 0. */
Expr *value_part(ValueLowering *x, Expr *e, Expr **offsets, const int64_t *extents,
                 MemSpace target);
void value_store(ValueLowering *x, Expr *tile, Expr *memory, Expr **offsets);

/* lower/value_chunk.c: `op` on chunks of its operands into `to`, memory. false: not known how. */
bool value_in_chunks(ValueLowering *x, const Expr *op, Expr *to);
/* Copies a rectangle of memory: from `from` at its offsets (NULL: 0) to `to` at its. */
void value_copy(ValueLowering *x, Expr *from, Expr **from_at, Expr *to, Expr **to_at,
                const int64_t *extents);
/* lower/value_product.c: a product of tensors as a tile, or (`to`) into memory. */
Expr *value_product(ValueLowering *x, const Expr *op, Expr *to);

#endif
