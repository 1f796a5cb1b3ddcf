/* Whose memory a value is, and what the body does to it: directions of parameters are found or
 * checked from this, and so is the parameter that a result is the memory of.
 *
 * Memory values form a graph: a node a parameter, and a node for each place where paths meet.
 * Effects are noted at the node at hand and flow to the parameters when the function is complete.
 */
#include "elab/elab.h"

uint32_t elab_origin_new(Elab *e, int32_t param)
{
    Fn *fn = e->fn;
    avec_push(e->arena, &fn->origins, (Origin){.param = param});
    return fn->origins.len - 1;
}

void elab_origin_add(Elab *e, uint32_t node, uint32_t from)
{
    Origin *o = &e->fn->origins.at[node];
    if (node == from || node == 0)
        return;
    for (uint32_t i = 0; i < o->from.len; i++)
        if (o->from.at[i] == from)
            return;
    o->written |= e->fn->origins.at[from].written;
    avec_push(e->arena, &o->from, from);
}

uint32_t elab_origin_merge(Elab *e, uint32_t a, uint32_t b)
{
    if (a == b)
        return a;
    uint32_t n = elab_origin_new(e, -1);
    elab_origin_add(e, n, a);
    elab_origin_add(e, n, b);
    return n;
}

/* The operand whose memory the result is; NULL when it is new, or no memory. */
static const Expr *aliased(const Expr *x)
{
    if (x->kind == EX_OP) {
        switch (op_info(x->op)->result) {
        case RES_ARG0: return x->args[0];
        case RES_ARG1: return x->args[1];
        case RES_ARG2: return x->args[2];
        default: return x->op == OP_TENSOR_ROW || x->op == OP_FLATTEN ? x->args[0] : NULL;
        }
    }
    if (x->kind == EX_CALL && x->callee->alias.len == 1 && x->callee->alias.at[0] >= 0)
        return x->args[x->callee->alias.at[0]];
    return NULL;
}

uint32_t elab_origin_of(Elab *e, const Expr *x)
{
    while (x && x->kind != EX_VAR)
        x = aliased(x);
    if (!x || !x->type || !type_is_memory(x->type))
        return 0;
    const Name *n = &e->fn->names.at[elab_name_id(e, func_var(e->fn->f, x->var)->base)];
    return n->state == NM_VAR ? n->origin : 0;
}

static void note(Elab *e, const Expr *x, uint8_t effects, Span span, Sym by)
{
    uint32_t node = elab_origin_of(e, x);
    Origin *o = &e->fn->origins.at[node];
    if (node == 0)
        return;
    /* What a function reads of a tensor after it wrote it is its own: that makes no input of an
     * output. */
    if (o->written && x->type->kind == TY_TENSOR)
        effects &= (uint8_t) ~(OE_READ | OE_CALL_READ);
    o->written |= (effects & OE_WRITE) != 0;
    if ((effects & OE_WRITE) && !(o->effects & OE_WRITE)) {
        o->write = span;
        o->write_by = by;
    }
    if ((effects & OE_CALL_READ) && !(o->effects & OE_CALL_READ)) {
        o->read = span;
        o->read_by = by;
    }
    o->effects |= effects;
}

static uint8_t effects_of(uint8_t op_effects)
{
    uint8_t out = 0;
    if (op_effects & (EFFECT_READ | EFFECT_PEER_READ | EFFECT_ATOMIC))
        out |= OE_READ;
    if (op_effects & (EFFECT_WRITE | EFFECT_PEER_WRITE | EFFECT_ATOMIC))
        out |= OE_WRITE;
    return out;
}

void elab_op_effects(Elab *e, const Expr *op)
{
    const OpInfo *info = op_info(op->op);
    for (uint32_t i = 0; i < info->n_slots; i++)
        if (op->args[i] && info->slots[i].effects)
            note(e, op->args[i], effects_of(info->slots[i].effects), op->span, info->full);
}

void elab_call_effects(Elab *e, const Expr *call)
{
    for (uint32_t i = 0; i < call->n_args; i++) {
        const Type *t = call->args[i]->type;
        if (!t || !type_is_memory(t))
            continue;
        Direction d = call->callee->params.at[i].dir;
        uint8_t effects = d == DIR_OUT  ? OE_WRITE
                          : d == DIR_IN ? OE_READ | OE_CALL_READ
                                        : OE_READ | OE_CALL_READ | OE_WRITE;
        note(e, call->args[i], effects, call->args[i]->span, call->callee->name);
    }
}

