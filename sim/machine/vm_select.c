/* Comparisons into packed masks, selection by them, parts with a region each, and counting. */
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_rows.h"
#include <string.h>

/* A tile as rows of its last dimension, in the order of memory. */
typedef struct {
    TileRegion r;
    char *at;
    int64_t pitch, rows; /* rows of the whole tile */
    Dtype dtype;
} RowTile;

static RowTile rows_of(Lane *lane, uint32_t slot)
{
    const BcTile *t = &lane_top(lane)->f->tiles[slot];
    RowTile x = {.r = tile_region(lane, slot),
                 .at = vm_tile_at(lane, t),
                 .pitch = t->pitch,
                 .rows = 1,
                 .dtype = (Dtype)t->dtype};
    for (uint32_t i = 0; i + 1 < x.r.rank; i++)
        x.rows *= x.r.shape[i];
    return x;
}

/* Valid elements of a row; 0 where the row lies outside. */
static int64_t valid_in(const TileRegion *r, int64_t row)
{
    for (uint32_t i = r->rank - 1; i-- > 0; row /= r->shape[i])
        if (row % r->shape[i] >= r->valid[i])
            return 0;
    return r->valid[r->rank - 1];
}

static bool made(World *w, Lane *lane, const BcInsn *in, const TileRegion *out, Dtype dtype)
{
    Grid g = grid_of(out);
    vm_tile_made(lane, in->a, out, true);
    vm_spend(w, lane, grid_elements(&g) * (int64_t)dtype_bytes(dtype), TOP_NONE, dtype);
    return true;
}

/* ---- comparisons: column 8k + b is bit b of byte k ---- */

static bool holds(int64_t how, int order, bool unordered)
{
    switch (how) {
    case 0: return !unordered && order == 0;
    case 1: return unordered || order != 0;
    case 2: return !unordered && order < 0;
    case 3: return !unordered && order <= 0;
    case 4: return !unordered && order > 0;
    default: return !unordered && order >= 0;
    }
}

static bool compare(Dtype t, const char *a, const char *b, int64_t how)
{
    if (!dtype_is_float(t)) {
        int64_t x = dtype_load_int(t, a), y = dtype_load_int(t, b);
        return holds(how, (x > y) - (x < y), false);
    }
    double x = dtype_load_double(t, a), y = dtype_load_double(t, b);
    return holds(how, (x > y) - (x < y), x != x || y != y);
}

static bool compare_tiles(World *w, Lane *lane, const BcInsn *in)
{
    RowTile a = rows_of(lane, in->b), b = rows_of(lane, in->c), to = rows_of(lane, in->a);
    TileRegion both = a.r;
    char why[REGION_TEXT];
    if (!region_broadcast(&a.r, &b.r, &both, why))
        return vm_fault(w, lane, "%s", why);
    vm_tile_used(w, lane, in->b);
    vm_tile_used(w, lane, in->c);
    int64_t size = dtype_bytes(a.dtype);
    for (int64_t row = 0; row < a.rows; row++) {
        uint8_t *mask = (uint8_t *)to.at + row * to.pitch;
        memset(mask, 0, (size_t)to.r.shape[to.r.rank - 1]);
        for (int64_t k = 0, n = valid_in(&both, row); k < n; k++)
            if (compare(a.dtype, a.at + row * a.pitch + k * size, b.at + row * b.pitch + k * size,
                        in->imm))
                mask[k / 8] |= (uint8_t)(1u << k % 8);
    }
    memcpy(to.r.valid, both.valid, sizeof to.r.valid);
    to.r.valid[to.r.rank - 1] = (both.valid[both.rank - 1] + 7) / 8;
    return made(w, lane, in, &to.r, a.dtype);
}

static bool covers(const TileRegion *mask, const TileRegion *r)
{
    for (uint32_t i = 0; i + 1 < r->rank; i++)
        if (mask->valid[i] < r->valid[i])
            return false;
    return mask->valid[r->rank - 1] * 8 >= r->valid[r->rank - 1];
}

