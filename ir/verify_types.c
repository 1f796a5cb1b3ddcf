/* Types are inferred once more and compared with what is recorded; then the properties. */
#include "ir/verify_types.h"
#include "ir/build.h"
#include <stdarg.h>
#include <string.h>

void verify_fail(IrVerify *v, const Stmt *s, const char *fmt, ...)
{
    Span span = s ? s->loc.span : v->f->span;
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(v->p->arena, fmt, ap);
    va_end(ap);
    v->clean = false;
    diag_internal(v->p->diags, span, "%s: in function %s: %s", v->blame, v->f->name, text);
}

bool verify_same_type(const Type *a, const Type *b)
{
    return a && b && (a == b || a->bare == b->bare);
}

/* infer_op with its messages caught: they are about the compiler here, not about the program. */
static const Type *infer_again(IrVerify *v, Expr *e, const char **why)
{
    Program *p = v->p;
    Diags *outer = p->diags, *caught = &v->caught;
    p->diags = caught;
    const Type *t = e->kind == EX_OP ? infer_op(p, e, v->level) : infer_scalar(p, e);
    p->diags = outer;
    *why = caught->list.len ? caught->list.at[0].message : "no type";
    vec_clear(&caught->list);
    caught->n_errors = 0;
    return t;
}

static void check_type(IrVerify *v, const Stmt *s, Expr *e)
{
    const char *why, *what = e->kind == EX_OP ? op_info(e->op)->full : scalar_text(e->scalar);
    if (e->kind == EX_OP && e->n_args != op_info(e->op)->n_slots) {
        verify_fail(v, s, "%s has %u operands of %u", what, e->n_args, op_info(e->op)->n_slots);
        return;
    }
    const Type *t = infer_again(v, e, &why);
    if (!t)
        verify_fail(v, s, "%s", why);
    else if (!verify_same_type(t, e->type))
        verify_fail(v, s, "%s is recorded as %s, it is %s", what,
                    e->type ? type_text(v->p->arena, e->type) : "nothing",
                    type_text(v->p->arena, t));
}

static bool has_type(const Expr *e)
{
    return e->kind == EX_LIST || e->kind == EX_ENUM || e->kind == EX_DTYPE || e->kind == EX_STR ||
           e->type != NULL;
}

static void check_call(IrVerify *v, const Stmt *s, const Expr *e)
{
    FuncKind from = v->level, to = e->callee ? e->callee->kind : FN_INIT;
    bool level = (from == FN_HOST && to == FN_ORCH) || (from != FN_HOST && to == FN_INCORE) ||
                 (from == FN_ORCH && e->callee && e->callee->spliced);
    if (!e->callee || !level) {
        verify_fail(v, s, "a call of %s, which this level cannot call",
                    e->callee ? e->callee->name : "nothing");
        return;
    }
    if (e->n_args != e->callee->params.len)
        verify_fail(v, s, "a call of %s with %u arguments of %u", e->callee->name, e->n_args,
                    e->callee->params.len);
    if ((from == FN_HOST) != (e->device != NULL))
        verify_fail(v, s, "a call of %s with a wrong device", e->callee->name);
    if ((v->properties & PROP_INLINED) && (from == FN_INCORE || e->callee->spliced))
        verify_fail(v, s, "InCore function %s calls %s after inlining", v->f->name,
                    e->callee->name);
}

static void property_fail(IrVerify *v, const Stmt *s, Property property, const char *op,
                          const char *what)
{
    verify_fail(v, s, "property %s: %s %s", property_name(property), op, what);
}

static bool has_layout(const Expr *alloc)
{
    for (uint32_t i = OPND(ALLOC_WINDOW_BUFFER, name); i < alloc->n_args; i++)
        if (!alloc->args[i])
            return false;
    return true;
}

/* A power of two that the bytecode takes. */
static bool has_good_alignment(const Expr *alloc)
{
    int64_t align;
    return expr_is_int(OP_ARG(alloc, ALLOC_WINDOW_BUFFER, align), &align) && align > 0 &&
           align <= (int64_t)1 << 30 && (align & (align - 1)) == 0;
}

