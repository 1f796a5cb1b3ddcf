/* Products of tensors, in blocks that Left, Right and Acc hold. The sums of an element run over the
 * blocks of K in order, in one accumulator: the same bits as in one piece. */
#include "lower/util.h"
#include "lower/value.h"

typedef struct {
    ValueLowering *x;
    ValueFactors f;
    int64_t m, n, k;                   /* of the whole */
    int64_t block_m, block_n, block_k; /* of one tile product */
} TensorProduct;

/* Where a block begins and how large it is. */
typedef struct {
    Expr *at;
    int64_t size;
} Range;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The largest block of K that fits beside blocks of m and n rows and columns. */
static int64_t depth(int64_t limit, int64_t size, int64_t rows, int64_t k)
{
    int64_t padded = (rows + 31) / 32 * 32, most = limit / (padded * size) / 32 * 32;
    if (most < 32)
        most = 32 / size;
    return smaller(most, k);
}

static bool flag(const Expr *op, Operand name)
{
    const Expr *e = op_operand(op, name);
    return e && e->ival;
}

ValueFactors value_factors(const Expr *op)
{
    return (ValueFactors){.lhs = SHARED_ARG(op, lhs),
                          .rhs = SHARED_ARG(op, rhs),
                          .turn_lhs = flag(op, OPERAND_a_trans),
                          .turn_rhs = flag(op, OPERAND_b_trans),
                          .acc = op_operand(op, OPERAND_acc),
                          .init_cond = op_operand(op, OPERAND_init_cond),
                          .out = op->type->dtype};
}

/* `whole`: the result is one accumulator. */
static TensorProduct product_of(ValueLowering *x, const ValueFactors *f, bool whole)
{
    TensorProduct t = {.x = x, .f = *f};
    t.m = value_extent(f->lhs->type, f->turn_lhs);
    t.k = value_extent(f->lhs->type, !f->turn_lhs);
    t.n = value_extent(f->rhs->type, !f->turn_rhs);
    int64_t size = dtype_bytes(f->lhs->type->dtype), left = x->p->platform->left_bytes;
    t.block_m = whole ? t.m : smaller(t.m, VALUE_BLOCK);
    t.block_n = whole ? t.n : smaller(t.n, VALUE_BLOCK);
    t.block_k = smaller(depth(left, size, t.block_m, t.k), depth(left, size, t.block_n, t.k));
    return t;
}

/* A block of an operand, turned where it has to be. */
static Expr *factor(const TensorProduct *t, bool lhs, Range rows, Range cols)
{
    bool turn = lhs ? t->f.turn_lhs : t->f.turn_rhs;
    Range first = turn ? cols : rows, second = turn ? rows : cols;
    Expr *at[] = {expr_clone(t->x->p, first.at), expr_clone(t->x->p, second.at)};
    int64_t size[] = {first.size, second.size};
    Expr *tile = value_part(t->x, lhs ? t->f.lhs : t->f.rhs, at, size, MEM_MAT);
    if (!turn)
        return tile;
    return value_let(t->x, intern(t->x->p->in, "turned"),
                     value_op(t->x, OP_TILE_TRANSPOSE_VIEW, 1, &tile));
}

/* One tile product; `acc` NULL: from +0. */
static Expr *multiply(const TensorProduct *t, Expr *acc, Range m, Range n, Range k, Expr *init)
{
    Expr *slots[OP_MAX_SLOTS] = {0};
    Expr *a = factor(t, true, m, k), *b = factor(t, false, k, n);
    OpId op = acc ? OP_TILE_MATMUL_ACC : OP_TILE_MATMUL;
    if (acc)
        slots[OPND(TILE_MATMUL_ACC, acc)] = acc;
    slots[op_slot_of(op, OPERAND_lhs)] = a;
    slots[op_slot_of(op, OPERAND_rhs)] = b;
    if (acc && init)
        slots[OPND(TILE_MATMUL_ACC, init_cond)] = expr_clone(t->x->p, init);
    return value_let(t->x, value_base(t->x), value_op(t->x, op, op_info(op)->n_slots, slots));
}

static Range from_zero(const TensorProduct *t, int64_t size)
{
    return (Range){ex_index(t->x->p, 0), size};
}

/* All of K for one block of the result; `acc` NULL: from +0. */
static Expr *sum(const TensorProduct *t, Expr *acc, Range m, Range n)
{
    int64_t whole = t->k / t->block_k * t->block_k;
    const int64_t range[] = {t->block_k, whole, t->block_k};
    acc = multiply(t, acc, m, n, from_zero(t, t->block_k), t->f.init_cond);
    if (whole > t->block_k) {
        ValueLoop l = value_loop(t->x, "block", range, acc);
        Range k = {l.index, t->block_k};
        acc = value_end_loop(t->x, &l, multiply(t, l.carried, m, n, k, NULL));
    }
    if (whole < t->k)
        acc = multiply(t, acc, m, n, (Range){ex_index(t->x->p, whole), t->k - whole}, NULL);
    return acc;
}

