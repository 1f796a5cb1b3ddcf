/* Operands: a value becomes what the op table wants in a slot. */
#include "elab/typed/typed.h"
#include <ctype.h>
#include <float.h>
#include <string.h>

Expr *elab_list(Elab *e, Expr **items, uint32_t n, Span span)
{
    Expr *x = ex_list(e->p, items, n);
    x->span = span;
    return x;
}

static Expr *wrong(Elab *e, OpId op, uint32_t slot, Val v, Span span, const char *wanted)
{
    if (v.kind != V_BAD)
        elab_error(e, span, "type", "%s: %s must be %s, got %s", op_info(op)->full,
                   op_info(op)->slots[slot].name, wanted, val_describe(e, v));
    return NULL;
}

static void find_name(void *env, Expr **x)
{
    bool *found = env;
    *found |= (*x)->kind == EX_VAR || ((*x)->kind == EX_OP && (*x)->op == OP_WORLD_SIZE);
}

/* An extent of a shape: names that are extents, and the number of devices, become what they are. */
static Expr *extent_item(Elab *e, Expr *x)
{
    bool found = false;
    if (x && x->kind != EX_EXTENT)
        expr_walk(&x, find_name, &found);
    const Dim *d = found ? elab_dim(e, x) : NULL;
    if (!d)
        return x;
    Expr *extent = ex_dim(e->p, d);
    extent->span = x->span;
    return extent;
}

/* Memory that an orchestration function makes, and its views, may have run-time extents. */
static bool makes_extents(const Elab *e, OpId op, const OpSlot *s)
{
    return s->kind == SLOT_SHAPE && e->fn->level == FN_ORCH &&
           (op == OP_TENSOR_CREATE || op == OP_TENSOR_SLICE || op == OP_TENSOR_RESHAPE);
}

/* One element, of a vector also by a number: pl.read(t, i). */
static bool is_element(OpId op)
{
    TypeRule rule = op_info(op)->rule;
    return rule == RULE_READ || rule == RULE_WRITE || rule == RULE_TILE_READ ||
           rule == RULE_TILE_WRITE;
}

static bool is_number(Val v)
{
    return v.kind == V_INT ||
           (v.kind == V_EXPR && v.expr->type && type_is_int_scalar(v.expr->type));
}

static Expr *list_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span)
{
    const OpSlot *s = &op_info(op)->slots[slot];
    bool tiles = s->kind == SLOT_TILES || s->kind == SLOT_TASKS;
    if (v.kind != V_LIST && v.kind != V_TUPLE) {
        bool bytes = op == OP_ALLOC_WINDOW_BUFFER && v.kind != V_BAD;
        bool index = s->kind == SLOT_IDX && is_element(op) && is_number(v);
        Expr *x = bytes   ? elab_int(e, v, span, "the size of a window buffer")
                  : index ? elab_int(e, v, span, "an index")
                          : NULL;
        x = extent_item(e, x);
        return bytes || index
                   ? (x ? elab_list(e, &x, 1, span) : NULL)
                   : wrong(e, op, slot, v, span, tiles ? "a list of tiles" : "a list of integers");
    }
    Expr **items = arena_new_n(e->arena, Expr *, v.n ? v.n : 1);
    bool ok = true;
    for (uint32_t i = 0; i < v.n; i++) {
        Span at =
            v.items[i].kind == V_EXPR && v.items[i].expr->span.end ? v.items[i].expr->span : span;
        const char *what =
            arena_printf(e->arena, "%s: item %u of %s", op_info(op)->full, i, s->name);
        items[i] =
            tiles ? elab_expr(e, v.items[i], DT_COUNT, at) : elab_int(e, v.items[i], at, what);
        if (s->kind == SLOT_SHAPE)
            items[i] = extent_item(e, items[i]);
        int64_t known;
        if (items[i] && makes_extents(e, op, s) && !elab_constant(e, items[i], &known) &&
            !dim_of_expr(e->p, items[i]))
            items[i] = elab_own_extent(e, items[i], NULL);
        if (items[i] && s->kind == SLOT_SHAPE && elab_constant(e, items[i], &known))
            items[i] = ex_index(e->p, known);
        if (items[i])
            items[i]->span = at;
        ok &= items[i] != NULL;
    }
    return ok ? elab_list(e, items, v.n, span) : NULL;
}

