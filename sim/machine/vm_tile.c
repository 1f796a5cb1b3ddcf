/* Tile arithmetic: the kernels work on rows; here tiles of any rank, some of them broadcast, become
 * rows. */
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_rows.h"

#include <string.h>

char *vm_tile_at(Lane *lane, const BcTile *t)
{
    vm_check_slot(lane, t);
    return lane->core_mem + t->at;
}

/* Only the first use is told: whatever the op wrote then counts as written. */
static void tell(World *w, Lane *lane, uint32_t slot, uint64_t load)
{
    Event e = {.kind = EV_TILE_UNINIT,
               .lane = lane,
               .tile = (uint16_t)slot,
               .link = load,
               .begin = lane->now,
               .end = lane->now};
    probe_emit(&w->probe, &e);
}

void vm_tile_written(World *w, Lane *lane, uint32_t slot)
{
    TileState *s = &lane_top(lane)->tiles[slot];
    if (s->written || lane->on_holes)
        return;
    tell(w, lane, slot, 0);
    s->written = true;
}

void vm_tile_used(World *w, Lane *lane, uint32_t slot)
{
    uint64_t load;
    vm_tile_written(w, lane, slot);
    if (!vm_holes_find(lane, slot, &load))
        return;
    tell(w, lane, slot, load);
    vm_holes_clear(lane, slot);
}

void vm_tile_made(Lane *lane, uint32_t slot, const TileRegion *r, bool written)
{
    TileState *s = &lane_top(lane)->tiles[slot];
    vm_check_valid(&lane_top(lane)->f->tiles[slot], r->valid);
    memcpy(s->valid, r->valid, r->rank * sizeof *r->valid);
    s->written = written;
    vm_holes_clear(lane, slot);
}

KernelScalar vm_constant(const World *w, int32_t k, Dtype dtype)
{
    Dtype from = dtype_is_float(dtype) ? dtype : DT_INT64;
    return kernel_scalar(from, w->program->consts[k], dtype);
}

KernelScalar vm_element_scalar(Dtype t, const void *at)
{
    KernelScalar s = {0};
    if (dtype_is_float(t))
        s.f = dtype_load_double(t, at);
    else
        s.i = dtype_load_int(t, at);
    return s;
}

void vm_spend(World *w, Lane *lane, int64_t bytes, TileOp op, Dtype dtype)
{
    if (lane->on_holes)
        return;
    Event e = {
        .kind = EV_COMPUTE, .lane = lane, .dtype = dtype, .begin = lane->now, .op = (uint8_t)op};
    lane->now = e.end = clock_compute(&w->platform, lane->now, bytes);
    probe_compute(&w->probe, lane, e.end - e.begin);
    if (probe_wants(&w->probe, EV_COMPUTE))
        probe_emit(&w->probe, &e);
}

typedef struct {
    const BcInsn *in;
    Mover *mover; /* of this call: NULL where rows are computed at once */
    uint8_t dtype, from;
    uint8_t ends; /* TILE_ENDS_ bits */
    bool a_repeated, b_repeated;
    TileOp op;
    KernelScalar scalar;
} TileCall;

/* Every row with its own scalar on the right. */
static bool scalar_right(const TileCall *c, const KernelArgs *k)
{
    for (int64_t i = 0; i < k->rows; i++) {
        KernelArgs row = *k;
        row.rows = 1;
        row.to = (char *)k->to + i * k->to_step;
        row.a = (const char *)k->a + i * k->a_step;
        const char *b = (const char *)k->b + i * k->b_step;
        if (!kernel_bink(c->op, c->dtype, &row, vm_element_scalar(c->dtype, b)))
            return false;
    }
    return true;
}

/* Every row with its own scalar on the left, which a block of elements repeats. */
static bool scalar_left(const TileCall *c, const KernelArgs *k)
{
    enum { BLOCK = 512 };
    int64_t bytes = dtype_bytes(c->dtype);
    char repeated[BLOCK * 8];
    for (int64_t i = 0; i < k->rows; i++) {
        KernelArgs part = {.to = repeated, .rows = 1, .cols = k->cols < BLOCK ? k->cols : BLOCK};
        kernel_fill(c->dtype, &part,
                    vm_element_scalar(c->dtype, (const char *)k->a + i * k->a_step));
        part.a = repeated;
        for (int64_t at = 0; at < k->cols; at += BLOCK) {
            part.cols = k->cols - at < BLOCK ? k->cols - at : BLOCK;
            part.to = (char *)k->to + i * k->to_step + at * bytes;
            part.b = (const char *)k->b + i * k->b_step + at * bytes;
            if (!kernel_bin(c->op, c->dtype, &part))
                return false;
        }
    }
    return true;
}

/* Rows that follow each other are computed later, as one. */
static bool compute_later(const TileCall *c, const KernelArgs *k)
{
    int64_t row = k->cols * (int64_t)dtype_bytes(c->dtype);
    bool dense = k->to_step == row && k->a_step == row && k->b_step == row;
    if (k->rows * row < MOVE_LEAST || (k->rows > 1 && !dense))
        return false;
    Move move = {
        .kind = MOVE_BIN, .op = (uint8_t)c->op, .dtype = c->dtype, .ends = c->ends, .k = *k};
    move.k.cols *= k->rows;
    move.k.rows = 1;
    mover_do(c->mover, &move);
    return true;
}