/* Properties of one op; rows: property, and what breaks it. */
static void check_op_properties(IrVerify *v, const Stmt *s, const Expr *e)
{
    const OpInfo *info = op_info(e->op);
    uint32_t props = v->properties;
    bool incore = v->level == FN_INCORE, collective = op_is_collective(e->op);
    if ((props & PROP_TILES) && incore && !expr_is_view(e) &&
        (op_is_on_values(info) || e->op == OP_TENSOR_CREATE))
        property_fail(v, s, PROP_TILES, info->full, "is left in InCore code");
    if ((props & PROP_SIGNALS) && e->op == OP_ALLREDUCE && !OP_ARG(e, ALLREDUCE, signal))
        property_fail(v, s, PROP_SIGNALS, info->full, "has no signal");
    if ((props & PROP_NO_COMPOSITES) && incore && collective)
        property_fail(v, s, PROP_NO_COMPOSITES, info->full, "is left in InCore code");
    if ((props & PROP_NO_HOST_COLLECTIVES) && v->f->kind == FN_HOST && collective)
        property_fail(v, s, PROP_NO_HOST_COLLECTIVES, info->full, "is left in host code");
    if ((props & PROP_STAGED) && op_is_transfer(e->op) && !SHARED_ARG(e, stage))
        property_fail(v, s, PROP_STAGED, info->full, "has no staging tiles");
    if ((props & PROP_WINDOWS) && e->op == OP_ALLOC_WINDOW_BUFFER && !has_layout(e))
        property_fail(v, s, PROP_WINDOWS, info->full, "has no layout");
    else if ((props & PROP_WINDOWS) && e->op == OP_ALLOC_WINDOW_BUFFER && !has_good_alignment(e))
        property_fail(v, s, PROP_WINDOWS, info->full, "has an align= that is no power of two");
}

/* Operands and results are where the op wants them. */
static void check_memories(IrVerify *v, const Stmt *s, const Expr *e)
{
    MemSpace want, have = MEM_UNSET;
    for (uint32_t i = 0; i < e->n_args; i++) {
        const Expr *arg = e->args[i];
        bool tile = arg && arg->kind == EX_VAR && arg->type && arg->type->kind == TY_TILE;
        if (!tile || !op_slot_memory(op_info(e->op)->slots[i].kind, &want))
            continue;
        have = i == 0 ? arg->type->mem : have;
        if (arg->type->mem == MEM_UNSET || (want != MEM_UNSET && arg->type->mem != want))
            property_fail(v, s, PROP_KINDS, op_info(e->op)->full,
                          "has an operand in the wrong memory");
    }
    want = op_result_memory(e);
    if (want == MEM_UNSET)
        want = have;
    for (uint32_t i = 0; s && s->kind == ST_LET && s->value == e && i < s->n_results; i++) {
        const Type *t = func_var(v->f, s->results[i])->type;
        if (t->kind == TY_TILE && t->mem != want)
            property_fail(v, s, PROP_KINDS, op_info(e->op)->full,
                          "has its result in the wrong memory");
    }
}

/* Ops in InCore code that lower_tensor_ops replaces, or looks at operands of. */
static bool is_lowered_on_values(const OpInfo *info, const Expr *e)
{
    if (op_is_on_values(info) || info->family == FAMILY_TENSOR || info->family == FAMILY_SHAPE ||
        info->emit == EMIT_LOWERED)
        return true;
    switch (e->op) {
    case OP_TILE_CMP:
    case OP_TILE_SELS:
    case OP_TENSOR_SLICE:
    case OP_TENSOR_CREATE: return true;
    default: break;
    }
    const Type *first = e->n_args && e->args[0] ? e->args[0]->type : NULL;
    bool memory = info->family == FAMILY_MOVE || info->tile_op != TOP_NONE;
    return memory && first && (info->traits & TRAIT_VALUES) && first->kind == TY_TILE;
}

/* May the valid part of the result be less than all of it, whatever the operands? */
static bool cuts_region(const OpInfo *info)
{
    switch (info->rule) {
    case RULE_PART:
    case RULE_ASSEMBLE:
    case RULE_CONCAT:
    case RULE_SET_VALIDSHAPE: return true;
    default: return false;
    }
}

