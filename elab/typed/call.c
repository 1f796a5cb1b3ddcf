/* Calls that are no operation: typed constants, casts and extremes of scalars, compile-time
 * functions, and where a name is called that cannot be. */
#include "elab/typed/with.h"
#include <string.h>

static const char *const specials[] = {
    "pl.const",  "pl.min",    "pl.max",    "pl.dynamic", "pl.submit",   "pl.spmd_submit",
    "pl.no_dep", "pl.at",     "pl.spmd",   "pl.range",   "pl.parallel", "pl.pipeline",
    "pl.unroll", "pl.yield_", "pl.while_", "pl.cond",    "pld.loc"};

bool elab_is_special_call(const char *dotted)
{
    for (uint32_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(specials[i], dotted) == 0)
            return true;
    return false;
}

/* Positional arguments only, between `min` and `max` of them. */
static bool take(Elab *e, const Ast *call, const char *name, uint32_t min, uint32_t max, Args *args)
{
    if (call->call.keywords.len) {
        elab_error(e, call->call.keywords.at[0].span, "name", "%s has no keyword %s=", name,
                   call->call.keywords.at[0].name);
        return false;
    }
    if (call->call.args.len < min || call->call.args.len > max) {
        elab_error(e, call->span, "type", "%s takes %u%s argument%s, got %u", name, min,
                   max > min ? " or more" : "", min == 1 && max == 1 ? "" : "s",
                   call->call.args.len);
        return false;
    }
    return elab_args(e, call, args);
}

static Val call_const(Elab *e, const Ast *call)
{
    Args args = {0};
    static const char *const names[] = {"value", "dtype"};
    Val v[2] = {{0}, {0}};
    Span at[2] = {call->span, call->span};
    if (!elab_args(e, call, &args))
        return val_bad;
    for (uint32_t i = 0, pos = 0; i < args.len; i++) {
        uint32_t k = 2;
        if (!args.at[i].name)
            k = pos++;
        else
            for (k = 0; k < 2 && strcmp(names[k], args.at[i].name) != 0;)
                k++;
        if (k > 1 || v[k].kind != V_BAD) {
            elab_error(e, args.at[i].span, "type",
                       "pl.const takes a value and a dtype: pl.const(1, pl.INT32)");
            return val_bad;
        }
        v[k] = args.at[i].val;
        at[k] = args.at[i].span;
    }
    bool number = v[0].kind == V_INT || v[0].kind == V_FLOAT || v[0].kind == V_BOOL;
    if (!number || v[1].kind != V_DTYPE) {
        elab_error(e, number ? at[1] : at[0], "type",
                   "pl.const takes a compile-time number and a dtype: pl.const(1, pl.INT32)");
        return val_bad;
    }
    if (v[1].dtype == DT_BOOL && v[0].kind == V_INT && (v[0].i == 0 || v[0].i == 1))
        v[0] = val_bool(v[0].i != 0);
    if (v[0].kind == V_BOOL && v[1].dtype != DT_BOOL)
        v[0] = val_int(v[0].i);
    return e->fn ? val_expr(elab_expr(e, v[0], v[1].dtype, at[0])) : v[0];
}

static Val call_extreme(Elab *e, Sym dotted, const Ast *call)
{
    Args args = {0};
    bool max = dotted[4] == 'a';
    if (!take(e, call, dotted, 2, 64, &args))
        return val_bad;
    Val best = args.at[0].val;
    for (uint32_t i = 1; i < args.len; i++) {
        Val v[2] = {best, args.at[i].val};
        if (val_known(v[0]) && val_known(v[1])) {
            best = elab_fold_call(e, intern(e->in, max ? "max" : "min"), v, 2, call->span);
            if (best.kind == V_BAD)
                return best;
            continue;
        }
        Dtype hint = DT_COUNT;
        for (int k = 0; k < 2; k++)
            if (v[k].kind == V_EXPR && v[k].expr->type && v[k].expr->type->kind == TY_SCALAR)
                hint = v[k].expr->type->dtype;
        Expr *x[2];
        for (int k = 0; k < 2; k++) {
            x[k] = elab_expr(e, v[k], val_known(v[k]) ? hint : DT_COUNT, call->span);
            if (!x[k])
                return val_bad;
            if (x[k]->type->kind != TY_SCALAR) {
                elab_error(e, call->span, "type", "%s takes scalars, got %s: use pl.%s on tiles",
                           dotted, val_describe(e, v[k]), max ? "maximum" : "minimum");
                return val_bad;
            }
        }
        best = elab_scalar(e, max ? SC_MAX : SC_MIN, x, 2, call->span);
        if (best.kind == V_BAD)
            return best;
    }
    return best;
}

