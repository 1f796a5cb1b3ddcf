/* Pass 07: local tensor arithmetic and subscripts become tile ops, so that InCore code computes on
 * tiles only.
 *
 *     t = pl.tensor.slice(m, o, s)       ->  t = pl.tile.load(m, o, s)
 *     m = pl.tensor.assign(m, o, t)      ->  m = pl.tile.store(t, o, m)
 *     c = pl.tensor.add(a, b)            ->  c = pl.tile.load(a, [0, 0], [...])    whole; b
 * likewise c = pl.tile.add(c, c)                 versions by number
 *
 * Single elements (pl.tensor.read and write) are scalar accesses and stay. Requires flat code:
 * every op is the root of its statement. */
#include "lower/pass.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    Func *f;
    Block *out;
} TensorLowering;

static Expr *op_at(TensorLowering *x, Span span, OpId op, Expr **slots, uint32_t n)
{
    Expr *e = ex_op(x->p, op, slots, n);
    e->span = span;
    return e;
}

/* The whole of a memory operand as a tile; anything else as it is. */
static Expr *as_tile(TensorLowering *x, const Stmt *s, Expr *e, Sym base)
{
    if (!e->type || !type_is_memory(e->type))
        return e;
    Builder b = {x->p, x->f, x->out, s->loc};
    Expr *slots[] = {e, low_zeros(x->p, e->type->rank), low_shape(x->p, e->type)};
    Expr *load = op_at(x, e->span, OP_TILE_LOAD, slots, 3);
    Expr *use = ex_var(x->p, x->f, build_let(&b, base, load));
    use->span = e->span;
    return use;
}

/* The op on tiles: its operands by name, because hints may differ. */
static Expr *tile_form(TensorLowering *x, const Expr *e)
{
    OpId tile = op_info(e->op)->tile;
    Expr *slots[OP_MAX_SLOTS] = {0};
    for (uint32_t i = 0; i < e->n_args; i++) {
        int slot = op_slot(tile, op_info(e->op)->slots[i].name);
        if (slot >= 0)
            slots[slot] = e->args[i];
    }
    return op_at(x, e->span, tile, slots, op_info(tile)->n_slots);
}

static void lower_arithmetic(TensorLowering *x, Stmt *s)
{
    Expr *e = s->value;
    Sym base = s->n_results ? func_var(x->f, s->results[0])->base : low_op_word(x->p, e->op);
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            e->args[i] = as_tile(x, s, e->args[i], base);
    if (op_info(e->op)->family == FAMILY_TENSOR)
        s->value = tile_form(x, e);
}

static void lower_value(TensorLowering *x, Stmt *s)
{
    Expr *e = s->value;
    OpFamily family = op_info(e->op)->family;
    if (e->op == OP_TENSOR_SLICE) {
        Expr *slots[] = {OP_ARG(e, TENSOR_SLICE, input), OP_ARG(e, TENSOR_SLICE, offset),
                         OP_ARG(e, TENSOR_SLICE, shape), OP_ARG(e, TENSOR_SLICE, valid_shape)};
        s->value = op_at(x, e->span, OP_TILE_LOAD, slots, 4);
    } else if (e->op == OP_TENSOR_ASSEMBLE) {
        Expr *slots[OP_MAX_SLOTS] = {OP_ARG(e, TENSOR_ASSEMBLE, source),
                                     OP_ARG(e, TENSOR_ASSEMBLE, offset),
                                     OP_ARG(e, TENSOR_ASSEMBLE, target)};
        slots[OPND(TILE_STORE, atomic)] = OP_ARG(e, TENSOR_ASSEMBLE, atomic);
        s->value = op_at(x, e->span, OP_TILE_STORE, slots, op_info(OP_TILE_STORE)->n_slots);
    } else if (e->op == OP_TENSOR_ASSIGN) {
        Expr *slots[] = {OP_ARG(e, TENSOR_ASSIGN, value), OP_ARG(e, TENSOR_ASSIGN, offsets),
                         OP_ARG(e, TENSOR_ASSIGN, tensor)};
        s->value = op_at(x, e->span, OP_TILE_STORE, slots, 3);
    } else if (family == FAMILY_ELEMENTWISE || family == FAMILY_TENSOR) {
        lower_arithmetic(x, s);
    }
}

static bool lower_stmt(void *env, Rewrite *r, Stmt *s)
{
    TensorLowering *x = env;
    block_rewrite(&s->body, lower_stmt, x);
    block_rewrite(&s->otherwise, lower_stmt, x);
    x->out = r->out;
    if (low_stmt_op(s) != OPCODE_COUNT)
        lower_value(x, s);
    low_push(x->p, r->out, s);
    return true;
}

bool pass_lower_tensor_ops(Program *p)
{
    for (uint32_t i = 0; i < p->funcs.len; i++) {
        TensorLowering x = {.p = p, .f = p->funcs.at[i]};
        if (x.f->kind == FN_INCORE)
            block_rewrite(&x.f->body, lower_stmt, &x);
    }
    return true;
}
