/* pl.array: small arrays of integers, booleans or task ids. They are memory of as many elements
 * that starts at zero, or no task; a name that is bound to an array gets its own. */
#include "elab/typed/typed.h"
#include <string.h>

static Val zeros(Elab *e, int64_t n, Dtype dtype, Span span)
{
    Expr *shape = ex_list(e->p, (Expr *[]){ex_index(e->p, n)}, 1);
    Expr *zero = dtype == DT_BOOL ? ex_bool(e->p, false) : ex_int(e->p, dtype, 0);
    Expr *slots[OP_MAX_SLOTS] = {shape, ex_dtype(e->p, dtype), zero};
    bool core = e->fn->level == FN_INCORE;
    Val v = elab_make_op(e, core ? OP_TENSOR_SCRATCH : OP_TENSOR_CREATE, slots, span);
    e->fn->array = v.kind == V_EXPR ? v.expr : NULL;
    return v;
}

bool elab_is_array(Elab *e, const Expr *x)
{
    bool view;
    if (!x->type || !type_is_memory(x->type))
        return false;
    while (x && x->kind != EX_VAR && x != e->fn->array)
        x = expr_memory(x, 0, &view);
    return x && (x == e->fn->array || func_var(e->fn->f, x->var)->array);
}

/* to[index] = from[index] */
static void copy_element(Elab *e, Block *out, Expr *to, Expr *from, Expr *index)
{
    Expr *at[] = {expr_clone(e->p, index), expr_clone(e->p, index)};
    Expr *read[OP_MAX_SLOTS] = {expr_clone(e->p, from), elab_list(e, &at[0], 1, from->span)};
    Val v = elab_make_op(e, OP_READ, read, from->span);
    Expr *write[OP_MAX_SLOTS] = {expr_clone(e->p, to), elab_list(e, &at[1], 1, from->span)};
    if (v.kind != V_EXPR)
        return;
    write[OPND(WRITE, value)] = v.expr;
    v = elab_make_op(e, OP_WRITE, write, from->span);
    if (v.kind != V_EXPR)
        return;
    Stmt *s = stmt_new(e->p, ST_EXPR, e->fn->loc);
    s->value = v.expr;
    avec_push(e->arena, out, s);
}

enum { UNROLLED = 8 };

static void copy_elements(Elab *e, Expr *to, Expr *from, int64_t n)
{
    Fn *fn = e->fn;
    for (int64_t i = 0; i < n && n <= UNROLLED; i++)
        copy_element(e, fn->block, to, from, ex_index(e->p, i));
    if (n <= UNROLLED)
        return;
    Stmt *loop = elab_emit(e, ST_FOR);
    loop->nest->loop = LOOP_RANGE;
    loop->nest->lo = ex_index(e->p, 0);
    loop->nest->hi = ex_index(e->p, n);
    loop->nest->step = ex_index(e->p, 1);
    loop->nest->index = func_new_var(e->p, fn->f, elab_fresh(e, "element"),
                                     type_scalar(e->tt, DT_INDEX), from->span);
    copy_element(e, &loop->nest->body, to, from, ex_var(e->p, fn->f, loop->nest->index));
}

static Expr *copy(Elab *e, Expr *from)
{
    int64_t n;
    (void)type_elements(from->type, &n);
    Val made = zeros(e, n, from->type->dtype, from->span);
    if (made.kind != V_EXPR)
        return NULL;
    Sym name = elab_fresh(e, "array");
    elab_emit_let(e, name, from->span, made.expr, made.expr->type);
    bool found;
    Val to = elab_local(e, name, from->span, &found);
    copy_elements(e, to.expr, from, n);
    return to.expr;
}

