/* Functions: parameters, body, directions, results. A function is elaborated at its first call,
 * whose arguments give unannotated parameters their types. */
#include "elab/typed/typed.h"
#include <string.h>

enum { MAX_CALL_DEPTH = 64, MAX_WIDENINGS = 256 };

uint32_t elab_n_params(const FnDecl *d)
{
    return d->def->def.params.len - (d->method ? 1u : 0u);
}

const AstParam *elab_param_ast(const FnDecl *d, uint32_t i)
{
    return &d->def->def.params.at[i + (d->method ? 1u : 0u)];
}

bool elab_is_python_type(const AstParam *p)
{
    static const char *const types[] = {"int", "float", "bool", "str"};
    for (uint32_t i = 0; p->annotation && i < sizeof types / sizeof types[0]; i++)
        if (p->annotation->kind == AST_NAME && strcmp(p->annotation->name, types[i]) == 0)
            return true;
    return false;
}

bool elab_fully_annotated(const FnDecl *d)
{
    for (uint32_t i = 0; i < elab_n_params(d); i++)
        if (!elab_param_ast(d, i)->annotation || elab_is_python_type(elab_param_ast(d, i)) ||
            (i < d->annotations.len && d->annotations.at[i].kind == V_BARE))
            return false;
    return true;
}

/* Which types may stand in the parameters of which level. */
static bool param_type_ok(Elab *e, const FnDecl *d, const AstParam *p, const Type *t)
{
    bool memory = type_is_memory(t), scalar = t->kind == TY_SCALAR;
    bool good = d->kind == FN_HOST   ? t->kind == TY_TENSOR || scalar
                : d->kind == FN_ORCH ? memory || scalar || t->kind == TY_CTX
                                     : memory || scalar || t->kind == TY_TILE || t->kind == TY_CTX;
    if (good)
        return true;
    elab_error(e, p->span, "type", "%s function has no parameter of type %s%s",
               elab_level_name(d->kind), type_text(e->arena, t),
               d->kind == FN_HOST && t->kind == TY_DIST
                   ? ": it makes windows itself, with pld.window"
                   : "");
    return false;
}

static bool param_annotation(Elab *e, FnDecl *d, const AstParam *p)
{
    Val v = val_none;
    bool ok = true;
    if (p->star || (p->default_value && d->kind == FN_HOST)) {
        elab_error(e, p->span, "type", "the parameters of a %s are plain: no *%s",
                   d->kind == FN_HOST ? "host function" : "kernel",
                   d->kind == FN_HOST ? ", no defaults" : "");
        ok = false;
    }
    if (d->kind == FN_ORCH && (strcmp(p->name, "device") == 0 || strcmp(p->name, "cores") == 0)) {
        elab_error(e, p->span, "name",
                   "%s= of a call from the host is where it runs: choose "
                   "another name for this parameter",
                   p->name);
        ok = false;
    }
    if (p->annotation) {
        v = elab_param_annotation(e, p->annotation);
        if (v.kind == V_TYPE)
            ok &= param_type_ok(e, d, p, v.type);
        ok &= v.kind == V_TYPE || v.kind == V_BARE;
    } else if (d->kind == FN_HOST) {
        elab_error(e, p->span, "type",
                   "the parameter %s of a host function needs a type, such as pl.Tensor[[2, 1, "
                   "64], pl.FP32]",
                   p->name);
        ok = false;
    }
    avec_push(e->arena, &d->annotations, v);
    return ok;
}

bool elab_signature(Elab *e, FnDecl *d)
{
    Fn *saved = e->fn;
    bool ok = true;
    if (d->annotations.len == elab_n_params(d))
        return d->state != FN_FAILED;
    ScopeMark mark = elab_enter_scope(e, d);
    e->fn = NULL;
    for (uint32_t i = 0; i < elab_n_params(d); i++) {
        ok &= param_annotation(e, d, elab_param_ast(d, i));
    }
    e->fn = saved;
    elab_leave_scope(e, mark);
    if (!ok)
        d->state = FN_FAILED;
    return ok;
}

static void note_extents(Elab *e, const Type *t)
{
    if (!type_is_shaped(t))
        return;
    for (uint32_t i = 0; i < t->rank; i++) {
        SymList names = {0};
        dim_names(t->dims[i], &names);
        for (uint32_t k = 0; k < names.len; k++)
            map_set_ptr(&e->fn->extents, names.at[k], 1);
        vec_free(&names);
    }
}

static void add_param(Elab *e, FnDecl *d, uint32_t i, const Type *t)
{
    Func *f = d->func;
    const AstParam *p = elab_param_ast(d, i);
    VarId v = func_new_var(e->p, f, p->name, t, p->span);
    uint32_t id = elab_name_id(e, p->name);
    Name n = {.state = NM_VAR, .var = v, .where = p->span};
    if (type_is_memory(t))
        n.memory = alias_source(&e->fn->memory, i, ALIAS_NONE);
    avec_push(&e->fn->scratch, &e->fn->vars.at[id], v);
    elab_set_name(e, id, n);
    avec_push(e->arena, &f->params, (Param){.var = v, .dir = DIR_IN});
    map_set_ptr(&e->fn->locals, p->name, 1);
    note_extents(e, t);
}

