/* Pass 07: tensor values and subscripts become tile ops: InCore code computes on tiles only.
 *
 *     t = pl.tensor.slice(m, o, s)       ->  t = pl.tile.load(m, o, s)
 *     m = pl.tensor.assign(m, o, t)      ->  m = pl.tile.store(t, o, m)
 *     c = pl.tensor.add(a, b)            ->  c = pl.tile.load(a, [0, 0], [...])    whole; b
 * likewise c = pl.tile.add(c, c)                 versions by number
 *
 * A value that does not fit on the core beside what else is alive there (value_plan.c) is scratch
 * memory, and what gives it runs in chunks (value_chunk.c). Products of tensors are cut into blocks
 * (value_product.c). Single elements of memory (pl.tensor.read and write) are scalar accesses and
 * stay. Requires flat code: every op is the root of its statement. */
#include "lower/check_tiles.h"
#include "lower/pass.h"
#include "lower/util.h"
#include "lower/value.h"

/* Is the operand memory now: that of the program, or scratch? */
static bool in_memory(const ValueLowering *x, const Expr *e)
{
    if (e->kind == EX_VAR && value_place(&x->plan, e->var) == VALUE_SCRATCH)
        return true;
    return e->type && type_is_memory(e->type);
}

Sym value_base(const ValueLowering *x)
{
    const Stmt *s = x->at;
    return s->n_results ? func_var(x->f, s->results[0])->base : low_op_word(x->p, s->value->op);
}

Expr *value_op(ValueLowering *x, OpId op, uint32_t n, Expr **slots)
{
    Expr *e = ex_op(x->p, op, slots, n);
    e->span = x->at->value ? x->at->value->span : x->at->loc.span;
    return e;
}

Expr *value_let(ValueLowering *x, Sym base, Expr *op)
{
    Builder b = value_builder(x);
    Expr *use = ex_var(x->p, x->f, build_let(&b, base, op));
    use->span = op->span;
    return use;
}

static Expr *list_of(ValueLowering *x, uint32_t n, const int64_t *extents)
{
    Expr *items[MAX_RANK];
    for (uint32_t i = 0; i < n; i++)
        items[i] = ex_index(x->p, extents[i]);
    return ex_list(x->p, items, n);
}

static Expr *offset_list(ValueLowering *x, uint32_t n, Expr **offsets)
{
    return offsets ? ex_list(x->p, offsets, n) : low_zeros(x->p, n);
}

static bool is_whole(const Type *t, const int64_t *extents)
{
    int64_t v;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &v) || v != extents[i])
            return false;
    return true;
}

Expr *value_part(ValueLowering *x, Expr *e, Expr **offsets, const int64_t *extents, MemSpace target)
{
    Expr *slots[OP_MAX_SLOTS] = {expr_clone(x->p, e)};
    uint32_t rank = e->type->rank;
    if (in_memory(x, e)) {
        slots[OPND(TILE_LOAD, offsets)] = offset_list(x, rank, offsets);
        slots[OPND(TILE_LOAD, shape)] = list_of(x, rank, extents);
        if (target != MEM_VEC)
            slots[OPND(TILE_LOAD, target_memory)] = ex_enum(x->p, ENUM_Mem, target);
        return value_let(x, value_base(x),
                         value_op(x, OP_TILE_LOAD, op_info(OP_TILE_LOAD)->n_slots, slots));
    }
    if (is_whole(e->type, extents))
        return slots[0];
    slots[OPND(TILE_SLICE, shape)] = list_of(x, rank, extents);
    slots[OPND(TILE_SLICE, offset)] = offset_list(x, rank, offsets);
    return value_let(x, value_base(x),
                     value_op(x, OP_TILE_SLICE, op_info(OP_TILE_SLICE)->n_slots, slots));
}

static void extents_of(const Type *t, int64_t *out)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &out[i]))
            out[i] = 0;
}

static Expr *whole_operand(ValueLowering *x, Expr *e)
{
    int64_t extents[MAX_RANK];
    if (!in_memory(x, e))
        return e;
    extents_of(e->type, extents);
    return value_part(x, e, NULL, extents, MEM_VEC);
}

/* Fresh scratch memory of a shape, under the name of the result. */
static Expr *scratch_memory(ValueLowering *x, const Type *t)
{
    Expr *slots[] = {low_shape(x->p, t), ex_dtype(x->p, t->dtype)};
    return value_let(x, value_base(x), value_op(x, OP_TENSOR_SCRATCH, 2, slots));
}

void value_store(ValueLowering *x, Expr *tile, Expr *memory, Expr **offsets)
{
    Builder b = value_builder(x);
    Expr *slots[] = {tile, offset_list(x, memory->type->rank, offsets), expr_clone(x->p, memory)};
    build_expr(&b, value_op(x, OP_TILE_STORE, 3, slots));
}

