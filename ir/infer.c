/* Type rules of operations: level, operand kinds and defaults come from the op table, the rest from
 * the family of the op. The messages are for the author of the program, so each says what was
 * required and what was found. */
#include "ir/infer.h"
#include "base/checked.h"
#include <stdarg.h>
#include <string.h>

bool infer_fail(const Infer *in, int slot, const char *code, const char *fmt, ...)
{
    const Expr *arg = slot >= 0 ? in->op->args[slot] : NULL;
    Span span = arg && arg->span.end ? arg->span : in->op->span;
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(in->p->arena, fmt, ap);
    va_end(ap);
    diag_error(in->p->diags, span, code, "%s %s", in->info->full, text);
    return false;
}

const char *infer_number(Arena *arena, double v)
{
    Buf text = {0};
    buf_double(&text, v);
    const char *kept = arena_strndup(arena, text.at, text.len);
    buf_free(&text);
    return kept;
}

const char *infer_text(const Infer *in, const Expr *e)
{
    Arena *arena = in->p->arena;
    const char *name;
    switch (e->kind) {
    case EX_LIST: return "a list";
    case EX_DTYPE: return arena_printf(arena, "pl.%s", dtype_name(e->dtype));
    case EX_STR: return arena_printf(arena, "\"%s\"", e->sym);
    case EX_BOOL: return e->ival ? "True" : "False";
    case EX_INT: return arena_printf(arena, "%lld", (long long)e->ival);
    case EX_FLOAT: return infer_number(arena, e->fval);
    case EX_ENUM:
        name = enum_value_name(e->enum_type, e->ival);
        return arena_printf(arena, "%s.%s.%s", enum_type_module(e->enum_type),
                            enum_type_name(e->enum_type), name ? name : "?");
    default: return e->type ? type_text(arena, e->type) : "no value";
    }
}

const char *infer_shape_text(const Infer *in, const Type *t)
{
    const char *text = "[";
    for (uint32_t i = 0; i < t->rank; i++)
        text = arena_printf(in->p->arena, "%s%s%s", text, i ? ", " : "",
                            dim_text(in->p->arena, t->dims[i]));
    return arena_printf(in->p->arena, "%s]", text);
}

bool infer_item(const Expr *list, uint32_t i, int64_t *value)
{
    return list && i < list->n_args && expr_is_int(list->args[i], value);
}

static bool dim_ok(const Infer *in, int slot, const Dim *d, bool tile)
{
    const char *name = in->info->slots[slot].name;
    int64_t v;
    if (!dim_is_const(d, &v)) {
        if (tile)
            return infer_fail(in, slot, "shape", "needs compile-time extents in %s, got %s", name,
                              dim_text(in->p->arena, d));
        return true;
    }
    if (v < 0 || (tile && v == 0))
        return infer_fail(in, slot, "shape", "needs %s extents in %s, got %lld",
                          tile ? "positive" : "non-negative", name, (long long)v);
    return true;
}

bool infer_dims(const Infer *in, int slot, bool tile, const Dim **dims)
{
    const Expr *list = in->op->args[slot];
    const char *name = in->info->slots[slot].name;
    if (list->n_args < 1 || list->n_args > MAX_RANK)
        return infer_fail(in, slot, "shape", "needs 1 to %d extents in %s, got %u", MAX_RANK, name,
                          list->n_args);
    for (uint32_t i = 0; i < list->n_args; i++) {
        dims[i] = dim_of_expr(in->p, list->args[i]);
        if (!dims[i])
            return infer_fail(in, slot, "shape",
                              "needs compile-time or dynamic extents in %s, item %u is %s", name, i,
                              tile ? "a run-time value: tile shapes must be compile-time"
                                   : "a run-time value, or too large");
        if (!dim_ok(in, slot, dims[i], tile))
            return false;
    }
    return true;
}