Expr *elab_own_array(Elab *e, Expr *x, Sym name)
{
    if (!elab_is_array(e, x) || x == e->fn->array)
        return x;
    bool write = x->kind == EX_OP && x->op == OP_WRITE, view;
    Expr *from = write ? x->args[0] : x;
    const Expr *whose = from;
    while (whose && whose->kind != EX_VAR)
        whose = expr_memory(whose, 0, &view);
    if (write && whose && func_var(e->fn->f, whose->var)->base == name)
        return x; /* a = pl.array.update_element(a, i, v) */
    Expr *own = copy(e, from);
    if (write && own)
        x->args[0] = own;
    return write && own ? x : own;
}

static Val create(Elab *e, const Ast *call)
{
    const AstList *args = &call->call.args;
    if (args->len != 2 || call->call.keywords.len || !e->fn || e->fn->level == FN_HOST) {
        elab_error(e, call->span, "type",
                   "pl.array.create(n, dtype) takes a compile-time length and an integer dtype, "
                   "pl.BOOL or pl.TASK_ID, and stands in a kernel or an orchestration function");
        return val_bad;
    }
    int64_t n;
    Val length = elab_eval(e, args->at[0]);
    if (length.kind == V_EXPR && elab_constant(e, length.expr, &n))
        length = val_int(n);
    if (length.kind != V_INT || length.i < 1 || length.i > 1 << 20) {
        if (length.kind != V_BAD)
            elab_error(e, args->at[0]->span, "type",
                       "the length of an array is a compile-time integer from 1, got %s",
                       val_describe(e, length));
        return val_bad;
    }
    Val dtype = elab_eval(e, args->at[1]);
    bool good = dtype.kind == V_DTYPE &&
                (dtype.dtype == DT_BOOL || dtype.dtype == DT_INDEX || dtype_is_int(dtype.dtype) ||
                 (dtype.dtype == DT_TASK_ID && e->fn->level == FN_ORCH));
    if (!good) {
        if (dtype.kind != V_BAD)
            elab_error(e, args->at[1]->span, "type",
                       "an array holds integers, pl.BOOL or pl.TASK_ID, got %s",
                       val_describe(e, dtype));
        return val_bad;
    }
    return zeros(e, length.i, dtype.dtype == DT_INDEX ? DT_INT64 : dtype.dtype, call->span);
}

/* pl.array.get_element(a, i), pl.array.update_element(a, i, v) */
static Val element(Elab *e, const Ast *call, bool update)
{
    const AstList *args = &call->call.args;
    if (args->len != (update ? 3u : 2u) || call->call.keywords.len) {
        elab_error(e, call->span, "type", "write pl.array.%s",
                   update ? "update_element(a, index, value)" : "get_element(a, index)");
        return val_bad;
    }
    Val base = elab_eval(e, args->at[0]);
    if (base.kind == V_BAD)
        return base;
    if (base.kind != V_EXPR || !type_is_memory(base.expr->type) || base.expr->type->rank != 1) {
        elab_error(e, args->at[0]->span, "type", "an array is wanted, got %s",
                   val_describe(e, base));
        return val_bad;
    }
    Expr *index = elab_int(e, elab_eval(e, args->at[1]), args->at[1]->span, "an index");
    if (!index)
        return val_bad;
    Expr *slots[OP_MAX_SLOTS] = {base.expr, elab_list(e, &index, 1, index->span)};
    if (update)
        slots[2] = elab_slot(e, OP_WRITE, OPND(WRITE, value), elab_eval(e, args->at[2]),
                             args->at[2]->span, slots);
    return update && !slots[2] ? val_bad
                               : elab_make_op(e, update ? OP_WRITE : OP_READ, slots, call->span);
}

bool elab_array_call(Elab *e, Sym dotted, const Ast *call, Val *out)
{
    if (strcmp(dotted, "pl.array.create") == 0)
        *out = create(e, call);
    else if (strcmp(dotted, "pl.array.get_element") == 0)
        *out = element(e, call, false);
    else if (strcmp(dotted, "pl.array.update_element") == 0)
        *out = element(e, call, true);
    else
        return false;
    return true;
}
