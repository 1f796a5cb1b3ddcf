/* Folding rules. An operand is dropped only when expr_is_free says that nobody could notice. */
#include "lower/fold.h"
#include "base/devarith.h"
#include "lower/util.h"

static bool is_const(const Expr *e)
{
    return e->kind == EX_INT || e->kind == EX_BOOL;
}

static bool is_literal(const Expr *e)
{
    return is_const(e) || e->kind == EX_FLOAT;
}

static bool same_type(const Expr *a, const Expr *b)
{
    return a->type == b->type;
}

/* A constant of the type of `like`, at its place. */
static Expr *constant(Program *p, const Expr *like, int64_t v)
{
    Expr *e = like->type->dtype == DT_BOOL ? ex_bool(p, v != 0) : ex_int(p, like->type->dtype, v);
    e->span = like->span;
    return e;
}

static Expr *fold_constants(Program *p, Expr *e)
{
    Expr *folded = NULL;
    if (e->scalar == SC_CAST)
        folded = is_literal(e->args[0]) ? ex_cast(p, e->dtype, e->args[0]) : NULL;
    else if (e->n_args < 3 && is_literal(e->args[0]) && (e->n_args == 1 || is_literal(e->args[1])))
        folded = ex_scalar(p, e->scalar, e->args[0], e->n_args == 2 ? e->args[1] : NULL);
    if (!folded || !is_literal(folded) || folded->type != e->type)
        return e;
    folded->span = e->span;
    return folded;
}

static bool commutes(ScalarOp op)
{
    switch (op) {
    case SC_ADD:
    case SC_MUL:
    case SC_BITAND:
    case SC_BITOR:
    case SC_BITXOR:
    case SC_EQ:
    case SC_NE:
    case SC_MIN:
    case SC_MAX: return true;
    default: return false;
    }
}

/* The comparison with its sides exchanged. */
static ScalarOp mirrored(ScalarOp op)
{
    switch (op) {
    case SC_LT: return SC_GT;
    case SC_LE: return SC_GE;
    case SC_GT: return SC_LT;
    case SC_GE: return SC_LE;
    default: return op;
    }
}

static void constant_right(Expr *e)
{
    bool mirror = mirrored(e->scalar) != e->scalar;
    if (!is_const(e->args[0]) || is_const(e->args[1]) || (!commutes(e->scalar) && !mirror))
        return;
    Expr *swap = e->args[0];
    e->args[0] = e->args[1];
    e->args[1] = swap;
    e->scalar = mirrored(e->scalar);
}

/* x op c where x stays: x + 0, x * 1, ... */
static bool is_identity(ScalarOp op, int64_t c)
{
    switch (op) {
    case SC_ADD:
    case SC_SUB:
    case SC_BITOR:
    case SC_BITXOR:
    case SC_SHL:
    case SC_SHR: return c == 0;
    case SC_MUL:
    case SC_FLOORDIV: return c == 1;
    case SC_BITAND: return c == -1;
    default: return false;
    }
}

/* x op c that is a constant whatever x is. */
static bool absorbs(ScalarOp op, int64_t c, int64_t *value)
{
    *value = 0;
    return ((op == SC_MUL || op == SC_BITAND) && c == 0) || (op == SC_MOD && c == 1);
}

/* (x + a) + b is x + (a + b), also for - and *; wrapping arithmetic allows it. */
static Expr *reassociate(Program *p, Expr *e)
{
    Expr *in = e->args[0];
    bool sums = (e->scalar == SC_ADD || e->scalar == SC_SUB) && in->kind == EX_SCALAR &&
                (in->scalar == SC_ADD || in->scalar == SC_SUB);
    bool products = e->scalar == SC_MUL && in->kind == EX_SCALAR && in->scalar == SC_MUL;
    if ((!sums && !products) || !is_const(in->args[1]) || !same_type(in, e) ||
        !same_type(in->args[0], e) || !same_type(in->args[1], e->args[1]))
        return e;
    ScalarOp op = products ? SC_MUL : in->scalar == e->scalar ? SC_ADD : SC_SUB;
    int64_t c;
    if (dev_binary(op, e->type->dtype, in->args[1]->ival, e->args[1]->ival, &c) != ARITH_OK)
        return e;
    if (sums && c < 0 && c > INT32_MIN) {
        in->scalar = in->scalar == SC_ADD ? SC_SUB : SC_ADD;
        c = -c;
    }
    in->args[1] = constant(p, in->args[1], c);
    return in;
}