bool infer_rank(const Infer *in, int slot, const Type *mem)
{
    const Expr *list = in->op->args[slot];
    if (list->n_args == mem->rank)
        return true;
    return infer_fail(in, slot, "shape", "needs %u item%s in %s, one per dimension of %s, got %u",
                      mem->rank, mem->rank == 1 ? "" : "s", in->info->slots[slot].name,
                      type_text(in->p->arena, mem), list->n_args);
}

static bool axis_in_bounds(const Infer *in, int slot, const Type *mem, uint32_t axis,
                           int64_t offset, const Expr *extents)
{
    int64_t size, extent = 1, end;
    const char *name = in->info->slots[slot].name;
    if (offset < 0)
        return infer_fail(in, slot, "value", "needs non-negative %s, got %lld in dimension %u",
                          name, (long long)offset, axis);
    if (!dim_is_const(mem->dims[axis], &size))
        return true;
    if (extents && !infer_item(extents, axis, &extent))
        extent = 0;
    if (!checked_add(offset, extent, &end) || end > size)
        return infer_fail(
            in, slot, "value",
            "needs %s inside %s: in dimension %u, %lld%s is past the extent %lld", name,
            type_text(in->p->arena, mem), axis, (long long)offset,
            extent == 1 && !extents ? "" : arena_printf(in->p->arena, " + %lld", (long long)extent),
            (long long)size);
    return true;
}

bool infer_bounds(const Infer *in, int slot, const Type *mem, const Expr *extents)
{
    const Expr *list = in->op->args[slot];
    int64_t offset;
    for (uint32_t i = 0; i < list->n_args; i++)
        if (infer_item(list, i, &offset) && !axis_in_bounds(in, slot, mem, i, offset, extents))
            return false;
    return true;
}

static uint8_t level_bit(FuncKind level)
{
    return level == FN_HOST ? LEVEL_H : level == FN_ORCH ? LEVEL_O : LEVEL_I;
}

static const char *level_text(FuncKind level)
{
    return level == FN_HOST ? "a host" : level == FN_ORCH ? "an orchestration" : "an InCore";
}

static bool check_level(const Infer *in)
{
    static const char *const names[8] = {
        [LEVEL_H] = "a host",
        [LEVEL_O] = "an orchestration",
        [LEVEL_I] = "an InCore",
        [LEVEL_H | LEVEL_O] = "a host or orchestration",
        [LEVEL_H | LEVEL_I] = "a host or InCore",
        [LEVEL_O | LEVEL_I] = "an orchestration or InCore",
    };
    if (in->info->levels & level_bit(in->level))
        return true;
    return infer_fail(in, -1, "level", "needs %s function, it cannot stand in %s function",
                      names[in->info->levels & 7], level_text(in->level));
}

static Expr *default_value(Program *p, const OpSlot *slot)
{
    switch (slot->kind) {
    case SLOT_ENUM: return ex_enum(p, slot->enum_type, slot->value);
    case SLOT_BOOL: return ex_bool(p, slot->value != 0);
    case SLOT_STR: return ex_str(p, intern(p->in, slot->text));
    default: return ex_index(p, slot->value);
    }
}

static bool fill_defaults(const Infer *in)
{
    for (int i = 0; i < in->info->n_slots; i++) {
        const OpSlot *slot = &in->info->slots[i];
        if (in->op->args[i])
            continue;
        if (slot->flags & OPND_DEFAULT)
            in->op->args[i] = default_value(in->p, slot);
        else if (!(slot->flags & OPND_OPTIONAL))
            return infer_fail(in, -1, "type", "needs the operand %s", slot->name);
    }
    return true;
}

static bool wants(const Infer *in, int i, const char *what, const char *hint)
{
    return infer_fail(in, i, "type", "needs %s for %s, got %s%s", what, in->info->slots[i].name,
                      infer_text(in, in->op->args[i]), hint);
}