static Val call_dynamic(Elab *e, const Ast *call)
{
    Args args = {0};
    if (!take(e, call, "pl.dynamic", 1, 1, &args))
        return val_bad;
    if (e->fn || args.at[0].val.kind != V_STR || !args.at[0].val.s[0]) {
        elab_error(e, call->span, "value",
                   "an extent is declared at module level, with its name: NR = pl.dynamic(\"NR\")");
        return val_bad;
    }
    Sym name = args.at[0].val.s;
    bool known = false;
    for (uint32_t i = 0; i < e->p->extents.len; i++)
        known |= e->p->extents.at[i] == name;
    if (!known)
        avec_push(e->arena, &e->p->extents, name);
    return val_dim(dim_name(e->tt, name));
}

static Val special_call(Elab *e, Sym dotted, const Ast *call)
{
    if (strcmp(dotted, "pl.const") == 0)
        return call_const(e, call);
    if (strcmp(dotted, "pl.min") == 0 || strcmp(dotted, "pl.max") == 0)
        return call_extreme(e, dotted, call);
    if (strcmp(dotted, "pl.dynamic") == 0)
        return call_dynamic(e, call);
    if (strcmp(dotted, "pl.yield_") == 0)
        elab_error(e, call->span, "syntax",
                   "pl.yield_ is a statement of its own: name = pl.yield_(value)");
    else if (strcmp(dotted, "pld.loc") == 0)
        elab_error(e, call->span, "syntax", "pld.loc is a statement of .ir files only");
    else
        elab_error(e, call->span, "syntax",
                   "%s stands in a for statement only: for i in %s(n):", dotted, dotted);
    return val_bad;
}

/* pl.cast of a scalar, its arguments evaluated. */
Val elab_cast_call(Elab *e, const Args *args, Span span)
{
    Val to = val_none;
    Span at = span;
    uint32_t n = 0;
    for (uint32_t i = 1; i < args->len; i++) {
        const Arg *a = &args->at[i];
        bool mode = a->name && strcmp(a->name, "mode") == 0;
        if (mode && ((a->val.kind == V_STR && strcmp(a->val.s, "round") == 0) ||
                     (a->val.kind == V_ENUM && a->val.enum_type == ENUM_CastMode &&
                      a->val.i == CAST_ROUND)))
            continue; /* what a cast of a scalar does */
        if (a->name && strcmp(a->name, "target_type") != 0 && strcmp(a->name, "dtype") != 0) {
            elab_error(
                e, a->name_span, "name",
                "pl.cast of a scalar has no %s=: it takes a value and target_type=", a->name);
            return val_bad;
        }
        to = a->val;
        at = a->span;
        n++;
    }
    if (to.kind != V_DTYPE || n != 1) {
        elab_error(e, at, "type", "pl.cast takes a value and a dtype: pl.cast(x, pl.INT32)");
        return val_bad;
    }
    return elab_scalar_cast(e, args->at[0].val, to.dtype, span);
}

/* The number of devices, in compile-time code. */
static Val world_size(Elab *e, const Ast *call)
{
    if (call->call.args.len || call->call.keywords.len) {
        elab_error(e, call->span, "type", "pld.world_size takes no arguments");
        return val_bad;
    }
    if (e->in_type && !e->whole_default)
        return e->p->ranks_bound ? val_int(e->p->ranks) : val_dim(dim_world(e->p));
    if (!e->whole_default) {
        elab_error(e, call->span, "value",
                   "in compile-time code pld.world_size() is the default of a parameter, "
                   "nr: int = pld.world_size(): compute from that");
        return val_bad;
    }
    e->p->ranks_bound = true;
    return val_int(e->p->ranks);
}

