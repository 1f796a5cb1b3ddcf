/* @pld.init and @pld.golden functions: their names are resolved, what is known at compile time is
 * replaced by literals, and branches on it are taken. What is left reads indices, elements of host
 * tensors, extents and host scalars only. */
#include "elab/pure.h"
#include <string.h>

static void run_block(Pure *p, const AstList *in, AstList *out);

static bool target_ok(Pure *p, const Ast *t)
{
    if (t->kind == AST_NAME)
        return true;
    bool ok = t->kind == AST_TUPLE || t->kind == AST_LIST;
    for (uint32_t i = 0; ok && i < t->items.len; i++)
        ok = t->items.at[i]->kind == AST_NAME;
    if (!ok)
        elab_error(p->e, t->span, "syntax", "init and golden functions assign to names only");
    return ok;
}

static Ast *run_assign(Pure *p, const Ast *s)
{
    Ast *c = pure_copy(p, s);
    for (uint32_t i = 0; i < s->assign.targets.len; i++)
        if (!target_ok(p, s->assign.targets.at[i]))
            return NULL;
    c->assign.value = pure_fold(p, s->assign.value);
    return c;
}

/* An annotation says nothing that the numbers do not show: it goes. */
static Ast *run_ann(Pure *p, const Ast *s)
{
    if (!s->ann.value || !target_ok(p, s->ann.target)) {
        elab_error(p->e, s->span, "syntax", "a name needs a value here");
        return NULL;
    }
    Ast *c = pure_copy(p, s);
    c->kind = AST_ASSIGN;
    c->assign.targets = (AstList){0};
    avec_push(p->e->arena, &c->assign.targets, s->ann.target);
    c->assign.value = pure_fold(p, s->ann.value);
    return c;
}

static Ast *run_aug(Pure *p, const Ast *s)
{
    Ast *c = pure_copy(p, s);
    if (s->aug.target->kind != AST_NAME) {
        elab_error(p->e, s->aug.target->span, "syntax",
                   "init and golden functions assign to names only");
        return NULL;
    }
    c->aug.value = pure_fold(p, s->aug.value);
    return c;
}

static void run_if(Pure *p, const Ast *s, AstList *out)
{
    Val v;
    Ast *cond = pure_fold(p, s->if_.cond);
    if (pure_known(cond, &v)) {
        run_block(p, val_truth(v) ? &s->if_.then : &s->if_.otherwise, out);
        return;
    }
    Ast *c = pure_copy(p, s);
    c->if_.cond = cond;
    c->if_.then = c->if_.otherwise = (AstList){0};
    run_block(p, &s->if_.then, &c->if_.then);
    run_block(p, &s->if_.otherwise, &c->if_.otherwise);
    if (c->if_.then.len == 0) {
        Ast *pass = pure_copy(p, s);
        pass->kind = AST_PASS;
        avec_push(p->e->arena, &c->if_.then, pass);
    }
    avec_push(p->e->arena, out, c);
}

static Ast *run_return(Pure *p, const Ast *s)
{
    if (!s->value) {
        elab_error(p->e, s->span, "type", "an init or golden function returns a number");
        return NULL;
    }
    Ast *c = pure_copy(p, s);
    c->value = pure_fold(p, s->value);
    return c;
}

static Ast *run_simple(Pure *p, const Ast *s)
{
    switch (s->kind) {
    case AST_ASSIGN: return run_assign(p, s);
    case AST_ANN_ASSIGN: return run_ann(p, s);
    case AST_AUG_ASSIGN: return run_aug(p, s);
    case AST_RETURN: return run_return(p, s);
    case AST_PASS:
    case AST_ERROR: return NULL;
    case AST_EXPR_STMT:
        if (s->value->kind == AST_STR)
            return NULL;
        elab_error(p->e, s->span, "syntax", "this statement has no effect: delete it");
        return NULL;
    default:
        elab_error(p->e, s->span, "syntax",
                   "init and golden functions have assignments, if and return, no %s%s",
                   ast_kind_name(s->kind),
                   s->kind == AST_FOR || s->kind == AST_WHILE
                       ? ": write sum(value for k in range(n)) and the like"
                       : "");
        return NULL;
    }
}