/* What to do about a tensor where a tile is wanted, or the reverse. */
static const char *other_kind(const Infer *in, bool wants_tile)
{
    const char *move =
        wants_tile ? ": load it first with pl.load" : ": store the tile into memory first";
    OpId twin = wants_tile ? in->info->tensor : in->info->tile;
    return twin == OP_NONE
               ? move
               : arena_printf(in->p->arena, "%s, or write %s", move, op_info(twin)->full);
}

/* A tile is not loaded again; a tensor value is. */
static bool takes_tile(const Infer *in, int i, const Type *t)
{
    return op_takes_values(in->info, i) && (t->value || in->id != OP_TILE_LOAD);
}

static bool check_memory(const Infer *in, int i, SlotKind kind)
{
    const Type *t = in->op->args[i]->type;
    bool tensor = t && t->kind == TY_TENSOR, dist = t && t->kind == TY_DIST;
    switch (kind) {
    case SLOT_MEM:
        return tensor || dist || (t && t->kind == TY_TILE && takes_tile(in, i, t)) ||
               wants(in, i, "a Tensor or a window view",
                     t && t->kind == TY_TILE ? other_kind(in, false) : "");
    case SLOT_TENSOR:
        return tensor || wants(in, i, "a plain Tensor",
                               dist ? ": a window view cannot stand for plain memory here" : "");
    default:
        return dist || wants(in, i, "a DistributedTensor", tensor ? ": make it a window view" : "");
    }
}

static bool check_int(const Infer *in, int i)
{
    const Expr *e = in->op->args[i];
    if (!e->type || !type_is_int_scalar(e->type) || e->kind == EX_FLOAT)
        return wants(in, i, "an integer scalar", "");
    return true;
}

static bool check_peer(const Infer *in, int i)
{
    int64_t v;
    if (!check_int(in, i))
        return false;
    if (!expr_is_int(in->op->args[i], &v))
        return true;
    if (v < 0)
        return infer_fail(in, i, "value", "needs a peer rank from 0 up, got %lld", (long long)v);
    if (in->p->ranks_bound && v >= in->p->ranks)
        return infer_fail(in, i, "value", "needs a peer below the rank count %u, got %lld",
                          in->p->ranks, (long long)v);
    return true;
}

static bool check_i32(const Infer *in, int i)
{
    int64_t v;
    if (!check_int(in, i))
        return false;
    if (expr_is_int(in->op->args[i], &v) && (v < INT32_MIN || v > INT32_MAX))
        return infer_fail(in, i, "value", "needs an INT32 for %s, got %lld",
                          in->info->slots[i].name, (long long)v);
    return true;
}

static bool check_list(const Infer *in, int i, SlotKind kind)
{
    const Expr *e = in->op->args[i];
    if (e->kind != EX_LIST)
        return wants(in, i, "a list", "");
    for (uint32_t k = 0; k < e->n_args; k++) {
        const Expr *item = e->args[k];
        const Type *t = item->type;
        bool good = kind == SLOT_TILES   ? t && t->kind == TY_TILE
                    : kind == SLOT_TASKS ? t && type_is_task(t)
                                         : t && type_is_int_scalar(t) && item->kind != EX_FLOAT;
        if (!good)
            return infer_fail(in, i, "type", "needs %s in %s, item %u is %s",
                              kind == SLOT_TILES   ? "tiles"
                              : kind == SLOT_TASKS ? "task ids"
                                                   : "integer scalars",
                              in->info->slots[i].name, k, infer_text(in, item));
    }
    return true;
}

static bool check_enum(const Infer *in, int i)
{
    const Expr *e = in->op->args[i];
    EnumType type = in->info->slots[i].enum_type;
    if (e->kind == EX_ENUM && e->enum_type == type && enum_value_name(type, e->ival))
        return true;
    return wants(in, i,
                 arena_printf(in->p->arena, "a member of %s.%s", enum_type_module(type),
                              enum_type_name(type)),
                 "");
}

static bool check_signal(const Infer *in, int i)
{
    if (!check_memory(in, i, SLOT_DIST))
        return false;
    return in->op->args[i]->type->dtype == DT_INT32 ||
           wants(in, i, "an INT32 signal", ": make it a window of dtype pl.INT32");
}

