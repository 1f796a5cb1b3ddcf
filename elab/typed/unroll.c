/* Loops that are written out while the program is read: those over values known at compile time,
 * and those whose index stands where a value must be known: in an extent, in the index of a list,
 * in a condition, in a call of compile-time code, or around the reservation of a window. */
#include "elab/typed/typed.h"
#include <string.h>

enum { MAX_TRIPS = 4096 };

/* What is looked for in the body of a loop. */
typedef struct {
    Elab *e;
    Map names;      /* the index, and what is computed from it */
    bool host, all; /* all: conditions and extents count too (pl.unroll) */
    bool found, leaves;
} JumpSearch;

typedef struct {
    const JumpSearch *s;
    bool found;
} UnrollMention;

static void mention(void *env, Ast *a)
{
    UnrollMention *m = env;
    if (a->kind == AST_NAME)
        m->found |= map_get_ptr(&m->s->names, a->name, NULL);
    else if (!m->found)
        ast_children(a, mention, m);
}

static bool uses(const JumpSearch *s, const Ast *a)
{
    UnrollMention m = {.s = s};
    mention(&m, (Ast *)(uintptr_t)a);
    return m.found;
}

/* Does a name stand for values that compile-time code indexes? */
static bool is_sequence(Elab *e, const Ast *a)
{
    if (a->kind == AST_LIST || a->kind == AST_TUPLE || a->kind == AST_DICT)
        return true;
    if (a->kind == AST_SUBSCRIPT)
        return is_sequence(e, a->sub.base);
    if (a->kind != AST_NAME)
        return false;
    const Val *v = NULL;
    if (map_get_ptr(&e->fn->locals, a->name, NULL)) {
        const Name *n = elab_name(e, elab_name_id(e, a->name));
        v = n->state == NM_CONST ? &n->val : NULL;
    } else {
        const CtName *n = elab_find_name(e->scope, a->name);
        v = n ? &n->val : NULL;
    }
    return v && (v->kind == V_LIST || v->kind == V_TUPLE || v->kind == V_DICT);
}

static bool in_shape(JumpSearch *s, OpId op, const Ast *call)
{
    const OpInfo *info = op_info(op);
    for (uint32_t i = 0; i < call->call.args.len && i < info->n_slots; i++)
        if (info->slots[i].kind == SLOT_SHAPE && uses(s, call->call.args.at[i]))
            return true;
    for (uint32_t i = 0; i < call->call.keywords.len; i++) {
        const AstKeyword *k = &call->call.keywords.at[i];
        int slot = k->name ? op_slot(op, k->name) : -1;
        if (slot >= 0 && info->slots[slot].kind == SLOT_SHAPE && uses(s, k->value))
            return true;
    }
    return false;
}

static void look_at_call(JumpSearch *s, const Ast *a)
{
    OpId found[4];
    const Ast *f = a->call.callee;
    Sym dotted = elab_dotted(s->e, f);
    const CtName *n = f->kind == AST_NAME ? elab_find_name(s->e->scope, f->name) : NULL;
    bool python = f->kind == AST_NAME && !n && elab_is_builtin(f->name);
    if ((n && n->val.kind == V_HELPER) || (python && strcmp(f->name, "range") != 0))
        s->found |= uses(s, a);
    if (!dotted || !op_find(dotted, found, 4))
        return;
    s->found |= s->host && found[0] == OP_ALLOC_WINDOW_BUFFER;
    s->found |= s->all && in_shape(s, found[0], a);
}

/* What is computed from the index. */
static void taint(JumpSearch *s, const Ast *target)
{
    if (target->kind == AST_NAME)
        map_set_ptr(&s->names, target->name, 1);
    else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
        for (uint32_t i = 0; i < target->items.len; i++)
            taint(s, target->items.at[i]);
}

static void look(void *env, Ast *a)
{
    JumpSearch *s = env;
    switch (a->kind) {
    case AST_CALL: look_at_call(s, a); break;
    case AST_SUBSCRIPT:
        for (uint32_t i = 0; i < a->sub.index.len; i++) {
            const Ast *index = a->sub.index.at[i];
            bool slice = s->all && index->kind == AST_SLICE;
            s->found |= (slice || is_sequence(s->e, a->sub.base)) && uses(s, index);
        }
        break;
    case AST_IF: s->found |= s->all && uses(s, a->if_.cond); break;
    case AST_COND: s->found |= s->all && uses(s, a->cond.cond); break;
    case AST_ASSIGN:
        if (uses(s, a->assign.value))
            for (uint32_t i = 0; i < a->assign.targets.len; i++)
                taint(s, a->assign.targets.at[i]);
        break;
    case AST_ANN_ASSIGN:
        if (a->ann.value && uses(s, a->ann.value))
            taint(s, a->ann.target);
        break;
    default: break;
    }
    ast_children(a, look, s);
}

/* break and continue that are the loop's own, and yields, need the loop. */
static void look_for_jump(void *env, Ast *a)
{
    JumpSearch *s = env;
    if (a->kind == AST_BREAK || a->kind == AST_CONTINUE || a->kind == AST_RETURN)
        s->leaves = true;
    else if (a->kind == AST_IF)
        ast_children(a, look_for_jump, s);
}

