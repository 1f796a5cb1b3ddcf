/* Type rules of tile creation, of arithmetic on tiles and whole tensors, and of scalar operators.
 */
#include "ir/infer.h"

/* What a literal that does not fit a float type is to be compared with; both in all digits. */
static const char *largest(const Infer *in, Dtype dtype)
{
    uint64_t bits = dtype == DT_FP32 ? 0x7f7fffff : dtype == DT_FP16 ? 0x7bff : 0x7f7f;
    if (!dtype_is_float(dtype))
        return "";
    return arena_printf(in->p->arena, ": the largest is %s",
                        infer_number(in->p->arena, dtype_load_double(dtype, &bits)));
}

static bool check_literal(const Infer *in, int slot, Dtype dtype)
{
    const Expr *e = in->op->args[slot];
    const char *why;
    if (infer_literal_fits(e, dtype, &why))
        return true;
    return infer_fail(in, slot, "value", "needs %s %s in %s, got %s%s", why, dtype_name(dtype),
                      in->info->slots[slot].name, infer_text(in, e), largest(in, dtype));
}

const Type *infer_create(const Infer *in)
{
    const Dim *dims[MAX_RANK];
    Dtype dtype = in->op->args[1]->dtype;
    int64_t bytes;
    bool created = in->id == OP_TENSOR_CREATE, scratch = in->id == OP_TENSOR_SCRATCH;
    bool memory = scratch || (created && in->level != FN_INCORE);
    if (!infer_dims(in, 0, !memory, dims))
        return NULL;
    if (dtype == DT_INDEX) {
        infer_fail(in, 1, "type", "needs an element dtype, got pl.INDEX: use pl.INT64");
        return NULL;
    }
    if ((in->id == OP_TILE_FULL || in->id == OP_TENSOR_FULL) && !check_literal(in, 2, dtype))
        return NULL;
    if ((created || scratch) && OP_ARG(in->op, TENSOR_CREATE, init_value) &&
        !check_literal(in, OPND(TENSOR_CREATE, init_value), dtype))
        return NULL;
    if (in->id == OP_TILE_CREATE && !infer_create_target(in))
        return NULL;
    const Type *t = type_shaped(in->p->types, memory ? TY_TENSOR : TY_TILE, dtype,
                                in->op->args[0]->n_args, dims);
    if (memory || type_bytes(t, &bytes))
        return created && !memory ? type_value(in->p->types, t) : t;
    infer_fail(in, 0, "shape", "needs a tile of fewer than 2^63 bytes");
    return NULL;
}