/* What arrives for a parameter annotated pl.Tensor is one. */
static bool bare_fits(Elab *e, Val a, const AstParam *p, const Type *t)
{
    if (a.kind != V_BARE || (TypeKind)a.i == t->kind)
        return true;
    elab_error(e, p->span, "type", "%s is declared %s, %s arrives", p->name,
               a.i == TY_TENSOR ? "pl.Tensor" : "pld.DistributedTensor", type_text(e->arena, t));
    return false;
}

static bool add_params(Elab *e, FnDecl *d, const Type *const *arg_types)
{
    bool ok = true;
    for (uint32_t i = 0; i < elab_n_params(d); i++) {
        Val a = d->annotations.at[i];
        const AstParam *p = elab_param_ast(d, i);
        const Type *t = a.kind == V_TYPE ? a.type : arg_types ? arg_types[i] : NULL;
        if (!t) {
            ok = false;
            continue;
        }
        ok &= a.kind == V_TYPE || (param_type_ok(e, d, p, t) && bare_fits(e, a, p, t));
        add_param(e, d, i, t);
    }
    return ok;
}

/* Parameters that are compile-time values in this instance. */
static void add_consts(Elab *e, const FnDecl *d)
{
    for (uint32_t i = 0; i < d->consts.len; i++) {
        const CtName *c = &d->consts.at[i];
        map_set_ptr(&e->fn->locals, c->name, 1);
        elab_set_name(e, elab_name_id(e, c->name),
                      (Name){.state = NM_CONST, .val = c->val, .where = c->span});
    }
}

/* ---- results */

static const Type *result_type(Elab *e, const Stmt *ret)
{
    if (!ret || ret->n_values == 0)
        return type_none(e->tt);
    if (ret->n_values == 1)
        return ret->values[0]->type;
    const Type **elems = arena_new_n(e->arena, const Type *, ret->n_values);
    for (uint32_t i = 0; i < ret->n_values; i++)
        elems[i] = ret->values[i]->type;
    return type_tuple(e->tt, elems, ret->n_values);
}

/* A window declared as plain memory: what the function returns counts. */
static bool window_fits(Elab *e, const Type *want, const Type *got)
{
    if (want->kind != TY_TENSOR || got->kind != TY_DIST ||
        type_shaped(e->tt, TY_DIST, want->dtype, want->rank, want->dims) != got)
        return false;
    diag_warn(e->diags, e->fn->decl->def->def.returns->span, WARN_WINDOW_AS_TENSOR,
              "%s returns the window %s: write that", e->fn->f->name, type_text(e->arena, got));
    return true;
}

static bool result_fits(Elab *e, const Type *want, const Type *got)
{
    if (want->kind == TY_TUPLE && got->kind == TY_TUPLE && want->n_elems == got->n_elems) {
        for (uint32_t i = 0; i < want->n_elems; i++)
            if (!elab_type_fits(e, want->elems[i], got->elems[i]) &&
                !window_fits(e, want->elems[i], got->elems[i]))
                return false;
        return true;
    }
    return elab_type_fits(e, want, got) || window_fits(e, want, got);
}

static void finish_result(Elab *e, FnDecl *d)
{
    Func *f = d->func;
    const Stmt *last = f->body.len ? vec_last(&f->body) : NULL;
    const Stmt *ret = last && last->kind == ST_RETURN ? last : NULL;
    const Type *declared = e->fn->declared_result;
    f->result = result_type(e, ret);
    if (!declared || result_fits(e, declared, f->result))
        return;
    elab_error(e, d->def->def.returns->span, "type", "%s is declared to return %s, it returns %s",
               d->name, type_text(e->arena, declared),
               f->result->kind == TY_NONE ? "nothing" : type_text(e->arena, f->result));
}

static void run_body(Elab *e, FnDecl *d)
{
    BlockFrame frame;
    elab_open(e, &frame, BLOCK_FUNCTION, &d->func->body);
    frame.tail = true;
    elab_param_views(e, &d->def->def.body, NULL);
    elab_block(e, &d->def->def.body);
    if (frame.yield)
        elab_error(e, frame.yield->loc.span, "syntax",
                   "pl.yield_ ends the body of a loop or an arm of an if");
    elab_close(e, &frame);
}

static Func *new_func(Elab *e, FnDecl *d)
{
    Func *f = arena_new(e->arena, Func);
    f->kind = d->kind;
    f->generated = d->generated;
    f->spliced = d->spliced;
    f->name = d->name;
    f->span = d->def->def.name_span;
    f->loc = d->place;
    f->loc.span = f->span;
    f->rtol = f->atol = -1;
    f->result = type_none(e->tt);
    d->func = f;
    return f;
}

