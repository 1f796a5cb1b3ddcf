/* Instances: one function elaborated for several types of arguments, or spliced at several levels.
 */
#include "elab/typed/typed.h"
#include <string.h>

Val elab_default(Elab *e, const AstParam *p)
{
    CtScope *scope = e->scope;
    Fn *fn = e->fn;
    while (e->scope != e->program && e->scope->parent)
        e->scope = e->scope->parent;
    e->fn = NULL;
    Val v = elab_eval(e, p->default_value);
    e->scope = scope;
    e->fn = fn;
    return v;
}

bool elab_takes_constant(const FnDecl *d, const AstParam *p)
{
    if (d->form == FORM_INLINE)
        return !p->annotation || p->annotation->kind == AST_NAME;
    return elab_is_python_type(p);
}

void elab_take_consts(Elab *e, FnDecl *d, const Val *known)
{
    Ast *def = arena_new(e->arena, Ast);
    uint32_t n = elab_n_params(d), first = d->method ? 1 : 0, kept = first;
    ast_take(def, d->def);
    def->def.params.at = arena_new_n(e->arena, AstParam, n + first + 1);
    if (first)
        def->def.params.at[0] = d->def->def.params.at[0];
    VEC(Val) annotations = {0};
    for (uint32_t i = 0; i < n; i++) {
        const AstParam *p = elab_param_ast(d, i);
        if (known[i].kind == V_NONE) {
            def->def.params.at[kept++] = *p;
            avec_push(e->arena, &annotations, d->annotations.at[i]);
        } else {
            avec_push(e->arena, &d->consts, (CtName){p->name, known[i], p->span});
        }
    }
    def->def.params.len = kept;
    d->def = def;
    d->annotations.at = annotations.at;
    d->annotations.len = annotations.len;
    d->annotations.cap = annotations.cap;
}

static bool same_consts(const FnDecl *d, const FnDecl *other)
{
    if (d->consts.len != other->consts.len)
        return false;
    for (uint32_t i = 0; i < d->consts.len; i++)
        if (d->consts.at[i].name != other->consts.at[i].name ||
            d->consts.at[i].val.kind != other->consts.at[i].val.kind ||
            !val_equal(d->consts.at[i].val, other->consts.at[i].val))
            return false;
    return true;
}

/* Can it be called with these arguments? Scalars convert where that loses nothing. */
static bool takes(Elab *e, const FnDecl *d, Expr *const *args)
{
    const Func *f = d->func;
    for (uint32_t i = 0; f && i < f->params.len; i++) {
        const Type *want = f->vars.at[f->params.at[i].var].type;
        if (d->annotations.at[i].kind != V_TYPE && !elab_type_fits(e, want, args[i]->type) &&
            !elab_widen(e, args[i], want))
            return false;
    }
    return f != NULL;
}

/* A declaration that no instance was made of as it stands leaves its name to the others. */
static bool is_name_taken(Elab *e, const FnDecl *base, Sym name)
{
    for (uint32_t i = 0; i < e->decls.len; i++)
        for (const FnDecl *d = &e->decls.at[i]; d; d = d->next)
            if (d->name == name && (d != base || d->state != FN_NEW))
                return true;
    return false;
}

static Sym instance_name(Elab *e, const FnDecl *base)
{
    Sym name = base->name;
    for (uint32_t i = 1; is_name_taken(e, base, name); i++)
        name = internf(e->in, "%s_%u", base->name, i);
    return name;
}

FnDecl *elab_instance(Elab *e, FnDecl *base, const FnDecl *want, Expr *const *args)
{
    FnDecl *last = base;
    for (FnDecl *d = base; d; d = d->next) {
        last = d;
        if (d->state != FN_NEW && d->kind == want->kind && d->spliced == want->spliced &&
            same_consts(d, want) && takes(e, d, args))
            return d;
    }
    FnDecl *d = base;
    if (base->state != FN_NEW || want->consts.len) {
        d = arena_new(e->arena, FnDecl);
        Sym name = instance_name(e, base);
        *d = *want;
        d->name = name;
        d->state = FN_NEW;
        d->func = NULL;
        d->next = NULL;
        last->next = d;
    } else {
        d->kind = want->kind;
        d->spliced = want->spliced;
    }
    return d;
}