static bool same_dims(const Type *a, const Type *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

/* The shape that two operands have together, aligned from the right, extents 1 repeated and leading
 * ones missing; NULL when there is none. */
static const Type *broadcast(const Infer *in, const Type *a, const Type *b)
{
    const Type *more = a->rank >= b->rank ? a : b, *less = more == a ? b : a;
    const Dim *dims[MAX_RANK], *one = dim_const(in->p->types, 1);
    uint32_t missing = (uint32_t)more->rank - less->rank;
    if ((in->info->traits & TRAIT_SAME_SHAPE) && !same_dims(a, b))
        return NULL;
    for (uint32_t i = 0; i < more->rank; i++) {
        const Dim *x = more->dims[i], *y = i < missing ? one : less->dims[i - missing];
        if (x != y && x != one && y != one)
            return NULL;
        dims[i] = x == one ? y : x;
    }
    return type_shaped(in->p->types, TY_TILE, a->dtype, more->rank, dims);
}

static bool holds_exactly(Dtype wide, Dtype narrow)
{
    return dtype_min(wide) <= dtype_min(narrow) && dtype_max(wide) >= dtype_max(narrow);
}

/* A float of another dtype is rounded once to the tile's, or widens to it; an integer must fit. */
static bool scalar_goes_with(Dtype tile, Dtype scalar)
{
    if (dtype_is_float(tile) != dtype_is_float(scalar) || scalar == DT_BOOL)
        return false;
    if (!dtype_is_float(tile))
        return holds_exactly(tile, scalar);
    return tile == scalar || scalar == DT_FP32 || tile == DT_FP32;
}

bool infer_scalar_beside(const Infer *in, int slot, const Type *t)
{
    const Expr *e = in->op->args[slot];
    if (infer_is_literal(e))
        return check_literal(in, slot, t->dtype);
    return (e->type->kind == TY_SCALAR && scalar_goes_with(t->dtype, e->type->dtype)) ||
           infer_fail(in, slot, "type", "needs a scalar that %s takes for %s, got %s%s",
                      type_text(in->p->arena, t), in->info->slots[slot].name,
                      type_text(in->p->arena, e->type),
                      e->type->kind == TY_SCALAR ? ": convert it with pl.cast" : "");
}

/* Operand `slot` of an elementwise op against the type of the first. */
static bool second_operand_ok(const Infer *in, const Type *a, int slot)
{
    const Expr *e = in->op->args[slot];
    const Type *b = e->type;
    Arena *arena = in->p->arena;
    if (infer_is_literal(e) || b->kind == TY_SCALAR)
        return infer_scalar_beside(in, slot, a);
    if (type_is_memory(b) && in->info->family != FAMILY_TENSOR)
        return infer_fail(in, slot, "type",
                          "needs a tile or a number for %s, got %s: load it first with pl.load",
                          in->info->slots[slot].name, type_text(arena, b));
    if (a->dtype != b->dtype)
        return infer_fail(in, slot, "type", "needs operands of one dtype, got %s and %s",
                          type_text(arena, a), type_text(arena, b));
    if (!broadcast(in, a, b))
        return infer_fail(in, slot, "shape",
                          in->info->traits & TRAIT_SAME_SHAPE
                              ? "needs operands of one shape, got %s and %s"
                              : "needs operands of one shape, or with extents 1 where they differ, "
                                "got %s and %s",
                          type_text(arena, a), type_text(arena, b));
    return true;
}

const Type *infer_chain(const Infer *in)
{
    const Type *t = in->op->args[0]->type;
    for (int slot = 1; slot < 3; slot++) {
        const Type *b = in->op->args[slot]->type;
        if (!second_operand_ok(in, t, slot))
            return NULL;
        t = b && type_is_shaped(b) ? broadcast(in, t, b) : t;
    }
    if (reduce_takes(t->dtype))
        return type_shaped(in->p->types, TY_TILE, t->dtype, t->rank, t->dims);
    infer_fail(in, 0, "type", "needs numbers, got %s", type_text(in->p->arena, t));
    return NULL;
}

const Type *infer_whole(const Infer *in, int slot)
{
    const Type *t = in->op->args[slot]->type;
    int64_t v;
    if (t->kind == TY_TILE)
        return t;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &v) || v < 1) {
            infer_fail(
                in, slot, "shape",
                "needs a tensor of compile-time shape, got %s: load parts of it with pl.load",
                type_text(in->p->arena, t));
            return NULL;
        }
    return type_shaped(in->p->types, TY_TILE, t->dtype, t->rank, t->dims);
}

/* Bits of the integers that a dtype holds without a gap, sign aside. */
static int exact_bits(Dtype t)
{
    switch (t) {
    case DT_FP32: return 24;
    case DT_FP16: return 11;
    case DT_BF16: return 8;
    case DT_BOOL: return 1;
    default: return 8 * (int)dtype_bytes(t) - (dtype_min(t) < 0);
    }
}

/* Can a value fall between two of the target? A saturating integer does not round. */
static bool cast_rounds(Dtype from, Dtype to)
{
    if (to == DT_BOOL || (!dtype_is_float(from) && !dtype_is_float(to)))
        return false;
    if (dtype_is_float(from))
        return to != DT_FP32;
    return exact_bits(from) > exact_bits(to);
}

static bool cast_mode_ok(const Infer *in, Dtype from, Dtype to)
{
    int slot = OPND(TILE_CAST, mode);
    int64_t mode = in->op->args[slot]->ival;
    if (mode == CAST_NONE && cast_rounds(from, to))
        return infer_fail(in, slot, "value",
                          "needs a rounding mode from %s to %s, got none: that is for casts that "
                          "cannot round",
                          dtype_name(from), dtype_name(to));
    if (mode == CAST_ODD && !(dtype_is_float(from) && dtype_is_float(to) && to != DT_FP32))
        return infer_fail(in, slot, "value",
                          "needs a narrower floating-point target for mode odd, got %s to %s",
                          dtype_name(from), dtype_name(to));
    return true;
}