static void declared_result(Elab *e, const FnDecl *d)
{
    Fn *fn = e->fn;
    if (!d->def->def.returns)
        return;
    e->fn = NULL;
    Val v = elab_param_annotation(e, d->def->def.returns);
    e->fn = fn;
    if (v.kind == V_TYPE)
        fn->declared_result = v.type;
}

static void free_fn(Fn *fn)
{
    map_free(&fn->ids);
    paths_free(&fn->paths);
    map_free(&fn->locals);
    map_free(&fn->fresh);
    map_free(&fn->extents);
    map_free(&fn->sites);
    arena_free(&fn->scratch);
}

/* Names that stand for something else in the canonical text of a function. */
static bool names_ok(Elab *e, const FnDecl *d)
{
    const Map *locals = &e->fn->locals;
    Sym taken = map_get_ptr(locals, e->s_pl, NULL)     ? e->s_pl
                : map_get_ptr(locals, e->s_pld, NULL)  ? e->s_pld
                : map_get_ptr(locals, e->s_self, NULL) ? e->s_self
                                                       : NULL;
    for (uint32_t i = 0; i < e->p->extents.len && !taken; i++)
        if (map_get_ptr(locals, e->p->extents.at[i], NULL) &&
            !elab_local_extent(e, &d->def->def.body, e->p->extents.at[i]))
            taken = e->p->extents.at[i];
    if (taken)
        elab_error(e, d->def->def.name_span, "name",
                   "%s binds the name %s, which is %s: choose another", d->name, taken,
                   taken == e->s_pl || taken == e->s_pld ? "the module's"
                   : taken == e->s_self                  ? "the program's"
                                                         : "a dynamic extent");
    return !taken;
}

static bool enter(Elab *e, FnDecl *d, Span call)
{
    if (d->state == FN_BUSY) {
        elab_error(e, call, "level",
                   "%s calls itself: there is no recursion on a device, write a loop", d->name);
        return false;
    }
    if (e->call_depth >= MAX_CALL_DEPTH) {
        elab_error(e, call, "level", "calls nest more than %d deep here", MAX_CALL_DEPTH);
        return false;
    }
    return elab_signature(e, d);
}

/* Parameters come first, and loops have variables of their own: neither is asked for. */
static void warn_unread(Elab *e, const Fn *fn)
{
    for (uint32_t id = elab_n_params(fn->decl); id < fn->vars.len && !e->ir; id++)
        if (fn->vars.at[id].len && !fn->read.at[id] && fn->name_syms.at[id][0] != '_')
            diag_warn(e->diags, func_var(fn->f, fn->vars.at[id].at[0])->span, WARN_UNUSED_VARIABLE,
                      "%s is bound and never read", fn->name_syms.at[id]);
}

static void find_bad(void *env, Ast *a)
{
    bool *bad = env;
    *bad |= a->kind == AST_ERROR;
    ast_children(a, find_bad, env);
}

/* Does the text of the function hold mistakes of syntax? Then it never becomes whole. */
static bool has_bad_lines(const Elab *e, const Ast *def)
{
    bool bad = false;
    if (e->syntax_errors)
        ast_children(def, find_bad, &bad);
    return bad;
}

bool elab_function(Elab *e, FnDecl *d, const Type *const *arg_types, Span call)
{
    if (d->state == FN_DONE || d->state == FN_FAILED)
        return d->state == FN_DONE;
    if (!enter(e, d, call))
        return false;
    Fn *saved = e->fn;
    Fn fn = {.decl = d, .f = new_func(e, d), .level = d->kind, .memory = alias_graph(e->arena)};
    uint32_t errors = e->diags->n_errors;
    fn.uses_failed = has_bad_lines(e, d->def);
    d->state = FN_BUSY;
    d->first_call = call;
    ScopeMark mark = elab_enter_scope(e, d);
    e->fn = &fn;
    e->call_depth++;
    avec_push_long(&fn.scratch, &fn.meanings, arena_new(&fn.scratch, Name));
    elab_collect_bound(e, &d->def->def.body, &fn.locals, NULL);
    declared_result(e, d);
    elab_expansions(e, d->def);
    add_consts(e, d);
    if (add_params(e, d, arg_types) && names_ok(e, d)) {
        run_body(e, d);
        elab_finish_effects(e);
        warn_unread(e, &fn);
        if (e->diags->n_errors == errors && !fn.uses_failed)
            finish_result(e, d);
        if (e->ir && e->header->stage >= PASS_CONVERT_TO_SSA && e->diags->n_errors == errors)
            func_recover_bases(e->p, fn.f);
    }
    e->call_depth--;
    e->fn = saved;
    elab_leave_scope(e, mark);
    free_fn(&fn);
    d->state = e->diags->n_errors == errors && !fn.uses_failed ? FN_DONE : FN_FAILED;
    if (d->again && d->state == FN_DONE && d->widenings.len <= MAX_WIDENINGS) {
        d->again = false;
        d->state = FN_NEW;
        return elab_function(e, d, arg_types, call);
    }
    return d->state == FN_DONE;
}
