/* Building IR: constructors that compute result types. Passes use these and nothing lower. */
#ifndef PLD_IR_BUILD_H
#define PLD_IR_BUILD_H

#include "ir/ir.h"

/* A place to append statements: the block at hand, and the location new statements get. */
typedef struct {
    Program *p;
    Func *f;
    Block *block;
    Loc loc;
} Builder;

Expr *ex_int(Program *p, Dtype dtype, int64_t v);
Expr *ex_index(Program *p, int64_t v);
Expr *ex_float(Program *p, double v);
Expr *ex_bool(Program *p, bool v);
Expr *ex_var(Program *p, const Func *f, VarId v);
Expr *ex_enum(Program *p, EnumType type, int64_t v);
Expr *ex_dtype(Program *p, Dtype dtype);
Expr *ex_str(Program *p, Sym text);
Expr *ex_list(Program *p, Expr **items, uint32_t n);
/* [a, b] from NULL-terminated arguments. */
Expr *ex_listv(Program *p, ...);
/* Scalar operator; folds when all operands are constants (never a fault). Operands of different
 * integer dtypes: INT32 with INDEX gives INDEX. */
Expr *ex_scalar(Program *p, ScalarOp op, Expr *a, Expr *b);
Expr *ex_select(Program *p, Expr *cond, Expr *then, Expr *otherwise);
Expr *ex_cast(Program *p, Dtype to, Expr *a);
/* Is it a constant? Then *v is what a register holds of it (base/devarith.h). */
bool ex_constant(const Expr *e, int64_t *v);
/* A Dim as an INDEX expression. */
Expr *ex_dim(Program *p, const Dim *d);
/* The number of devices: a constant where the program is bound to it. */
const Dim *dim_world(Program *p);
/* The Dim that an integer expression denotes, or NULL when it reads a run-time variable. */
const Dim *dim_of_expr(Program *p, const Expr *e);

/* Operation with its slots in table order, n may be less than the table's; missing ones NULL or
 * their default. The type is inferred; a mistake in the operands is an internal error of the
 * caller. */
Expr *ex_op(Program *p, OpId op, Expr **slots, uint32_t n);
Expr *ex_opv(Program *p, OpId op, uint32_t n, ...);
Expr *ex_call(Program *p, Func *callee, Expr **args, uint32_t n, Expr *device);

Stmt *stmt_new(Program *p, StmtKind kind, Loc loc);
/* Appends `base = value` with a new variable and returns it. */
VarId build_let(Builder *b, Sym base, Expr *value);
void build_expr(Builder *b, Expr *value);
/* Opens `for index in pl.range(lo, hi):` with nothing carried; append to ->body. Step 1. */
Stmt *build_for(Builder *b, Sym index, Expr *lo, Expr *hi);
Stmt *build_if(Builder *b, Expr *cond);

/* Type rules (ir/infer.c): checks the operands of an op against its row, and shape rules, and
 * returns the result type; on a mistake reports to p->diags at the operand's span, with the op's
 * name, what was required and what was found, and returns NULL. `level` is checked too. Fills in
 * defaults. Used by the elaborator, by the builder and by the verifier. */
const Type *infer_op(Program *p, Expr *op, FuncKind level);
/* Gives literals that are operands of an op the type their slot takes, so that a constant means the
 * same however it came there: INDEX, INT32 in i32 slots, and the dtype of the memory or tile for
 * numbers. A literal that does not fit stays as it is. infer_op does this; passes that put
 * constants where names stood do it too. (ir/infer_literal.c) */
bool ex_settle_literals(Program *p, Expr *op);
/* May memory of type `got` be what a parameter of type `want` declares? One kind and dtype, and
 * extents that can be equal, from the last on; leading ones that only one has are 1. */
bool type_may_fit(TypeTable *tt, const Type *want, const Type *got);
/* The memory of the core that the result of an op is in; MEM_UNSET: that of its operand 0. */
MemSpace op_result_memory(const Expr *op);
/* Result dtype of a scalar operator; NULL after a reported mistake. */
const Type *infer_scalar(Program *p, Expr *e);

#endif
