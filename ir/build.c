/* Constructors of expressions and statements. Scalar operators fold here, so passes never leave an
 * operator on constants behind. */
#include "ir/build.h"
#include "base/devarith.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

static Expr *ex_new(Program *p, ExprKind kind, const Type *type)
{
    Expr *e = ex_alloc(p->arena, kind);
    e->type = type;
    return e;
}

Expr *ex_int(Program *p, Dtype dtype, int64_t v)
{
    Expr *e = ex_new(p, EX_INT, type_scalar(p->types, dtype));
    e->ival = v;
    return e;
}

Expr *ex_index(Program *p, int64_t v)
{
    return ex_int(p, DT_INDEX, v);
}

/* A floating literal takes the dtype of the tile it meets; FP32 stands for "some float". */
Expr *ex_float(Program *p, double v)
{
    Expr *e = ex_new(p, EX_FLOAT, type_scalar(p->types, DT_FP32));
    e->fval = v;
    return e;
}

Expr *ex_bool(Program *p, bool v)
{
    Expr *e = ex_new(p, EX_BOOL, type_scalar(p->types, DT_BOOL));
    e->ival = v;
    return e;
}

Expr *ex_var(Program *p, const Func *f, VarId v)
{
    Expr *e = ex_new(p, EX_VAR, f->vars.at[v].type);
    e->var = v;
    return e;
}

static Expr *extent(Program *p, Sym name)
{
    Expr *e = ex_new(p, EX_EXTENT, type_scalar(p->types, DT_INDEX));
    e->sym = name;
    return e;
}

Expr *ex_enum(Program *p, EnumType type, int64_t v)
{
    Expr *e = ex_new(p, EX_ENUM, NULL);
    e->enum_type = type;
    e->ival = v;
    return e;
}

Expr *ex_dtype(Program *p, Dtype dtype)
{
    Expr *e = ex_new(p, EX_DTYPE, NULL);
    e->dtype = dtype;
    return e;
}

Expr *ex_str(Program *p, Sym text)
{
    Expr *e = ex_new(p, EX_STR, NULL);
    e->sym = text;
    return e;
}

static void set_args(Program *p, Expr *e, Expr **args, uint32_t n, uint32_t room)
{
    e->n_args = room;
    e->args = arena_new_n(p->arena, Expr *, room ? room : 1);
    if (n)
        memcpy(e->args, args, n * sizeof *args);
}

Expr *ex_list(Program *p, Expr **items, uint32_t n)
{
    Expr *e = ex_new(p, EX_LIST, NULL);
    set_args(p, e, items, n, n);
    return e;
}

Expr *ex_listv(Program *p, ...)
{
    Expr *items[OP_MAX_SLOTS];
    uint32_t n = 0;
    va_list ap;
    va_start(ap, p);
    for (Expr *e; n < OP_MAX_SLOTS && (e = va_arg(ap, Expr *)) != NULL;)
        items[n++] = e;
    va_end(ap);
    return ex_list(p, items, n);
}

bool ex_constant(const Expr *e, int64_t *v)
{
    uint64_t room = 0;
    *v = e->ival;
    if (e->kind != EX_FLOAT)
        return e->kind == EX_INT || e->kind == EX_BOOL;
    *v = dev_from_double(e->fval);
    if (e->type->kind == TY_SCALAR) {
        dtype_store_double(e->type->dtype, &room, e->fval);
        *v = dev_from_double(dtype_load_double(e->type->dtype, &room));
    }
    return true;
}

/* The constant of that type which a register with these bits is; NULL for a NaN, which has no
 * literal. */
static Expr *constant(Program *p, const Type *type, int64_t bits)
{
    if (type->dtype == DT_BOOL)
        return ex_bool(p, bits != 0);
    if (!dtype_is_float(type->dtype))
        return ex_int(p, type->dtype, bits);
    double v = dev_to_double(bits);
    if (isnan(v))
        return NULL;
    Expr *e = ex_float(p, v);
    e->type = type;
    return e;
}

/* `e` itself, or the constant it stands for. What would fault at run time stays, to fault there. */
static Expr *fold(Program *p, Expr *e)
{
    int64_t args[3], out;
    if (e->n_args > 3)
        return e;
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!ex_constant(e->args[i], &args[i]))
            return e;
    if (!scalar_apply(e, args, &out))
        return e;
    Expr *folded = constant(p, e->type, out);
    return folded ? folded : e;
}