static bool is_condition(const Expr *e)
{
    return e->type && e->type->kind == TY_SCALAR && e->type->dtype == DT_BOOL;
}

static bool check_slot(const Infer *in, int i)
{
    const Expr *e = in->op->args[i];
    SlotKind kind = in->info->slots[i].kind;
    TypeKind have = e->type ? e->type->kind : TY_NONE;
    int64_t v;
    switch (kind) {
    case SLOT_ANY_TILE:
    case SLOT_LEFT:
    case SLOT_RIGHT:
    case SLOT_ACC:
    case SLOT_BIAS:
    case SLOT_TILE:
        return have == TY_TILE ||
               wants(in, i, "a tile",
                     have == TY_TENSOR || have == TY_DIST ? other_kind(in, true) : "");
    case SLOT_MEM:
    case SLOT_TENSOR:
    case SLOT_DIST: return check_memory(in, i, kind);
    case SLOT_SIGNAL: return check_signal(in, i);
    case SLOT_INT: return check_int(in, i);
    case SLOT_PEER: return check_peer(in, i);
    case SLOT_COND: return is_condition(e) || check_int(in, i);
    case SLOT_ANY:
    case SLOT_ELEMENT: return true; /* the type rule knows */
    case SLOT_I32: return check_i32(in, i);
    case SLOT_NUM:
        return have == TY_TILE || have == TY_SCALAR || have == TY_TENSOR || have == TY_DIST ||
               wants(in, i, "a tile or a number", "");
    case SLOT_LIT:
        return e->kind == EX_INT || e->kind == EX_FLOAT || e->kind == EX_BOOL ||
               wants(in, i, "a literal number", "");
    case SLOT_IDX:
    case SLOT_SHAPE:
    case SLOT_TASKS:
    case SLOT_TILES: return check_list(in, i, kind);
    case SLOT_CONST: return expr_is_int(e, &v) || wants(in, i, "a compile-time integer", "");
    case SLOT_BOOL: return e->kind == EX_BOOL || wants(in, i, "True or False", "");
    case SLOT_DTYPE: return e->kind == EX_DTYPE || wants(in, i, "a dtype", "");
    case SLOT_STR: return e->kind == EX_STR || wants(in, i, "a compile-time string", "");
    case SLOT_BUF: return have == TY_BUFFER || wants(in, i, "a window buffer", "");
    case SLOT_CTX: return have == TY_CTX || wants(in, i, "a communication context", "");
    case SLOT_ENUM: return check_enum(in, i);
    case SLOT_KINDS: return false;
    }
    return false;
}

static const Type *infer_alloc(const Infer *in)
{
    const Dim *dims[MAX_RANK];
    Expr **args = in->op->args;
    int64_t bytes = 1, v;
    bool overflow = false;
    if (!infer_dims(in, 0, false, dims))
        return NULL;
    if (!args[1] && args[0]->n_args != 1) {
        infer_fail(in, 0, "type", "needs dtype= with a shape, or one byte count, got %u extents",
                   args[0]->n_args);
        return NULL;
    }
    if (args[1])
        bytes = dtype_bytes(args[1]->dtype);
    for (uint32_t i = 0; i < args[0]->n_args; i++)
        if (dim_is_const(dims[i], &v))
            overflow |= !checked_mul(bytes, v, &bytes);
    if (overflow) {
        infer_fail(in, 0, "shape", "needs a size below 2^63 bytes");
        return NULL;
    }
    return type_simple(in->p->types, TY_BUFFER);
}

static const Type *infer_simple(const Infer *in)
{
    TypeTable *tt = in->p->types;
    switch (in->info->result) {
    case RES_NONE: return type_none(tt);
    case RES_INDEX: return type_scalar(tt, DT_INDEX);
    case RES_INT32: return type_scalar(tt, DT_INT32);
    case RES_CTX: return type_simple(tt, TY_CTX);
    case RES_TASK: return type_scalar(tt, DT_TASK_ID);
    case RES_ARG0: {
        const Type *t = in->op->args[0]->type;
        return t->kind == TY_TILE ? type_placed(tt, t, MEM_UNSET, -1) : t;
    }
    default: return NULL;
    }
}

