/* Parts and shapes of tiles: nothing is computed, elements move. Bytes outside a valid region may
 * be anything, and may be copied. */
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_rows.h"
#include <string.h>

/* A tile's memory: bytes between neighbours along each of BC_MAX_RANK dimensions. */
typedef struct {
    char *at;
    int64_t step[BC_MAX_RANK];
    uint32_t bytes; /* of an element */
} TileLayout;

static TileLayout layout_of(Lane *lane, uint32_t slot)
{
    const BcTile *t = &lane_top(lane)->f->tiles[slot];
    TileLayout l = {.at = vm_tile_at(lane, t), .bytes = dtype_bytes(t->dtype)};
    int64_t step = t->pitch;
    l.step[BC_MAX_RANK - 1] = l.bytes;
    for (uint32_t i = BC_MAX_RANK - 1; i-- > 0;) {
        uint32_t missing = BC_MAX_RANK - t->rank;
        l.step[i] = step;
        step *= i < missing ? 1 : t->shape[i - missing];
    }
    return l;
}

/* The layout from an element on. */
static TileLayout moved(TileLayout l, const int64_t *offset, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        l.at += offset[i] * l.step[BC_MAX_RANK - rank + i];
    return l;
}

/* Copies a box of elements, whose rows are contiguous on both sides. */
static void copy_box(const TileLayout *to, const TileLayout *from, const int64_t *ext, uint32_t dim)
{
    if (dim == BC_MAX_RANK - 1) {
        memmove(to->at, from->at, (size_t)ext[dim] * to->bytes);
        return;
    }
    TileLayout t = *to, f = *from;
    for (int64_t i = 0; i < ext[dim]; i++) {
        copy_box(&t, &f, ext, dim + 1);
        t.at += to->step[dim];
        f.at += from->step[dim];
    }
}

static void copy_part(const TileLayout *to, const TileLayout *from, const Grid *g)
{
    if (grid_elements(g))
        copy_box(to, from, g->ext, 0);
}

/* The result has its region and its elements; they are uninitialised where the operands were. */
static bool done(World *w, Lane *lane, const BcInsn *in, const TileRegion *out, bool written)
{
    const BcTile *t = &lane_top(lane)->f->tiles[in->a];
    Grid g = grid_of(out);
    vm_tile_made(lane, in->a, out, written);
    vm_spend(w, lane, grid_elements(&g) * (int64_t)dtype_bytes(t->dtype), TOP_NONE,
             (Dtype)t->dtype);
    return true;
}

static bool is_written(const Lane *lane, uint32_t slot)
{
    return vec_last(&lane->frames).tiles[slot].written;
}

/* Extents from a run of registers, within the region. */
static bool given_valid(World *w, Lane *lane, uint16_t run, TileRegion *out)
{
    const int64_t *valid = lane_top(lane)->regs + run;
    for (uint32_t i = 0; i < out->rank; i++) {
        if (valid[i] < 0 || valid[i] > out->shape[i])
            return vm_fault(w, lane, "valid extent %lld of axis %u is outside the tile (%lld)",
                            (long long)valid[i], i, (long long)out->shape[i]);
        out->valid[i] = valid[i];
    }
    return true;
}

static bool slice(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion a = tile_region(lane, in->b), out = tile_region(lane, in->a);
    const int64_t *offset = lane_top(lane)->regs + in->c;
    char why[REGION_TEXT];
    if (!region_slice(&a, offset, &out, why))
        return vm_fault(w, lane, "%s", why);
    if (in->e != BC_NONE) {
        TileRegion cut = out;
        if (!given_valid(w, lane, in->e, &out))
            return false;
        for (uint32_t i = 0; i < out.rank; i++)
            out.valid[i] = out.valid[i] < cut.valid[i] ? out.valid[i] : cut.valid[i];
    }
    TileLayout to = layout_of(lane, in->a);
    TileLayout from = moved(layout_of(lane, in->b), offset, a.rank);
    Grid g = grid_of(&out);
    copy_part(&to, &from, &g);
    return done(w, lane, in, &out, is_written(lane, in->b));
}