static bool needs_values(Elab *e, const Ast *s, bool unroll)
{
    JumpSearch find = {.e = e, .all = unroll, .host = e->fn->f->kind == FN_HOST};
    if (s->for_.target->kind != AST_NAME)
        return false;
    map_set_ptr(&find.names, s->for_.target->name, 1);
    for (uint32_t i = 0; i < s->for_.body.len; i++) {
        look(&find, s->for_.body.at[i]);
        look_for_jump(&find, s->for_.body.at[i]);
    }
    map_free(&find.names);
    return find.found && !find.leaves;
}

/* ---- the values */

/* pl.range(...), pl.unroll(...) or range(...) of bounds that are known. */
static bool known_range(Elab *e, const Ast *call, Val *out)
{
    Args args = {0};
    if (call->call.keywords.len || !elab_args(e, call, &args))
        return false;
    for (uint32_t i = 0; i < args.len; i++) {
        int64_t v;
        if (args.at[i].val.kind == V_EXPR && elab_constant(e, args.at[i].val.expr, &v))
            args.at[i].val = val_int(v);
        if (args.at[i].val.kind != V_INT)
            return false;
    }
    *out = elab_builtin(e, "range", &args, call->span);
    return out->kind == V_LIST;
}

static bool is_python_range(Elab *e, const Ast *iter)
{
    const Ast *f = iter->kind == AST_CALL ? iter->call.callee : NULL;
    return f && f->kind == AST_NAME && strcmp(f->name, "range") == 0 &&
           !map_get_ptr(&e->fn->locals, f->name, NULL);
}

/* A function of compile-time code, by its name. */
static bool is_helper(Elab *e, const Ast *f)
{
    const CtName *n = f->kind == AST_NAME && !map_get_ptr(&e->fn->locals, f->name, NULL)
                          ? elab_find_name(e->scope, f->name)
                          : NULL;
    return n && n->val.kind == V_HELPER;
}

/* zip(...), a tuple, the name of a list, what a helper returns: not a range. */
static bool over_values(Elab *e, const Ast *iter)
{
    const Ast *f = iter->kind == AST_CALL ? iter->call.callee : NULL;
    if (f && f->kind == AST_ATTR)
        return !elab_dotted(e, f);
    if (f && is_helper(e, f))
        return true;
    if (f)
        return f->kind == AST_NAME && !is_python_range(e, iter) && elab_is_builtin(f->name) &&
               !map_get_ptr(&e->fn->locals, f->name, NULL);
    return is_sequence(e, iter) || iter->kind == AST_LISTCOMP || iter->kind == AST_GENEXP ||
           iter->kind == AST_SUBSCRIPT;
}

static void trips(Elab *e, const Ast *s, Val values)
{
    const Val *items;
    uint32_t n;
    const Ast *target = s->for_.target;
    Span span = s->for_.iter->span;
    if (!elab_iterate(e, values, span, &items, &n))
        return;
    if (n > MAX_TRIPS) {
        elab_error(e, span, "value", "a loop of %u trips is not written out: the limit is %d", n,
                   MAX_TRIPS);
        return;
    }
    uint32_t errors = e->diags->n_errors;
    BlockFrame *frame = e->fn->frame;
    bool inside = frame->unrolled;
    frame->unrolled = true;
    for (uint32_t i = 0; i < n && e->diags->n_errors == errors; i++) {
        Val v = items[i].kind == V_EXPR ? val_expr(expr_clone(e->p, items[i].expr)) : items[i];
        if (!elab_step(e, 1 + s->for_.body.len, s->span))
            return;
        e->fn->loc = e->fn->far;
        e->fn->loc.span = span_join((Span){s->span.begin, s->span.begin + 3}, span);
        elab_assign_value(e, target, v, target->span);
        elab_block(e, &s->for_.body);
        if (frame->dead || frame->returned) {
            frame->quiet = true; /* what follows runs with other values of the loop */
            break;
        }
    }
    frame->unrolled = inside;
    if (target->kind == AST_NAME)
        elab_set_name(e, elab_name_id(e, target->name),
                      (Name){.state = NM_LOOP, .where = target->span});
}

bool elab_unrolled(Elab *e, const Ast *s)
{
    const Ast *iter = s->for_.iter;
    Sym d = iter->kind == AST_CALL ? elab_dotted(e, iter->call.callee) : NULL;
    bool unroll = d && strcmp(d, "pl.unroll") == 0;
    bool range = is_python_range(e, iter) || (d && strcmp(d, "pl.range") == 0);
    Val values = val_bad;
    if (e->ir || s->for_.otherwise.len)
        return false;
    if (unroll || range) {
        if (!needs_values(e, s, unroll) || !known_range(e, iter, &values))
            return false;
    } else {
        if (!over_values(e, iter))
            return false;
        values = elab_eval(e, iter);
    }
    if (values.kind == V_BAD)
        elab_bind_bad_target(e, s->for_.target);
    else
        trips(e, s, values);
    return true;
}
