/* Assignments, and statements that are a call. */
#include "elab/typed/widen.h"
#include <string.h>

static void let_value(Elab *e, Sym name, Span name_span, Val v, Span span, const Type *declared);

/* The same list with a name of its own for each run-time value in it. */
static Val name_items(Elab *e, Sym name, Val v, Span span)
{
    if (val_all_known(v))
        return v;
    Val *items = arena_new_n(e->arena, Val, v.n ? v.n : 1);
    for (uint32_t i = 0; i < v.n; i++) {
        Sym own = internf(e->in, "%s_%u", name, i);
        bool found, list = v.items[i].kind == V_TUPLE || v.items[i].kind == V_LIST;
        items[i] = list ? name_items(e, own, v.items[i], span) : v.items[i];
        if (items[i].kind != V_EXPR)
            continue;
        own = elab_fresh(e, own);
        let_value(e, own, span, items[i], span, NULL);
        items[i] = elab_local(e, own, span, &found);
    }
    return val_items(e, v.kind, items, v.n);
}

/* A value that has no run-time form stays what it is; its name stands for it. */
static void let_known(Elab *e, Sym name, Span name_span, Val v, Span span)
{
    v = name_items(e, name, v, span);
    elab_set_name(e, elab_name_id(e, name),
                  (Name){.state = NM_CONST, .val = v, .where = name_span});
}

static bool is_number(Val v)
{
    return v.kind == V_INT || v.kind == V_FLOAT || v.kind == V_BOOL || v.kind == V_DIM;
}

/* The value with the type that the annotation says; NULL after a mistake. */
static Expr *declare(Elab *e, Expr *x, const Type *declared, Span span, Sym name)
{
    if (!declared || elab_type_fits(e, declared, x->type))
        return x;
    Expr *wide = elab_widen(e, x, declared);
    if (wide)
        return wide;
    elab_error(e, span, "type", "%s is annotated %s, its value is %s", name,
               type_text(e->arena, declared), type_text(e->arena, x->type));
    return NULL;
}

void elab_emit_let(Elab *e, Sym name, Span name_span, Expr *x, const Type *type)
{
    AliasNode memory = elab_memory_of(e, x);
    const Bounds *bounds = elab_bounds_of(e, x);
    const Dim *dim = elab_dim(e, x);
    Stmt *s = elab_emit(e, ST_LET);
    s->value = x;
    s->n_results = 1;
    s->results = arena_new(e->arena, VarId);
    bool neutral = elab_is_neutral(e, x), array = elab_is_array(e, x),
         part = x->kind == EX_OP && op_info(x->op)->rule == RULE_SLICE;
    part = part || (x->kind == EX_OP && x->op == OP_TILE_SLICE);
    const Expr *pad = part ? OP_ARG(x, TENSOR_SLICE, pad_value) : NULL;
    s->results[0] = elab_bind(e, name, type, name_span, memory);
    if (neutral)
        func_var(e->fn->f, s->results[0])->neutral = true;
    func_var(e->fn->f, s->results[0])->array = array;
    if (part)
        func_var(e->fn->f, s->results[0])->pad = pad ? (uint8_t)(1 + pad->ival) : 0;
    Name *n = elab_name(e, elab_name_id(e, name));
    n->bounds = bounds;
    n->dim = dim;
    n->literal = x->kind == EX_FLOAT ? x : elab_literal(e, x);
}

/* The operand that made an integer wider than `dtype`. */
static const Expr *wide_operand(const Expr *x, Dtype dtype)
{
    for (uint32_t i = 0; x->kind == EX_SCALAR && i < x->n_args; i++)
        if (type_is_int_scalar(x->args[i]->type) && x->args[i]->type->dtype != dtype)
            return wide_operand(x->args[i], dtype);
    return x;
}

/* A name that was declared before the loop keeps its type in it; NULL after a mistake. */
static Expr *as_declared(Elab *e, Sym name, Expr *x)
{
    const Name *old = elab_name(e, elab_name_id(e, name));
    if (old->state != NM_VAR || !old->declared || !old->carried || !type_is_int_scalar(x->type))
        return x;
    const Type *t = func_var(e->fn->f, old->var)->type;
    if (!type_is_int_scalar(t) || t == x->type)
        return x;
    Expr *wide = elab_widen(e, x, t);
    if (wide)
        return wide;
    const Expr *why = wide_operand(x, t->dtype);
    elab_error(e, why->span, "type",
               "%s is declared %s before the loop, and this is %s: convert it with pl.cast, or "
               "leave the declaration out",
               name, type_text(e->arena, t), type_text(e->arena, why->type));
    return NULL;
}