/* Rows of another dtype are rounded, to nearest even. */
static void paste_box(const TileLayout *to, const TileLayout *from, const Dtype *dtypes,
                      const Grid *g, uint32_t dim)
{
    TileLayout t = *to, f = *from;
    for (int64_t i = 0; i < g->ext[dim]; i++) {
        if (dim == BC_MAX_RANK - 2)
            kernel_cast(dtypes[1], dtypes[0], CAST_RINT,
                        &(KernelArgs){.to = t.at, .a = f.at, .rows = 1, .cols = g->ext[dim + 1]});
        else
            paste_box(&t, &f, dtypes, g, dim + 1);
        t.at += to->step[dim];
        f.at += from->step[dim];
    }
}

static bool assemble(World *w, Lane *lane, const BcInsn *in)
{
    const BcTile *tiles = lane_top(lane)->f->tiles;
    TileRegion target = tile_region(lane, in->b), source = tile_region(lane, in->c);
    TileRegion out = tile_region(lane, in->a);
    const int64_t *offset = lane_top(lane)->regs + in->d;
    char why[REGION_TEXT];
    if (!region_assemble(&target, &source, offset, &out, why))
        return vm_fault(w, lane, "%s", why);
    bool written = is_written(lane, in->c) || is_written(lane, in->b);
    TileLayout to = layout_of(lane, in->a), under = layout_of(lane, in->b);
    TileLayout from = layout_of(lane, in->c), at = moved(to, offset, out.rank);
    Grid all = grid_of(&target), part = grid_of(&source);
    Dtype dtypes[] = {(Dtype)tiles[in->a].dtype, (Dtype)tiles[in->c].dtype};
    if (to.at == from.at) /* of one shape: all of the target is replaced */
        return done(w, lane, in, &out, written);
    if (to.at != under.at)
        copy_part(&to, &under, &all);
    if (dtypes[0] == dtypes[1])
        copy_part(&at, &from, &part);
    else
        paste_box(&at, &from, dtypes, &part, 0);
    return done(w, lane, in, &out, written);
}

static bool concat(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion a = tile_region(lane, in->b), b = tile_region(lane, in->c);
    TileRegion out = tile_region(lane, in->a);
    char why[REGION_TEXT];
    if (!region_concat(&a, &b, &out, why))
        return vm_fault(w, lane, "%s", why);
    TileLayout to = layout_of(lane, in->a);
    TileLayout left = layout_of(lane, in->b), right = layout_of(lane, in->c);
    Grid g = grid_of(&a), h = grid_of(&b);
    copy_part(&to, &left, &g);
    to.at += a.shape[a.rank - 1] * to.bytes;
    copy_part(&to, &right, &h);
    return done(w, lane, in, &out, is_written(lane, in->b) && is_written(lane, in->c));
}

/* Copies elements in row-major order, as many as lie together on both sides at a time. */
static void copy_linear(const TileLayout *to, int64_t to_cols, const TileLayout *from,
                        int64_t from_cols, int64_t n)
{
    const uint32_t row = BC_MAX_RANK - 2;
    for (int64_t i = 0; i < n;) {
        int64_t t = i % to_cols, f = i % from_cols;
        int64_t run = to_cols - t < from_cols - f ? to_cols - t : from_cols - f;
        memcpy(to->at + i / to_cols * to->step[row] + t * to->bytes,
               from->at + i / from_cols * from->step[row] + f * to->bytes, (size_t)run * to->bytes);
        i += run;
    }
}

static bool reshape(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion a = tile_region(lane, in->b), out = tile_region(lane, in->a);
    char why[REGION_TEXT];
    if (!region_reshape(&a, &out, why))
        return vm_fault(w, lane, "%s", why);
    TileLayout to = layout_of(lane, in->a), from = layout_of(lane, in->b);
    int64_t n = 1;
    for (uint32_t i = 0; i < a.rank; i++)
        n *= a.shape[i];
    copy_linear(&to, out.shape[out.rank - 1], &from, a.shape[a.rank - 1], n);
    return done(w, lane, in, &out, is_written(lane, in->b));
}

