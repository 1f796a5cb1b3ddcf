/* Values that must be at one place are a group: what a loop or an if carries, and what an operation
 * gives that changes its operand in place. Groups start on the core; as long as more is alive at
 * some statement than Vec has, the largest group alive there goes to scratch memory. */
#include "lower/value_plan.h"
#include "lower/live.h"
#include "lower/ssa.h"
#include "lower/util.h"

typedef struct {
    Program *p;
    Func *f;
    ValuePlan *plan;
    VarId *parent;     /* union-find over variables */
    bool *acc;         /* by variable: its group is an accumulator */
    bool *fixed;       /* by variable: its group cannot be scratch memory */
    uint32_t *uses;    /* by variable */
    uint32_t *factors; /* by variable: uses as a factor of a product */
    bool *product;     /* by variable: a product of matrices gives it */
    Live *live;
    MemSpace kind; /* that is weighed: Vec or Acc */
    int64_t *load; /* by position: bytes of it that are alive */
    uint32_t n_positions, position;
    int64_t budget, peak;
    bool sent; /* is there scratch memory? Its chunks need room */
    bool regions_changed;
    VarId out; /* what goes to scratch memory next, or VAR_NONE */
} Planning;

static VarId root_of(Planning *x, VarId v)
{
    while (x->parent[v] != v) {
        x->parent[v] = x->parent[x->parent[v]];
        v = x->parent[v];
    }
    return v;
}

static void join(Planning *x, VarId a, VarId b)
{
    a = root_of(x, a);
    b = root_of(x, b);
    if (a == b)
        return;
    x->parent[b] = a;
    x->acc[a] |= x->acc[b];
    x->fixed[a] |= x->fixed[b];
}

static bool is_tile(const Planning *x, VarId v)
{
    return v != VAR_NONE && func_var(x->f, v)->type->kind == TY_TILE;
}

/* Of two matrices, in one accumulator or in blocks of them. */
static bool is_matrix_product(const Expr *e)
{
    return op_is_product(e->op) && SHARED_ARG(e, lhs)->type->rank == 2 &&
           SHARED_ARG(e, rhs)->type->rank == 2;
}

/* ---- what there is */

static void find_value(void *env, Stmt *s)
{
    bool *found = env;
    OpId op = low_stmt_op(s);
    *found |= op != OPCODE_COUNT && op_is_on_values(op_info(op)) && !expr_is_view(s->value);
    *found |= op == OP_TENSOR_CREATE;
}

static void count_use(void *env, Expr **e)
{
    Planning *x = env;
    if ((*e)->kind == EX_VAR)
        x->uses[(*e)->var]++;
}

static void count_factor(Planning *x, const Expr *e)
{
    if (e && e->kind == EX_VAR)
        x->factors[e->var]++;
}

/* The accumulator of a tile product stays where that wants it. */
static void set_acc(Planning *x, const Expr *e, OpId op)
{
    if (e->kind != EX_VAR)
        return;
    x->acc[root_of(x, e->var)] = true;
    x->fixed[root_of(x, e->var)] |= op == OP_TILE_MATMUL_ACC;
}

/* Operations that chunks or scratch memory are known for. */
static bool can_be_scratch(const Expr *e)
{
    const OpInfo *info = op_info(e->op);
    switch (info->rule) {
    case RULE_ELEMENTWISE:
    case RULE_CAST:
    case RULE_EXPAND:
    case RULE_REDUCE:
    case RULE_CREATE:
    case RULE_ASSIGN:
    case RULE_MEMORY_ASSEMBLE:
    case RULE_WRITE: return true;
    default: return op_is_on_values(info);
    }
}

static void note_stmt(void *env, Stmt *s)
{
    Planning *x = env;
    stmt_exprs(s, count_use, x);
    Expr *e = s->kind == ST_LET && s->n_results == 1 ? s->value : NULL;
    if (!e || !is_tile(x, s->results[0]))
        return;
    VarId v = s->results[0];
    if (e->kind == EX_VAR && is_tile(x, e->var))
        join(x, v, e->var);
    if (e->kind != EX_OP)
        return;
    if (func_var(x->f, v)->type->value)
        x->plan->place[v] = VALUE_TILE;
    if (!can_be_scratch(e))
        x->fixed[root_of(x, v)] = true;
    int target = op_in_place(e->op);
    if (target >= 0 && e->args[target]->kind == EX_VAR && is_tile(x, e->args[target]->var))
        join(x, v, e->args[target]->var);
    if (e->op == OP_TENSOR_MATMUL_ACC || e->op == OP_TILE_MATMUL_ACC)
        set_acc(x, e->args[0], e->op);
    if (is_matrix_product(e)) {
        x->product[v] = true;
        count_factor(x, SHARED_ARG(e, lhs));
        count_factor(x, SHARED_ARG(e, rhs));
    }
}

