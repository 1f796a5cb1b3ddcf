/* @pld.init and @pld.golden functions: what they are for, and their frame. Their names are resolved
 * and what is known at compile time is folded; what is left reads indices, elements of host
 * tensors, extents and host scalars only. */
#include "elab/typed/element.h"
#include <string.h>

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
    if (place.far)
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

/* Parameters: those of the host function that the body reads, in its order, then the indices. */
static void set_params(Element *p, uint32_t n_index)
{
    for (uint32_t i = 0; i < p->host->params.len; i++)
        if (p->host_vars[i] != VAR_NONE)
            avec_push(p->e->arena, &p->f->params, (Param){.var = p->host_vars[i]});
    for (uint32_t i = 0; i < n_index; i++)
        avec_push(p->e->arena, &p->f->params, (Param){.var = i});
    p->f->n_index = n_index;
}

static void run(Elab *e, const Ast *def, Func *f, Func *host)
{
    Element p = {.e = e, .host = host, .f = f, .number = f->result, .at = f->span};
    SymList names = {0};
    Map seen = {0};
    p.host_vars = arena_new_n(e->arena, VarId, host->params.len);
    for (uint32_t i = 0; i < host->params.len; i++)
        p.host_vars[i] = VAR_NONE;
    for (uint32_t i = 0; i < def->def.params.len; i++) {
        const AstParam *m = &def->def.params.at[i];
        map_set_ptr(&p.locals, m->name, element_new_var(&p, m->name, m->span) + (uint64_t)1);
    }
    elab_collect_bound(e, &def->def.body, &seen, &names);
    for (uint32_t i = 0; i < names.len; i++) {
        VarId v;
        if (element_find_local(&p, names.at[i], &v))
            continue;
        v = element_new_var(&p, names.at[i], f->span);
        p.assigned.at[v] = false;
        map_set_ptr(&p.locals, names.at[i], v + (uint64_t)1);
    }
    map_free(&seen);
    element_body(&p, &def->def.body);
    set_params(&p, def->def.params.len);
    map_free(&p.locals);
}

static bool one_element(Elab *e, const Ast *def)
{
    Func *host = e->p->entry;
    Func *f = arena_new(e->arena, Func);
    if (is_for_other_host(e, def, host))
        return true;
    f->name = def->def.name;
    f->span = def->def.name_span;
    f->loc.span = f->span;
    f->rtol = f->atol = -1;
    f->result = type_simple(e->tt, TY_NUMBER);
    if (!decorator(e, def, f))
        return false;
    const Param *m = bind_param(e, def, f, host);
    if (!m || !check_arity(e, def, host->vars.at[m->var].type) || already(e, def, f->kind))
        return false;
    run(e, def, f, host);
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

bool elab_elements(Elab *e)
{
    bool ok = true;
    for (uint32_t i = 0; i < e->elements.len; i++)
        ok &= one_element(e, e->elements.at[i]);
    if (ok)
        warn_unchecked(e);
    return ok && !elab_failed(e);
}
