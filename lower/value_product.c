/* Products of tensors, in blocks that Left, Right and Acc hold. The sums of an element run over the
 * blocks of K in order, in one accumulator: the same bits as in one piece. */
#include "lower/util.h"
#include "lower/value.h"

enum { BLOCK = 128 };

typedef struct {
    ValueLowering *x;
    Expr *lhs, *rhs;
    bool turn_lhs, turn_rhs;
    int64_t m, n, k;                   /* of the whole */
    int64_t block_m, block_n, block_k; /* of one tile product */
    Expr *init_cond;                   /* of matmul_acc, or NULL */
    Dtype out;
} TensorProduct;

/* Where a block begins and how large it is. */
typedef struct {
    Expr *at;
    int64_t size;
} Range;

static int64_t extent_of(const Expr *e, uint32_t i)
{
    int64_t v = 0;
    (void)dim_is_const(e->type->dims[i], &v);
    return v;
}

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

static bool flag(const Expr *op, const char *name)
{
    int slot = op_slot(op->op, name);
    return slot >= 0 && op->args[slot] && op->args[slot]->ival;
}

/* `whole`: the result is one accumulator. */
static TensorProduct product_of(ValueLowering *x, const Expr *op, bool whole)
{
    TensorProduct t = {.x = x};
    t.lhs = SHARED_ARG(op, lhs);
    t.rhs = SHARED_ARG(op, rhs);
    t.turn_lhs = flag(op, "a_trans");
    t.turn_rhs = flag(op, "b_trans");
    t.m = extent_of(t.lhs, t.turn_lhs);
    t.k = extent_of(t.lhs, !t.turn_lhs);
    t.n = extent_of(t.rhs, !t.turn_rhs);
    int64_t size = dtype_bytes(t.lhs->type->dtype), left = x->p->platform->left_bytes;
    t.block_m = whole ? t.m : smaller(t.m, BLOCK);
    t.block_n = whole ? t.n : smaller(t.n, BLOCK);
    t.block_k = smaller(depth(left, size, t.block_m, t.k), depth(left, size, t.block_n, t.k));
    return t;
}