/* ---- statements */

/* The op on tiles: its operands by name, because hints may differ. */
static Expr *tile_form(ValueLowering *x, const Expr *e)
{
    OpId tile = op_info(e->op)->tile;
    Expr *slots[OP_MAX_SLOTS] = {0};
    for (uint32_t i = 0; i < e->n_args; i++) {
        int slot = op_slot_of(tile, op_info(e->op)->slots[i].operand);
        if (slot >= 0)
            slots[slot] = e->args[i];
    }
    return value_op(x, tile, op_info(tile)->n_slots, slots);
}

/* On tiles of the whole operands. */
static Expr *whole_op(ValueLowering *x, Expr *e)
{
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->type && type_is_shaped(e->args[i]->type))
            e->args[i] = whole_operand(x, e->args[i]);
    return op_is_on_values(op_info(e->op)) ? tile_form(x, e) : e;
}

static bool drops_dims(const Expr *slice)
{
    const Expr *drop = OP_ARG(slice, TENSOR_SLICE, drop_dims);
    return drop && drop->n_args;
}

/* A part of a tile, then without the dimensions that go. */
static Expr *tile_slice(ValueLowering *x, Expr *e)
{
    Expr *drop = OP_ARG(e, TILE_SLICE, drop_dims);
    OP_ARG(e, TILE_SLICE, pad_value) = OP_ARG(e, TILE_SLICE, clamp) = NULL;
    if (!drop || !drop->n_args)
        return e;
    OP_ARG(e, TILE_SLICE, drop_dims) = NULL;
    Expr *part = value_op(x, OP_TILE_SLICE, op_info(OP_TILE_SLICE)->n_slots, e->args);
    Expr *shaped[] = {value_let(x, value_base(x), part), low_shape(x->p, e->type)};
    return value_op(x, OP_TILE_RESHAPE, 2, shaped);
}

/* A part of memory: a load, then without the dimensions that go. */
static Expr *slice(ValueLowering *x, Expr *e, MemSpace target)
{
    Expr *slots[OP_MAX_SLOTS] = {0};
    Expr *input = OP_ARG(e, TENSOR_SLICE, input);
    if (!in_memory(x, input)) {
        slots[OPND(TILE_SLICE, input)] = input;
        slots[OPND(TILE_SLICE, shape)] = OP_ARG(e, TENSOR_SLICE, shape);
        slots[OPND(TILE_SLICE, offset)] = OP_ARG(e, TENSOR_SLICE, offset);
        slots[OPND(TILE_SLICE, valid_shape)] = OP_ARG(e, TENSOR_SLICE, valid_shape);
        slots[OPND(TILE_SLICE, drop_dims)] = OP_ARG(e, TENSOR_SLICE, drop_dims);
        Expr *part = value_op(x, OP_TILE_SLICE, op_info(OP_TILE_SLICE)->n_slots, slots);
        part->type = type_placed(x->p->types, e->type, MEM_UNSET, -1);
        return tile_slice(x, part);
    }
    slots[OPND(TILE_LOAD, tensor)] = input;
    slots[OPND(TILE_LOAD, offsets)] = OP_ARG(e, TENSOR_SLICE, offset);
    slots[OPND(TILE_LOAD, shape)] = OP_ARG(e, TENSOR_SLICE, shape);
    slots[OPND(TILE_LOAD, valid_shape)] = OP_ARG(e, TENSOR_SLICE, valid_shape);
    slots[OPND(TILE_LOAD, clamp)] = OP_ARG(e, TENSOR_SLICE, clamp);
    if (target != MEM_VEC)
        slots[OPND(TILE_LOAD, target_memory)] = ex_enum(x->p, ENUM_Mem, target);
    Expr *load = value_op(x, OP_TILE_LOAD, op_info(OP_TILE_LOAD)->n_slots, slots);
    if (!drops_dims(e))
        return load;
    Expr *shaped[] = {value_let(x, value_base(x), load), low_shape(x->p, e->type)};
    return value_op(x, OP_TILE_RESHAPE, 2, shaped);
}

/* target[offset] = source, into memory or a tile. */
static Expr *put(ValueLowering *x, Expr *target, Expr *source, Expr *offset, Expr *atomic)
{
    if (!in_memory(x, target)) {
        Expr *slots[] = {target, whole_operand(x, source), offset};
        return value_op(x, OP_TILE_ASSEMBLE, 3, slots);
    }
    if (in_memory(x, source)) {
        int64_t extents[MAX_RANK];
        extents_of(source->type, extents);
        value_copy(x, source, NULL, target, offset->args, extents);
        return expr_clone(x->p, target);
    }
    Expr *slots[OP_MAX_SLOTS] = {source, offset, target};
    slots[OPND(TILE_STORE, atomic)] = atomic;
    return value_op(x, OP_TILE_STORE, op_info(OP_TILE_STORE)->n_slots, slots);
}