/* Element by element along the last dimension. */
static void copy_strided(const TileLayout *to, const TileLayout *from, const int64_t *ext,
                         uint32_t dim)
{
    TileLayout t = *to, f = *from;
    for (int64_t i = 0; i < ext[dim]; i++) {
        if (dim == BC_MAX_RANK - 1)
            memcpy(t.at, f.at, t.bytes);
        else
            copy_strided(&t, &f, ext, dim + 1);
        t.at += to->step[dim];
        f.at += from->step[dim];
    }
}

static bool swap_axes(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion a = tile_region(lane, in->b), out = a;
    uint32_t x = (uint32_t)in->imm / 8, y = (uint32_t)in->imm % 8;
    uint32_t missing = BC_MAX_RANK - a.rank;
    out.shape[x] = a.shape[y], out.shape[y] = a.shape[x];
    out.valid[x] = a.valid[y], out.valid[y] = a.valid[x];
    TileLayout to = layout_of(lane, in->a), from = layout_of(lane, in->b);
    int64_t step = from.step[missing + x];
    from.step[missing + x] = from.step[missing + y];
    from.step[missing + y] = step;
    Grid g = grid_of(&out);
    copy_strided(&to, &from, g.ext, 0);
    return done(w, lane, in, &out, is_written(lane, in->b));
}

typedef struct {
    TileLayout to;
    Grid valid;
    KernelScalar value;
    Dtype dtype;
} Padding;

/* Fills what lies outside the valid region, from dimension `dim` on. */
static void pad_box(const Padding *p, char *at, const int64_t *ext, uint32_t dim, bool outside)
{
    if (dim == BC_MAX_RANK - 1) {
        int64_t first = outside ? 0 : p->valid.ext[dim];
        KernelArgs k = {
            .to = at + first * p->to.bytes, .rows = 1, .cols = ext[dim] - first, .to_step = 0};
        if (k.cols > 0)
            kernel_fill(p->dtype, &k, p->value);
        return;
    }
    for (int64_t i = 0; i < ext[dim]; i++)
        pad_box(p, at + i * p->to.step[dim], ext, dim + 1, outside || i >= p->valid.ext[dim]);
}

static bool fill_padding(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion a = tile_region(lane, in->b), out = tile_region(lane, in->a);
    Dtype dtype = (Dtype)lane_top(lane)->f->tiles[in->a].dtype;
    Padding p = {.to = layout_of(lane, in->a),
                 .valid = grid_of(&a),
                 .value = lane->on_holes ? (KernelScalar){0} : vm_constant(w, in->imm, dtype),
                 .dtype = dtype};
    TileLayout from = layout_of(lane, in->b);
    memcpy(out.valid, out.shape, sizeof out.valid);
    if (p.to.at != from.at)
        copy_part(&p.to, &from, &p.valid);
    Grid whole = grid_of(&out);
    pad_box(&p, p.to.at, whole.ext, 0, false);
    bool empty = grid_elements(&p.valid) == 0;
    return done(w, lane, in, &out, empty || is_written(lane, in->b));
}

static bool set_valid(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion out = tile_region(lane, in->a);
    if (!given_valid(w, lane, in->c, &out))
        return false;
    TileLayout to = layout_of(lane, in->a), from = layout_of(lane, in->b);
    Grid g = grid_of(&out);
    if (to.at != from.at)
        copy_part(&to, &from, &g);
    return done(w, lane, in, &out, is_written(lane, in->b));
}

/* The same bytes: rows keep their length in bytes. */
static bool other_dtype(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion a = tile_region(lane, in->b), out = tile_region(lane, in->a);
    TileLayout to = layout_of(lane, in->a), from = layout_of(lane, in->b);
    uint32_t last = a.rank - 1;
    memcpy(out.valid, a.valid, last * sizeof *out.valid);
    int64_t bytes = a.valid[last] * from.bytes;
    if (bytes % to.bytes)
        return vm_fault(w, lane, "%lld valid bytes of a row are no whole elements of %u bytes",
                        (long long)bytes, to.bytes);
    out.valid[last] = bytes / to.bytes;
    Grid g = grid_of(&out);
    copy_part(&to, &from, &g);
    return done(w, lane, in, &out, is_written(lane, in->b));
}