/* A block of an operand, turned where it has to be. */
static Expr *factor(const TensorProduct *t, bool lhs, Range rows, Range cols)
{
    bool turn = lhs ? t->turn_lhs : t->turn_rhs;
    Range first = turn ? cols : rows, second = turn ? rows : cols;
    Expr *at[] = {expr_clone(t->x->p, first.at), expr_clone(t->x->p, second.at)};
    int64_t size[] = {first.size, second.size};
    Expr *tile = value_part(t->x, lhs ? t->lhs : t->rhs, at, size, MEM_MAT);
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

/* The blocks of K from `lo` to `hi`, in a loop that carries the accumulator. */
static Expr *sum_loop(const TensorProduct *t, Expr *acc, Range m, Range n, int64_t lo, int64_t hi)
{
    ValueLowering *x = t->x;
    Program *p = x->p;
    Builder b = value_builder(x);
    Stmt *loop = build_for(&b, intern(p->in, "block"), ex_index(p, lo), ex_index(p, hi));
    loop->step = ex_index(p, t->block_k);
    loop->n_values = loop->n_results = 1;
    loop->values = low_exprs_new(p, 1);
    loop->values[0] = acc;
    Sym base = func_var(x->f, acc->var)->base;
    VarId names[2];
    for (int i = 0; i < 2; i++)
        names[i] = func_new_var(p, x->f, base, acc->type, x->at->loc.span);
    loop->iters = low_vars_dup(p, &names[0], 1);
    loop->results = low_vars_dup(p, &names[1], 1);
    Block *outer = x->out;
    x->out = &loop->body;
    Range k = {ex_var(p, x->f, loop->index), t->block_k};
    Expr *sum = multiply(t, ex_var(p, x->f, names[0]), m, n, k, NULL);
    Stmt *yield = stmt_new(p, ST_YIELD, x->at->loc);
    yield->n_values = yield->n_results = 1;
    yield->values = low_exprs_new(p, 1);
    yield->values[0] = sum;
    yield->results = low_vars_dup(p, &names[1], 1);
    low_push(p, x->out, yield);
    x->out = outer;
    return ex_var(p, x->f, names[1]);
}

/* All of K for one block of the result; `acc` NULL: from +0. */
static Expr *sum(const TensorProduct *t, Expr *acc, Range m, Range n)
{
    int64_t done = t->block_k, whole = t->k / t->block_k * t->block_k;
    acc = multiply(t, acc, m, n, from_zero(t, t->block_k), t->init_cond);
    if (whole > 2 * t->block_k)
        acc = sum_loop(t, acc, m, n, done, whole);
    else if (whole == 2 * t->block_k)
        acc = multiply(t, acc, m, n, (Range){ex_index(t->x->p, done), t->block_k}, NULL);
    if (whole < t->k)
        acc = multiply(t, acc, m, n, (Range){ex_index(t->x->p, whole), t->k - whole}, NULL);
    return acc;
}

/* The sum in the dtype that is wanted, rounded once. */
static Expr *rounded(const TensorProduct *t, Expr *acc)
{
    if (acc->type->dtype == t->out)
        return acc;
    Expr *slots[] = {acc, ex_dtype(t->x->p, t->out), ex_enum(t->x->p, ENUM_CastMode, CAST_RINT)};
    return value_let(t->x, value_base(t->x), value_op(t->x, OP_TILE_CAST, 3, slots));
}

static void block_into(const TensorProduct *t, Expr *to, Range m, Range n)
{
    Expr *at[] = {expr_clone(t->x->p, m.at), expr_clone(t->x->p, n.at)};
    value_store(t->x, rounded(t, sum(t, NULL, m, n)), to, at);
}

/* Runs over the blocks of N for one of M. */
static void row_of_blocks(const TensorProduct *t, Expr *to, Range m)
{
    ValueLowering *x = t->x;
    int64_t whole = t->n / t->block_n * t->block_n;
    Block *outer = x->out;
    if (whole == t->block_n) {
        block_into(t, to, m, from_zero(t, t->block_n));
    } else {
        Builder b = value_builder(x);
        Stmt *loop =
            build_for(&b, intern(x->p->in, "col"), ex_index(x->p, 0), ex_index(x->p, whole));
        loop->step = ex_index(x->p, t->block_n);
        x->out = &loop->body;
        block_into(t, to, m, (Range){ex_var(x->p, x->f, loop->index), t->block_n});
        x->out = outer;
    }
    if (whole < t->n)
        block_into(t, to, m, (Range){ex_index(x->p, whole), t->n - whole});
}

static void all_blocks(const TensorProduct *t, Expr *to)
{
    ValueLowering *x = t->x;
    int64_t whole = t->m / t->block_m * t->block_m;
    Block *outer = x->out;
    if (whole == t->block_m) {
        row_of_blocks(t, to, from_zero(t, t->block_m));
    } else {
        Builder b = value_builder(x);
        Stmt *loop =
            build_for(&b, intern(x->p->in, "row"), ex_index(x->p, 0), ex_index(x->p, whole));
        loop->step = ex_index(x->p, t->block_m);
        x->out = &loop->body;
        row_of_blocks(t, to, (Range){ex_var(x->p, x->f, loop->index), t->block_m});
        x->out = outer;
    }
    if (whole < t->m)
        row_of_blocks(t, to, (Range){ex_index(x->p, whole), t->m - whole});
}

Expr *value_product(ValueLowering *x, const Expr *op, Expr *to)
{
    TensorProduct t = product_of(x, op, !to);
    bool acc = op->op == OP_TENSOR_MATMUL_ACC;
    t.out = op->type->dtype;
    if (to) {
        all_blocks(&t, to);
        return to;
    }
    if (acc)
        t.init_cond = OP_ARG(op, TENSOR_MATMUL_ACC, init_cond);
    Expr *start = acc ? OP_ARG(op, TENSOR_MATMUL_ACC, acc) : NULL;
    return rounded(&t, sum(&t, start, from_zero(&t, t.m), from_zero(&t, t.n)));
}
