/* Pass 07: tensor values and subscripts become tile ops: InCore code computes on tiles only.
 *
 *     t = pl.tensor.slice(m, o, s)       ->  t = pl.tile.load(m, o, s)
 *     m = pl.tensor.assign(m, o, t)      ->  m = pl.tile.store(t, o, m)
 *     c = pl.tensor.add(a, b)            ->  c = pl.tile.load(a, [0, 0], [...])    whole; b
 * likewise c = pl.tile.add(c, c)                 versions by number
 *
 * A value that does not fit on the core beside what else is alive there (value_plan.c) is scratch
 * memory, and what gives it runs in chunks (value_chunk.c, value_shape.c). Products of tensors are
 * cut into blocks (value_product.c, value_batch.c). Single elements of memory (pl.tensor.read and
 * write) are scalar accesses and stay. Requires flat code: every op is the root of its statement.
 */
#include "lower/check_tiles.h"
#include "lower/pass.h"
#include "lower/util.h"
#include "lower/value.h"

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

/* A load of the whole, not bound to a name. */
static Expr *load_whole(ValueLowering *x, Expr *memory)
{
    int64_t extents[MAX_RANK];
    value_extents(memory->type, extents);
    Expr *slots[OP_MAX_SLOTS] = {memory, low_zeros(x->p, memory->type->rank),
                                 value_list(x, memory->type->rank, extents)};
    return value_op(x, OP_TILE_LOAD, op_info(OP_TILE_LOAD)->n_slots, slots);
}

/* On tiles of the whole operands. */
static Expr *whole_op(ValueLowering *x, Expr *e)
{
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->type && type_is_shaped(e->args[i]->type))
            e->args[i] = value_whole(x, e->args[i]);
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
    if (!value_in_memory(x, input)) {
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
    if (!value_in_memory(x, target)) {
        Expr *slots[] = {target, value_whole(x, source), offset};
        return value_op(x, OP_TILE_ASSEMBLE, 3, slots);
    }
    if (value_in_memory(x, source)) {
        int64_t extents[MAX_RANK];
        value_extents(source->type, extents);
        value_copy(x, &(ValueCopy){
                          .from = source, .to = target, .to_at = offset->args, .extents = extents});
        return expr_clone(x->p, target);
    }
    Expr *slots[OP_MAX_SLOTS] = {source, offset, target};
    slots[OPND(TILE_STORE, atomic)] = atomic;
    return value_op(x, OP_TILE_STORE, op_info(OP_TILE_STORE)->n_slots, slots);
}

static Expr *element(ValueLowering *x, Expr *e)
{
    if (value_in_memory(x, e->args[0]))
        return e;
    OpId tile = op_info(e->op)->tile;
    return value_op(x, tile, op_info(tile)->n_slots, e->args);
}