static bool flow(Origin *to, const Origin *from)
{
    uint8_t before = to->effects;
    if ((from->effects & OE_WRITE) && !(before & OE_WRITE)) {
        to->write = from->write;
        to->write_by = from->write_by;
    }
    if ((from->effects & OE_CALL_READ) && !(before & OE_CALL_READ)) {
        to->read = from->read;
        to->read_by = from->read_by;
    }
    to->effects |= from->effects;
    return to->effects != before;
}

/* Loops make cycles: repeated until nothing changes, newest first so that one round is the rule. */
static void propagate(Fn *fn)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = fn->origins.len; i-- > 1;)
            for (uint32_t k = 0; k < fn->origins.at[i].from.len; k++)
                changed |= flow(&fn->origins.at[fn->origins.at[i].from.at[k]], &fn->origins.at[i]);
    }
}

static Direction found_direction(const Origin *o)
{
    if (!(o->effects & OE_WRITE))
        return DIR_IN;
    return o->effects & OE_READ ? DIR_INOUT : DIR_OUT;
}

static const char *param_name(Elab *e, uint32_t i)
{
    return func_var(e->fn->f, e->fn->f->params.at[i].var)->base;
}

static bool check_declared(Elab *e, uint32_t i, Direction dir, const Origin *o)
{
    const AstParam *p = elab_param_ast(e->fn->decl, i);
    if (dir == DIR_IN && (o->effects & OE_WRITE)) {
        elab_error(e, o->write, "memory",
                   "%s writes %s, which %s declares as input: write pl.Out[...] or pl.InOut[...]",
                   o->write_by, param_name(e, i), e->fn->f->name);
        diag_note(e->diags, p->span, "%s is declared here", p->name);
        return false;
    }
    if (dir == DIR_OUT && (o->effects & OE_CALL_READ)) {
        elab_error(e, o->read, "memory", "%s is an Out of %s, and %s reads it: write pl.InOut[...]",
                   param_name(e, i), e->fn->f->name, o->read_by);
        diag_note(e->diags, p->span, "%s is declared here", p->name);
        return false;
    }
    return true;
}

bool elab_finish_effects(Elab *e)
{
    Fn *fn = e->fn;
    bool ok = true;
    propagate(fn);
    for (uint32_t i = 1; i < fn->origins.len; i++) {
        const Origin *o = &fn->origins.at[i];
        if (o->param < 0)
            continue;
        Param *p = &fn->f->params.at[o->param];
        Val declared = fn->decl->annotations.at[o->param];
        if (declared.kind == V_TYPE) {
            p->dir = declared.has_dir ? declared.dir : DIR_IN;
            ok &= check_declared(e, (uint32_t)o->param, p->dir, o);
        } else {
            p->dir = found_direction(o);
        }
    }
    return ok;
}

/* Parameters reachable from `node`: the first in *one, a second in *two. */
static void reach(Fn *fn, uint32_t node, Map *seen, int32_t *one, int32_t *two, bool *unknown)
{
    VEC(uint32_t) todo = {0};
    vec_push(&todo, node);
    while (todo.len) {
        uint32_t at = vec_pop(&todo);
        const Origin *o = &fn->origins.at[at];
        if (map_get(seen, at, NULL))
            continue;
        map_set(seen, at, 1);
        if (at == 0)
            *unknown = true;
        else if (o->param >= 0 && *one < 0)
            *one = o->param;
        else if (o->param >= 0 && o->param != *one)
            *two = o->param;
        for (uint32_t k = 0; k < o->from.len; k++)
            vec_push(&todo, o->from.at[k]);
    }
    vec_free(&todo);
}

int32_t elab_result_alias(Elab *e, const Expr *x, Span span)
{
    int32_t one = -1, two = -1;
    bool unknown = false;
    Map seen = {0};
    if (!x->type || !type_is_memory(x->type))
        return -1;
    reach(e->fn, elab_origin_of(e, x), &seen, &one, &two, &unknown);
    map_free(&seen);
    if (two >= 0)
        elab_error(
            e, span, "memory",
            "this result is the memory of %s or of %s, depending on the path: return one of them",
            param_name(e, (uint32_t)(one < two ? one : two)),
            param_name(e, (uint32_t)(one < two ? two : one)));
    else if (one < 0 || unknown)
        elab_error(e, span, "memory",
                   "this result is memory of %s itself: a function returns memory of one of its "
                   "parameters",
                   e->fn->f->name);
    else
        return one;
    return -2;
}