static bool select_elements(World *w, Lane *lane, const BcInsn *in)
{
    RowTile m = rows_of(lane, in->b), a = rows_of(lane, in->c), b = rows_of(lane, in->d);
    RowTile to = rows_of(lane, in->a);
    char why[REGION_TEXT];
    TileRegion both = a.r;
    if (!region_broadcast(&a.r, &b.r, &both, why))
        return vm_fault(w, lane, "%s", why);
    if (!covers(&m.r, &both))
        return vm_fault(w, lane, "the mask does not cover the valid region of the operands");
    vm_tile_used(w, lane, in->b);
    vm_tile_written(w, lane, in->c);
    vm_tile_written(w, lane, in->d);
    if (lane->on_holes) /* of the mask it is the bits that count */
        m.at = lane->holes + lane_top(lane)->f->tiles[in->b].at;
    size_t size = dtype_bytes(a.dtype);
    for (int64_t row = 0; row < a.rows; row++) {
        const uint8_t *mask = (const uint8_t *)m.at + row * m.pitch;
        for (int64_t k = 0, n = valid_in(&both, row); k < n; k++) {
            const RowTile *from = mask[k / 8] >> k % 8 & 1 ? &a : &b;
            memcpy(to.at + row * to.pitch + k * (int64_t)size,
                   from->at + row * from->pitch + k * (int64_t)size, size);
        }
    }
    memcpy(to.r.valid, both.valid, sizeof to.r.valid);
    return made(w, lane, in, &to.r, a.dtype);
}

/* ---- parts: combined where both are valid, copied where one is ---- */

static bool hull(const TileRegion *a, const TileRegion *b, TileRegion *out)
{
    bool is_a = true, is_b = true;
    *out = *a;
    for (uint32_t i = 0; i < a->rank; i++) {
        out->valid[i] = a->valid[i] > b->valid[i] ? a->valid[i] : b->valid[i];
        is_a = is_a && out->valid[i] == a->valid[i];
        is_b = is_b && out->valid[i] == b->valid[i];
    }
    return is_a || is_b;
}

static void combine_row(const RowTile *to, const RowTile *a, const RowTile *b, int64_t row,
                        TileOp op)
{
    int64_t na = valid_in(&a->r, row), nb = valid_in(&b->r, row), both = na < nb ? na : nb;
    int64_t more = na > nb ? na : nb, size = dtype_bytes(to->dtype);
    const RowTile *longer = na > nb ? a : b;
    KernelArgs k = {.to = to->at + row * to->pitch,
                    .a = a->at + row * a->pitch,
                    .b = b->at + row * b->pitch,
                    .rows = 1,
                    .cols = both};
    (void)kernel_bin(op, to->dtype, &k); /* none of them faults */
    memmove(to->at + row * to->pitch + both * size, longer->at + row * longer->pitch + both * size,
            (size_t)((more - both) * size));
}

static bool combine_parts(World *w, Lane *lane, const BcInsn *in)
{
    RowTile a = rows_of(lane, in->b), b = rows_of(lane, in->c), to = rows_of(lane, in->a);
    TileRegion out;
    if (!hull(&a.r, &b.r, &out))
        return vm_fault(w, lane, "the hull of the two valid regions is neither of them");
    vm_tile_used(w, lane, in->b);
    vm_tile_used(w, lane, in->c);
    for (int64_t row = 0; row < to.rows; row++)
        combine_row(&to, &a, &b, row, (TileOp)in->imm);
    return made(w, lane, in, &out, to.dtype);
}

/* ---- counting ---- */

static bool count(World *w, Lane *lane, const BcInsn *in)
{
    RowTile to = rows_of(lane, in->a);
    int64_t n = to.r.shape[to.r.rank - 1], size = dtype_bytes(to.dtype);
    uint64_t value = (uint64_t)lane_top(lane)->regs[in->b];
    for (int64_t k = 0; k < n; k++, value += in->imm ? UINT64_MAX : 1)
        dtype_store_int(to.dtype, to.at + k * size, dtype_wrap(to.dtype, (int64_t)value));
    memcpy(to.r.valid, to.r.shape, sizeof to.r.valid);
    return made(w, lane, in, &to.r, to.dtype);
}

bool vm_tile_select(World *w, Lane *lane, const BcInsn *in)
{
    switch (in->op) {
    case BC_TCMP: return compare_tiles(w, lane, in);
    case BC_TSEL: return vm_holes_carry(w, lane, in, select_elements);
    case BC_TPARTS: return combine_parts(w, lane, in);
    default: return count(w, lane, in);
    }
}