/* Numbers beside a tile or tensor take its dtype. */
static Expr *number_for(Elab *e, OpId op, uint32_t slot, Val v, Span span, Dtype dtype)
{
    if (v.kind == V_EXPR && v.expr->kind == EX_INT && dtype != DT_BOOL)
        v = val_int(v.expr->ival);
    else if (v.kind == V_EXPR && v.expr->kind == EX_FLOAT)
        v = val_float(v.expr->fval);
    if (v.kind == V_EXPR)
        return elab_expr(e, v, DT_COUNT, span);
    if (v.kind == V_BOOL && dtype != DT_BOOL)
        v = val_int(v.i);
    if (v.kind != V_INT && v.kind != V_FLOAT && v.kind != V_BOOL)
        return wrong(e, op, slot, v, span, "a tile or a number");
    return elab_expr(e, v, dtype, span);
}

static Dtype first_dtype(Expr **slots, Dtype fallback)
{
    return slots[0] && slots[0]->type && type_is_shaped(slots[0]->type) ? slots[0]->type->dtype
                                                                        : fallback;
}

/* A mode by its number, or by its name in lower case. */
static Val cast_mode(Val v)
{
    const char *names[16];
    uint32_t n = enum_value_names(ENUM_CastMode, names, 16);
    int64_t value;
    if (v.kind == V_INT && enum_value_name(ENUM_CastMode, v.i))
        return val_enum(ENUM_CastMode, v.i);
    for (uint32_t i = 0; i < n && v.kind == V_STR; i++) {
        size_t len = strcspn(names[i], "_");
        if (strlen(v.s) == len && strncasecmp(names[i], v.s, len) == 0 &&
            enum_value_from_name(ENUM_CastMode, names[i], &value))
            return val_enum(ENUM_CastMode, value);
    }
    return v;
}

/* 0 and the infinities stand for the members. */
static Val pad_value(Val v)
{
    if (v.kind == V_EXPR && v.expr->kind == EX_INT)
        v = val_int(v.expr->ival);
    else if (v.kind == V_EXPR && v.expr->kind == EX_FLOAT)
        v = val_float(v.expr->fval);
    double number = v.kind == V_INT ? (double)v.i : v.kind == V_FLOAT ? v.f : 1;
    if (number == 0)
        return val_enum(ENUM_PadValue, PAD_ZERO);
    if (number > DBL_MAX)
        return val_enum(ENUM_PadValue, PAD_MAX);
    return number < -DBL_MAX ? val_enum(ENUM_PadValue, PAD_MIN) : v;
}

static Expr *enum_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span)
{
    EnumType t = op_info(op)->slots[slot].enum_type;
    if (t == ENUM_CastMode)
        v = cast_mode(v);
    else if (t == ENUM_PadValue)
        v = pad_value(v);
    if (v.kind != V_ENUM || v.enum_type != t)
        return wrong(
            e, op, slot, v, span,
            arena_printf(e->arena, "a member of %s.%s", enum_type_module(t), enum_type_name(t)));
    return ex_enum(e->p, t, v.i);
}

static Expr *known_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span)
{
    int64_t known;
    switch (op_info(op)->slots[slot].kind) {
    case SLOT_CONST:
        if (v.kind == V_EXPR && v.expr->kind == EX_INT)
            return v.expr;
        if (v.kind == V_EXPR && elab_constant(e, v.expr, &known))
            v = val_int(known);
        return v.kind == V_INT ? ex_index(e->p, v.i)
                               : wrong(e, op, slot, v, span, "a compile-time int");
    case SLOT_BOOL:
        return v.kind == V_BOOL ? ex_bool(e->p, v.i != 0)
                                : wrong(e, op, slot, v, span, "True or False");
    case SLOT_DTYPE:
        return v.kind == V_DTYPE ? ex_dtype(e->p, v.dtype)
                                 : wrong(e, op, slot, v, span, "a dtype, such as pl.FP32");
    case SLOT_STR:
        return v.kind == V_STR ? ex_str(e->p, v.s)
                               : wrong(e, op, slot, v, span, "a compile-time str");
    default: return enum_slot(e, op, slot, v, span);
    }
}