/* ---- single elements ---- */

static bool element_of(World *w, Lane *lane, uint32_t slot, uint16_t run, TileLayout *at)
{
    TileRegion r = tile_region(lane, slot);
    const int64_t *index = lane_top(lane)->regs + run;
    for (uint32_t i = 0; i < r.rank; i++)
        if (index[i] < 0 || index[i] >= r.shape[i])
            return vm_fault(w, lane, "index %lld is outside axis %u of the tile (extent %lld)",
                            (long long)index[i], i, (long long)r.shape[i]);
    *at = moved(layout_of(lane, slot), index, r.rank);
    return true;
}

static bool is_valid(const Lane *lane, uint32_t slot, const int64_t *index)
{
    TileRegion r = tile_region(lane, slot);
    for (uint32_t i = 0; i < r.rank; i++)
        if (index[i] >= r.valid[i])
            return false;
    return true;
}

bool vm_tile_read(World *w, Lane *lane, const BcInsn *in)
{
    int64_t *r = lane_top(lane)->regs;
    Dtype dtype = (Dtype)lane_top(lane)->f->tiles[in->b].dtype;
    TileLayout at;
    if (!element_of(w, lane, in->b, in->c, &at))
        return false;
    if (!is_valid(lane, in->b, r + in->c))
        lane_top(lane)->tiles[in->b].written = false; /* as uninitialised as a tile can be */
    vm_tile_used(w, lane, in->b);
    KernelScalar s = vm_element_scalar(dtype, at.at);
    if (dtype_is_float(dtype))
        memcpy(&r[in->a], &s.f, sizeof s.f);
    else
        r[in->a] = s.i;
    return true;
}

static bool tile_write(World *w, Lane *lane, const BcInsn *in)
{
    TileRegion out = tile_region(lane, in->b);
    const int64_t *r = lane_top(lane)->regs;
    Dtype dtype = (Dtype)lane_top(lane)->f->tiles[in->a].dtype;
    TileRegion one = {.rank = out.rank};
    char why[REGION_TEXT];
    TileLayout to = layout_of(lane, in->a), from = layout_of(lane, in->b), at;
    if (!element_of(w, lane, in->b, in->c, &at))
        return false;
    for (uint32_t i = 0; i < out.rank; i++)
        one.shape[i] = one.valid[i] = 1;
    TileRegion before = out;
    if (!region_assemble(&before, &one, r + in->c, &out, why))
        return vm_fault(w, lane, "%s", why);
    Grid g = grid_of(&before);
    if (to.at != from.at)
        copy_part(&to, &from, &g);
    at = moved(to, r + in->c, out.rank);
    KernelScalar s = kernel_scalar((Dtype)in->imm, r[in->e], dtype);
    if (lane->on_holes)
        s = (KernelScalar){0};
    kernel_fill(dtype, &(KernelArgs){.to = at.at, .rows = 1, .cols = 1}, s);
    vm_tile_made(lane, in->a, &out, true);
    vm_spend(w, lane, dtype_bytes(dtype), TOP_NONE, dtype);
    return true;
}

static bool execute(World *w, Lane *lane, const BcInsn *in)
{
    switch (in->op) {
    case BC_TSLICE: return slice(w, lane, in);
    case BC_TPASTE: return assemble(w, lane, in);
    case BC_TCONCAT: return concat(w, lane, in);
    case BC_TRESHAPE: return reshape(w, lane, in);
    case BC_TSWAP: return swap_axes(w, lane, in);
    case BC_TPAD: return fill_padding(w, lane, in);
    case BC_TVALID: return set_valid(w, lane, in);
    case BC_TBYTES: return other_dtype(w, lane, in);
    default: return tile_write(w, lane, in);
    }
}

bool vm_tile_shape(World *w, Lane *lane, const BcInsn *in)
{
    bool paste = in->op == BC_TPASTE;
    if (paste && !is_written(lane, in->b))
        vm_holes_everywhere(lane, in->b);
    if (paste && !is_written(lane, in->c) && lane->holes)
        vm_holes_everywhere(lane, in->c);
    return vm_holes_carry(w, lane, in, execute);
}