const Type *infer_cast(const Infer *in)
{
    const Type *a = in->op->args[0]->type;
    if (!infer_whole(in, 0))
        return NULL;
    Dtype to = in->op->args[1]->dtype;
    if (to == DT_INDEX) {
        infer_fail(in, OPND(TILE_CAST, target_type), "type",
                   "needs an element dtype for target_type, got pl.INDEX: use pl.INT64");
        return NULL;
    }
    if (to == a->dtype) {
        infer_fail(in, OPND(TILE_CAST, target_type), "type",
                   "needs another dtype for target_type, got %s for %s: leave the cast out",
                   dtype_name(to), type_text(in->p->arena, a));
        return NULL;
    }
    if (!cast_mode_ok(in, a->dtype, to))
        return NULL;
    return type_shaped(in->p->types, TY_TILE, to, a->rank, a->dims);
}

/* The tile operation of an op, or of its twin. */
static TileOp tile_op_of(const Infer *in)
{
    return in->info->tile == OP_NONE ? in->info->tile_op : op_info(in->info->tile)->tile_op;
}

/* "FP32, FP16 or BF16": the dtypes that an elementwise op takes. */
static const char *takes_text(const Infer *in)
{
    TileOp op = tile_op_of(in);
    const char *text = NULL, *last = NULL;
    for (int t = 0; t < DT_COUNT; t++) {
        if (!tileop_takes(op, (Dtype)t) || t == DT_INDEX)
            continue;
        if (last)
            text = text ? arena_printf(in->p->arena, "%s, %s", text, last) : last;
        last = dtype_name((Dtype)t);
    }
    return text ? arena_printf(in->p->arena, "%s or %s", text, last) : last;
}

const Type *infer_elementwise(const Infer *in)
{
    const Type *a = in->op->args[0]->type;
    if (!infer_whole(in, 0))
        return NULL;
    if (a->dtype == DT_BOOL) {
        infer_fail(in, 0, "type", "needs numbers, got %s: cast it first with pl.cast",
                   type_text(in->p->arena, a));
        return NULL;
    }
    if (!tileop_takes(tile_op_of(in), a->dtype)) {
        infer_fail(in, 0, "type", "needs elements of %s, got %s", takes_text(in),
                   type_text(in->p->arena, a));
        return NULL;
    }
    TileOp top = tile_op_of(in);
    if (tileop_arity(top) == 2 && !second_operand_ok(in, a, 1))
        return NULL;
    const Type *b = tileop_arity(top) == 2 ? in->op->args[1]->type : NULL;
    if (in->id == OP_TENSOR_EXPAND_CLONE || in->id == OP_TILE_EXPAND_CLONE) {
        const Type *all = broadcast(in, a, b);
        if (!all || !same_dims(all, b)) {
            infer_fail(in, 0, "shape", "needs a source that repeats to the shape of %s, got %s",
                       type_text(in->p->arena, b), type_text(in->p->arena, a));
            return NULL;
        }
    }
    return b && type_is_shaped(b) ? broadcast(in, a, b)
                                  : type_shaped(in->p->types, TY_TILE, a->dtype, a->rank, a->dims);
}

static const Type *scalar_fail(Program *p, const Expr *e, const char *required, const Expr *got)
{
    diag_error(p->diags, got->span.end ? got->span : e->span, "type",
               "operator '%s' needs %s, got %s", scalar_text(e->scalar), required,
               got->type ? type_text(p->arena, got->type) : "no scalar");
    return NULL;
}

static bool contains(Dtype wide, Dtype narrow)
{
    return dtype_min(wide) <= dtype_min(narrow) && dtype_max(wide) >= dtype_max(narrow);
}