/* In dumps the short name is the extent, the full one the operation; in kernels it is the extent
 * that a parameter brings. */
static bool names_extent(Elab *e)
{
    bool brought = map_get_ptr(&e->fn->extents, intern(e->in, WORLD_EXTENT), NULL);
    return e->ir ? e->fn->f->kind == FN_HOST || brought : e->fn->f->kind != FN_HOST && brought;
}

/* pl.create_tensor without the words that change nothing. */
static Val create_tensor(Elab *e, Sym dotted, const Ast *call)
{
    Ast inner = *call;
    uint32_t n = call->call.keywords.len;
    inner.call.keywords.at = arena_new_n(e->arena, AstKeyword, n + 1);
    inner.call.keywords.len = 0;
    for (uint32_t i = 0; i < n; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        Sym d = elab_dotted(e, k->value);
        bool layout = strcmp(k->name, "layout") == 0;
        if (layout && (!d || (strcmp(d, "pl.ND") != 0 && strcmp(d, "pl.TensorLayout.ND") != 0))) {
            elab_error(e, k->value->span, "type", "the layout of memory is pl.TensorLayout.ND");
            return val_bad;
        }
        if (!layout && strcmp(k->name, "manual_dep") != 0)
            inner.call.keywords.at[inner.call.keywords.len++] = *k;
    }
    return elab_op_call(e, dotted, &inner);
}

static Val call_dotted(Elab *e, Sym dotted, const Ast *call)
{
    Dtype dt;
    bool short_name = strcmp(dotted, "pld.world_size") == 0;
    if (!e->fn && (short_name || strcmp(dotted, "pld.system.world_size") == 0))
        return world_size(e, call);
    if (short_name && names_extent(e))
        return val_expr(ex_dim(e->p, dim_world(e->p)));
    if (strcmp(dotted, "pl.submit") == 0 || strcmp(dotted, "pl.spmd_submit") == 0)
        return elab_submit(e, dotted, call);
    if (strcmp(dotted, "pl.system.task_dummy") == 0 && e->fn)
        return elab_task_dummy(e, call);
    if (strcmp(dotted, "pl.no_dep") == 0 && call->call.args.len == 1)
        return elab_eval(e, call->call.args.at[0]); /* tasks run in order all the same */
    if (strcmp(dotted, "pl.create_tensor") == 0 || strcmp(dotted, "pl.tensor.create") == 0)
        return create_tensor(e, dotted, call);
    if (elab_is_special_call(dotted))
        return special_call(e, dotted, call);
    size_t n = strlen(dotted);
    if (n > 12 && strcmp(dotted + n - 9, ".get_byte") == 0 &&
        dtype_from_name(arena_strndup(e->arena, dotted + 3, n - 12), &dt))
        return val_int(dtype_bytes(dt));
    return elab_op_call(e, dotted, call);
}

static Val call_builtin(Elab *e, const Ast *call)
{
    Args args = {0};
    Sym name = call->call.callee->name;
    if (!elab_args(e, call, &args))
        return val_bad;
    for (uint32_t i = 0; i < args.len; i++) {
        Val v = args.at[i].val;
        int64_t known;
        if (e->fn && v.kind == V_EXPR && elab_constant(e, v.expr, &known))
            v = args.at[i].val = val_int(known);
        bool whole = v.kind != V_EXPR && name[0] != 'm'; /* a list of run-time values */
        if (val_all_known(v) || whole)
            continue;
        if (strcmp(name, "abs") == 0 && args.len == 1 && v.expr->type->kind == TY_SCALAR)
            return elab_scalar(e, SC_ABS, &v.expr, 1, call->span);
        elab_error(e, call->span, "type",
                   "%s() is for compile-time values: use %s on run-time ones", name,
                   elab_builtin_run_time(name));
        return val_bad;
    }
    return elab_builtin(e, name, &args, call->span);
}

