/* Calls of functions: levels, arguments against parameters, dynamic extents. */
#include "elab/typed/with.h"
#include <string.h>

/* Extents of the callee as this call binds them. */
typedef struct {
    Sym name;
    const Dim *value;
    Sym param; /* that bound it */
    Span span; /* of the argument */
} Extent;

typedef struct {
    VEC(Extent) list;
} Extents;

static const Extent *find_extent(const Extents *x, Sym name)
{
    for (uint32_t i = 0; i < x->list.len; i++)
        if (x->list.at[i].name == name)
            return &x->list.at[i];
    return NULL;
}

static const Dim *get_extent(void *env, Sym name)
{
    const Extent *x = find_extent(env, name);
    return x ? x->value : NULL;
}

/* coef * NAME and nothing else. */
static bool is_multiple(const Dim *d, Sym *name, int64_t *coef)
{
    if (d->n_terms != 1 || d->terms[0].n_atoms != 1 || d->terms[0].atoms[0]->kind != DIM_NAME)
        return false;
    *name = d->terms[0].atoms[0]->name;
    *coef = d->terms[0].coef;
    return true;
}

/* d / by, where it divides evenly; NULL otherwise. */
static const Dim *divide(Elab *e, const Dim *d, int64_t by)
{
    int64_t v;
    if (by == 1)
        return d;
    if (by <= 0)
        return NULL;
    if (dim_is_const(d, &v))
        return v % by == 0 ? dim_const(e->tt, v / by) : NULL;
    Term *terms = arena_new_n(e->arena, Term, d->n_terms);
    for (uint32_t i = 0; i < d->n_terms; i++) {
        terms[i] = d->terms[i];
        if (terms[i].coef % by)
            return NULL;
        terms[i].coef /= by;
    }
    /* Rebuilt by arithmetic, so that the result is the interned one. */
    const Dim *q = dim_atom(e->tt, DIM_FLOORDIV, d, dim_const(e->tt, by));
    const Dim *back = q ? dim_mul(e->tt, q, dim_const(e->tt, by)) : NULL;
    return back == d ? q : NULL;
}

/* One call in the making. */
typedef struct {
    FnDecl *d;
    const Ast *ast;
    Val *vals;
    Span *spans;
    Expr **args;
    const Type **given; /* of an argument that is seen with other extents than it has, or NULL */
    Val device, cores;
    uint8_t how;     /* CALL_... */
    uint32_t no_dep; /* parameters, a bit each */
    Span device_span;
} Call;

static bool bind_extent(Elab *e, Extents *x, const Call *c, uint32_t param, Sym name,
                        const Dim *value)
{
    const Extent *old = find_extent(x, name);
    const AstParam *p = elab_param_ast(c->d, param);
    if (!old) {
        avec_push(e->arena, &x->list, (Extent){name, value, p->name, c->spans[param]});
        return true;
    }
    int64_t difference;
    const Dim *apart = dim_sub(e->tt, old->value, value);
    if (apart && (!dim_is_const(apart, &difference) || difference == 0))
        return true; /* they may be equal: the call compares them */
    elab_error(e, c->spans[param], "shape", "%s of %s is %s here, and %s in the argument %s", name,
               c->d->name, dim_text(e->arena, value), dim_text(e->arena, old->value), old->param);
    diag_note(e->diags, old->span, "that argument is here");
    return false;
}

/* The extent of an argument for axis k of its parameter; missing leading ones are 1. */
static const Dim *arriving(Elab *e, const Type *param, const Type *arg, uint32_t k)
{
    return k + arg->rank < param->rank ? dim_const(e->tt, 1)
                                       : arg->dims[k + arg->rank - param->rank];
}

static bool bind_names(Elab *e, Extents *x, const Call *c, uint32_t i, bool multiples)
{
    const Type *p = c->d->annotations.at[i].type, *a = c->args[i]->type;
    Sym name;
    int64_t coef;
    for (uint32_t k = 0; k < p->rank; k++) {
        if (!is_multiple(p->dims[k], &name, &coef) || (coef == 1) == multiples)
            continue;
        if (multiples && find_extent(x, name))
            continue;
        const Dim *value = divide(e, arriving(e, p, a, k), coef);
        if (value && !bind_extent(e, x, c, i, name, value))
            return false;
    }
    return true;
}

