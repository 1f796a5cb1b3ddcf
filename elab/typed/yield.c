/* pl.yield_: the values that a loop hands to its next iteration, or that the arms of an if agree
 * on. */
#include "elab/typed/typed.h"
#include <string.h>

bool elab_is_yield(Elab *e, const Ast *a)
{
    Sym d = a->kind == AST_CALL ? elab_dotted(e, a->call.callee) : NULL;
    return d && strcmp(d, "pl.yield_") == 0;
}

/* The annotated type of value `i` of `n`, or NULL. */
static const Type *declared_type(Val declared, uint32_t i, uint32_t n)
{
    if (declared.kind != V_TYPE)
        return NULL;
    if (n == 1)
        return declared.type;
    bool tuple = declared.type->kind == TY_TUPLE && declared.type->n_elems == n;
    return tuple ? declared.type->elems[i] : NULL;
}

/* A branch hands on a copy of an array, a loop what it carries. */
static Expr *yielded_array(Elab *e, Expr *x, const Stmt *loop, uint32_t i)
{
    bool carried =
        loop && i < loop->n_values && x->kind == EX_VAR &&
        func_var(e->fn->f, x->var)->base == func_var(e->fn->f, loop->nest->iters[i])->base;
    return carried ? x : elab_own_array(e, x, NULL);
}

static bool yield_values(Elab *e, const Ast *call, Val declared, Stmt *st)
{
    Args args = {0};
    if (call->call.keywords.len) {
        elab_error(e, call->call.keywords.at[0].span, "name", "pl.yield_ has no keywords");
        return false;
    }
    if (!elab_args(e, call, &args))
        return false;
    const Stmt *loop = e->fn->frame->kind == BLOCK_LOOP ? e->fn->loop->stmt : NULL;
    st->n_values = args.len;
    st->values = arena_new_n(e->arena, Expr *, args.len ? args.len : 1);
    for (uint32_t i = 0; i < args.len; i++) {
        const Type *want = declared_type(declared, i, args.len);
        bool literal = val_known(args.at[i].val) && want && want->kind == TY_SCALAR;
        Expr *x = elab_expr(e, args.at[i].val, literal ? want->dtype : DT_COUNT, args.at[i].span);
        if (!x || !(x = yielded_array(e, x, loop, i)))
            return false;
        Expr *wide = loop && i < loop->n_values
                         ? elab_widen(e, x, func_var(e->fn->f, loop->nest->iters[i])->type)
                         : NULL;
        st->values[i] = wide ? wide : x;
    }
    return true;
}

static const Type *yield_type(Elab *e, Val declared, uint32_t i, uint32_t n, const Expr *x,
                              Span span)
{
    const Type *t = declared_type(declared, i, n);
    bool value = t && t->kind == TY_TENSOR && x->type->kind == TY_TILE;
    if (declared.kind != V_TYPE || (t && elab_type_fits(e, t, x->type)))
        return t && !value ? t : x->type;
    elab_error(e, span, "type", "the annotation does not fit the yielded value, %s",
               type_text(e->arena, x->type));
    return x->type;
}

void elab_yield(Elab *e, const Ast *s, const Ast *target, const Ast *annotation, const Ast *call)
{
    Fn *fn = e->fn;
    const AstList *names =
        target->kind == AST_TUPLE || target->kind == AST_LIST ? &target->items : NULL;
    uint32_t n = names ? names->len : 1;
    if (fn->frame->kind == BLOCK_FUNCTION) {
        elab_error(e, s->span, "syntax", "pl.yield_ ends the body of a loop or an arm of an if");
        return;
    }
    Stmt *st = stmt_new(e->p, ST_YIELD, fn->loc);
    Val declared = annotation ? elab_annotation(e, annotation) : val_none;
    if (!yield_values(e, call, declared, st))
        return;
    if (st->n_values != n || n == 0) {
        elab_error(e, s->span, "type", "pl.yield_ of %u values is bound to %u names", st->n_values,
                   n);
        return;
    }
    st->n_results = n;
    st->results = arena_new_n(e->arena, VarId, n);
    AliasNode *memory = arena_new_n(e->arena, AliasNode, n);
    for (uint32_t i = 0; i < n; i++)
        memory[i] = elab_memory_of(e, st->values[i]);
    for (uint32_t i = 0; i < n; i++) {
        const Ast *name = names ? names->at[i] : target;
        if (name->kind != AST_NAME) {
            elab_error(e, name->span, "syntax", "pl.yield_ is bound to names");
            return;
        }
        const Type *t = yield_type(e, declared, i, n, st->values[i], name->span);
        bool array = elab_is_array(e, st->values[i]);
        st->results[i] = elab_bind(e, name->name, t, name->span, memory[i]);
        func_var(e->fn->f, st->results[i])->array = array;
    }
    avec_push(e->arena, fn->block, st);
    fn->frame->yield = st;
}

void elab_claim_yield(Elab *e, Loop *loop, Stmt *yield)
{
    const Stmt *st = loop->stmt;
    Fn *fn = e->fn;
    if (yield->n_values != st->n_values) {
        elab_error(e, yield->loc.span, "type", "the loop carries %u value%s, this yields %u",
                   st->n_values, st->n_values == 1 ? "" : "s", yield->n_values);
        return;
    }
    for (uint32_t i = 0; i < yield->n_values; i++) {
        const Type *want = func_var(fn->f, st->nest->iters[i])->type;
        if (!elab_type_fits(e, want, yield->values[i]->type)) {
            elab_error(e, yield->values[i]->span, "type",
                       "%s is %s at the start of the loop, this yields %s",
                       func_var(fn->f, st->nest->iters[i])->base, type_text(e->arena, want),
                       type_text(e->arena, yield->values[i]->type));
            return;
        }
        const Name *n = elab_name(e, elab_name_id(e, func_var(fn->f, yield->results[i])->base));
        alias_flow(&fn->memory, loop->iter_memory[i], n->memory);
    }
    if (!loop->yield) {
        loop->yield = yield;
        return;
    }
    for (uint32_t i = 0; i < yield->n_results; i++) {
        if (yield->results[i] == loop->yield->results[i])
            continue;
        elab_error(e, yield->loc.span, "type", "the yields of one loop bind the same names");
        diag_note(e->diags, loop->yield->loc.span, "another one is here");
        return;
    }
}