static void each_carried(Planning *x, void (*with)(Planning *x, VarId v, VarId other))
{
    Carriers carriers = {0};
    ssa_carriers(x->p, &x->f->body, &carriers);
    for (uint32_t i = 0; i < carriers.list.len; i++) {
        const Carrier *c = carriers.list.at[i];
        for (uint32_t k = 0; k < c->stmt->n_results; k++) {
            VarId v = c->stmt->results[k];
            if (!is_tile(x, v))
                continue;
            if (c->stmt->kind == ST_FOR) {
                with(x, v, c->stmt->nest->iters[k]);
                if (c->stmt->values[k]->kind == EX_VAR)
                    with(x, v, c->stmt->values[k]->var);
            }
            for (uint32_t y = 0; y < c->yields.len; y++)
                if (c->yields.at[y]->values[k]->kind == EX_VAR)
                    with(x, v, c->yields.at[y]->values[k]->var);
        }
    }
}

/* ---- regions */

static RegionEnv regions_of(const Planning *x)
{
    return (RegionEnv){x->p, x->plan->region, x->plan->n};
}

static void set_region(Planning *x, VarId v, RegionKind kind)
{
    x->regions_changed |= x->plan->region[v].kind != kind;
    x->plan->region[v].kind = kind;
}

static void note_region(void *env, Stmt *s)
{
    Planning *x = env;
    RegionEnv regions = regions_of(x);
    if (s->kind != ST_LET || s->n_results != 1 || !is_tile(x, s->results[0]))
        return;
    VarId v = s->results[0];
    if (x->plan->region[v].kind == REGION_ON_CORE)
        return;
    ValueRegion r = value_region(&regions, s->value);
    x->regions_changed |= x->plan->region[v].kind != r.kind;
    x->plan->region[v] = r;
}

/* What is handed on has one region, or one that is not known here. */
static void spread_region(Planning *x, VarId v, VarId other)
{
    bool known =
        x->plan->region[v].kind == REGION_WHOLE && x->plan->region[other].kind == REGION_WHOLE;
    if (!known) {
        set_region(x, v, REGION_ON_CORE);
        set_region(x, other, REGION_ON_CORE);
    }
}

static void note_regions(Planning *x)
{
    do {
        x->regions_changed = false;
        block_walk(&x->f->body, note_region, x);
        each_carried(x, spread_region);
    } while (x->regions_changed);
    for (VarId v = 0; v < x->plan->n; v++)
        if (x->plan->region[v].kind == REGION_ON_CORE)
            x->fixed[root_of(x, v)] = true;
}

/* ---- where values are */

/* Parts of memory that only products read are loaded where those want them. */
static void note_factors(void *env, Stmt *s)
{
    Planning *x = env;
    VarId v = s->kind == ST_LET && low_stmt_op(s) == OP_TENSOR_SLICE ? s->results[0] : VAR_NONE;
    if (v != VAR_NONE && x->uses[v] && x->uses[v] == x->factors[v] &&
        type_is_memory(s->value->args[0]->type) && !OP_ARG(s->value, TENSOR_SLICE, drop_dims))
        x->plan->place[v] = VALUE_MAT;
}

static void send_out(Planning *x, VarId out)
{
    x->sent = true;
    for (VarId v = 0; v < x->plan->n; v++)
        if (root_of(x, v) == root_of(x, out))
            x->plan->place[v] = VALUE_SCRATCH;
}

static int64_t acc_bytes(const Planning *x, const Type *t)
{
    int64_t bytes;
    t = type_shaped(x->p->types, TY_TILE, DT_FP32, t->rank, t->dims);
    t = type_placed(x->p->types, t, MEM_ACC, -1);
    return tile_core_bytes(t, x->p->platform->row_align, &bytes) ? bytes : INT32_MAX;
}

/* Does the narrowest block of rows fit into Left, or of columns into Right? */
static bool fits_beside(const Planning *x, const Type *t)
{
    int64_t v;
    for (uint32_t i = 0; i < t->rank; i++)
        if (!dim_is_const(t->dims[i], &v) || (v + 15) / 16 * 16 * 32 > x->p->platform->left_bytes)
            return false;
    return true;
}

/* A product that is larger than Acc is made in blocks, and one of several matrices one by one. */
static void note_products(void *env, Stmt *s)
{
    Planning *x = env;
    if (s->kind != ST_LET || low_stmt_op(s) == OPCODE_COUNT || !op_is_product(low_stmt_op(s)))
        return;
    const Type *t = func_var(x->f, s->results[0])->type;
    if (!x->fixed[root_of(x, s->results[0])] &&
        (!is_matrix_product(s->value) || !fits_beside(x, t) ||
         acc_bytes(x, t) > mem_kind_bytes(x->p->platform, MEM_ACC)))
        send_out(x, s->results[0]);
}