static bool is_shaped_pair(const Call *c, uint32_t i)
{
    Val a = c->d->annotations.at[i];
    return a.kind == V_TYPE && type_is_shaped(a.type) && a.type->kind == c->args[i]->type->kind;
}

static bool bind_extents(Elab *e, Extents *x, const Call *c)
{
    for (int multiples = 0; multiples < 2; multiples++)
        for (uint32_t i = 0; i < elab_n_params(c->d); i++)
            if (is_shaped_pair(c, i) && !bind_names(e, x, c, i, multiples))
                return false;
    return true;
}

static bool wrong_argument(Elab *e, const Call *c, uint32_t i, const Type *want)
{
    const Type *got = c->args[i]->type;
    const AstParam *p = elab_param_ast(c->d, i);
    const char *hint = "";
    if (want->kind == TY_DIST && got->kind == TY_TENSOR)
        hint = ": a plain tensor is no window, make a view with pld.window";
    else if (want->kind == TY_TENSOR && got->kind == TY_DIST)
        hint = ": a window is no plain tensor, declare pld.DistributedTensor";
    else if (want->kind == TY_SCALAR && got->kind == TY_SCALAR)
        hint = ": convert it with pl.cast";
    elab_error(e, c->spans[i], "type", "%s of %s is %s, got %s%s", p->name, c->d->name,
               type_text(e->arena, want), type_text(e->arena, got), hint);
    diag_note(e->diags, p->span, "%s is declared here", p->name);
    return false;
}

/* The same memory with the extents of another type. */
static Expr *seen_as(Elab *e, Expr *x, const Type *type, Sym what)
{
    Expr *items[MAX_RANK];
    for (uint32_t k = 0; k < type->rank; k++)
        items[k] = ex_dim(e->p, type->dims[k]);
    Expr *slots[3] = {x, elab_list(e, items, type->rank, x->span), ex_str(e->p, what)};
    Val seen = elab_make_op(e, OP_AS_SHAPE, slots, x->span);
    return seen.kind == V_EXPR ? seen.expr : NULL;
}

/* The argument as the parameter's type has it; false when it is of another type, or after a
 * reported mistake. */
static bool convert(Elab *e, Call *c, uint32_t i, const Type *want)
{
    if (elab_type_fits(e, want, c->args[i]->type))
        return true;
    Sym what = internf(e->in, "%s of %s", elab_param_ast(c->d, i)->name, c->d->name);
    if (type_may_fit(e->tt, want, c->args[i]->type)) {
        c->given[i] = c->args[i]->type;
        c->args[i] = seen_as(e, c->args[i], want, what);
        return c->args[i] != NULL;
    }
    Expr *x = elab_argument(e, c->args[i], want, what);
    if (x)
        c->args[i] = x;
    return x != NULL;
}

static bool check_annotated(Elab *e, Extents *x, Call *c, uint32_t i)
{
    const Type *want = c->d->annotations.at[i].type;
    const Type *bound = type_is_shaped(want) ? type_subst(e->tt, want, get_extent, x) : want;
    if (!bound) {
        elab_error(e, c->spans[i], "shape", "the extents of %s overflow here",
                   elab_param_ast(c->d, i)->name);
        return false;
    }
    uint32_t errors = e->diags->n_errors;
    if (convert(e, c, i, bound))
        return true;
    return e->diags->n_errors == errors && wrong_argument(e, c, i, bound);
}

/* A parameter without annotation has the type that its instance was made for. */
static void convert_found(Elab *e, Call *c, uint32_t i)
{
    const Func *f = c->d->func;
    const Type *want = f->vars.at[f->params.at[i].var].type;
    (void)convert(e, c, i, want); /* the instance was chosen so that it can */
}

/* ---- arguments */