/* What an operation means wherever it stands: found once for each. */
static void meet_op(IrVerify *v, OpId op)
{
    const OpInfo *info = op_info(op);
    uint32_t holds = 0;
    holds |= op_in_place(op) >= 0 ? HOLDS_IN_PLACE : 0;
    holds |= cuts_region(info) ? HOLDS_REGIONS : 0;
    holds |= op == OP_TILE_STORE || op == OP_REMOTE_STORE ? HOLDS_STORES : 0;
    holds |= op_is_collective(op) ? HOLDS_COLLECTIVES : 0;
    holds |= op_is_transfer(op) ? HOLDS_TRANSFERS : 0;
    holds |= info->family == FAMILY_SIGNAL ? HOLDS_SYNC : 0;
    v->holds |= holds;
    v->met[op] = (uint8_t)(2 + op_slot_of(op, OPERAND_valid_shape));
}

static uint32_t held_by_op(IrVerify *v, const Expr *e)
{
    if (!v->met[e->op])
        meet_op(v, e->op);
    uint32_t region = v->met[e->op];
    return (is_lowered_on_values(op_info(e->op), e) ? HOLDS_VALUES : 0) |
           (region > 1 && region - 2 < e->n_args && e->args[region - 2] ? HOLDS_REGIONS : 0);
}

static void note_held(IrVerify *v, const Expr *e, bool direct)
{
    uint32_t holds = e->kind == EX_OP ? held_by_op(v, e) : e->kind == EX_CALL ? HOLDS_CALLS : 0;
    if (!direct && (e->kind == EX_OP || e->kind == EX_CALL))
        holds |= HOLDS_NESTED;
    if (e->type && e->type->kind == TY_TILE)
        holds |= e->type->value ? HOLDS_TILES | HOLDS_VALUES : HOLDS_TILES;
    v->holds |= holds;
}

static bool is_nested_work(const Expr *e)
{
    return e->kind == EX_OP || e->kind == EX_CALL;
}

static bool is_number(const Expr *e)
{
    return e && e->type && e->type->kind == TY_NUMBER;
}

static bool are_numbers(const Expr *e, uint32_t from)
{
    bool reduces = e->kind == EX_ELEMENT && element_info[e->element].form == ELEMENT_REDUCE;
    for (uint32_t i = from; i < e->n_args; i++) {
        bool may_lack = reduces && i && i % 4 == 0;
        if (!is_number(e->args[i]) && !(may_lack && !e->args[i]))
            return false;
    }
    return true;
}

/* Has an operator the operands that it needs? */
static bool has_operands(const IrVerify *v, const Expr *e)
{
    const Expr *first = e->n_args ? e->args[0] : NULL;
    if (e->kind == EX_SCALAR && (e->scalar == SC_MIN || e->scalar == SC_MAX))
        return e->n_args >= 2 && are_numbers(e, 0);
    if (e->kind == EX_SCALAR)
        return e->scalar < SC_COUNT && e->scalar != SC_CAST &&
               e->n_args == scalar_arity(e->scalar) && are_numbers(e, 0);
    if (e->element >= EL_COUNT)
        return false;
    switch (element_info[e->element].form) {
    case ELEMENT_READ:
        return first && first->kind == EX_VAR && type_is_memory(func_var(v->f, first->var)->type) &&
               e->n_args == 1u + func_var(v->f, first->var)->type->rank && are_numbers(e, 1);
    case ELEMENT_CALL: return e->n_args == 1 && are_numbers(e, 0);
    case ELEMENT_REDUCE: break;
    }
    return e->vars && e->n_args >= 5 && e->n_args % 4 == 1 && are_numbers(e, 0);
}

/* The level of init and golden functions: numbers, and elements of tensors. */
static void check_number(IrVerify *v, const Stmt *s, const Expr *e)
{
    switch (e->kind) {
    case EX_INT:
    case EX_FLOAT:
    case EX_BOOL:
    case EX_EXTENT:
        if (!is_number(e))
            verify_fail(v, s, "a value that is no number");
        break;
    case EX_VAR: {
        const Type *t = func_var(v->f, e->var)->type;
        bool number = t && (t->kind == TY_NUMBER || t->kind == TY_SCALAR);
        if (number ? !is_number(e) : e->type != t)
            verify_fail(v, s, "a use of %s as %s", func_var(v->f, e->var)->base,
                        type_text(v->p->arena, e->type));
        break;
    }
    case EX_SCALAR:
    case EX_ELEMENT:
        if (!is_number(e) || !has_operands(v, e))
            verify_fail(v, s, "an operator with wrong operands");
        break;
    case EX_LIST:
        for (uint32_t i = 0; i < e->n_args; i++)
            if (!is_number(e->args[i]))
                verify_fail(v, s, "a value that is no number");
        break;
    default: verify_fail(v, s, "an operation of devices in an init or golden function"); break;
    }
}

