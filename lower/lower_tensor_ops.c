/* Pass 06: local tensor arithmetic and subscripts become tile ops, so that InCore code computes on
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
#include <string.h>

typedef struct {
    Program *p;
    Func *f;
    Block *out;
} Lower;

static OpId tile_op(OpId op)
{
    switch (op) {
    case OP_TENSOR_ADD: return OP_TILE_ADD;
    case OP_TENSOR_SUB: return OP_TILE_SUB;
    case OP_TENSOR_RSUB: return OP_TILE_RSUB;
    case OP_TENSOR_MUL: return OP_TILE_MUL;
    case OP_TENSOR_DIV: return OP_TILE_DIV;
    case OP_TENSOR_RDIV: return OP_TILE_RDIV;
    case OP_TENSOR_MAXIMUM: return OP_TILE_MAXIMUM;
    case OP_TENSOR_MINIMUM: return OP_TILE_MINIMUM;
    case OP_TENSOR_NEG: return OP_TILE_NEG;
    case OP_TENSOR_ABS: return OP_TILE_ABS;
    case OP_TENSOR_CAST: return OP_TILE_CAST;
    default: return OPCODE_COUNT;
    }
}

static Expr *op_at(Lower *x, Span span, OpId op, Expr **slots, uint32_t n)
{
    Expr *e = ex_op(x->p, op, slots, n);
    e->span = span;
    return e;
}

/* The whole of a memory operand as a tile; anything else as it is. */
static Expr *as_tile(Lower *x, const Stmt *s, Expr *e, Sym base)
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

static void lower_arithmetic(Lower *x, Stmt *s)
{
    Expr *e = s->value;
    Sym base = s->n_results ? func_var(x->f, s->results[0])->base : low_op_word(x->p, e->op);
    for (uint32_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            e->args[i] = as_tile(x, s, e->args[i], base);
    OpId op = tile_op(e->op);
    if (op != OPCODE_COUNT)
        s->value = op_at(x, e->span, op, e->args, e->n_args);
}

static void lower_value(Lower *x, Stmt *s)
{
    Expr *e = s->value;
    bool elementwise = !strcmp(op_info(e->op)->family, "elementwise");
    if (e->op == OP_TENSOR_SLICE) {
        s->value = op_at(x, e->span, OP_TILE_LOAD, e->args, 3);
    } else if (e->op == OP_TENSOR_ASSIGN) {
        Expr *slots[] = {e->args[2], e->args[1], e->args[0]};
        s->value = op_at(x, e->span, OP_TILE_STORE, slots, 3);
    } else if (elementwise || tile_op(e->op) != OPCODE_COUNT) {
        lower_arithmetic(x, s);
    }
}

static bool lower_stmt(void *env, Rewrite *r, Stmt *s)
{
    Lower *x = env;
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
        Lower x = {.p = p, .f = p->funcs.at[i]};
        if (x.f->kind == FN_INCORE)
            block_rewrite(&x.f->body, lower_stmt, &x);
    }
    return true;
}