static Expr *element(ValueLowering *x, Expr *e)
{
    if (in_memory(x, e->args[0]))
        return e;
    OpId tile = op_info(e->op)->tile;
    return value_op(x, tile, op_info(tile)->n_slots, e->args);
}

/* A scalar beside a tile, as a tile of that shape. */
static Expr *as_tile(ValueLowering *x, Expr *like, Expr *e)
{
    if (e->type && type_is_shaped(e->type))
        return whole_operand(x, e);
    Expr *slots[] = {expr_clone(x->p, like), e};
    return value_let(x, value_base(x), value_op(x, OP_TILE_EXPANDS, 2, slots));
}

/* Three operands, the first two together first. */
static Expr *chain(ValueLowering *x, const Expr *e, OpId op)
{
    Expr *two = value_let(x, value_base(x), value_op(x, op, 2, e->args));
    Expr *slots[] = {two, e->args[2]};
    return value_op(x, op, 2, slots);
}

/* Of tiles a mask; of tensors ones and zeros, which the mask selects. */
static Expr *compare(ValueLowering *x, Expr *e)
{
    Expr *lhs = whole_operand(x, e->args[0]);
    Expr *slots[] = {lhs, as_tile(x, lhs, e->args[1]), e->args[2]};
    Expr *mask = value_op(x, OP_TILE_CMP, 3, slots);
    if (e->op == OP_TILE_CMP)
        return mask;
    bool real = dtype_is_float(lhs->type->dtype);
    Expr *one = real ? ex_float(x->p, 1) : ex_int(x->p, lhs->type->dtype, 1);
    Expr *none = real ? ex_float(x->p, 0) : ex_int(x->p, lhs->type->dtype, 0);
    Expr *chosen[] = {value_let(x, value_base(x), mask), as_tile(x, lhs, one),
                      as_tile(x, lhs, none)};
    return value_op(x, OP_TILE_SEL, 3, chosen);
}

static Expr *select_scalar(ValueLowering *x, const Expr *e)
{
    Expr *src = OP_ARG(e, TILE_SELS, src);
    Expr *slots[] = {e->args[0], src, as_tile(x, src, OP_ARG(e, TILE_SELS, scalar))};
    return value_op(x, OP_TILE_SEL, 3, slots);
}

static Expr *created(ValueLowering *x, const Expr *e, bool acc)
{
    Expr *slots[OP_MAX_SLOTS] = {OP_ARG(e, TENSOR_CREATE, shape), OP_ARG(e, TENSOR_CREATE, dtype),
                                 OP_ARG(e, TENSOR_CREATE, init_value)};
    if (slots[2] && !acc)
        return value_op(x, OP_TILE_FULL, 3, slots);
    slots[2] = NULL;
    if (acc)
        slots[OPND(TILE_CREATE, target_memory)] = ex_enum(x->p, ENUM_Mem, MEM_ACC);
    return value_op(x, OP_TILE_CREATE, op_info(OP_TILE_CREATE)->n_slots, slots);
}

/* What gives a value that is a tile. */
static Expr *to_tile(ValueLowering *x, Expr *e, ValuePlace place)
{
    if (expr_is_view(e))
        return e;
    switch (e->op) {
    case OP_TILE_ADDC: return chain(x, e, OP_TILE_ADD);
    case OP_TILE_SUBC: return chain(x, e, OP_TILE_SUB);
    case OP_TILE_CMP:
    case OP_TENSOR_CMP: return compare(x, e);
    case OP_TILE_SELS: return select_scalar(x, e);
    case OP_TILE_SLICE: return tile_slice(x, e);
    case OP_TENSOR_SLICE: return slice(x, e, place == VALUE_MAT ? MEM_MAT : MEM_VEC);
    case OP_TENSOR_MATMUL:
    case OP_TENSOR_MATMUL_ACC: return value_product(x, e, NULL);
    case OP_TENSOR_CREATE: return created(x, e, place == VALUE_ACC);
    case OP_TENSOR_ASSEMBLE:
        return put(x, OP_ARG(e, TENSOR_ASSEMBLE, target), OP_ARG(e, TENSOR_ASSEMBLE, source),
                   OP_ARG(e, TENSOR_ASSEMBLE, offset), OP_ARG(e, TENSOR_ASSEMBLE, atomic));
    case OP_TENSOR_ASSIGN:
        return put(x, OP_ARG(e, TENSOR_ASSIGN, tensor), OP_ARG(e, TENSOR_ASSIGN, value),
                   OP_ARG(e, TENSOR_ASSIGN, offsets), NULL);
    case OP_READ:
    case OP_WRITE: return element(x, e);
    case OP_TILE_LOAD:
        return in_memory(x, e->args[0])
                   ? e
                   : value_op(x, OP_TILE_SLICE, 4,
                              (Expr *[]){e->args[0], OP_ARG(e, TILE_LOAD, shape),
                                         OP_ARG(e, TILE_LOAD, offsets),
                                         OP_ARG(e, TILE_LOAD, valid_shape)});
    default:
        return op_is_on_values(op_info(e->op)) || op_info(e->op)->tile_op != TOP_NONE ||
                       op_info(e->op)->family == FAMILY_SHAPE
                   ? whole_op(x, e)
                   : e;
    }
}

