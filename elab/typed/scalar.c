/* Run-time scalars: how known numbers adapt to their context, and the device's operators. */
#include "elab/typed/typed.h"
#include <string.h>

static Dtype default_dtype(Val v)
{
    return v.kind == V_FLOAT ? DT_FP32 : v.kind == V_BOOL ? DT_BOOL : DT_INDEX;
}

static Expr *known_int(Elab *e, int64_t v, Dtype dtype, Span span)
{
    if (dtype_is_float(dtype)) {
        Expr *x = ex_float(e->p, (double)v);
        x->type = type_scalar(e->tt, dtype);
        return x;
    }
    if (dtype == DT_BOOL || v < dtype_min(dtype) || v > dtype_max(dtype)) {
        elab_error(e, span, "value", "%lld does not fit %s", (long long)v, dtype_name(dtype));
        return NULL;
    }
    return ex_int(e->p, dtype, v);
}

static Expr *known_float(Elab *e, double v, Dtype dtype, Span span)
{
    if (!dtype_is_float(dtype)) {
        elab_error(e, span, "type", "%s does not fit %s, an integer is wanted",
                   val_describe(e, val_float(v)), dtype_name(dtype));
        return NULL;
    }
    Expr *x = ex_float(e->p, v);
    x->type = type_scalar(e->tt, dtype);
    return x;
}

Expr *elab_expr(Elab *e, Val v, Dtype hint, Span span)
{
    Expr *x = NULL;
    Dtype dtype = hint == DT_COUNT ? default_dtype(v) : hint;
    switch (v.kind) {
    case V_BAD: return NULL;
    case V_EXPR:
        if (!v.expr->type || v.expr->type->kind == TY_NONE) {
            elab_error(e, span, "type", "this call has no value");
            return NULL;
        }
        return v.expr;
    case V_INT: x = known_int(e, v.i, dtype, span); break;
    case V_FLOAT: x = known_float(e, v.f, dtype, span); break;
    case V_BOOL: x = ex_bool(e->p, v.i != 0); break;
    case V_DIM: x = ex_dim(e->p, v.dim); break;
    default:
        elab_error(e, span, "type", "%s is a compile-time value, a run-time value is wanted here",
                   val_describe(e, v));
        return NULL;
    }
    if (x)
        x->span = span;
    return x;
}

static bool is_scalar(const Expr *x)
{
    return x->type && x->type->kind == TY_SCALAR;
}

static bool is_float(const Expr *x)
{
    return is_scalar(x) && dtype_is_float(x->type->dtype);
}

Expr *elab_int(Elab *e, Val v, Span span, const char *what)
{
    bool good = v.kind == V_INT || v.kind == V_DIM ||
                (v.kind == V_EXPR && is_scalar(v.expr) && dtype_is_int(v.expr->type->dtype));
    if (v.kind == V_BAD)
        return NULL;
    if (!good) {
        elab_error(e, span, "type", "%s must be an integer, got %s", what, val_describe(e, v));
        return NULL;
    }
    return elab_expr(e, v, DT_COUNT, span);
}

Expr *elab_condition(Elab *e, Val v, Span span, const char *what)
{
    if (v.kind == V_BAD)
        return NULL;
    if (val_known(v) && v.kind != V_DIM)
        return elab_expr(e, val_bool(val_truth(v)), DT_BOOL, span);
    Expr *x = elab_expr(e, v, DT_COUNT, span);
    if (x && is_scalar(x) && x->type->dtype == DT_BOOL)
        return x;
    if (x && is_scalar(x) && dtype_is_int(x->type->dtype)) {
        Expr *args[2] = {x, ex_int(e->p, x->type->dtype, 0)};
        args[1]->span = span;
        Val test = elab_scalar(e, SC_NE, args, 2, span);
        return test.kind == V_EXPR ? test.expr : NULL;
    }
    if (x)
        elab_error(e, span, "type", "%s needs a scalar condition, got %s", what,
                   val_describe(e, v));
    return NULL;
}

Val elab_scalar(Elab *e, ScalarOp op, Expr **args, uint32_t n, Span span)
{
    Expr *x = ex_alloc(e->arena, EX_SCALAR);
    x->scalar = op;
    x->span = span;
    x->n_args = n;
    x->args = arena_new_n(e->arena, Expr *, n);
    memcpy(x->args, args, n * sizeof *args);
    x->type = infer_scalar(e->p, x);
    return x->type ? val_expr(x) : val_bad;
}

/* Both operands as expressions; a known one takes the dtype of the other. */
static bool pair(Elab *e, Val a, Val b, Span span, Expr **out)
{
    Dtype hint = DT_COUNT;
    if (a.kind == V_EXPR && is_scalar(a.expr) && val_known(b))
        hint = a.expr->type->dtype;
    else if (b.kind == V_EXPR && is_scalar(b.expr) && val_known(a))
        hint = b.expr->type->dtype;
    Span sa = a.kind == V_EXPR ? a.expr->span : span, sb = b.kind == V_EXPR ? b.expr->span : span;
    out[0] = elab_expr(e, a, hint, sa);
    out[1] = elab_expr(e, b, hint, sb);
    if (!out[0] || !out[1])
        return false;
    for (int i = 0; i < 2; i++) {
        if (is_scalar(out[i]))
            continue;
        elab_error(e, out[i]->span, "type", "a scalar is wanted here, got %s",
                   val_describe(e, val_expr(out[i])));
        return false;
    }
    return true;
}

