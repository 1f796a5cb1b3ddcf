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
    return elab_make_op(e, core ? OP_TENSOR_SCRATCH : OP_TENSOR_CREATE, slots, span);
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
