#include "elab/typed/widen.h"

/* The dtype that a name has in a loop, or DT_COUNT. Loops are known by their place: those that
 * stand for a while are made anew each time. */
static Dtype wanted(const Elab *e, Span loop, Sym name)
{
    const FnDecl *d = e->fn->decl;
    for (uint32_t i = 0; i < d->widenings.len; i++)
        if (d->widenings.at[i].loop.begin == loop.begin &&
            d->widenings.at[i].loop.end == loop.end && d->widenings.at[i].name == name)
            return d->widenings.at[i].to;
    return DT_COUNT;
}

bool elab_note_widening(Elab *e, const Loop *loop, Sym name, Dtype to)
{
    FnDecl *d = e->fn->decl;
    if (wanted(e, loop->place, name) == to)
        return false;
    avec_push(e->arena, &d->widenings, (Widening){loop->place, name, to});
    d->again = true;
    return true;
}

void elab_forget_widened(Elab *e, const Loop *loop)
{
    const FnDecl *d = e->fn->decl;
    for (uint32_t i = 0; d->again && i < d->widenings.len; i++)
        if (d->widenings.at[i].loop.begin == loop->place.begin &&
            d->widenings.at[i].loop.end == loop->place.end)
            elab_bind_bad(e, d->widenings.at[i].name, loop->place);
}

void elab_widen_entries(Elab *e, const Ast *loop)
{
    const FnDecl *d = e->fn->decl;
    for (uint32_t i = 0; i < d->widenings.len; i++) {
        const Widening *w = &d->widenings.at[i];
        const Name *n = elab_name(e, elab_name_id(e, w->name));
        if (w->loop.begin != loop->span.begin || w->loop.end != loop->span.end ||
            n->state != NM_VAR)
            continue;
        Expr *x = ex_var(e->p, e->fn->f, n->var);
        x->span = loop->span;
        const Type *t = type_scalar(e->tt, w->to);
        Expr *wide = x->type == t ? NULL : elab_widen(e, x, t);
        if (!wide)
            continue;
        Stmt *s = elab_emit(e, ST_LET);
        s->value = wide;
        s->n_results = 1;
        s->results = arena_new(e->arena, VarId);
        s->results[0] = elab_bind(e, w->name, t, n->where, ALIAS_NONE);
    }
}

Expr *elab_widen_binding(Elab *e, Sym name, Expr *x)
{
    for (const Loop *l = e->fn->loop; l && e->fn->decl->widenings.len; l = l->outer) {
        Dtype to = wanted(e, l->place, name);
        Expr *wide = to == DT_COUNT ? NULL : elab_widen(e, x, type_scalar(e->tt, to));
        if (wide)
            return wide;
    }
    return x;
}