static bool always_returns(const AstList *body)
{
    if (body->len == 0)
        return false;
    const Ast *last = body->at[body->len - 1];
    return last->kind == AST_RETURN || (last->kind == AST_IF && always_returns(&last->if_.then) &&
                                        always_returns(&last->if_.otherwise));
}

static void run_block(Pure *p, const AstList *in, AstList *out)
{
    for (uint32_t i = 0; i < in->len && !always_returns(out); i++) {
        if (in->at[i]->kind == AST_IF) {
            run_if(p, in->at[i], out);
            continue;
        }
        Ast *s = run_simple(p, in->at[i]);
        if (s)
            avec_push(p->e->arena, out, s);
    }
}

/* ---- the functions */

static bool tolerance(Elab *e, const AstKeyword *k, Func *f)
{
    double *out = !k->name                       ? NULL
                  : strcmp(k->name, "rtol") == 0 ? &f->rtol
                  : strcmp(k->name, "atol") == 0 ? &f->atol
                                                 : NULL;
    if (!out || f->kind != FN_GOLDEN) {
        elab_error(e, k->span, "name",
                   f->kind == FN_GOLDEN ? "@pld.golden takes rtol= and atol="
                                        : "@pld.init takes nothing");
        return false;
    }
    Val v = elab_eval(e, k->value);
    if (v.kind != V_INT && v.kind != V_FLOAT) {
        if (v.kind != V_BAD)
            elab_error(e, k->value->span, "type", "%s= is a number, got %s", k->name,
                       val_describe(e, v));
        return false;
    }
    *out = v.kind == V_INT ? (double)v.i : v.f;
    if (*out >= 0)
        return true;
    elab_error(e, k->value->span, "value", "%s= is not negative", k->name);
    return false;
}

static bool decorator(Elab *e, const Ast *def, Func *f)
{
    Loc place;
    const Ast *d = elab_decorator(e, def, &place);
    if (!d)
        return false;
    if (place.file)
        f->loc = place;
    Sym name = elab_dotted(e, d->kind == AST_CALL ? d->call.callee : d);
    f->kind = strcmp(name, "pld.init") == 0 ? FN_INIT : FN_GOLDEN;
    if (d->kind != AST_CALL)
        return true;
    if (d->call.args.len) {
        elab_error(e, d->span, "type", "@%s has no positional arguments", name);
        return false;
    }
    for (uint32_t i = 0; i < d->call.keywords.len; i++)
        if (!tolerance(e, &d->call.keywords.at[i], f))
            return false;
    return true;
}

static const char *const kind_names[] = {[FN_INIT] = "init", [FN_GOLDEN] = "golden"};

/* The host parameter it is for; its direction must be one that the function makes sense for. */
static const Param *bind_param(Elab *e, const Ast *def, const Func *f, const Func *host)
{
    const char **names = arena_new_n(e->arena, const char *, host->params.len + 1);
    for (uint32_t i = 0; i < host->params.len; i++) {
        const Var *v = &host->vars.at[host->params.at[i].var];
        names[i] = v->base;
        if (v->base != def->def.name)
            continue;
        bool memory = type_is_memory(v->type), golden = f->kind == FN_GOLDEN;
        if (golden && (!memory || host->params.at[i].dir == DIR_IN))
            elab_error(e, def->def.name_span, "name",
                       "%s is an input of %s: a golden is for pl.Out and pl.InOut tensors", v->base,
                       host->name);
        else if (!golden && host->params.at[i].dir == DIR_OUT)
            elab_error(
                e, def->def.name_span, "name",
                "%s is a pl.Out of %s, which starts as zero: declare it pl.InOut, or drop the init",
                v->base, host->name);
        else
            return &host->params.at[i];
        return NULL;
    }
    const char *near = nearest_name(def->def.name, names, host->params.len);
    elab_error(e, def->def.name_span, "name", "%s is no parameter of the host function %s%s%s%s",
               def->def.name, host->name, near ? "; did you mean " : "", near ? near : "",
               near ? "?" : "");
    return NULL;
}