/* Of whole tiles, where nothing can go wrong: else what went wrong must be known at once. */
static Mover *mover_for(const World *w, const TileCall *c)
{
    bool fails = tileop_shifts(c->op) || (!dtype_is_float(c->dtype) && tileop_divisor(c->op) >= 0);
    return c->a_repeated || c->b_repeated || fails ? NULL : w->mover;
}

static bool run_rows(void *env, const KernelArgs *k)
{
    const TileCall *c = env;
    if (c->mover && compute_later(c, k))
        return true;
    if (c->mover)
        mover_settle(c->mover);
    switch (c->in->op) {
    case BC_TFULL: kernel_fill(c->dtype, k, c->scalar); return true;
    case BC_TCOPY:
        for (int64_t i = 0; i < k->rows; i++)
            memmove((char *)k->to + i * k->to_step, (const char *)k->a + i * k->a_step,
                    (size_t)k->cols * dtype_bytes(c->dtype));
        return true;
    case BC_TBIN:
        return c->b_repeated   ? scalar_right(c, k)
               : c->a_repeated ? scalar_left(c, k)
                               : kernel_bin(c->op, c->dtype, k);
    case BC_TBINK:
    case BC_TBINR: return kernel_bink(c->op, c->dtype, k, c->scalar);
    case BC_TUN: return kernel_un(c->op, c->dtype, k);
    default: kernel_cast(c->from, c->dtype, c->in->imm, k); return true;
    }
}

static TileCall tile_call(const World *w, const Frame *top, const BcInsn *in)
{
    TileCall c = {.in = in, .dtype = top->f->tiles[in->a].dtype, .op = TOP_NONE};
    switch (in->op) {
    case BC_TFULL: c.scalar = vm_constant(w, in->imm, c.dtype); break;
    case BC_TBINK:
        c.op = (TileOp)in->e;
        c.scalar = vm_constant(w, in->imm, c.dtype);
        break;
    case BC_TBINR:
        c.op = (TileOp)in->imm;
        c.scalar = kernel_scalar(in->d, top->regs[in->c], c.dtype);
        break;
    case BC_TBIN:
    case BC_TUN: c.op = (TileOp)in->imm; break;
    case BC_TCAST: c.from = top->f->tiles[in->b].dtype; break;
    default: break;
    }
    return c;
}

/* TileRegion of the result, and the operands' rows; operands that are read count as used. */
static bool gather(World *w, Lane *lane, TileCall *c, TileRegion *out, RowOperand *operands,
                   uint32_t *n)
{
    const BcInsn *in = c->in;
    const BcTile *tiles = lane_top(lane)->f->tiles, *t = &tiles[in->a];
    char why[REGION_TEXT];
    bool binary = in->op == BC_TBIN;
    *out = tile_region(lane, in->op == BC_TFULL ? in->a : in->b);
    operands[(*n)++] = row_operand(lane, t, t);
    if (in->op == BC_TFULL)
        return true;
    TileRegion a = *out;
    if (binary) {
        TileRegion b = tile_region(lane, in->c);
        if (!region_broadcast(&a, &b, out, why))
            return vm_fault(w, lane, "%s", why);
    }
    if (in->op != BC_TCOPY && (c->op == TOP_NONE || tileop_reads(c->op, 0)))
        vm_tile_used(w, lane, in->b);
    operands[(*n)++] = row_operand(lane, &tiles[in->b], t);
    c->a_repeated = operands[1].repeated;
    if (!binary)
        return true;
    if (tileop_reads(c->op, 1))
        vm_tile_used(w, lane, in->c);
    operands[(*n)++] = row_operand(lane, &tiles[in->c], t);
    c->b_repeated = operands[2].repeated;
    return true;
}

static bool is_whole(const BcTile *t, const TileState *s)
{
    return memcmp(t->shape, s->valid, t->rank * sizeof *t->shape) == 0;
}

/* What collectives do most: a sum of two whole tiles of the result's shape, without holes between
 * rows. It is what `elementwise` makes of it, with less to find out; false: it is not that. */
