/* Tile arithmetic: the kernels work on rows; here a tile of any rank becomes rows. */
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_ops.h"

#include <string.h>

char *vm_tile_at(Lane *lane, const BcTile *t)
{
    vm_check_slot(lane, t);
    return lane->core_mem + t->addr;
}

/* Only the first use is told: whatever the op wrote then counts as written. */
void vm_tile_used(World *w, Lane *lane, uint32_t slot)
{
    TileState *s = &lane_top(lane)->tiles[slot];
    if (s->written)
        return;
    Event e = {.kind = EV_TILE_UNINIT,
               .lane = lane,
               .tile = (uint16_t)slot,
               .begin = lane->now,
               .end = lane->now};
    probe_emit(&w->probe, &e);
    s->written = true;
}

/* How the rows of a tile lie in memory. */
typedef struct {
    int64_t rows, cols;          /* of one group */
    int64_t count[BC_MAX_RANK];  /* groups: outer dimensions */
    int64_t stride[BC_MAX_RANK]; /* elements of rows between them */
    uint32_t n;                  /* outer dimensions */
} RowPlan;

static RowPlan plan_rows(const BcTile *t, const int64_t *valid)
{
    RowPlan p = {.rows = 1, .cols = valid[t->rank - 1]};
    if (t->rank == 1)
        return p;
    p.rows = valid[t->rank - 2];
    int64_t step = t->shape[t->rank - 2];
    for (uint32_t i = t->rank - 2; i-- > 0;) {
        if (p.n == 0 && p.rows == step) {
            p.rows *= valid[i];
        } else {
            p.count[p.n] = valid[i];
            p.stride[p.n++] = step;
        }
        step *= t->shape[i];
    }
    return p;
}

static int64_t row_bytes(const World *w, const BcTile *t)
{
    int64_t align = w->row_align;
    return (t->shape[t->rank - 1] * (int64_t)dtype_bytes(t->dtype) + align - 1) / align * align;
}

/* One group of rows. */
typedef bool RowFn(void *env, const KernelArgs *k);

typedef struct {
    RowPlan plan;
    KernelArgs k;
    RowFn *fn;
    void *env;
} Walk;

#ifdef PLD_VM_CHECK
/* The last row that a plan comes to. */
static int64_t last_row(const RowPlan *p)
{
    int64_t row = p->rows - 1;
    for (uint32_t i = 0; i < p->n; i++)
        row += (p->count[i] - 1) * p->stride[i];
    return row;
}
#endif

static bool walk_rows(const Walk *wk, uint32_t outer, int64_t row)
{
    if (outer < wk->plan.n) {
        uint32_t i = wk->plan.n - 1 - outer;
        for (int64_t j = 0; j < wk->plan.count[i]; j++)
            if (!walk_rows(wk, outer + 1, row + j * wk->plan.stride[i]))
                return false;
        return true;
    }
    KernelArgs k = wk->k;
    k.to = (char *)k.to + row * k.to_step;
    k.a = k.a ? (const char *)k.a + row * k.a_step : NULL;
    k.b = k.b ? (const char *)k.b + row * k.b_step : NULL;
    return wk->fn(wk->env, &k);
}

typedef struct {
    const BcInsn *in;
    uint8_t dtype, from;
    TileOp op;
    KernelScalar scalar;
} TileCall;

static bool run_rows(void *env, const KernelArgs *k)
{
    const TileCall *c = env;
    switch (c->in->op) {
    case BC_TFULL: kernel_fill(c->dtype, k, c->scalar); return true;
    case BC_TCOPY:
        for (int64_t i = 0; i < k->rows; i++)
            memmove((char *)k->to + i * k->to_step, (const char *)k->a + i * k->a_step,
                    (size_t)k->cols * dtype_bytes(c->dtype));
        return true;
    case BC_TBIN: return kernel_bin(c->op, c->dtype, k);
    case BC_TBINK:
    case BC_TBINR: return kernel_bink(c->op, c->dtype, k, c->scalar);
    case BC_TUN: return kernel_un(c->op, c->dtype, k);
    default: kernel_cast(c->from, c->dtype, c->in->imm, k); return true;
    }
}

/* The constant of a tfull or tbink: bits of a double, or an integer, already of the dtype's value
 * range. */
