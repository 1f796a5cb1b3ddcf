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
    return d && d->form == FORM_SUBWORKER;
}