static bool whole_tiles(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const BcTile *t = &top->f->tiles[in->a], *a = &top->f->tiles[in->b], *b = &top->f->tiles[in->c];
    TileCall c = {.in = in, .op = (TileOp)in->imm, .dtype = t->dtype};
    int64_t row = t->shape[t->rank - 1] * (int64_t)dtype_bytes(t->dtype), n = row;
    bool same = a->rank == t->rank && b->rank == t->rank &&
                memcmp(a->shape, t->shape, t->rank * sizeof *t->shape) == 0 &&
                memcmp(b->shape, t->shape, t->rank * sizeof *t->shape) == 0;
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        n *= t->shape[i];
    if (!mover_for(w, &c) || !same || t->pitch != row || n < MOVE_LEAST ||
        !is_whole(a, &top->tiles[in->b]) || !is_whole(b, &top->tiles[in->c]))
        return false;
    if (tileop_reads(c.op, 0))
        vm_tile_used(w, lane, in->b);
    if (tileop_reads(c.op, 1))
        vm_tile_used(w, lane, in->c);
    memcpy(top->tiles[in->a].valid, t->shape, t->rank * sizeof *t->shape);
    top->tiles[in->a].written = true;
    vm_holes_clear(lane, in->a);
    Move move = {.kind = MOVE_BIN, .op = (uint8_t)c.op, .dtype = c.dtype, .ends = vm_ends(w, lane)};
    move.k = (KernelArgs){.to = vm_tile_at(lane, t),
                          .a = vm_tile_at(lane, a),
                          .b = vm_tile_at(lane, b),
                          .rows = 1,
                          .cols = n / (int64_t)dtype_bytes(t->dtype)};
    mover_do(w->mover, &move);
    vm_spend(w, lane, n, c.op, c.dtype);
    return true;
}

static bool elementwise(World *w, Lane *lane, const BcInsn *in)
{
    if (in->op == BC_TBIN && whole_tiles(w, lane, in))
        return true;
    RowOperand operands[3];
    uint32_t n = 0;
    TileRegion out;
    TileCall c = tile_call(w, lane_top(lane), in);
    if (in->op == BC_TFULL)
        memcpy(lane_top(lane)->tiles[in->a].valid, lane_top(lane)->f->tiles[in->a].shape,
               sizeof lane_top(lane)->tiles[in->a].valid);
    if (!gather(w, lane, &c, &out, operands, &n))
        return false;
    if (in->op == BC_TBIN && !(c.mover = mover_for(w, &c)))
        vm_settle(w);
    c.ends = c.mover ? vm_ends(w, lane) : 0;
    bool written = in->op != BC_TCOPY || lane_top(lane)->tiles[in->b].written;
    vm_tile_made(lane, in->a, &out, written);
    Grid g = grid_of(&out);
    if (!rows_walk(&g, operands, n, run_rows, &c))
        return vm_fault(w, lane,
                        c.op != TOP_NONE && tileop_shifts(c.op)
                            ? "a tile is shifted by fewer than 0 or more than bits - 1 places"
                            : "division by zero in a tile");
    vm_spend(w, lane, grid_elements(&g) * (int64_t)dtype_bytes(c.dtype), c.op, c.dtype);
    return true;
}

static bool reduce_rows(void *env, const KernelArgs *k)
{
    const TileCall *c = env;
    kernel_reduce((TileReduce)c->in->imm, c->from, k);
    return true;
}

/* The result is walked with the reduced dimension of the operand for that of one element. */
static bool reduce(World *w, Lane *lane, const BcInsn *in)
{
    const BcTile *tiles = lane_top(lane)->f->tiles, *t = &tiles[in->a], *from = &tiles[in->b];
    TileCall c = {.in = in, .dtype = t->dtype, .from = from->dtype};
    TileRegion a = tile_region(lane, in->b), out = tile_region(lane, in->a);
    char why[REGION_TEXT];
    uint32_t axis = from->rank - (reduce_along_rows((TileReduce)in->imm) ? 1u : 2u);
    if (!region_reduce(&a, axis, &out, why))
        return vm_fault(w, lane, "%s", why);
    vm_tile_used(w, lane, in->b);
    RowOperand operands[] = {row_operand(lane, t, t), row_operand(lane, from, from)};
    operands[0].step[BC_MAX_RANK - 2] =
        reduce_along_rows((TileReduce)in->imm) ? operands[0].step[BC_MAX_RANK - 2] : 0;
    vm_tile_made(lane, in->a, &out, true);
    Grid g = grid_of(&a);
    if (!rows_walk(&g, operands, 2, reduce_rows, &c))
        return false;
    vm_spend(w, lane, grid_elements(&g) * (int64_t)dtype_bytes(c.from), TOP_NONE, c.from);
    return true;
}

bool vm_tile_op(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion r = tile_region(lane, in->a);
    switch (in->op) {
    case BC_TCREATE:
        memcpy(r.valid, r.shape, sizeof r.valid);
        vm_tile_made(lane, in->a, &r, false);
        return true;
    case BC_TRED: return reduce(w, lane, in);
    case BC_TCOPY: return vm_holes_carry(w, lane, in, elementwise);
    case BC_TFULL:
    case BC_TBIN:
    case BC_TBINK:
    case BC_TBINR:
    case BC_TUN:
    case BC_TCAST: return elementwise(w, lane, in);
    case BC_TCMP:
    case BC_TSEL:
    case BC_TPARTS:
    case BC_TCOUNT: return vm_tile_select(w, lane, in);
    case BC_TMATMUL:
    case BC_TMATACC:
    case BC_TMATBIAS:
    case BC_TTURN: return vm_matrix(w, lane, in);
    default: return vm_tile_shape(w, lane, in);
    }
}