static Val call_unknown(Elab *e, const Ast *callee)
{
    if (strcmp(callee->name, "print") == 0) {
        elab_error(e, callee->span, "name",
                   "there is no print(): use pldrun --print NAME, after the run");
        return val_bad;
    }
    VEC(const char *) names = {0};
    for (uint32_t i = 0; i < e->decls.len; i++)
        vec_push(&names, e->decls.at[i].name);
    const char *near = nearest_name(callee->name, names.at, names.len);
    elab_error(e, callee->span, "name", "unknown function %s%s%s%s", callee->name,
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    vec_free(&names);
    return val_bad;
}

static Val call_name(Elab *e, const Ast *call)
{
    const Ast *callee = call->call.callee;
    FnDecl *d = elab_decl(e, callee->name);
    bool local = e->fn && map_get_ptr(&e->fn->locals, callee->name, NULL);
    const CtName *n = local ? NULL : elab_find_name(e->scope, callee->name);
    if (n && n->val.kind == V_BAD)
        return val_bad;
    if (n && n->val.kind == V_POISON)
        return elab_poisoned(e, n, callee->span);
    if (n && n->val.kind == V_HELPER)
        return elab_helper_call(e, n->val.helper, call);
    if (n && n->val.kind == V_MATH)
        return elab_math_call(e, n->val.s, call);
    if (d && !local) {
        if (!e->fn) {
            elab_error(e, call->span, "level",
                       "%s is a function of the program: compile-time code cannot call it",
                       d->name);
            return val_bad;
        }
        if (d->method && e->class_) {
            elab_error(e, callee->span, "name", "%s is a method: write self.%s(...)", d->name,
                       d->name);
            return val_bad;
        }
        return elab_function_call(e, d, call);
    }
    if (!local && !n && elab_is_builtin(callee->name))
        return call_builtin(e, call);
    if (n && n->val.kind == V_PROGRAM) {
        elab_error(e, call->span, "type", "%s is a program: name the class, do not call it",
                   callee->name);
        return val_bad;
    }
    if (local || n) {
        elab_error(e, callee->span, "type", "%s is no function", callee->name);
        return val_bad;
    }
    return call_unknown(e, callee);
}

static Val call_method(Elab *e, const Ast *call)
{
    const Ast *callee = call->call.callee;
    if (callee->attr.base->kind == AST_NAME && callee->attr.base->name == e->s_self && e->fn &&
        e->fn->decl->method) {
        FnDecl *d = elab_decl(e, callee->attr.name);
        if (d)
            return elab_function_call(e, d, call);
        Ast name = {.kind = AST_NAME, .span = callee->attr.name_span, .name = callee->attr.name};
        return call_unknown(e, &name);
    }
    Val base = elab_eval(e, callee->attr.base);
    if (base.kind == V_BAD)
        return base;
    if (base.kind == V_DTYPE && strcmp(callee->attr.name, "get_byte") == 0 &&
        !call->call.args.len && !call->call.keywords.len)
        return val_int(dtype_bytes(base.dtype));
    if (val_known(base))
        return elab_method(e, base, callee->attr.name, call);
    elab_error(e, callee->attr.name_span, "name", "%s has no method %s", val_describe(e, base),
               callee->attr.name);
    return val_bad;
}

bool elab_plain_call(Elab *e, const Ast *call)
{
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        if (call->call.keywords.at[i].name)
            continue;
        elab_error(e, call->call.keywords.at[i].value->span, "syntax",
                   "arguments are written out, there is no **");
        return false;
    }
    return true;
}

Val elab_call(Elab *e, const Ast *call)
{
    const Ast *callee = call->call.callee;
    if (!elab_plain_call(e, call))
        return val_bad;
    Sym dotted = elab_dotted(e, callee);
    if (dotted)
        return call_dotted(e, dotted, call);
    if (callee->kind == AST_NAME)
        return call_name(e, call);
    if (elab_is_math_name(e, callee))
        return elab_math_call(e, callee->attr.name, call);
    if (callee->kind == AST_ATTR)
        return call_method(e, call);
    Val f = elab_eval(e, callee);
    if (f.kind == V_HELPER)
        return elab_helper_call(e, f.helper, call);
    if (f.kind == V_MATH)
        return elab_math_call(e, f.s, call);
    if (f.kind != V_BAD)
        elab_error(e, callee->span, "type", "this cannot be called");
    return val_bad;
}