/* ---- how much is alive */

/* Of the accumulator of one block of a product that is made in blocks. */
static int64_t acc_block_bytes(const Planning *x, const Expr *e)
{
    int64_t rows, cols, block = VALUE_BLOCK;
    const Type *t = e->type;
    if (t->rank < 2 || !dim_is_const(t->dims[t->rank - 2u], &rows) ||
        !dim_is_const(t->dims[t->rank - 1u], &cols))
        return block * 16 * 4;
    const Dim *dims[] = {dim_const(x->p->types, rows < block ? rows : block),
                         dim_const(x->p->types, cols < block ? cols : block)};
    return acc_bytes(x, type_shaped(x->p->types, TY_TILE, DT_FP32, 2, dims));
}

static int64_t bytes_of(const Planning *x, const Type *t)
{
    int64_t bytes;
    const Type *tile = type_shaped(x->p->types, TY_TILE, t->dtype, t->rank, t->dims);
    return tile_core_bytes(tile, x->p->platform->row_align, &bytes) ? bytes : INT32_MAX;
}

/* Bytes of the memory at hand that a variable takes while it is alive. */
static int64_t weight(Planning *x, VarId v)
{
    const Type *t = func_var(x->f, v)->type;
    ValuePlace place = value_place(x->plan, v);
    if (t->kind != TY_TILE || place == VALUE_SCRATCH || place == VALUE_MAT)
        return 0;
    bool acc = place == VALUE_ACC || x->acc[root_of(x, v)];
    if (x->kind == MEM_ACC)
        return t->value && (acc || x->product[v]) ? acc_bytes(x, t) : 0;
    return !acc && (t->mem == MEM_UNSET || t->mem == MEM_VEC) ? bytes_of(x, t) : 0;
}

static void weigh(Planning *x)
{
    for (uint32_t i = 0; i <= x->n_positions; i++)
        x->load[i] = 0;
    for (VarId v = 0; v < x->plan->n; v++) {
        int64_t bytes = x->live->at[v].len ? weight(x, v) : 0;
        for (uint32_t i = 0; bytes && i < x->live->at[v].len; i++) {
            x->load[x->live->at[v].at[i].from] += bytes;
            x->load[x->live->at[v].at[i].to + 1] -= bytes;
        }
    }
    for (uint32_t i = 1; i <= x->n_positions; i++)
        x->load[i] += x->load[i - 1];
}

/* A sum of another dtype on its way from Acc. */
static int64_t rounded_bytes(const Planning *x, const Type *t)
{
    return dtype_is_int(t->dtype)
               ? 0
               : bytes_of(x, type_shaped(x->p->types, TY_TILE, DT_FP32, t->rank, t->dims));
}

/* What a statement takes besides: its operands in memory, as tiles, and what a comparison selects.
 */
static int64_t temporaries(Planning *x, const Stmt *s)
{
    int64_t bytes = 0;
    const Expr *e = s->value;
    if (!e || e->kind != EX_OP || !op_is_on_values(op_info(e->op)) || expr_is_view(e))
        return 0;
    bool copies =
        e->op == OP_TENSOR_SLICE || e->op == OP_TENSOR_ASSIGN || e->op == OP_TENSOR_ASSEMBLE;
    VarId result = s->n_results ? s->results[0] : VAR_NONE;
    bool out = result != VAR_NONE && value_place(x->plan, result) == VALUE_SCRATCH;
    if (op_is_product(e->op) && x->kind == MEM_VEC && !out && e->type->dtype != DT_FP32)
        return rounded_bytes(x, e->type);
    if (op_is_product(e->op))
        return x->kind == MEM_ACC && out ? acc_block_bytes(x, e) : 0;
    if (x->kind == MEM_ACC || copies || out)
        return 0;
    for (uint32_t i = 0; i < e->n_args; i++) {
        const Expr *arg = e->args[i];
        bool scratch =
            arg && arg->kind == EX_VAR && value_place(x->plan, arg->var) == VALUE_SCRATCH;
        if (arg && arg->type && (type_is_memory(arg->type) || scratch))
            bytes += bytes_of(x, arg->type);
    }
    return e->op == OP_TENSOR_CMP ? bytes + 4 * bytes_of(x, e->type) : bytes;
}

