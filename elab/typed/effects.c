/* What the body does to the memory it is given: directions of parameters are found or checked from
 * this, and so is the parameter that a result is the memory of (the graph: ir/alias.h). A source is
 * a parameter, a join a place where paths meet. */
#include "elab/typed/typed.h"

AliasNode elab_memory_of(Elab *e, const Expr *x)
{
    bool view;
    if (!x->type || !type_is_memory(x->type))
        return ALIAS_NONE;
    while (x && x->kind != EX_VAR)
        x = expr_memory(x, 0, &view);
    if (!x)
        return ALIAS_NONE;
    const Name *n = elab_name(e, elab_name_id(e, func_var(e->fn->f, x->var)->base));
    return n->state == NM_VAR ? n->memory : ALIAS_NONE;
}

AliasNode *elab_result_memory(Elab *e, const Expr *call, uint32_t n)
{
    AliasNode *memory = arena_new_n(e->arena, AliasNode, n);
    bool view;
    for (uint32_t i = 0; i < n; i++) {
        const Expr *from = expr_memory(call, i, &view);
        memory[i] = from ? elab_memory_of(e, from) : ALIAS_NONE;
    }
    return memory;
}

static void note(Elab *e, const Expr *x, uint8_t uses, Span span, Sym by)
{
    AliasGraph *g = &e->fn->memory;
    AliasNode node = elab_memory_of(e, x);
    /* What a function reads of a tensor after it wrote it is its own: that makes no input of an
     * output. */
    if (g->nodes.at[node].written && x->type->kind == TY_TENSOR)
        uses &= (uint8_t) ~(USE_READ | USE_CALL_READ);
    alias_use(g, node, uses, (AliasPlace){span, by});
}

void elab_op_effects(Elab *e, const Expr *op)
{
    const OpInfo *info = op_info(op->op);
    if (expr_is_view(op))
        return;
    for (uint32_t i = 0; i < info->n_slots; i++)
        if (op->args[i] && info->slots[i].effects)
            note(e, op->args[i], slot_uses(&info->slots[i]), op->span, info->full);
}

void elab_call_effects(Elab *e, const Expr *call)
{
    static const uint8_t uses[] = {[DIR_IN] = USE_READ | USE_CALL_READ,
                                   [DIR_OUT] = USE_WRITE,
                                   [DIR_INOUT] = USE_READ | USE_CALL_READ | USE_WRITE};
    for (uint32_t i = 0; i < call->n_args; i++) {
        const Expr *arg = call->args[i];
        if (arg->type && type_is_memory(arg->type))
            note(e, arg, uses[call->callee->params.at[i].dir], arg->span, call->callee->name);
    }
}

static Direction found_direction(const AliasInfo *o)
{
    if (!(o->uses & USE_WRITE))
        return DIR_IN;
    return o->uses & USE_READ ? DIR_INOUT : DIR_OUT;
}

static const char *param_name(Elab *e, uint32_t i)
{
    return func_var(e->fn->f, e->fn->f->params.at[i].var)->base;
}

static bool check_declared(Elab *e, uint32_t i, Direction dir, const AliasInfo *o)
{
    const AstParam *p = elab_param_ast(e->fn->decl, i);
    if (dir == DIR_IN && (o->uses & USE_WRITE)) {
        elab_error(e, o->write.span, "memory",
                   "%s writes %s, which %s declares as input: write pl.Out[...] or pl.InOut[...]",
                   o->write.by, param_name(e, i), e->fn->f->name);
        diag_note(e->diags, p->span, "%s is declared here", p->name);
        return false;
    }
    /* A scope of a loop may read what an earlier trip wrote: a dump calls what the source had in
     * place, and of that the run tells. */
    if (dir == DIR_OUT && (o->uses & USE_CALL_READ) && !e->ir) {
        elab_error(e, o->read.span, "memory",
                   "%s is an Out of %s, and %s reads it: write pl.InOut[...]", param_name(e, i),
                   e->fn->f->name, o->read.by);
        diag_note(e->diags, p->span, "%s is declared here", p->name);
        return false;
    }
    return true;
}

static void check_written(Elab *e, uint32_t i, const AliasInfo *o)
{
    const AstParam *p = elab_param_ast(e->fn->decl, i);
    bool whole = !e->fn->decl->again && !diags_failed(e->diags); /* the body was gone through */
    whole &= !e->fn->decl->outside_body;
    if (!(o->uses & USE_WRITE) && !e->ir && whole)
        diag_warn(e->diags, p->span, WARN_UNWRITTEN_OUT,
                  "%s is an output of %s, and no path writes it: it keeps what it held", p->name,
                  e->fn->f->name);
}

bool elab_finish_effects(Elab *e)
{
    Fn *fn = e->fn;
    bool ok = true;
    alias_solve(&fn->memory);
    for (uint32_t i = 1; i < fn->memory.nodes.len; i++) {
        const AliasInfo *o = &fn->memory.nodes.at[i];
        if (o->tag == ALIAS_JOIN)
            continue;
        Param *p = &fn->f->params.at[o->tag];
        Val declared = fn->decl->annotations.at[o->tag];
        bool typed = declared.kind == V_TYPE && declared.type->kind != TY_DIST;
        if (typed || declared.has_dir || (declared.kind == V_BARE && declared.i == TY_TENSOR)) {
            p->dir = declared.has_dir ? declared.dir : DIR_IN;
            ok &= check_declared(e, o->tag, p->dir, o);
            if (p->dir == DIR_OUT)
                check_written(e, o->tag, o);
        } else {
            p->dir = found_direction(o);
        }
    }
    return ok;
}

int32_t elab_result_alias(Elab *e, const Expr *x, ResultPlace at)
{
    Span span = x->span;
    int32_t one = -1, two = -1;
    bool unknown = false;
    AliasGraph *g = &e->fn->memory;
    AliasNodes sources = {0};
    if (!x->type || !type_is_memory(x->type))
        return -1;
    alias_sources(g, elab_memory_of(e, x), &sources);
    for (uint32_t i = 0; i < sources.len; i++) {
        int32_t *param = one < 0 ? &one : &two;
        if (sources.at[i] == ALIAS_NONE)
            unknown = true;
        else
            *param = (int32_t)g->nodes.at[sources.at[i]].tag;
    }
    vec_free(&sources);
    if (two >= 0)
        elab_error(
            e, span, "memory",
            "this result is the memory of %s or of %s, depending on the path: return one of them",
            param_name(e, (uint32_t)(one < two ? one : two)),
            param_name(e, (uint32_t)(one < two ? two : one)));
    else if (one < 0 && e->fn->f->spliced)
        return -1;
    else if (one < 0 && (one = elab_result_param(e, x, at.index, at.n)) >= 0)
        return one;
    else if (one < 0 || unknown)
        elab_error(e, span, "memory",
                   "this result is memory of %s itself: a function returns memory of one of its "
                   "parameters",
                   e->fn->f->name);
    else
        return one;
    return -2;
}