static const Type *infer_rule(const Infer *in)
{
    switch (in->info->rule) {
    case RULE_SIMPLE: return infer_simple(in);
    case RULE_ALLOC: return infer_alloc(in);
    case RULE_WINDOW: return infer_window(in);
    case RULE_ROW: return infer_row(in);
    case RULE_FLATTEN: return infer_flatten(in);
    case RULE_AS_SHAPE: return infer_as_shape(in);
    case RULE_DIM: return infer_dim_op(in);
    case RULE_FIT: return infer_fit(in);
    case RULE_DEBUG_PRINT: return infer_debug_print(in);
    case RULE_CREATE: return infer_create(in);
    case RULE_BARRIER:
    case RULE_BROADCAST:
    case RULE_ALLREDUCE:
    case RULE_REDUCE_SCATTER:
    case RULE_ALLGATHER:
    case RULE_ALL_TO_ALL:
    case RULE_ALL_TO_ALL_V: return infer_collective(in);
    case RULE_ELEMENTWISE: return infer_elementwise(in);
    case RULE_CAST: return infer_cast(in);
    case RULE_REDUCE: return infer_reduce(in);
    case RULE_EXPAND: return infer_expand(in);
    case RULE_PART: return infer_part(in);
    case RULE_ASSEMBLE: return infer_assemble(in);
    case RULE_RESHAPE: return infer_reshape(in);
    case RULE_TRANSPOSE: return infer_transpose(in);
    case RULE_CONCAT: return infer_concat(in);
    case RULE_FILLPAD: return infer_fillpad(in);
    case RULE_SET_VALIDSHAPE: return infer_set_validshape(in);
    case RULE_REINTERPRET_VIEW: return infer_reinterpret_view(in);
    case RULE_TILE_READ:
    case RULE_TILE_WRITE: return infer_tile_element(in);
    case RULE_MOVE: return infer_move(in);
    case RULE_MATMUL: return infer_matmul(in);
    case RULE_MATMUL_ACC: return infer_matmul_acc(in);
    case RULE_CHAIN: return infer_chain(in);
    case RULE_PARTS: return infer_parts(in);
    case RULE_CMP: return infer_cmp(in);
    case RULE_SEL: return infer_sel(in);
    case RULE_CI: return infer_ci(in);
    case RULE_TRANSPOSE_VIEW: return infer_transpose_view(in);
    case RULE_SLICE: return infer_slice(in);
    case RULE_LOAD:
    case RULE_REMOTE_LOAD: return infer_load(in);
    case RULE_STORE:
    case RULE_MEMORY_ASSEMBLE:
    case RULE_ASSIGN:
    case RULE_REMOTE_STORE: return infer_store(in);
    case RULE_READ:
    case RULE_WRITE: return infer_element(in);
    case RULE_NOTIFY:
    case RULE_WAIT: return infer_signal(in);
    case RULE_TRANSFER: return infer_transfer(in);
    case RULE_COUNT: break;
    }
    return NULL;
}

const Type *infer_op_anew(Program *p, Expr *op, FuncKind level)
{
    Infer in = {p, op, op->op, op_info(op->op), level};
    if (!check_level(&in) || !fill_defaults(&in))
        return NULL;
    for (int i = 0; i < in.info->n_slots; i++)
        if (op->args[i] && !check_slot(&in, i))
            return NULL;
    if (!infer_drop_hints(&in))
        return NULL;
    const Type *type = infer_rule(&in);
    if (type)
        ex_settle_literals(p, op);
    if (type && type->kind == TY_TILE && op_is_on_values(in.info))
        type = type_value(p->types, type);
    return type;
}
