/* Parameters whose view says which part of them is valid: InCore code sees them as a value with
 * that region. */
#include "elab/typed/typed.h"
#include <string.h>

/* valid_shape= of pl.Tensor[[...], dtype, pl.TensorView(...)], maybe in pl.Out[...]; or NULL. */
static const Ast *valid_shape(Elab *e, const Ast *annotation)
{
    const Ast *a = annotation;
    while (a && a->kind == AST_SUBSCRIPT && a->sub.index.len == 1)
        a = a->sub.index.at[0];
    if (!a || a->kind != AST_SUBSCRIPT || a->sub.index.len < 3)
        return NULL;
    const Ast *view = a->sub.index.at[2];
    Sym d = view->kind == AST_CALL ? elab_dotted(e, view->call.callee) : NULL;
    for (uint32_t i = 0; d && strcmp(d, "pl.TensorView") == 0 && i < view->call.keywords.len; i++)
        if (view->call.keywords.at[i].name &&
            strcmp(view->call.keywords.at[i].name, "valid_shape") == 0)
            return view->call.keywords.at[i].value;
    return NULL;
}

static void make_view(Elab *e, const AstParam *p, const Ast *valid)
{
    bool found;
    Val v = elab_local(e, p->name, p->span, &found), region = elab_eval(e, valid);
    if (v.kind != V_EXPR || !type_is_memory(v.expr->type) || region.kind == V_BAD)
        return;
    const Type *t = v.expr->type;
    Expr *extents[MAX_RANK], *zeros[MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        extents[i] = ex_dim(e->p, t->dims[i]);
        zeros[i] = ex_index(e->p, 0);
    }
    Expr *slots[OP_MAX_SLOTS] = {v.expr, elab_list(e, extents, t->rank, valid->span),
                                 elab_list(e, zeros, t->rank, valid->span)};
    uint32_t slot = OPND(TENSOR_SLICE, valid_shape);
    slots[slot] = elab_slot(e, OP_TENSOR_SLICE, slot, region, valid->span, slots);
    v = slots[slot] ? elab_make_op(e, OP_TENSOR_SLICE, slots, valid->span) : val_bad;
    if (v.kind == V_EXPR)
        elab_emit_let(e, p->name, p->span, v.expr, v.expr->type);
}

typedef struct {
    Sym name;
    bool found;
} Mention;

static void find_name(void *env, Ast *a)
{
    Mention *m = env;
    m->found |= a->kind == AST_NAME && a->name == m->name;
    if (!m->found)
        ast_children(a, find_name, env);
}

static bool mentions(const AstList *body, Sym name)
{
    Mention m = {.name = name};
    for (uint32_t i = 0; i < body->len; i++)
        find_name(&m, body->at[i]);
    return m.found;
}

/* A name that still means its parameter. */
static bool is_param(Elab *e, uint32_t i)
{
    const Func *f = e->fn->f;
    const Name *n = elab_name(e, elab_name_id(e, elab_param_ast(e->fn->decl, i)->name));
    return n->state == NM_VAR && i < f->params.len && n->var == f->params.at[i].var;
}

/* What code writes is no value of it. */
static const Ast *view_of(Elab *e, uint32_t i)
{
    const FnDecl *d = e->fn->decl;
    const AstParam *p = elab_param_ast(d, i);
    bool written = d->annotations.at[i].has_dir;
    return p->annotation && !written && !e->ir ? valid_shape(e, p->annotation) : NULL;
}

void elab_param_views(Elab *e, const AstList *body, NameList *before)
{
    const FnDecl *d = e->fn->decl;
    for (uint32_t i = 0; i < elab_n_params(d); i++) {
        const AstParam *p = elab_param_ast(d, i);
        const Ast *valid = view_of(e, i);
        if (!valid || !is_param(e, i) || !mentions(body, p->name))
            continue;
        if (e->fn->level == FN_HOST)
            elab_error(e, valid->span, "level",
                       "valid_shape= is for the functions that a host function calls");
        if (e->fn->level != FN_INCORE)
            continue;
        if (before)
            vec_push(before, *elab_name(e, elab_name_id(e, p->name)));
        make_view(e, p, valid);
    }
}

void elab_end_views(Elab *e, NameList *before)
{
    for (uint32_t i = 0; i < before->len; i++) {
        const Name *n = &before->at[i];
        elab_set_name(e, elab_name_id(e, func_var(e->fn->f, n->var)->base), *n);
    }
    vec_free(before);
}