/* The operand dtype that holds the other; INDEX before INT64. DT_COUNT when neither does. */
static Dtype common_dtype(Dtype a, Dtype b)
{
    if (a == b || b == DT_BOOL || a == DT_BOOL)
        return a == b ? a : DT_COUNT;
    if (a == DT_INDEX || b == DT_INDEX)
        return DT_INDEX;
    return contains(a, b) ? a : contains(b, a) ? b : DT_COUNT;
}

static bool is_int(const Expr *e)
{
    return e->type && type_is_int_scalar(e->type) && e->kind != EX_FLOAT;
}

static bool is_bool(const Expr *e)
{
    return e->type && e->type->kind == TY_SCALAR && e->type->dtype == DT_BOOL;
}

static bool is_float(const Expr *e)
{
    return e->type && e->type->kind == TY_SCALAR && dtype_is_float(e->type->dtype);
}

/* Floating operands `from` and up: FP32, which holds all others; a choice between two of one dtype
 * keeps it. */
static const Type *float_type(Program *p, const Expr *e, uint32_t from)
{
    bool same = e->scalar == SC_SELECT;
    if (e->scalar != SC_SELECT && !(scalar_info[e->scalar].device & SCALAR_FLOATS))
        return scalar_fail(p, e, "integers", e->args[from]);
    for (uint32_t i = from; i < e->n_args; i++) {
        same = same && e->args[i]->type == e->args[from]->type;
        if (!is_float(e->args[i]))
            return scalar_fail(p, e, "floating-point numbers on both sides (convert with pl.cast)",
                               e->args[i]);
    }
    return same ? e->args[from]->type : type_scalar(p->types, DT_FP32);
}

/* Operands `from` and up: all integers, or all floats; BOOL ones where `bools`. */
static const Type *common_type(Program *p, const Expr *e, uint32_t from, bool bools)
{
    Dtype d = DT_COUNT;
    if (is_float(e->args[from]))
        return float_type(p, e, from);
    if (!(scalar_info[e->scalar].device & SCALAR_INTS))
        return scalar_fail(p, e, "floating-point numbers (integers are divided with //)",
                           e->args[from]);
    for (uint32_t i = from; i < e->n_args; i++) {
        const Expr *arg = e->args[i];
        if (!is_int(arg) && !(bools && is_bool(arg)))
            return scalar_fail(p, e,
                               is_float(arg) ? "integers on both sides (convert with pl.cast)"
                                             : "integer scalars",
                               arg);
        Dtype mine = arg->type->dtype;
        Dtype both = i == from ? mine : common_dtype(d, mine);
        if (both == DT_COUNT) {
            diag_error(p->diags, e->span, "type",
                       "operator '%s' needs operands of one dtype, got pl.%s and pl.%s: convert "
                       "one with pl.cast",
                       scalar_text(e->scalar), dtype_name(d), dtype_name(mine));
            return NULL;
        }
        d = both;
    }
    return type_scalar(p->types, d);
}

static const Type *infer_logic(Program *p, const Expr *e)
{
    for (uint32_t i = 0; i < e->n_args; i++)
        if (!is_bool(e->args[i]))
            return scalar_fail(p, e, "conditions (compare with 0 to make one)", e->args[i]);
    return type_scalar(p->types, DT_BOOL);
}

static const Type *infer_scalar_cast(Program *p, const Expr *e)
{
    if (!is_int(e->args[0]) && !is_bool(e->args[0]) && !is_float(e->args[0]))
        return scalar_fail(p, e, "a scalar", e->args[0]);
    return type_scalar(p->types, e->dtype);
}

const Type *infer_scalar(Program *p, Expr *e)
{
    switch (e->scalar) {
    case SC_AND:
    case SC_OR:
    case SC_NOT: return infer_logic(p, e);
    case SC_CAST: return infer_scalar_cast(p, e);
    case SC_SELECT:
        if (!is_bool(e->args[0]))
            return scalar_fail(p, e, "a condition", e->args[0]);
        return common_type(p, e, 1, true);
    case SC_EQ:
    case SC_NE:
    case SC_LT:
    case SC_LE:
    case SC_GT:
    case SC_GE:
        return common_type(p, e, 0, e->scalar <= SC_NE) ? type_scalar(p->types, DT_BOOL) : NULL;
    default: return common_type(p, e, 0, false);
    }
}