/* `name = value`, with the declared type or NULL. */
static void let_value(Elab *e, Sym name, Span name_span, Val v, Span span, const Type *declared)
{
    if (v.kind != V_BAD && v.kind != V_EXPR && !is_number(v)) {
        if (declared)
            elab_error(e, span, "type", "%s is annotated %s, its value is %s", name,
                       type_text(e->arena, declared), val_describe(e, v));
        let_known(e, name, name_span, v, span);
        return;
    }
    Dtype hint =
        declared && declared->kind == TY_SCALAR && v.kind != V_EXPR ? declared->dtype : DT_COUNT;
    Expr *x = elab_expr(e, v, hint, span);
    if (x && x->type->kind == TY_TUPLE) {
        elab_error(e, span, "type", "%s returns %u values: unpack them, a, b = ...",
                   x->callee->name, x->type->n_elems);
        x = NULL;
    }
    x = x ? declare(e, x, declared, span, name) : NULL;
    if (x && !declared)
        x = as_declared(e, name, x);
    if (x && !declared)
        x = elab_widen_binding(e, name, x);
    x = x ? elab_own_array(e, x, name) : NULL;
    if (!x) {
        elab_bind_bad(e, name, name_span);
        return;
    }
    const Name *old = elab_name(e, elab_name_id(e, name));
    bool kept =
        old->state == NM_VAR && old->declared && func_var(e->fn->f, old->var)->type == x->type;
    bool value = declared && declared->kind == TY_TENSOR && x->type->kind == TY_TILE;
    elab_emit_let(e, name, name_span, x, declared && !value ? declared : x->type);
    elab_name(e, elab_name_id(e, name))->declared = declared || kept;
}

/* ---- several targets at once */

void elab_bind_bad_target(Elab *e, const Ast *target)
{
    if (target->kind == AST_NAME)
        elab_bind_bad(e, target->name, target->span);
    else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
        for (uint32_t i = 0; i < target->items.len; i++)
            elab_bind_bad_target(e, target->items.at[i]);
}

static bool all_names(const Ast *target)
{
    for (uint32_t i = 0; i < target->items.len; i++)
        if (target->items.at[i]->kind != AST_NAME)
            return false;
    return true;
}

/* (a, b) = f(...): one statement with several results. */
static void let_results(Elab *e, const Ast *target, Expr *call, const Type *declared)
{
    const Type *t = call->type;
    bool good = all_names(target) && target->items.len == t->n_elems;
    if (good && declared && declared->kind != TY_TUPLE)
        good = false;
    if (good && declared)
        good = declared->n_elems == t->n_elems;
    if (!good) {
        elab_error(e, target->span, "type", "%s returns %u values, one name for each is wanted",
                   call->callee->name, t->n_elems);
        elab_bind_bad_target(e, target);
        return;
    }
    AliasNode *memory = elab_result_memory(e, call, t->n_elems);
    Stmt *s = elab_emit(e, ST_LET);
    s->value = call;
    s->n_results = t->n_elems;
    s->results = arena_new_n(e->arena, VarId, t->n_elems);
    for (uint32_t i = 0; i < t->n_elems; i++) {
        const Ast *name = target->items.at[i];
        const Type *want = declared ? declared->elems[i] : t->elems[i];
        if (!elab_type_fits(e, want, t->elems[i]))
            elab_error(e, name->span, "type", "%s is annotated %s, its value is %s", name->name,
                       type_text(e->arena, want), type_text(e->arena, t->elems[i]));
        s->results[i] = elab_bind(e, name->name, want, name->span, memory[i]);
    }
}

/* Variables that the targets so far rebind, and whether a value reads one of them. */
typedef struct {
    Map rebound;
    bool found;
} TargetSearch;

static void search(void *env, Expr **x)
{
    TargetSearch *s = env;
    s->found = s->found || ((*x)->kind == EX_VAR && map_get(&s->rebound, (*x)->var, NULL));
}

static bool reads_rebound(TargetSearch *s, Val *v)
{
    s->found = false;
    if (v->kind == V_EXPR)
        expr_walk(&v->expr, search, s);
    return s->found;
}