static Expr *scalar_node(Program *p, ScalarOp op, Dtype cast_to, Expr **args, uint32_t n)
{
    Expr *e = ex_new(p, EX_SCALAR, NULL);
    e->scalar = op;
    e->dtype = cast_to;
    for (uint32_t i = 0; i < n; i++)
        e->span = span_join(e->span, args[i]->span);
    set_args(p, e, args, n, n);
    e->type = infer_scalar(p, e);
    if (!e->type) {
        diag_internal(p->diags, e->span, "operator '%s' was built on operands it does not take",
                      scalar_text(op));
        e->type = type_scalar(p->types, DT_INDEX);
        return e;
    }
    return fold(p, e);
}

Expr *ex_scalar(Program *p, ScalarOp op, Expr *a, Expr *b)
{
    Expr *args[2] = {a, b};
    return scalar_node(p, op, DT_INDEX, args, b ? 2 : 1);
}

Expr *ex_select(Program *p, Expr *cond, Expr *then, Expr *otherwise)
{
    Expr *args[3] = {cond, then, otherwise};
    return scalar_node(p, SC_SELECT, DT_INDEX, args, 3);
}

Expr *ex_cast(Program *p, Dtype to, Expr *a)
{
    return scalar_node(p, SC_CAST, to, &a, 1);
}

static Expr *atom_expr(Program *p, const Atom *a)
{
    static const ScalarOp op[] = {
        [DIM_FLOORDIV] = SC_FLOORDIV, [DIM_MOD] = SC_MOD, [DIM_MIN] = SC_MIN, [DIM_MAX] = SC_MAX};
    if (a->kind == DIM_NAME)
        return extent(p, a->name);
    return ex_scalar(p, op[a->kind], ex_dim(p, a->left), ex_dim(p, a->right));
}

/* coef times the term's atoms; a coefficient of 1 is left out where there are atoms. */
static Expr *term_expr(Program *p, const Term *t, int64_t coef)
{
    Expr *e = coef == 1 && t->n_atoms ? NULL : ex_index(p, coef);
    for (uint32_t i = 0; i < t->n_atoms; i++) {
        Expr *atom = atom_expr(p, t->atoms[i]);
        e = e ? ex_scalar(p, SC_MUL, e, atom) : atom;
    }
    return e;
}

Expr *ex_dim(Program *p, const Dim *d)
{
    Expr *sum = NULL;
    for (uint32_t i = 0; i < d->n_terms; i++) {
        const Term *t = &d->terms[i];
        bool minus = sum && t->coef < 0 && t->coef != INT64_MIN;
        Expr *e = term_expr(p, t, minus ? -t->coef : t->coef);
        sum = sum ? ex_scalar(p, minus ? SC_SUB : SC_ADD, sum, e) : e;
    }
    return sum ? sum : ex_index(p, 0);
}

static const Dim *dim_of_scalar(Program *p, const Expr *e)
{
    TypeTable *tt = p->types;
    const Dim *a = dim_of_expr(p, e->args[0]);
    if (!a)
        return NULL;
    if (e->scalar == SC_NEG)
        return dim_sub(tt, dim_const(tt, 0), a);
    if (e->scalar == SC_CAST)
        return e->dtype == DT_INDEX || e->dtype == DT_INT64 ? a : NULL;
    const Dim *b = e->n_args == 2 ? dim_of_expr(p, e->args[1]) : NULL;
    if (!b)
        return NULL;
    switch (e->scalar) {
    case SC_ADD: return dim_add(tt, a, b);
    case SC_SUB: return dim_sub(tt, a, b);
    case SC_MUL: return dim_mul(tt, a, b);
    case SC_FLOORDIV: return dim_atom(tt, DIM_FLOORDIV, a, b);
    case SC_MOD: return dim_atom(tt, DIM_MOD, a, b);
    case SC_MIN: return dim_atom(tt, DIM_MIN, a, b);
    case SC_MAX: return dim_atom(tt, DIM_MAX, a, b);
    default: return NULL;
    }
}

const Dim *dim_world(Program *p)
{
    return p->ranks_bound ? dim_const(p->types, p->ranks)
                          : dim_name(p->types, intern(p->in, WORLD_EXTENT));
}

const Dim *dim_of_expr(Program *p, const Expr *e)
{
    int64_t axis;
    if (!e)
        return NULL;
    switch (e->kind) {
    case EX_INT: return dim_const(p->types, e->ival);
    case EX_EXTENT: return dim_name(p->types, e->sym);
    case EX_SCALAR: return dim_of_scalar(p, e);
    case EX_OP:
        if (e->op == OP_WORLD_SIZE)
            return dim_world(p);
        if (e->op == OP_DIM && expr_is_int(e->args[1], &axis) && axis >= 0 &&
            axis < e->args[0]->type->rank)
            return e->args[0]->type->dims[axis];
        return NULL;
    default: return NULL;
    }
}