/* Is it for a host function that is not the entry? */
static bool is_for_other_host(Elab *e, const Ast *def, const Func *host)
{
    for (uint32_t i = 0; i < host->params.len; i++)
        if (host->vars.at[host->params.at[i].var].base == def->def.name)
            return false;
    for (uint32_t i = 0; i < e->decls.len; i++) {
        const FnDecl *d = &e->decls.at[i];
        for (uint32_t k = 0; d->kind == FN_HOST && k < elab_n_params(d); k++)
            if (elab_param_ast(d, k)->name == def->def.name)
                return true;
    }
    return false;
}

static bool check_arity(Elab *e, const Ast *def, const Type *t)
{
    uint32_t rank = type_is_memory(t) ? t->rank : 0;
    for (uint32_t i = 0; i < def->def.params.len; i++) {
        const AstParam *p = &def->def.params.at[i];
        if (!p->star && !p->default_value && !p->keyword_only && !p->annotation)
            continue;
        elab_error(e, p->span, "syntax", "an index is a plain name");
        return false;
    }
    if (def->def.params.len == rank)
        return true;
    elab_error(e, def->def.name_span, "shape", "%s takes %u indices, %s has %u dimensions",
               def->def.name, def->def.params.len, type_text(e->arena, t), rank);
    return false;
}

static bool already(Elab *e, const Ast *def, FuncKind kind)
{
    for (uint32_t i = 0; i < e->p->funcs.len; i++) {
        const Func *f = e->p->funcs.at[i];
        if (f->kind != kind || f->name != def->def.name)
            continue;
        elab_error(e, def->def.name_span, "name", "a second @pld.%s of %s", kind_names[kind],
                   def->def.name);
        diag_note(e->diags, f->span, "the first one is here");
        return true;
    }
    return false;
}

static const Ast *run(Elab *e, const Ast *def, const Func *host)
{
    Pure p = {.e = e, .host = host};
    Ast *out = pure_copy(&p, def);
    SymList names = {0};
    Map seen = {0};
    for (uint32_t i = 0; i < def->def.params.len; i++)
        pure_count_local(&p, def->def.params.at[i].name, 1);
    elab_collect_bound(e, &def->def.body, &seen, &names);
    for (uint32_t i = 0; i < names.len; i++)
        pure_count_local(&p, names.at[i], 1);
    map_free(&seen);
    out->def.body = (AstList){0};
    out->def.returns = NULL;
    run_block(&p, &def->def.body, &out->def.body);
    map_free(&p.locals);
    if (!diags_failed(e->diags) && !always_returns(&out->def.body))
        elab_error(e, def->def.name_span, "value", "%s does not return a value on every path",
                   def->def.name);
    return out;
}

static bool one_pure(Elab *e, const Ast *def)
{
    const Func *host = e->p->entry;
    Func *f = arena_new(e->arena, Func);
    if (is_for_other_host(e, def, host))
        return true;
    f->name = def->def.name;
    f->span = def->def.name_span;
    f->loc.span = f->span;
    f->rtol = f->atol = -1;
    f->result = type_none(e->tt);
    if (!decorator(e, def, f))
        return false;
    const Param *m = bind_param(e, def, f, host);
    if (!m || !check_arity(e, def, host->vars.at[m->var].type) || already(e, def, f->kind))
        return false;
    f->pure = run(e, def, host);
    avec_push(e->arena, &e->p->funcs, f);
    return true;
}

static bool has_golden(const Elab *e, Sym name)
{
    for (uint32_t i = 0; i < e->p->funcs.len; i++)
        if (e->p->funcs.at[i]->kind == FN_GOLDEN && e->p->funcs.at[i]->name == name)
            return true;
    return false;
}

static void warn_unchecked(Elab *e)
{
    const Func *host = e->p->entry;
    for (uint32_t i = 0; i < host->params.len && !e->ir; i++) {
        const Var *v = &host->vars.at[host->params.at[i].var];
        if (host->params.at[i].dir != DIR_IN && !has_golden(e, v->base))
            diag_warn(e->diags, v->span, WARN_UNCHECKED_OUTPUT, "the output %s has no @pld.golden",
                      v->base);
    }
}

bool elab_pures(Elab *e)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->pures.len; i++)
        ok &= one_pure(e, e->pures.at[i]);
    if (ok)
        warn_unchecked(e);
    return ok && !diags_failed(e->diags);
}