/* A scalar beside a tile, as a tile of that shape. */
static Expr *as_tile(ValueLowering *x, Expr *like, Expr *e)
{
    if (e->type && type_is_shaped(e->type))
        return value_whole(x, e);
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
    Expr *lhs = value_whole(x, e->args[0]);
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

/* A part, and then the move of it. */
static Expr *extract(ValueLowering *x, Expr *e)
{
    Expr **target = &OP_ARG(e, EXTRACT, target_memory), *to = *target;
    if (!to)
        return e;
    *target = NULL;
    if (to->ival == MEM_VEC)
        return e;
    Expr *slots[] = {value_let(x, value_base(x), e), to};
    return value_op(x, OP_TILE_MOVE, 2, slots);
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

Expr *value_on_tiles(ValueLowering *x, Expr *op)
{
    return op_info(op->op)->rule == RULE_CMP ? compare(x, op) : tile_form(x, op);
}

/* The shape that memory is seen with, as a tile. */
static Expr *reshape(ValueLowering *x, Expr *e)
{
    if (!value_in_memory(x, e->args[0]))
        return tile_form(x, e);
    Expr *slots[] = {e->args[0], e->args[1]};
    Expr *view = value_let(x, value_base(x), value_op(x, OP_TENSOR_RESHAPE, 2, slots));
    return load_whole(x, view);
}

static Expr *product(ValueLowering *x, Expr *e)
{
    ValueFactors f = value_factors(e);
    if (f.lhs->type->rank == 2 && f.rhs->type->rank == 2)
        return value_product(x, &f, NULL);
    Expr *to = f.acc ? value_to_memory(x, f.acc) : value_scratch(x, e->type);
    value_batch(x, e, to);
    return load_whole(x, to);
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
    case OP_EXTRACT: return extract(x, e);
    case OP_TILE_SELS: return select_scalar(x, e);
    case OP_TILE_SLICE: return tile_slice(x, e);
    case OP_TENSOR_SLICE: return slice(x, e, place == VALUE_MAT ? MEM_MAT : MEM_VEC);
    case OP_TENSOR_MATMUL:
    case OP_TENSOR_MATMUL_ACC:
    case OP_TENSOR_BATCH_MATMUL:
    case OP_TENSOR_BATCH_MATMUL_ACC: return product(x, e);
    case OP_TILE_BATCH_MATMUL:
    case OP_TILE_BATCH_MATMUL_ACC: return value_batch_tile(x, e);
    case OP_TENSOR_RESHAPE: return reshape(x, e);
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
        return value_in_memory(x, e->args[0])
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

static void product_into(ValueLowering *x, const Expr *e, Expr *to)
{
    ValueFactors f = value_factors(e);
    if (f.lhs->type->rank == 2 && f.rhs->type->rank == 2)
        value_product(x, &f, to);
    else
        value_batch(x, e, to);
}

/* What gives a value that is scratch memory. */
static Expr *to_scratch(ValueLowering *x, Expr *e)
{
    switch (e->op) {
    case OP_TENSOR_ASSEMBLE:
    case OP_TENSOR_ASSIGN:
    case OP_WRITE: return to_tile(x, e, VALUE_SCRATCH);
    default: break;
    }
    bool product = op_is_product(e->op);
    int acc = product ? op_slot_of(e->op, OPERAND_acc) : -1;
    Expr *to = acc >= 0 ? value_to_memory(x, e->args[acc]) : value_scratch(x, e->type);
    if (product)
        product_into(x, e, to);
    else if (e->op == OP_TENSOR_CREATE && OP_ARG(e, TENSOR_CREATE, init_value))
        value_in_chunks(x, value_op(x, OP_TENSOR_FULL, 3, e->args), to);
    else if (e->op != OP_TENSOR_CREATE && !value_moved(x, e, to) &&
             !(can_chunk(e) && value_in_chunks(x, e, to)))
        value_store(x, value_let(x, value_base(x), whole_op(x, e)), to, NULL);
    return to;
}

/* A tile carried together with scratch memory becomes that. */
static void store_carried(ValueLowering *x, Expr **values, const VarId *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (value_place(&x->plan, to[i]) != VALUE_SCRATCH || value_in_memory(x, values[i]))
            continue;
        values[i] = value_to_memory(x, values[i]);
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
    block_rewrite(&s->nest->body, lower_stmt, x);
    block_rewrite(&s->nest->otherwise, lower_stmt, x);
    x->out = r->out;
    x->at = s;
    if (s->kind == ST_FOR)
        store_carried(x, s->values, s->nest->iters, s->n_values);
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
        if (func_may_hold(x.f, HOLDS_IN_PLACE))
            check_gone(p, x.f);
        if (func_may_hold(x.f, HOLDS_VALUES | HOLDS_REGIONS))
            check_regions(p, x.f);
        if (!x.f->untouched) {
            x.plan = value_plan(p, x.f);
            settle_types(&x);
            block_rewrite(&x.f->body, lower_stmt, &x);
            value_plan_free(&x.plan);
        }
        if (!diags_failed(p->diags) && func_may_hold(x.f, HOLDS_VALUES))
            check_regions(p, x.f);
    }
    return !diags_failed(p->diags);
}
