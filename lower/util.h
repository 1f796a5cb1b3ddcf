/* Small helpers that several passes share. */
#ifndef PLD_LOWER_UTIL_H
#define PLD_LOWER_UTIL_H

#include "ir/build.h"
#include "ir/ir.h"

void low_push(Program *p, Block *b, Stmt *s);
void low_push_all(Program *p, Block *to, const Block *from);
VarId *low_vars_dup(Program *p, const VarId *vars, uint32_t n);
Expr **low_exprs_new(Program *p, uint32_t n);

/* True when no statement after `s` can run: break, continue, return, or an if whose arms both end
 * so. */
bool low_diverges(const Stmt *s);
bool low_block_diverges(const Block *b);
/* The yield that ends a loop body or an arm (not one that stands before a break), or NULL. */
Stmt *low_end_yield(const Block *b);

/* "load" of "pl.tile.load". */
Sym low_op_word(Program *p, OpId op);
/* The op at the root of a statement's value, or OPCODE_COUNT. */
OpId low_stmt_op(const Stmt *s);
/* A collective stands as the value of a let, or alone. */
static inline bool low_is_collective(const Stmt *s)
{
    OpId op = low_stmt_op(s);
    return op != OPCODE_COUNT && op_is_collective(op);
}
/* The variable of an operand, VAR_NONE when it is none. */
static inline VarId operand_var(const Expr *e)
{
    return e && e->kind == EX_VAR ? e->var : VAR_NONE;
}
/* Operand of an op by name; NULL when left out. */

/* A copy of a statement with everything in it; variables stay the same. */
Stmt *low_stmt_clone(Program *p, const Stmt *s);

/* Values of an integer expression of constants; false when it is none, or would fault. */
bool low_const(const Expr *e, int64_t *value);

/* Infers every op of a function again and reports mistakes as the program's: for passes that put
 * constants where names stood. Stops at the first; false then. */
bool low_check_ops(Program *p, Func *f);

/* [0, 0, ...] and the extents of a shaped type as INDEX lists. */
Expr *low_zeros(Program *p, uint32_t n);
Expr *low_shape(Program *p, const Type *t);

uint32_t low_stmt_count(const Block *b);

#endif
