/* What the files of lower_tensor_ops make statements with. */
#include "lower/value.h"
#include "lower/util.h"

bool value_in_memory(const ValueLowering *x, const Expr *e)
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

int64_t value_extent(const Type *t, uint32_t i)
{
    int64_t v = 0;
    (void)dim_is_const(t->dims[i], &v);
    return v;
}

void value_extents(const Type *t, int64_t *out)
{
    for (uint32_t i = 0; i < t->rank; i++)
        out[i] = value_extent(t, i);
}

Expr *value_list(ValueLowering *x, uint32_t n, const int64_t *extents)
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
    for (uint32_t i = 0; i < t->rank; i++)
        if (value_extent(t, i) != extents[i])
            return false;
    return true;
}

/* How much of a rectangle is valid, where the value is not valid as a whole. */
static Expr *valid_of_part(ValueLowering *x, const Expr *e, Expr **offsets, const int64_t *extents)
{
    RegionEnv regions = value_regions(x);
    ValueRegion r = value_region(&regions, e);
    Expr *items[MAX_RANK];
    if (r.kind != REGION_PART)
        return NULL;
    for (uint32_t i = 0; i < e->type->rank; i++)
        items[i] = region_behind(&regions, r.valid[i], offsets ? offsets[i] : ex_index(x->p, 0),
                                 extents[i]);
    return ex_list(x->p, items, e->type->rank);
}

Expr *value_part(ValueLowering *x, Expr *e, Expr **offsets, const int64_t *extents, MemSpace target)
{
    Expr *slots[OP_MAX_SLOTS] = {expr_clone(x->p, e)};
    uint32_t rank = e->type->rank;
    if (value_in_memory(x, e)) {
        slots[OPND(TILE_LOAD, offsets)] = offset_list(x, rank, offsets);
        slots[OPND(TILE_LOAD, shape)] = value_list(x, rank, extents);
        slots[OPND(TILE_LOAD, valid_shape)] = valid_of_part(x, e, offsets, extents);
        if (target != MEM_VEC)
            slots[OPND(TILE_LOAD, target_memory)] = ex_enum(x->p, ENUM_Mem, target);
        return value_let(x, value_base(x),
                         value_op(x, OP_TILE_LOAD, op_info(OP_TILE_LOAD)->n_slots, slots));
    }
    if (is_whole(e->type, extents))
        return slots[0];
    slots[OPND(TILE_SLICE, shape)] = value_list(x, rank, extents);
    slots[OPND(TILE_SLICE, offset)] = offset_list(x, rank, offsets);
    return value_let(x, value_base(x),
                     value_op(x, OP_TILE_SLICE, op_info(OP_TILE_SLICE)->n_slots, slots));
}

Expr *value_whole(ValueLowering *x, Expr *e)
{
    int64_t extents[MAX_RANK];
    if (!value_in_memory(x, e))
        return e;
    value_extents(e->type, extents);
    return value_part(x, e, NULL, extents, MEM_VEC);
}

void value_store(ValueLowering *x, Expr *tile, Expr *memory, Expr **offsets)
{
    Builder b = value_builder(x);
    Expr *slots[] = {tile, offset_list(x, memory->type->rank, offsets), expr_clone(x->p, memory)};
    build_expr(&b, value_op(x, OP_TILE_STORE, 3, slots));
}

Expr *value_scratch(ValueLowering *x, const Type *t)
{
    Expr *slots[] = {low_shape(x->p, t), ex_dtype(x->p, t->dtype)};
    return value_let(x, value_base(x), value_op(x, OP_TENSOR_SCRATCH, 2, slots));
}

Expr *value_to_memory(ValueLowering *x, Expr *e)
{
    if (value_in_memory(x, e))
        return e;
    Expr *memory = value_scratch(x, e->type);
    value_store(x, e, memory, NULL);
    return memory;
}

void value_require(ValueLowering *x, Expr *cond, const char *text)
{
    int64_t v;
    Builder b = value_builder(x);
    if (!ex_constant(cond, &v)) {
        Expr *slots[] = {cond, ex_str(x->p, intern(x->p->in, text))};
        build_expr(&b, value_op(x, OP_CHECK, 2, slots));
    } else if (!v) {
        diag_error(x->p->diags, x->at->value->span.end ? x->at->value->span : x->at->loc.span,
                   "shape", "%s", text);
    }
}

ValueLoop value_loop(ValueLowering *x, const char *name, const int64_t *range, Expr *carried)
{
    Program *p = x->p;
    ValueLoop l = {.outer = x->out, .carried = carried};
    if (range[0] + range[2] >= range[1]) {
        l.index = ex_index(p, range[0]);
        return l;
    }
    Builder b = value_builder(x);
    l.loop = build_for(&b, intern(p->in, name), ex_index(p, range[0]), ex_index(p, range[1]));
    l.loop->nest->step = ex_index(p, range[2]);
    l.index = ex_var(p, x->f, l.loop->nest->index);
    x->out = &l.loop->nest->body;
    if (!carried)
        return l;
    l.loop->n_values = l.loop->n_results = 1;
    l.loop->values = low_exprs_new(p, 1);
    l.loop->values[0] = carried;
    Sym base = func_var(x->f, carried->var)->base;
    VarId names[2];
    for (int i = 0; i < 2; i++)
        names[i] = func_new_var(p, x->f, base, carried->type, x->at->loc.span);
    l.loop->nest->iters = low_vars_dup(p, &names[0], 1);
    l.loop->results = low_vars_dup(p, &names[1], 1);
    l.carried = ex_var(p, x->f, names[0]);
    return l;
}

Expr *value_end_loop(ValueLowering *x, ValueLoop *l, Expr *next)
{
    if (!l->loop)
        return next;
    if (next) {
        Stmt *yield = stmt_new(x->p, ST_YIELD, x->at->loc);
        yield->n_values = yield->n_results = 1;
        yield->values = low_exprs_new(x->p, 1);
        yield->values[0] = next;
        yield->results = low_vars_dup(x->p, l->loop->results, 1);
        low_push(x->p, x->out, yield);
    }
    x->out = l->outer;
    return next ? ex_var(x->p, x->f, l->loop->results[0]) : NULL;
}