static KernelScalar constant(const World *w, int32_t k, uint8_t dtype)
{
    Dtype from = dtype_is_float(dtype) ? dtype : DT_INT64;
    return kernel_scalar(from, w->program->consts[k], dtype);
}

static TileCall tile_call(const World *w, const Frame *top, const BcInsn *in)
{
    TileCall c = {.in = in, .dtype = top->f->tiles[in->a].dtype, .op = (TileOp)in->imm};
    switch (in->op) {
    case BC_TFULL: c.scalar = constant(w, in->imm, c.dtype); break;
    case BC_TBINK:
        c.op = (TileOp)in->e;
        c.scalar = constant(w, in->imm, c.dtype);
        break;
    case BC_TBINR: c.scalar = kernel_scalar(in->d, top->regs[in->c], c.dtype); break;
    case BC_TCAST: c.from = top->f->tiles[in->b].dtype; break;
    default: break;
    }
    return c;
}

static void spend(World *w, Lane *lane, const BcInsn *in, const RowPlan *p, const TileCall *c)
{
    int64_t bytes = p->rows * p->cols * (int64_t)dtype_bytes(c->dtype);
    for (uint32_t i = 0; i < p->n; i++)
        bytes *= p->count[i];
    int scalar = in->op == BC_TFULL || in->op == BC_TCOPY || in->op == BC_TCAST;
    Event e = {.kind = EV_COMPUTE,
               .lane = lane,
               .dtype = c->dtype,
               .begin = lane->now,
               .op = (uint8_t)(scalar ? TOP_COUNT : c->op)};
    lane->now = e.end = clock_compute(&w->platform, lane->now, bytes);
    probe_compute(&w->probe, lane, e.end - e.begin);
    if (probe_wants(&w->probe, EV_COMPUTE))
        probe_emit(&w->probe, &e);
}

static bool same_valid(World *w, Lane *lane, const BcTile *t, const TileState *a,
                       const TileState *b)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (a->valid[i] != b->valid[i])
            return vm_fault(w, lane, "valid extents differ in axis %u: %lld and %lld", i,
                            (long long)a->valid[i], (long long)b->valid[i]);
    return true;
}

static bool create(Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    TileState *s = &top->tiles[in->a];
    memcpy(s->valid, top->f->tiles[in->a].shape, sizeof s->valid);
    s->written = in->op == BC_TFULL;
    return true;
}

bool vm_tile_op(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const BcTile *t = &top->f->tiles[in->a];
    TileState *to = &top->tiles[in->a];
    if (in->op == BC_TCREATE)
        return create(lane, in);
    Walk wk = {.fn = run_rows};
    wk.k.to = vm_tile_at(lane, t);
    wk.k.to_step = (ptrdiff_t)row_bytes(w, t);
    if (in->op == BC_TFULL) {
        create(lane, in);
    } else {
        const BcTile *a = &top->f->tiles[in->b];
        vm_tile_used(w, lane, in->b);
        wk.k.a = vm_tile_at(lane, a);
        wk.k.a_step = (ptrdiff_t)row_bytes(w, a);
        TileState from = top->tiles[in->b];
        if (in->op == BC_TBIN) {
            vm_tile_used(w, lane, in->c);
            if (!same_valid(w, lane, t, &from, &top->tiles[in->c]))
                return false;
            wk.k.b = vm_tile_at(lane, &top->f->tiles[in->c]);
            wk.k.b_step = wk.k.to_step;
        }
        *to = from;
    }
    TileCall c = tile_call(w, top, in);
    wk.plan = plan_rows(t, to->valid);
    vm_check_rows(t, last_row(&wk.plan), wk.plan.cols, wk.k.to_step);
    if (wk.k.a)
        vm_check_rows(&top->f->tiles[in->b], last_row(&wk.plan), wk.plan.cols, wk.k.a_step);
    if (wk.k.b)
        vm_check_rows(&top->f->tiles[in->c], last_row(&wk.plan), wk.plan.cols, wk.k.b_step);
    wk.k.rows = wk.plan.rows;
    wk.k.cols = wk.plan.cols;
    wk.env = &c;
    if (!walk_rows(&wk, 0, 0))
        return vm_fault(w, lane, "division by zero in a tile");
    spend(w, lane, in, &wk.plan, &c);
    return true;
}