static void note_rebound(Elab *e, TargetSearch *s, const Ast *target)
{
    const Name *n = target->kind == AST_NAME ? elab_name(e, elab_name_id(e, target->name)) : NULL;
    if (n && n->state == NM_VAR)
        map_set(&s->rebound, n->var, 1);
}

/* All values are evaluated before the first name changes: those that read a changed name are kept
 * in a name of their own. */
static void let_items(Elab *e, const Ast *target, Val v, Span span)
{
    const Val *given = NULL;
    uint32_t n = target->items.len;
    if (!elab_unpack(e, target, v, &given, n)) {
        elab_bind_bad_target(e, target);
        return;
    }
    Val *items = arena_new_n(e->arena, Val, n ? n : 1);
    if (n)
        memcpy(items, given, n * sizeof *items);
    TargetSearch s = {0};
    for (uint32_t i = 0; i < n; i++) {
        bool keep = reads_rebound(&s, &items[i]);
        note_rebound(e, &s, target->items.at[i]);
        if (!keep)
            continue;
        Sym base = target->items.at[i]->kind == AST_NAME ? target->items.at[i]->name
                                                         : intern(e->in, "value");
        Sym name = elab_fresh(e, internf(e->in, "%s_next", base));
        let_value(e, name, span, items[i], span, NULL);
        bool found;
        items[i] = elab_local(e, name, span, &found);
    }
    map_free(&s.rebound);
    for (uint32_t i = 0; i < n; i++)
        elab_assign_value(e, target->items.at[i], items[i], span);
}

/* With strict_ssa=True a name is bound once. */
static void check_strict(Elab *e, const Ast *target)
{
    const Name *n = elab_name(e, elab_name_id(e, target->name));
    if (e->ir || !e->fn->decl->strict || n->state == NM_UNBOUND || n->state == NM_BAD)
        return;
    elab_error(e, target->span, "name",
               "%s is bound again, and strict_ssa=True says that no name is: choose another one",
               target->name);
    diag_note(e->diags, n->where, "it is bound here");
}

void elab_assign_value(Elab *e, const Ast *target, Val v, Span span)
{
    if (target->kind == AST_NAME)
        check_strict(e, target);
    switch (target->kind) {
    case AST_NAME: let_value(e, target->name, target->span, v, span, NULL); break;
    case AST_TUPLE:
    case AST_LIST:
        if (v.kind == V_EXPR && v.expr->type && v.expr->type->kind == TY_TUPLE)
            let_results(e, target, v.expr, NULL);
        else
            let_items(e, target, v, span);
        break;
    case AST_SUBSCRIPT: elab_assign_subscript(e, target, v, span); break;
    case AST_ERROR: break;
    default:
        elab_error(e, target->span, "syntax", "cannot assign to this %s",
                   ast_kind_name(target->kind));
    }
}

void elab_assign(Elab *e, const Ast *s)
{
    const AstList *targets = &s->assign.targets;
    if (elab_is_yield(e, s->assign.value)) {
        if (targets->len == 1)
            elab_yield(e, s, targets->at[0], NULL, s->assign.value);
        else
            elab_error(e, s->span, "syntax", "pl.yield_ is bound once: name = pl.yield_(value)");
        return;
    }
    Val v = elab_eval(e, s->assign.value);
    for (uint32_t i = 0; i < targets->len; i++) {
        elab_assign_value(e, targets->at[i], v, s->assign.value->span);
        /* a = b = v evaluates v once: what follows copies the first name. */
        if (targets->len > 1 && v.kind == V_EXPR && targets->at[i]->kind == AST_NAME)
            v = elab_eval(e, targets->at[i]);
        else if (v.kind == V_EXPR && i + 1 < targets->len) {
            elab_error(e, s->span, "syntax", "write one assignment for each target");
            return;
        }
    }
}