static bool place(Elab *e, Call *c, uint32_t i, Val v, Span span)
{
    if (c->vals[i].kind != V_BAD || c->spans[i].end) {
        elab_error(e, span, "type", "the parameter %s of %s is given twice",
                   elab_param_ast(c->d, i)->name, c->d->name);
        return false;
    }
    c->vals[i] = v;
    c->spans[i] = span;
    return v.kind != V_BAD;
}

static bool place_keyword(Elab *e, Call *c, const AstKeyword *k)
{
    uint32_t n = elab_n_params(c->d);
    const char **names = arena_new_n(e->arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        names[i] = elab_param_ast(c->d, i)->name;
        if (names[i] == k->name)
            elab_note_no_dep(e, k->value, i, &c->no_dep);
        if (names[i] == k->name)
            return place(e, c, i, elab_eval(e, k->value), k->value->span);
    }
    if (e->ir && elab_task_keyword(e, k, &c->how))
        return true;
    if (strcmp(k->name, "device") == 0 || (strcmp(k->name, "cores") == 0 && e->ir)) {
        Val *v = k->name[0] == 'd' ? &c->device : &c->cores;
        *v = elab_eval(e, k->value);
        c->device_span = k->value->span;
        return v->kind != V_BAD;
    }
    const char *near = nearest_name(k->name, names, n);
    elab_error(e, k->span, "name", "%s has no parameter %s%s%s%s", c->d->name, k->name,
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return false;
}

static bool place_defaults(Elab *e, Call *c)
{
    for (uint32_t i = 0; i < elab_n_params(c->d); i++) {
        const AstParam *p = elab_param_ast(c->d, i);
        if (c->spans[i].end)
            continue;
        if (p->default_value) {
            if (!place(e, c, i, elab_default(e, p), c->ast->span))
                return false;
            continue;
        }
        elab_error(e, c->ast->span, "type", "the call of %s lacks its parameter %s", c->d->name,
                   p->name);
        diag_note(e->diags, c->d->def->def.name_span, "%s is here", c->d->name);
        return false;
    }
    return true;
}

static bool place_arguments(Elab *e, Call *c)
{
    uint32_t n = elab_n_params(c->d), given = c->ast->call.args.len;
    bool ok = true;
    for (uint32_t i = 0; i < given; i++) {
        const Ast *a = c->ast->call.args.at[i];
        Val v = elab_eval(e, a);
        elab_note_no_dep(e, a, i, &c->no_dep);
        if (i < n)
            ok &= place(e, c, i, v, a->span);
    }
    for (uint32_t i = 0; i < c->ast->call.keywords.len; i++)
        ok &= place_keyword(e, c, &c->ast->call.keywords.at[i]);
    if (!ok)
        return false;
    if (given <= n)
        return place_defaults(e, c);
    elab_error(e, c->ast->span, "type", "%s takes %u arguments, got %u", c->d->name, n, given);
    diag_note(e->diags, c->d->def->def.name_span, "%s is here", c->d->name);
    return false;
}

static bool make_arguments(Elab *e, Call *c)
{
    bool ok = true;
    for (uint32_t i = 0; i < elab_n_params(c->d); i++) {
        Val a = c->d->annotations.at[i];
        Dtype hint = DT_COUNT;
        if (a.kind == V_TYPE && a.type->kind == TY_SCALAR && val_known(c->vals[i]))
            hint = a.type->dtype;
        else if (a.kind != V_TYPE && c->d->func && c->d->func->params.len > i &&
                 val_known(c->vals[i])) {
            const Type *t = func_var(c->d->func, c->d->func->params.at[i].var)->type;
            hint = t->kind == TY_SCALAR ? t->dtype : DT_COUNT;
        }
        if (hint == DT_BOOL && c->vals[i].kind == V_INT)
            c->vals[i] = val_bool(c->vals[i].i != 0);
        else if (hint != DT_COUNT && dtype_is_int(hint) && c->vals[i].kind == V_BOOL)
            c->vals[i] = val_int(c->vals[i].i);
        if (c->vals[i].kind == V_LIST || c->vals[i].kind == V_TUPLE || c->vals[i].kind == V_DICT) {
            elab_error(e, c->spans[i], "type",
                       "a %s is no argument of a kernel: pass its items, x[0], x[1], each to a "
                       "parameter of its own",
                       val_kind_name(c->vals[i]));
            ok = false;
            continue;
        }
        c->args[i] = elab_expr(e, c->vals[i], hint, c->spans[i]);
        if (c->args[i] && c->args[i]->type->kind == TY_TUPLE) {
            elab_error(e, c->spans[i], "type",
                       "several values cannot be one argument: unpack them first");
            c->args[i] = NULL;
        } else if (c->args[i] && elab_is_array(e, c->args[i])) {
            elab_error(e, c->spans[i], "type", "an array is no argument: pass elements of it");
            c->args[i] = NULL;
        }
        ok &= c->args[i] != NULL;
    }
    return ok;
}

/* ---- levels */

static bool has_window(const Call *c)
{
    for (uint32_t i = 0; i < elab_n_params(c->d); i++)
        if (c->vals[i].kind == V_EXPR && c->vals[i].expr->type &&
            c->vals[i].expr->type->kind == TY_DIST)
            return true;
    return false;
}

/* A call from the host that says no device runs on the first one; windows are of several, so that
 * it must say which. */
static bool check_device(Elab *e, const Call *c, Expr **device, Expr **cores)
{
    bool host = e->fn->level == FN_HOST, given = c->device.kind != V_BAD;
    int64_t v;
    if (host && !given && has_window(c)) {
        elab_error(e, c->ast->span, "level",
                   "a call from the host needs device=, the index of the device that runs %s",
                   c->d->name);
        return false;
    }
    if (!host && given) {
        elab_error(e, c->device_span, "level", "device= is for calls from a host function");
        return false;
    }
    *device = given ? elab_int(e, c->device, c->device_span, "device=") : NULL;
    if (host && !given)
        *device = ex_index(e->p, 0);
    *cores = c->cores.kind != V_BAD ? elab_int(e, c->cores, c->device_span, "cores=") : NULL;
    if (*device && expr_is_int(*device, &v) && v < 0) {
        elab_error(e, c->device_span, "value",
                   "device= is an index into the devices of the run, got %lld", (long long)v);
        return false;
    }
    return !given || *device;
}

static Val finish(Elab *e, Call *c, Extents *x, Expr *device, Expr *cores)
{
    Expr *call = ex_alloc(e->arena, EX_CALL);
    call->callee = c->d->func;
    call->device = device;
    call->cores = cores;
    if (e->fn->blocks && e->fn->level == FN_ORCH && !c->d->spliced) {
        call->cores = e->fn->blocks;
        call->sync_start = e->fn->sync_start;
        e->fn->blocks = NULL;
    }
    call->n_args = elab_n_params(c->d);
    if (e->fn->level == FN_ORCH && c->d->kind == FN_INCORE && !c->d->spliced)
        elab_set_task(e, call, c->how, c->no_dep);
    call->args = c->args;
    call->span = c->ast->span;
    call->type = type_subst(e->tt, c->d->func->result, get_extent, x);
    if (!call->type) {
        elab_error(e, c->ast->span, "shape", "the extents of the result of %s overflow here",
                   c->d->name);
        return val_bad;
    }
    elab_call_effects(e, call);
    const Func *f = c->d->func;
    if (f->alias.len == 1 && f->alias.at[0] >= 0 && c->given[f->alias.at[0]]) {
        /* The memory that comes back is the argument's, with the extents that it has there. */
        const Type *given = c->given[f->alias.at[0]];
        if (type_may_fit(e->tt, given, call->type))
            call = seen_as(e, call, given, internf(e->in, "the result of %s", c->d->name));
    }
    return call ? val_expr(call) : val_bad;
}

/* What a function uses is judged before it: a call of a function with mistakes is not looked at, as
 * what would be said about it may follow from them. */
static bool sound(Elab *e, FnDecl *d, Span call)
{
    bool ok = d->state != FN_FAILED && (d->form != FORM_PLAIN || !elab_fully_annotated(d) ||
                                        elab_function(e, d, NULL, call));
    e->fn->uses_failed |= !ok;
    return ok;
}

/* Between levels only memory is returned: a dispatch is not waited for, and tiles and scalars live
 * on the core. */
static bool check_results(Elab *e, const FnDecl *d, Span call)
{
    FuncKind from = e->fn->level;
    const Type *t = d->func->result;
    uint32_t n = t->kind == TY_TUPLE ? t->n_elems : t->kind != TY_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const Type *one = t->kind == TY_TUPLE ? t->elems[i] : t;
        bool core = d->kind == FN_INCORE && from == FN_ORCH && one->kind != TY_TILE;
        if (type_is_memory(one) || core || d->kind == from)
            continue;
        elab_error(e, call, "type",
                   "%s returns %s, and %s function gets memory only: write it into a tensor and "
                   "return that",
                   d->name, type_text(e->arena, one), elab_level_name(from));
        diag_note(e->diags, d->def->def.name_span, "%s is declared here", d->name);
        return false;
    }
    return true;
}