static bool can_chunk(const Expr *e)
{
    return op_info(e->op)->family == FAMILY_TENSOR || e->op == OP_TILE_FULL;
}

/* What gives a value that is scratch memory. */
static Expr *to_scratch(ValueLowering *x, Expr *e)
{
    int64_t extents[MAX_RANK];
    switch (e->op) {
    case OP_TENSOR_ASSEMBLE:
    case OP_TENSOR_ASSIGN:
    case OP_WRITE: return to_tile(x, e, VALUE_SCRATCH);
    default: break;
    }
    Expr *to = scratch_memory(x, e->type);
    extents_of(e->type, extents);
    if (e->op == OP_TENSOR_SLICE)
        value_copy(x, e->args[0], OP_ARG(e, TENSOR_SLICE, offset)->args, to, NULL, extents);
    else if (e->op == OP_TENSOR_MATMUL)
        value_product(x, e, to);
    else if (e->op == OP_TENSOR_CREATE && OP_ARG(e, TENSOR_CREATE, init_value))
        value_in_chunks(x, value_op(x, OP_TENSOR_FULL, 3, e->args), to);
    else if (e->op != OP_TENSOR_CREATE && !(can_chunk(e) && value_in_chunks(x, e, to)))
        value_store(x, value_let(x, value_base(x), whole_op(x, e)), to, NULL);
    return to;
}

/* A tile carried together with scratch memory becomes that. */
static void store_carried(ValueLowering *x, Expr **values, const VarId *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (value_place(&x->plan, to[i]) != VALUE_SCRATCH || in_memory(x, values[i]))
            continue;
        Expr *memory = scratch_memory(x, values[i]->type);
        value_store(x, values[i], memory, NULL);
        values[i] = memory;
    }
}

static void retype(void *env, Expr **e)
{
    ValueLowering *x = env;
    if ((*e)->kind == EX_VAR)
        (*e)->type = func_var(x->f, (*e)->var)->type;
}

static bool lower_stmt(void *env, Rewrite *r, Stmt *s)
{
    ValueLowering *x = env;
    stmt_exprs(s, retype, x);
    block_rewrite(&s->body, lower_stmt, x);
    block_rewrite(&s->otherwise, lower_stmt, x);
    x->out = r->out;
    x->at = s;
    if (s->kind == ST_FOR)
        store_carried(x, s->values, s->iters, s->n_values);
    else if (s->kind == ST_YIELD)
        store_carried(x, s->values, s->results, s->n_values);
    if (low_stmt_op(s) != OPCODE_COUNT) {
        VarId v = s->n_results ? s->results[0] : VAR_NONE;
        ValuePlace place = v == VAR_NONE ? VALUE_NONE : value_place(&x->plan, v);
        s->value = place == VALUE_SCRATCH ? to_scratch(x, s->value) : to_tile(x, s->value, place);
        if (s->kind == ST_EXPR && s->value->kind == EX_VAR)
            return true;
    }
    low_push(x->p, r->out, s);
    return true;
}

/* Values are tiles from here on, or memory. */
static void settle_types(ValueLowering *x)
{
    for (VarId v = 0; v < x->f->vars.len; v++) {
        Var *var = func_var(x->f, v);
        const Type *t = var->type;
        if (t->kind == TY_TILE && value_place(&x->plan, v) == VALUE_SCRATCH)
            var->type = type_shaped(x->p->types, TY_TENSOR, t->dtype, t->rank, t->dims);
        else if (t->kind == TY_TILE && t->value)
            var->type = type_placed(x->p->types, t, MEM_UNSET, -1);
    }
}

bool pass_lower_tensor_ops(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        ValueLowering x = {.p = p, .f = p->funcs.at[i]};
        if (x.f->kind != FN_INCORE)
            continue;
        check_gone(p, x.f);
        x.plan = value_plan(p, x.f);
        settle_types(&x);
        block_rewrite(&x.f->body, lower_stmt, &x);
        value_plan_free(&x.plan);
        check_regions(p, x.f);
    }
    return !diags_failed(p->diags);
}