/* The largest value that is alive at the statement and may go. */
static VarId largest(Planning *x)
{
    VarId best = VAR_NONE;
    int64_t most = 0;
    for (VarId v = 0; v < x->plan->n; v++) {
        ValuePlace place = value_place(x->plan, v);
        if ((place != VALUE_TILE && place != VALUE_ACC) || x->fixed[root_of(x, v)])
            continue;
        const Segments *s = &x->live->at[v];
        int64_t bytes = weight(x, v);
        if (bytes > most &&
            (segments_cover(s, 2 * x->position) || segments_cover(s, 2 * x->position + 1))) {
            most = bytes;
            best = v;
        }
    }
    return best;
}

static void check_stmt(Planning *x, const Stmt *s)
{
    int64_t before = x->load[2 * x->position], after = x->load[2 * x->position + 1];
    int64_t sum = (before > after ? before : after) + temporaries(x, s);
    int64_t room = x->kind == MEM_VEC && x->sent ? x->budget / 3 : 0;
    if (sum > x->budget - room && x->out == VAR_NONE)
        x->out = largest(x);
    if (before > x->peak)
        x->peak = before;
    x->position++;
}

/* Positions as live.c counts them. */
static void check_block(Planning *x, const Block *b)
{
    for (uint32_t i = 0; i < b->len; i++) {
        const Stmt *s = b->at[i];
        check_stmt(x, s);
        if (s->kind == ST_IF)
            x->position++;
        if (s->kind != ST_IF && s->kind != ST_FOR)
            continue;
        check_block(x, &s->nest->body);
        x->position++;
        if (s->kind != ST_IF)
            continue;
        check_block(x, &s->nest->otherwise);
        x->position++;
    }
}

static uint32_t last_position(const Live *live)
{
    uint32_t last = 0;
    for (VarId v = 0; v < live->n_vars; v++)
        if (live->at[v].len && vec_last(&live->at[v]).to > last)
            last = vec_last(&live->at[v]).to;
    return last;
}

/* As long as more of a memory is alive somewhere than there is, something goes. */
static void settle_kind(Planning *x, MemSpace kind)
{
    int64_t all = mem_kind_bytes(x->p->platform, kind);
    x->kind = kind;
    x->budget = kind == MEM_VEC ? all - all / 8 : all;
    do {
        x->out = VAR_NONE;
        x->position = 1;
        x->peak = 0;
        weigh(x);
        check_block(x, &x->f->body);
        if (x->out != VAR_NONE)
            send_out(x, x->out);
    } while (x->out != VAR_NONE);
}

static void settle(Planning *x)
{
    x->live = live_new(x->p, x->f);
    x->n_positions = last_position(x->live) + 2;
    uint32_t more = 8 * (low_stmt_count(&x->f->body) + 2); /* statements without tiles */
    x->n_positions = more > x->n_positions ? more : x->n_positions;
    x->load = xcalloc(x->n_positions + (size_t)2, sizeof *x->load);
    settle_kind(x, MEM_ACC);
    settle_kind(x, MEM_VEC);
    live_free(x->live);
    xfree(x->load);
}

static void plan_places(Planning *x)
{
    block_walk(&x->f->body, note_stmt, x);
    each_carried(x, join);
    note_regions(x);
    block_walk(&x->f->body, note_factors, x);
    for (VarId v = 0; v < x->plan->n; v++)
        if (x->acc[root_of(x, v)] && is_tile(x, v))
            x->plan->place[v] = VALUE_ACC;
    block_walk(&x->f->body, note_products, x);
    settle(x);
    x->plan->room = x->budget - x->peak;
}

ValuePlan value_plan(Program *p, Func *f)
{
    bool found = false;
    ValuePlan plan = {0};
    block_walk(&f->body, find_value, &found);
    if (!found)
        return plan;
    plan.n = f->vars.len;
    plan.place = xcalloc(plan.n + (size_t)1, sizeof *plan.place);
    plan.region = xcalloc(plan.n + (size_t)1, sizeof *plan.region);
    Planning x = {.p = p, .f = f, .plan = &plan};
    x.parent = xmalloc((plan.n + (size_t)1) * sizeof *x.parent);
    x.acc = xcalloc(plan.n + (size_t)1, sizeof *x.acc);
    x.fixed = xcalloc(plan.n + (size_t)1, sizeof *x.fixed);
    x.product = xcalloc(plan.n + (size_t)1, sizeof *x.product);
    x.uses = xcalloc(plan.n + (size_t)1, sizeof *x.uses);
    x.factors = xcalloc(plan.n + (size_t)1, sizeof *x.factors);
    for (VarId v = 0; v < plan.n; v++)
        x.parent[v] = v;
    plan_places(&x);
    xfree(x.parent);
    xfree(x.acc);
    xfree(x.fixed);
    xfree(x.product);
    xfree(x.uses);
    xfree(x.factors);
    return plan;
}

void value_plan_free(ValuePlan *plan)
{
    xfree(plan->place);
    xfree(plan->region);
}