/* The function as this call wants it: at which level, and which arguments are compile-time values.
 * Those are taken out of the call. */
static FnDecl wanted(Elab *e, const FnDecl *base, Call *c)
{
    FnDecl want = *base;
    FuncKind from = e->fn->level;
    uint32_t n = elab_n_params(base), kept = 0;
    if (base->form != FORM_PLAIN && from != FN_HOST) {
        want.kind = from;
        want.spliced = from == FN_ORCH;
    }
    Val *known = arena_new_n(e->arena, Val, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        bool constant = elab_takes_constant(base, elab_param_ast(base, i)) &&
                        c->vals[i].kind != V_DIM && val_all_known(c->vals[i]);
        known[i] = constant ? c->vals[i] : val_none;
        if (known[i].kind != V_NONE)
            continue;
        c->vals[kept] = c->vals[i];
        c->spans[kept++] = c->spans[i];
    }
    if (kept < n)
        elab_take_consts(e, &want, known);
    return want;
}

Val elab_function_call(Elab *e, FnDecl *base, const Ast *ast)
{
    uint32_t n = elab_n_params(base);
    Expr *device = NULL, *cores = NULL;
    Extents x = {0};
    Call c = {.d = base,
              .ast = ast,
              .vals = arena_new_n(e->arena, Val, n + 1),
              .spans = arena_new_n(e->arena, Span, n + 1),
              .args = arena_new_n(e->arena, Expr *, n + 1),
              .given = arena_new_n(e->arena, const Type *, n + 1)};
    if (base->form == FORM_SUBWORKER && e->fn->level == FN_HOST) {
        diag_warn(e->diags, ast->span, WARN_SUBWORKER,
                  "%s is Python that the host calls: pldrun does not, an @pld.golden says what "
                  "must come out",
                  base->name);
        elab_take_subworker(e, base);
    }
    if (!elab_check_level(e, base, ast->span) || !elab_signature(e, base) ||
        !sound(e, base, ast->span) || !place_arguments(e, &c) ||
        !check_device(e, &c, &device, &cores))
        return val_bad;
    FnDecl want = wanted(e, base, &c);
    c.d = &want;
    n = elab_n_params(&want);
    if (!make_arguments(e, &c) || !bind_extents(e, &x, &c))
        return val_bad;
    for (uint32_t i = 0; i < n; i++)
        if (want.annotations.at[i].kind == V_TYPE && !check_annotated(e, &x, &c, i))
            return val_bad;
    const Type **types = arena_new_n(e->arena, const Type *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        types[i] = c.args[i]->type;
    c.d = elab_instance(e, base, &want, c.args);
    if (!elab_function(e, c.d, types, ast->span)) {
        e->fn->uses_failed = true;
        return val_bad;
    }
    if (!check_results(e, c.d, ast->span))
        return val_bad;
    for (uint32_t i = 0; i < n; i++)
        if (c.d->annotations.at[i].kind != V_TYPE)
            convert_found(e, &c, i);
    return finish(e, &c, &x, device, cores);
}
