/* Products of tiles, and tiles turned. */
#include "sim/machine/matmul.h"
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_ops.h"

#include <string.h>

/* A tile at hand: where it is, and how much of it is valid. */
typedef struct {
    const BcTile *t;
    TileState *state;
    char *at;
} Operand;

static Operand operand(Lane *lane, uint32_t slot)
{
    Frame *top = lane_top(lane);
    const BcTile *t = &top->f->tiles[slot];
    return (Operand){t, &top->tiles[slot], vm_tile_at(lane, t)};
}

static Operand read_operand(World *w, Lane *lane, uint32_t slot)
{
    vm_tile_used(w, lane, slot);
    return operand(lane, slot);
}

static void spend(World *w, Lane *lane, int64_t end, uint8_t dtype)
{
    Event e = {.kind = EV_COMPUTE,
               .lane = lane,
               .dtype = dtype,
               .begin = lane->now,
               .op = (uint8_t)TOP_COUNT};
    lane->now = e.end = end;
    probe_compute(&w->probe, lane, e.end - e.begin);
    if (probe_wants(&w->probe, EV_COMPUTE))
        probe_emit(&w->probe, &e);
}

/* rhs and what is added must be valid where the product takes them from. */
static bool regions_fit(World *w, Lane *lane, const Operand *a, const Operand *b, const Operand *d)
{
    if (b->state->valid[0] < a->state->valid[1])
        return vm_fault(w, lane, "%lld rows of rhs are valid, lhs has %lld valid columns",
                        (long long)b->state->valid[0], (long long)a->state->valid[1]);
    if (!d)
        return true;
    int64_t rows = d->t->shape[0] == 1 && d->t->memory == MEM_BIAS ? 1 : a->state->valid[0];
    if (d->state->valid[0] < rows || d->state->valid[1] < b->state->valid[1])
        return vm_fault(w, lane,
                        "[%lld, %lld] of what is added is valid, the product is [%lld, %lld]",
                        (long long)d->state->valid[0], (long long)d->state->valid[1],
                        (long long)a->state->valid[0], (long long)b->state->valid[1]);
    return true;
}

/* What the sums start from. */
static void begin_sums(const Operand *c, const Operand *acc)
{
    size_t bytes = (size_t)c->state->valid[1] * 4;
    for (int64_t i = 0; i < c->state->valid[0]; i++) {
        char *row = c->at + i * c->t->pitch;
        if (acc && acc->at != c->at)
            memmove(row, acc->at + i * acc->t->pitch, bytes);
        else if (!acc)
            memset(row, 0, bytes);
    }
}

static void add_bias(const Operand *c, const Operand *bias)
{
    for (int64_t i = 0; i < c->state->valid[0]; i++) {
        char *row = c->at + i * c->t->pitch;
        KernelArgs k = {.to = row, .a = row, .b = bias->at, .rows = 1, .cols = c->state->valid[1]};
        kernel_bin(TOP_ADD, c->t->dtype, &k);
    }
}

static bool product(World *w, Lane *lane, const BcInsn *in)
{
    Operand a = read_operand(w, lane, in->b), b = read_operand(w, lane, in->c), d = {0};
    bool fresh = in->op == BC_TMATACC && lane_top(lane)->regs[in->e] != 0;
    bool adds = in->op != BC_TMATMUL && !fresh;
    if (adds)
        d = read_operand(w, lane, in->d);
    if (!regions_fit(w, lane, &a, &b, adds ? &d : NULL))
        return false;
    Operand c = operand(lane, in->a);
    c.state->valid[0] = a.state->valid[0];
    c.state->valid[1] = b.state->valid[1];
    c.state->written = true;
    begin_sums(&c, adds && in->op == BC_TMATACC ? &d : NULL);
    Matmul x = {.c = c.at,
                .a = a.at,
                .b = b.at,
                .c_step = c.t->pitch,
                .a_step = a.t->pitch,
                .b_step = b.t->pitch,
                .m = c.state->valid[0],
                .n = c.state->valid[1],
                .k = a.state->valid[1]};
    matmul_run(a.t->dtype, &x);
    if (in->op == BC_TMATBIAS)
        add_bias(&c, &d);
    spend(w, lane, clock_product(&w->platform, lane->now, x.m, x.n, x.k), a.t->dtype);
    return true;
}

/* One matrix of a tile: element [i, j] becomes [j, i]. */
static void turn_matrix(const Operand *to, const Operand *from, char *out, const char *in)
{
    uint32_t rank = from->t->rank;
    size_t size = dtype_bytes(from->t->dtype);
    for (int64_t i = 0; i < from->state->valid[rank - 2]; i++)
        for (int64_t j = 0; j < from->state->valid[rank - 1]; j++)
            memcpy(out + j * to->t->pitch + i * (int64_t)size,
                   in + i * from->t->pitch + j * (int64_t)size, size);
}

static bool turn(World *w, Lane *lane, const BcInsn *in)
{
    vm_tile_written(w, lane, in->b);
    Operand from = operand(lane, in->b), to = operand(lane, in->a);
    uint32_t rank = from.t->rank;
    int64_t matrices = 1, valid = 1;
    memcpy(to.state->valid, from.state->valid, sizeof to.state->valid);
    to.state->valid[rank - 1] = from.state->valid[rank - 2];
    to.state->valid[rank - 2] = from.state->valid[rank - 1];
    to.state->written = true;
    for (uint32_t i = 0; i + 2 < rank; i++)
        matrices *= from.t->shape[i];
    for (int64_t m = 0; m < matrices; m++)
        turn_matrix(&to, &from, to.at + m * to.t->shape[rank - 2] * to.t->pitch,
                    from.at + m * from.t->shape[rank - 2] * from.t->pitch);
    for (uint32_t i = 0; i < rank; i++)
        valid *= from.state->valid[i];
    int64_t bytes = valid * (int64_t)dtype_bytes(from.t->dtype);
    vm_holes_clear(lane, in->a);
    if (!lane->on_holes)
        spend(w, lane, clock_compute(&w->platform, lane->now, bytes), from.t->dtype);
    return true;
}

bool vm_matrix(World *w, Lane *lane, const BcInsn *in)
{
    if (in->op == BC_TTURN)
        return vm_holes_carry(w, lane, in, turn);
    if (!product(w, lane, in))
        return false;
    vm_holes_clear(lane, in->a);
    return true;
}