static Expr *memory_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span)
{
    static const char *const wanted[] = {[SLOT_TILE] = "a tile",
                                         [SLOT_ANY_TILE] = "a tile",
                                         [SLOT_LEFT] = "a tile",
                                         [SLOT_RIGHT] = "a tile",
                                         [SLOT_ACC] = "a tile",
                                         [SLOT_BIAS] = "a tile",
                                         [SLOT_MEM] = "a Tensor or a window view",
                                         [SLOT_TENSOR] = "a plain Tensor",
                                         [SLOT_DIST] = "a DistributedTensor",
                                         [SLOT_SIGNAL] = "an INT32 DistributedTensor",
                                         [SLOT_BUF] = "a window buffer",
                                         [SLOT_CTX] = "a communication context"};
    if (v.kind != V_EXPR)
        return wrong(e, op, slot, v, span, wanted[op_info(op)->slots[slot].kind]);
    return elab_expr(e, v, DT_COUNT, span);
}

static Expr *scalar_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span, Expr **slots)
{
    SlotKind kind = op_info(op)->slots[slot].kind;
    if (kind == SLOT_ELEMENT || kind == SLOT_COND)
        return v.kind == V_EXPR
                   ? elab_expr(e, v, DT_COUNT, span)
                   : number_for(e, op, slot, v, span,
                                kind == SLOT_COND ? DT_BOOL : first_dtype(slots, DT_INDEX));
    if (kind == SLOT_I32 && v.kind == V_INT)
        return v.i < INT32_MIN || v.i > INT32_MAX ? wrong(e, op, slot, v, span, "an INT32")
                                                  : ex_int(e->p, DT_INT32, v.i);
    return elab_int(
        e, v, span,
        arena_printf(e->arena, "%s: %s", op_info(op)->full, op_info(op)->slots[slot].name));
}

/* A name that is known to be a number stands for it. */
static Val literal_of(Elab *e, Val v)
{
    int64_t known;
    const Expr *number = v.kind == V_EXPR ? elab_literal(e, v.expr) : NULL;
    if (number)
        return val_float(number->fval);
    return v.kind == V_EXPR && v.expr->kind != EX_INT && elab_constant(e, v.expr, &known)
               ? val_int(known)
               : v;
}

Expr *elab_slot(Elab *e, OpId op, uint32_t slot, Val v, Span span, Expr **slots)
{
    const OpSlot *s = &op_info(op)->slots[slot];
    Expr *x = NULL;
    int dtype_slot;
    if (v.kind == V_BAD)
        return NULL;
    switch (s->kind) {
    case SLOT_IDX:
    case SLOT_SHAPE:
    case SLOT_TASKS:
    case SLOT_TILES: return list_slot(e, op, slot, v, span);
    case SLOT_INT:
    case SLOT_PEER:
    case SLOT_I32:
    case SLOT_COND:
    case SLOT_ELEMENT: x = scalar_slot(e, op, slot, v, span, slots); break;
    case SLOT_NUM:
        x = number_for(e, op, slot, v, span,
                       first_dtype(slots + (op_info(op)->rule == RULE_SEL), DT_FP32));
        break;
    case SLOT_LIT:
        v = literal_of(e, v);
        dtype_slot = op_slot_of_kind(op, SLOT_DTYPE);
        x = v.kind == V_EXPR && v.expr->kind != EX_INT && v.expr->kind != EX_FLOAT
                ? wrong(e, op, slot, v, span,
                        "a number known when compiling (a tile of 1.0 times the value)")
                : number_for(e, op, slot, v, span,
                             dtype_slot >= 0 && slots[dtype_slot] ? slots[dtype_slot]->dtype
                                                                  : first_dtype(slots, DT_FP32));
        break;
    case SLOT_CONST:
    case SLOT_BOOL:
    case SLOT_DTYPE:
    case SLOT_STR:
    case SLOT_ENUM: x = known_slot(e, op, slot, v, span); break;
    case SLOT_ANY: x = elab_expr(e, v, DT_COUNT, span); break;
    case SLOT_ANY_TILE:
    case SLOT_LEFT:
    case SLOT_RIGHT:
    case SLOT_ACC:
    case SLOT_BIAS:
    case SLOT_TILE:
    case SLOT_MEM:
    case SLOT_TENSOR:
    case SLOT_DIST:
    case SLOT_SIGNAL:
    case SLOT_BUF:
    case SLOT_CTX: x = memory_slot(e, op, slot, v, span); break;
    case SLOT_KINDS: return NULL;
    }
    if (x)
        x->span = span;
    return x;
}