static FuncKind some_level(const OpInfo *info)
{
    if (info->levels & LEVEL_I)
        return FN_INCORE;
    return info->levels & LEVEL_O ? FN_ORCH : FN_HOST;
}

Expr *ex_op(Program *p, OpId op, Expr **slots, uint32_t n)
{
    const OpInfo *info = op_info(op);
    Expr *e = ex_new(p, EX_OP, NULL);
    e->op = op;
    set_args(p, e, slots, n, info->n_slots);
    e->type = infer_op(p, e, some_level(info));
    if (!e->type) {
        diag_internal(p->diags, e->span, "%s was built with operands it does not take", info->full);
        e->type = type_none(p->types);
    }
    return e;
}

Expr *ex_opv(Program *p, OpId op, uint32_t n, ...)
{
    Expr *slots[OP_MAX_SLOTS];
    va_list ap;
    va_start(ap, n);
    for (uint32_t i = 0; i < n && i < OP_MAX_SLOTS; i++)
        slots[i] = va_arg(ap, Expr *);
    va_end(ap);
    return ex_op(p, op, slots, n);
}

/* Extents of a callee as the arguments of one call bind them. */
typedef struct {
    const Func *callee;
    Expr **args;
} CallEnv;

static const Dim *extent_at_call(void *env, Sym name)
{
    const CallEnv *c = env;
    for (uint32_t i = 0; i < c->callee->params.len; i++) {
        const Type *t = c->callee->vars.at[c->callee->params.at[i].var].type;
        const Type *arg = c->args[i]->type;
        for (uint32_t d = 0; type_is_shaped(t) && d < t->rank; d++) {
            const Dim *dim = t->dims[d];
            bool single = dim->n_terms == 1 && dim->terms[0].coef == 1 &&
                          dim->terms[0].n_atoms == 1 && dim->terms[0].atoms[0]->kind == DIM_NAME;
            if (single && dim->terms[0].atoms[0]->name == name && type_is_shaped(arg) &&
                d < arg->rank)
                return arg->dims[d];
        }
    }
    return NULL;
}

Expr *ex_call(Program *p, Func *callee, Expr **args, uint32_t n, Expr *device)
{
    Expr *e = ex_new(p, EX_CALL, NULL);
    CallEnv env = {callee, args};
    e->callee = callee;
    e->device = device;
    set_args(p, e, args, n, n);
    e->type = type_none(p->types);
    if (callee->result && n == callee->params.len) {
        const Type *t = type_subst(p->types, callee->result, extent_at_call, &env);
        e->type = t ? t : callee->result;
    }
    return e;
}

Stmt *stmt_new(Program *p, StmtKind kind, Loc loc)
{
    static const StmtNest nothing = {.index = VAR_NONE};
    Stmt *s = arena_new(p->arena, Stmt);
    s->kind = kind;
    s->loc = loc;
    s->nest = (StmtNest *)(uintptr_t)&nothing;
    if (stmt_nests(s)) {
        s->nest = arena_new(p->arena, StmtNest);
        s->nest->index = VAR_NONE;
    }
    return s;
}

static Stmt *append(Builder *b, StmtKind kind)
{
    Stmt *s = stmt_new(b->p, kind, b->loc);
    avec_push(b->p->arena, b->block, s);
    return s;
}

VarId build_let(Builder *b, Sym base, Expr *value)
{
    Stmt *s = append(b, ST_LET);
    s->value = value;
    s->n_results = 1;
    s->results = arena_new(b->p->arena, VarId);
    s->results[0] = func_new_var(b->p, b->f, base, value->type, b->loc.span);
    return s->results[0];
}

void build_expr(Builder *b, Expr *value)
{
    append(b, ST_EXPR)->value = value;
}

Stmt *build_for(Builder *b, Sym index, Expr *lo, Expr *hi)
{
    Stmt *s = append(b, ST_FOR);
    s->nest->index =
        func_new_var(b->p, b->f, index, type_scalar(b->p->types, DT_INDEX), b->loc.span);
    s->nest->lo = lo;
    s->nest->hi = hi;
    s->nest->step = ex_index(b->p, 1);
    return s;
}

Stmt *build_if(Builder *b, Expr *cond)
{
    Stmt *s = append(b, ST_IF);
    s->nest->cond = cond;
    return s;
}