Val elab_scalar_binary(Elab *e, BinaryOp op, Val a, Val b, Span span)
{
    Expr *args[2];
    ScalarOp sc = elab_scalar_op(op);
    if (!pair(e, a, b, span, args))
        return val_bad;
    bool floats = is_float(args[0]) || is_float(args[1]);
    if (sc == SC_COUNT || !(scalar_info[sc].device & (floats ? SCALAR_FLOATS : SCALAR_INTS))) {
        elab_error(e, span, "type", "run-time %s have no %s%s", floats ? "floats" : "integers",
                   binary_op_text(op),
                   op == OP_DIV        ? ": integers are divided with //"
                   : op == OP_POW      ? ": write a product or a shift"
                   : op == OP_FLOORDIV ? ": floats are divided with /"
                                       : "");
        return val_bad;
    }
    Val v = elab_scalar(e, sc, args, 2, span);
    if (v.kind == V_EXPR && (sc == SC_FLOORDIV || sc == SC_MOD))
        elab_check_dividend(e, args[0], scalar_text(sc), span);
    return v;
}

Val elab_scalar_unary(Elab *e, UnaryOp op, Val a, Span span)
{
    if (op == OP_NOT) {
        Expr *c = elab_condition(e, a, span, "not");
        return c ? elab_scalar(e, SC_NOT, &c, 1, span) : val_bad;
    }
    if (!is_scalar(a.expr) || (!dtype_is_int(a.expr->type->dtype) && !is_float(a.expr))) {
        elab_error(e, span, "type", "unary %s needs a number, got %s", unary_op_text(op),
                   val_describe(e, a));
        return val_bad;
    }
    if (op == OP_POS)
        return a;
    return elab_scalar(e, op == OP_NEG ? SC_NEG : SC_INVERT, &a.expr, 1, span);
}

Val elab_scalar_compare(Elab *e, CompareOp op, Val a, Val b, Span span)
{
    static const ScalarOp table[] = {[CMP_EQ] = SC_EQ, [CMP_NE] = SC_NE, [CMP_LT] = SC_LT,
                                     [CMP_LE] = SC_LE, [CMP_GT] = SC_GT, [CMP_GE] = SC_GE};
    Expr *args[2];
    if (op > CMP_GE) {
        elab_error(e, span, "type",
                   "run-time scalars are compared with == != < <= > >=, not with '%s'",
                   compare_op_text(op));
        return val_bad;
    }
    return pair(e, a, b, span, args) ? elab_scalar(e, table[op], args, 2, span) : val_bad;
}

Val elab_select(Elab *e, Val cond, Val a, Val b, Span span)
{
    Expr *args[3];
    if (a.kind == V_BAD || b.kind == V_BAD)
        return val_bad;
    args[0] = elab_condition(e, cond, span, "a conditional expression");
    if (!args[0])
        return val_bad;
    for (int i = 0; i < 2; i++) {
        Val v = i ? b : a;
        if (v.kind != V_EXPR || is_scalar(v.expr))
            continue;
        elab_error(e, span, "type",
                   "a conditional expression chooses between scalars, got %s: use an if statement",
                   val_describe(e, v));
        return val_bad;
    }
    return pair(e, a, b, span, args + 1) ? elab_scalar(e, SC_SELECT, args, 3, span) : val_bad;
}

Val elab_scalar_cast(Elab *e, Val a, Dtype to, Span span)
{
    Expr *x = elab_expr(e, a, DT_COUNT, span);
    if (!x)
        return val_bad;
    Expr *c = ex_alloc(e->arena, EX_SCALAR);
    c->scalar = SC_CAST;
    c->dtype = to;
    c->span = span;
    c->n_args = 1;
    c->args = arena_new_n(e->arena, Expr *, 1);
    c->args[0] = x;
    c->type = infer_scalar(e->p, c);
    return c->type ? val_expr(c) : val_bad;
}

/* Does every value of dtype `from` mean the same in `to`? */
static bool holds(Dtype to, Dtype from)
{
    if (dtype_is_float(to) || dtype_is_float(from))
        return to == DT_FP32 && dtype_is_float(from);
    if (to == DT_BOOL || from == DT_BOOL)
        return false;
    return dtype_min(to) <= dtype_min(from) && dtype_max(to) >= dtype_max(from);
}

static Expr *cast_to(Elab *e, Expr *x, Dtype to)
{
    Val v = elab_scalar_cast(e, val_expr(x), to, x->span);
    return v.kind == V_EXPR ? v.expr : NULL;
}

Expr *elab_widen(Elab *e, Expr *x, const Type *want)
{
    if (x->type == want)
        return x;
    if (!is_scalar(x) || want->kind != TY_SCALAR || !holds(want->dtype, x->type->dtype))
        return NULL;
    return cast_to(e, x, want->dtype);
}

Expr *elab_argument(Elab *e, Expr *x, const Type *want, Sym what)
{
    Expr *wide = elab_widen(e, x, want);
    if (wide || !is_scalar(x) || want->kind != TY_SCALAR)
        return wide;
    Dtype from = x->type->dtype, to = want->dtype;
    if (from == DT_BOOL && dtype_is_int(to))
        return cast_to(e, x, to);
    if (to == DT_BOOL && dtype_is_int(from))
        return elab_condition(e, val_expr(x), x->span, "this argument");
    int64_t v;
    if (!dtype_is_int(from) || !dtype_is_int(to))
        return NULL;
    if (expr_is_int(x, &v))
        return elab_expr(e, val_int(v), to, x->span);
    Expr *slots[3] = {x, ex_dtype(e->p, to), ex_str(e->p, what)};
    Val fit = elab_make_op(e, OP_FIT, slots, x->span);
    return fit.kind == V_EXPR ? fit.expr : NULL;
}