/* The sum in the dtype that is wanted, rounded once. */
static Expr *rounded(const TensorProduct *t, Expr *acc)
{
    if (acc->type->dtype == t->f.out)
        return acc;
    Expr *slots[] = {acc, ex_dtype(t->x->p, t->f.out), ex_enum(t->x->p, ENUM_CastMode, CAST_RINT)};
    return value_let(t->x, value_base(t->x), value_op(t->x, OP_TILE_CAST, 3, slots));
}

static void yield(const TensorProduct *t, Block *arm, VarId *to, Expr *value)
{
    Stmt *s = stmt_new(t->x->p, ST_YIELD, t->x->at->loc);
    s->n_values = s->n_results = 1;
    s->values = low_exprs_new(t->x->p, 1);
    s->values[0] = value;
    s->results = to;
    low_push(t->x->p, arm, s);
}

static Expr *loaded_acc(const TensorProduct *t, Range m, Range n)
{
    ValueLowering *x = t->x;
    Expr *at[] = {expr_clone(x->p, m.at), expr_clone(x->p, n.at)};
    const int64_t size[] = {m.size, n.size};
    Expr *slots[] = {value_part(x, t->f.acc, at, size, MEM_VEC), ex_enum(x->p, ENUM_Mem, MEM_ACC)};
    return value_let(x, value_base(x), value_op(x, OP_TILE_ACCUMULATE, 2, slots));
}

static Expr *empty_acc(const TensorProduct *t, Range m, Range n)
{
    ValueLowering *x = t->x;
    const int64_t size[] = {m.size, n.size};
    Expr *slots[OP_MAX_SLOTS] = {value_list(x, 2, size), ex_dtype(x->p, t->f.acc->type->dtype)};
    slots[OPND(TILE_CREATE, target_memory)] = ex_enum(x->p, ENUM_Mem, MEM_ACC);
    return value_let(x, value_base(x),
                     value_op(x, OP_TILE_CREATE, op_info(OP_TILE_CREATE)->n_slots, slots));
}

/* What the sum of a block starts with: that part of an accumulator in memory, which is not read
 * where it counts as +0: nobody may have written it. */
static Expr *start_of(const TensorProduct *t, Range m, Range n)
{
    ValueLowering *x = t->x;
    if (!t->f.acc || !t->f.init_cond)
        return t->f.acc ? loaded_acc(t, m, n) : NULL;
    Builder b = value_builder(x);
    Block *outer = x->out;
    Stmt *choice = build_if(&b, expr_clone(x->p, t->f.init_cond));
    x->out = &choice->nest->body;
    Expr *fresh = empty_acc(t, m, n);
    VarId v = func_new_var(x->p, x->f, value_base(x), fresh->type, x->at->loc.span);
    choice->n_results = 1;
    choice->results = low_vars_dup(x->p, &v, 1);
    yield(t, x->out, choice->results, fresh);
    x->out = &choice->nest->otherwise;
    yield(t, x->out, choice->results, loaded_acc(t, m, n));
    x->out = outer;
    return ex_var(x->p, x->f, v);
}

static void block_into(const TensorProduct *t, Expr *to, Range m, Range n)
{
    Expr *at[] = {expr_clone(t->x->p, m.at), expr_clone(t->x->p, n.at)};
    value_store(t->x, rounded(t, sum(t, start_of(t, m, n), m, n)), to, at);
}

/* Runs over the blocks of N for one of M. */
static void row_of_blocks(const TensorProduct *t, Expr *to, Range m)
{
    int64_t whole = t->n / t->block_n * t->block_n;
    const int64_t range[] = {0, whole, t->block_n};
    ValueLoop l = value_loop(t->x, "col", range, NULL);
    block_into(t, to, m, (Range){l.index, t->block_n});
    value_end_loop(t->x, &l, NULL);
    if (whole < t->n)
        block_into(t, to, m, (Range){ex_index(t->x->p, whole), t->n - whole});
}

static void all_blocks(const TensorProduct *t, Expr *to)
{
    int64_t whole = t->m / t->block_m * t->block_m;
    const int64_t range[] = {0, whole, t->block_m};
    ValueLoop l = value_loop(t->x, "row", range, NULL);
    row_of_blocks(t, to, (Range){l.index, t->block_m});
    value_end_loop(t->x, &l, NULL);
    if (whole < t->m)
        row_of_blocks(t, to, (Range){ex_index(t->x->p, whole), t->m - whole});
}

Expr *value_product(ValueLowering *x, const ValueFactors *f, Expr *to)
{
    TensorProduct t = product_of(x, f, !to);
    if (to) {
        all_blocks(&t, to);
        return to;
    }
    return rounded(&t, sum(&t, f->acc, from_zero(&t, t.m), from_zero(&t, t.n)));
}