static Expr *fold_binary(Program *p, Expr *e)
{
    constant_right(e);
    if (!is_const(e->args[1]) || e->args[1]->kind != EX_INT)
        return e;
    int64_t c = e->args[1]->ival, value;
    if (is_identity(e->scalar, c) && same_type(e, e->args[0]))
        return e->args[0];
    if (absorbs(e->scalar, c, &value) && expr_is_free(e->args[0]))
        return constant(p, e, value);
    return reassociate(p, e);
}

static Expr *fold_logic(Program *p, Expr *e)
{
    bool and = e->scalar == SC_AND;
    Expr *a = e->args[0], *b = e->args[1];
    if (a->kind == EX_BOOL)
        return (a->ival != 0) == and? b : constant(p, e, !and);
    if (b->kind == EX_BOOL && (b->ival != 0) == and)
        return a;
    if (b->kind == EX_BOOL && expr_is_free(a))
        return constant(p, e, !and);
    return e;
}

static Expr *fold_select(Expr *e)
{
    Expr *cond = e->args[0], *then = e->args[1], *otherwise = e->args[2];
    if (cond->kind == EX_BOOL) {
        Expr *arm = cond->ival ? then : otherwise;
        return same_type(arm, e) ? arm : e;
    }
    if (expr_is_free(cond) && expr_equal(then, otherwise) && same_type(then, e))
        return then;
    return e;
}

static Expr *fold_scalar(Program *p, Expr *e)
{
    Expr *folded = fold_constants(p, e);
    if (folded != e)
        return folded;
    switch (e->scalar) {
    case SC_AND:
    case SC_OR: return fold_logic(p, e);
    case SC_SELECT: return fold_select(e);
    case SC_CAST: return same_type(e, e->args[0]) ? e->args[0] : e;
    case SC_NOT:
    case SC_NEG:
    case SC_INVERT: {
        Expr *a = e->args[0];
        bool twice = a->kind == EX_SCALAR && a->scalar == e->scalar && same_type(a->args[0], e);
        return twice ? a->args[0] : e;
    }
    default: return e->n_args == 2 ? fold_binary(p, e) : e;
    }
}

/* x.shape[axis]: types carry the extents. */
static Expr *fold_dim(Program *p, Expr *e)
{
    int64_t axis;
    const Type *t = e->args[0]->type;
    if (!expr_is_int(e->args[1], &axis) || axis < 0 || axis >= t->rank || !expr_is_free(e->args[0]))
        return e;
    Expr *extent = ex_dim(p, t->dims[axis]);
    extent->span = e->span;
    return extent;
}

/* A constant that fits is one of the other dtype; one that does not stays, to fault. */
static Expr *fold_fit(Program *p, Expr *e)
{
    int64_t v;
    if (!expr_is_int(OP_ARG(e, FIT, value), &v) || v < dtype_min(e->type->dtype) ||
        v > dtype_max(e->type->dtype))
        return e;
    return constant(p, e, v);
}

Expr *fold_node(Program *p, Expr *e)
{
    if (e->kind == EX_SCALAR)
        return fold_scalar(p, e);
    if (e->kind == EX_OP && e->op == OP_FIT)
        return fold_fit(p, e);
    return e->kind == EX_OP && e->op == OP_DIM ? fold_dim(p, e) : e;
}