void elab_ann_assign(Elab *e, const Ast *s)
{
    const Ast *target = s->ann.target;
    if (!s->ann.value) {
        elab_error(e, s->span, "syntax", "an annotated name needs a value here");
        elab_bind_bad_target(e, target);
        return;
    }
    if (elab_is_yield(e, s->ann.value)) {
        elab_yield(e, s, target, s->ann.annotation, s->ann.value);
        return;
    }
    Val v = elab_eval(e, s->ann.value); /* first: it may make the extents of its type */
    Val t = elab_annotation(e, s->ann.annotation);
    if (t.kind == V_BAD || v.kind == V_BAD) {
        elab_bind_bad_target(e, target);
        return;
    }
    if (target->kind == AST_NAME)
        let_value(e, target->name, target->span, v, s->ann.value->span, t.type);
    else if (e->ir && target->kind == AST_TUPLE && v.kind == V_EXPR &&
             v.expr->type->kind == TY_TUPLE)
        let_results(e, target, v.expr, t.type);
    else
        elab_error(e, target->span, "syntax", "only a single name can be annotated");
}

void elab_aug_assign(Elab *e, const Ast *s)
{
    const Ast *target = s->aug.target;
    if (target->kind != AST_NAME && target->kind != AST_SUBSCRIPT) {
        elab_error(e, target->span, "syntax", "cannot assign to this %s",
                   ast_kind_name(target->kind));
        return;
    }
    Ast sum = {.kind = AST_BINARY, .span = s->span};
    sum.binary.op = s->aug.op;
    sum.binary.left = s->aug.target;
    sum.binary.right = s->aug.value;
    elab_assign_value(e, target, elab_eval(e, &sum), s->span);
}

/* ---- calls as statements */

/* `pl.store(tile, offsets, y)` rebinds y, as each operation in place does with what it is given; in
 * a dump what is written is what is meant. */
static bool rebinds(Elab *e, const Expr *x)
{
    int in_place = op_in_place(x->op);
    const Expr *dst = in_place < 0 ? NULL : x->args[in_place];
    if (e->ir || !dst || dst->kind != EX_VAR)
        return false;
    if (op_info(x->op)->family != FAMILY_MOVE && dst->type->kind != TY_TILE)
        return false;
    Sym name = func_var(e->fn->f, dst->var)->base;
    Expr *value = (Expr *)(uintptr_t)x;
    elab_emit_let(e, name, dst->span, value, x->type);
    return true;
}

static void warn_unused(Elab *e, const Expr *x)
{
    const OpInfo *info = op_info(x->op);
    int in_place = op_in_place(x->op);
    const Expr *target = in_place < 0 ? NULL : x->args[in_place];
    if (e->ir)
        return;
    if (op_is_collective(x->op))
        diag_warn(e->diags, x->span, WARN_UNUSED_RESULT,
                  "the result of %s is not rebound: write %s = %s(...)", info->full,
                  target && target->kind == EX_VAR ? func_var(e->fn->f, target->var)->base : "data",
                  info->full);
    else if (!op_has_effect(x->op))
        diag_warn(e->diags, x->span, WARN_UNUSED_RESULT, "the result of %s is not used",
                  info->full);
}

void elab_expr_stmt(Elab *e, const Ast *s)
{
    const Ast *a = s->value;
    if (a->kind == AST_STR || a->kind == AST_ERROR)
        return;
    if (elab_is_yield(e, a)) {
        elab_error(e, s->span, "syntax", "bind what pl.yield_ yields: name = pl.yield_(value)");
        return;
    }
    Sym dotted = a->kind == AST_CALL ? elab_dotted(e, a->call.callee) : NULL;
    Val v;
    if (dotted && elab_nothing_call(e, dotted, a, &v))
        return;
    v = elab_eval(e, a);
    bool submit =
        dotted && (strcmp(dotted, "pl.submit") == 0 || strcmp(dotted, "pl.spmd_submit") == 0);
    if (v.kind == V_BAD || submit || (v.kind == V_NONE && elab_calls_subworker(e, a)))
        return;
    if (v.kind != V_EXPR || (v.expr->kind != EX_OP && v.expr->kind != EX_CALL)) {
        elab_error(e, s->span, "syntax", "this statement has no effect: delete it");
        return;
    }
    if (v.expr->kind == EX_OP && v.expr->op == OP_AS_SHAPE && v.expr->args[0]->kind == EX_CALL)
        v.expr = v.expr->args[0]; /* nobody looks at the result's extents */
    if (v.expr->kind == EX_OP && v.expr->op == OP_DEBUG_PRINT && e->opt->no_print)
        return;
    if (v.expr->kind == EX_OP) {
        if (rebinds(e, v.expr))
            return;
        warn_unused(e, v.expr);
    }
    elab_emit(e, ST_EXPR)->value = v.expr;
}
