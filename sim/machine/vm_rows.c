#include "sim/machine/vm_rows.h"
#include "sim/machine/vm_check.h"
#include <string.h>

TileRegion tile_region(const Lane *lane, uint32_t slot)
{
    const Frame *top = &vec_last(&lane->frames);
    const BcTile *t = &top->f->tiles[slot];
    TileRegion r = {.rank = t->rank};
    memcpy(r.shape, t->shape, t->rank * sizeof *r.shape);
    memcpy(r.valid, top->tiles[slot].valid, t->rank * sizeof *r.valid);
    return r;
}

Grid grid_of(const TileRegion *r)
{
    Grid g;
    for (uint32_t i = 0; i < BC_MAX_RANK; i++)
        g.ext[i] = i < BC_MAX_RANK - r->rank ? 1 : r->valid[i - (BC_MAX_RANK - r->rank)];
    return g;
}

int64_t grid_elements(const Grid *g)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < BC_MAX_RANK; i++)
        n *= g->ext[i];
    return n;
}

static int64_t extent(const BcTile *t, uint32_t axis)
{
    uint32_t missing = BC_MAX_RANK - t->rank;
    return axis < missing ? 1 : t->shape[axis - missing];
}

RowOperand row_operand(Lane *lane, const BcTile *t, const BcTile *whole)
{
    RowOperand o = {.at = vm_tile_at(lane, t)};
    int64_t step = t->pitch;
    for (uint32_t i = BC_MAX_RANK - 1; i-- > 0;) {
        o.step[i] = extent(t, i) == 1 && extent(whole, i) != 1 ? 0 : step;
        step *= extent(t, i);
    }
    o.repeated = extent(t, BC_MAX_RANK - 1) == 1 && extent(whole, BC_MAX_RANK - 1) != 1;
    return o;
}

typedef struct {
    const Grid *g;
    RowOperand op[3];
    uint32_t n;
    uint32_t inner; /* dimensions from here to the last but one are one group of rows */
    KernelArgs k;
    RowsFn *fn;
    void *env;
} RowWalk;

/* Rows of neighbouring dimensions are one group where they lie evenly. */
static void merge(RowWalk *wk)
{
    uint32_t row = BC_MAX_RANK - 2;
    wk->k.rows = wk->g->ext[row];
    for (wk->inner = row; wk->inner > 0; wk->inner--) {
        bool even = true;
        for (uint32_t i = 0; i < wk->n; i++)
            even &= wk->op[i].step[wk->inner - 1] == wk->op[i].step[row] * wk->k.rows;
        if (!even && wk->g->ext[wk->inner - 1] != 1)
            return;
        wk->k.rows *= wk->g->ext[wk->inner - 1];
    }
}

static bool walk(const RowWalk *wk, uint32_t dim, const int64_t *offset)
{
    if (dim < wk->inner) {
        int64_t at[3] = {offset[0], offset[1], offset[2]};
        for (int64_t i = 0; i < wk->g->ext[dim]; i++) {
            if (!walk(wk, dim + 1, at))
                return false;
            for (uint32_t o = 0; o < wk->n; o++)
                at[o] += wk->op[o].step[dim];
        }
        return true;
    }
    KernelArgs k = wk->k;
    k.to = wk->op[0].at + offset[0];
    k.a = wk->n > 1 ? wk->op[1].at + offset[1] : NULL;
    k.b = wk->n > 2 ? wk->op[2].at + offset[2] : NULL;
    return wk->fn(wk->env, &k);
}

bool rows_walk(const Grid *g, const RowOperand *operands, uint32_t n, RowsFn *fn, void *env)
{
    static const int64_t none[3];
    RowWalk wk = {.g = g, .n = n, .fn = fn, .env = env};
    memcpy(wk.op, operands, n * sizeof *operands);
    uint32_t row = BC_MAX_RANK - 2;
    wk.k.cols = g->ext[BC_MAX_RANK - 1];
    wk.k.to_step = (ptrdiff_t)operands[0].step[row];
    wk.k.a_step = n > 1 ? (ptrdiff_t)operands[1].step[row] : 0;
    wk.k.b_step = n > 2 ? (ptrdiff_t)operands[2].step[row] : 0;
    if (grid_elements(g) == 0)
        return true;
    merge(&wk);
    return walk(&wk, 0, none);
}
