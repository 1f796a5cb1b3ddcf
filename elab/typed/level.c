/* Levels of functions, and which may call which. */
#include "elab/typed/typed.h"

const char *elab_level_name(FuncKind k)
{
    return k == FN_HOST ? "a host" : k == FN_ORCH ? "an orchestration" : "an InCore";
}

bool elab_check_level(Elab *e, const FnDecl *d, Span span)
{
    FuncKind from = e->fn->level;
    static const char *const calls[] = {[FN_HOST] = "a host function calls orchestration functions",
                                        [FN_ORCH] =
                                            "an orchestration function calls InCore functions",
                                        [FN_INCORE] = "an InCore function calls InCore helpers"};
    bool good = from == FN_HOST ? d->kind == FN_ORCH && d->form != FORM_INLINE
                                : d->kind == FN_INCORE || d->form != FORM_PLAIN;
    if (good || (e->ir && from == FN_HOST && d->kind == FN_INCORE))
        return true;
    elab_error(e, span, "level", "%s is %s function and this is %s function: %s", d->name,
               elab_level_name(d->kind), elab_level_name(from), calls[from]);
    diag_note(e->diags, d->def->def.name_span, "%s is declared here%s", d->name,
              from == FN_ORCH && d->kind == FN_ORCH
                  ? ": one that others call is @pl.jit.incore, .inline or .opaque"
                  : "");
    return false;
}

bool elab_calls_subworker(Elab *e, const Ast *a)
{
    const Ast *f = a->kind == AST_CALL ? a->call.callee : NULL;
    Sym name = f && f->kind == AST_NAME ? f->name : f && f->kind == AST_ATTR ? f->attr.name : NULL;
    const FnDecl *d = name ? elab_decl(e, name) : NULL;
    return d && (d->form == FORM_SUBWORKER || d->outside_body);
}

static Ast *new_node(Elab *e, AstKind kind, Span span)
{
    Ast *a = arena_new(e->arena, Ast);
    a->kind = kind;
    a->span = span;
    return a;
}

static Ast *dotted(Elab *e, const char *const *names, uint32_t n, Span span)
{
    Ast *a = new_node(e, AST_NAME, span);
    a->name = intern(e->in, names[0]);
    for (uint32_t i = 1; i < n; i++) {
        Ast *of = new_node(e, AST_ATTR, span);
        of->attr.base = a;
        of->attr.name = intern(e->in, names[i]);
        of->attr.name_span = span;
        a = of;
    }
    return a;
}

static bool is_param(const FnDecl *d, const Ast *name)
{
    bool found = false;
    for (uint32_t i = 0; name->kind == AST_NAME && i < elab_n_params(d); i++)
        found |= elab_param_ast(d, i)->name == name->name;
    return found;
}

/* Its last statement, when that returns parameters. */
static Ast *returns_params(const FnDecl *d)
{
    const AstList *body = &d->def->def.body;
    Ast *last = body->len ? body->at[body->len - 1] : NULL;
    if (!last || last->kind != AST_RETURN || !last->value)
        return NULL;
    if (last->value->kind != AST_TUPLE)
        return is_param(d, last->value) ? last : NULL;
    for (uint32_t i = 0; i < last->value->items.len; i++)
        if (!is_param(d, last->value->items.at[i]))
            return NULL;
    return last;
}

void elab_take_subworker(Elab *e, FnDecl *d)
{
    static const char *const op[] = {"pld", "system", "subworker"};
    Span span = d->def->def.name_span;
    Ast *def = arena_new(e->arena, Ast), *call = new_node(e, AST_CALL, span),
        *stmt = new_node(e, AST_EXPR_STMT, span), *result = returns_params(d);
    *def = *d->def;
    def->def.body = (AstList){0};
    def->def.returns = NULL;
    call->call.callee = dotted(e, op, 3, span);
    stmt->value = call;
    avec_push(e->arena, &def->def.body, stmt);
    if (result)
        avec_push(e->arena, &def->def.body, result);
    d->def = def;
    d->form = FORM_PLAIN;
    d->kind = FN_ORCH;
    d->outside_body = true;
}