void verify_expr(IrVerify *v, const Stmt *s, Expr *e, bool top)
{
    if (!has_type(e)) {
        verify_fail(v, s, "a value without a type");
        return;
    }
    if (func_is_element(v->f)) {
        check_number(v, s, e);
        return;
    }
    if (e->kind == EX_ELEMENT || (e->type && e->type->kind == TY_NUMBER))
        verify_fail(v, s, "a number outside of init and golden functions");
    if (e->kind == EX_OP || e->kind == EX_SCALAR)
        check_type(v, s, e);
    if (e->kind == EX_VAR && !verify_same_type(e->type, func_var(v->f, e->var)->type))
        verify_fail(v, s, "a use of %s as %s", func_var(v->f, e->var)->base,
                    type_text(v->p->arena, e->type));
    if (e->kind == EX_CALL)
        check_call(v, s, e);
    if (e->kind == EX_OP)
        check_op_properties(v, s, e);
    if (e->kind == EX_OP && (v->properties & PROP_KINDS) && v->f->kind == FN_INCORE)
        check_memories(v, s, e);
    bool direct = top && s && (s->kind == ST_LET || s->kind == ST_EXPR);
    note_held(v, e, direct);
    if ((v->properties & PROP_FLAT) && is_nested_work(e) && !direct)
        property_fail(v, s, PROP_FLAT, e->kind == EX_OP ? op_info(e->op)->full : e->callee->name,
                      "stands inside another expression");
}

/* What is wrong with the address of a tile, or NULL. */
static const char *bad_place(const IrVerify *v, const Type *t)
{
    const Platform *platform = v->p->platform;
    int64_t bytes;
    if (t->kind != TY_TILE)
        return NULL;
    if (t->mem == MEM_UNSET || t->addr < 0)
        return "has no address";
    if (t->addr % platform->row_align)
        return "has an address that is no multiple of the alignment of rows";
    int64_t size = mem_kind_bytes(platform, t->mem);
    if (!tile_core_bytes(t, platform->row_align, &bytes) || bytes > size || t->addr > size - bytes)
        return "has an address past the end of its memory";
    return NULL;
}

static bool same_place(const Type *a, const Type *b)
{
    return !a || !b || a->kind != TY_TILE || b->kind != TY_TILE ||
           (a->mem == b->mem && a->addr == b->addr);
}

static void check_places(IrVerify *v, const Stmt *s)
{
    for (uint32_t i = 0; i < s->n_results; i++) {
        const Var *var = s->results[i] < v->f->vars.len ? func_var(v->f, s->results[i]) : NULL;
        const char *why = var && var->type ? bad_place(v, var->type) : NULL;
        if (why)
            property_fail(v, s, PROP_PLACED, var->base, why);
    }
    if (s->kind != ST_FOR && s->kind != ST_YIELD)
        return;
    for (uint32_t i = 0; i < s->n_values && i < s->n_results; i++) {
        const Type *result = func_var(v->f, s->results[i])->type;
        bool same = s->values[i] && same_place(s->values[i]->type, result);
        if (s->kind == ST_FOR)
            same = same && same_place(func_var(v->f, s->nest->iters[i])->type, result);
        if (!same)
            property_fail(v, s, PROP_PLACED, func_var(v->f, s->results[i])->base,
                          "is carried between different addresses");
    }
}

void verify_stmt(IrVerify *v, const Stmt *s)
{
    if (s->kind == ST_FOR && s->nest->loop == LOOP_UNROLL)
        v->holds |= HOLDS_UNROLLS;
    if (s->kind == ST_SCOPE)
        v->holds |= HOLDS_SCOPES;
    if (s->kind == ST_IF && s->nest->cond && s->nest->cond->kind == EX_BOOL)
        v->holds |= HOLDS_KNOWN_IFS;
    if ((v->properties & PROP_INLINED) && s->kind == ST_FOR && s->nest->loop == LOOP_UNROLL)
        property_fail(v, s, PROP_INLINED, "pl.unroll", "is left");
    if (v->properties & PROP_PLACED)
        check_places(v, s);
}
