/* Elements of tiles that nobody has written: a load, a move, a part of a tile carries them, and
 * only who computes with one is told. Where a lane has met such elements, a byte per byte of its
 * on-core memory says which load a hole came from, and what moves bytes moves these along: the
 * instruction is executed on them first. A lane that has met none pays nothing. */
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_rows.h"
#include <string.h>

enum { TILE_ITSELF = 255, MOST_LOADS = 254 }; /* values of such bytes */

static void ready(Lane *lane)
{
    if (lane->holes_cap >= lane->core_cap && lane->holes)
        return;
    lane->holes = xrealloc(lane->holes, (size_t)lane->core_cap + 1);
    memset(lane->holes + lane->holes_cap, 0, (size_t)(lane->core_cap - lane->holes_cap));
    lane->holes_cap = lane->core_cap;
}

void vm_holes_forget(Lane *lane)
{
    xfree(lane->holes);
    lane->holes = NULL;
    lane->holes_cap = 0;
    vec_clear(&lane->hole_loads);
}

/* ---- a tile's rows ---- */

typedef struct {
    int64_t rows, bytes, pitch;
} Rows;

static Rows rows_of_tile(const BcTile *t)
{
    Rows r = {1, dtype_bytes(t->dtype) * t->shape[t->rank - 1], t->pitch};
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        r.rows *= t->shape[i];
    return r;
}

static void fill(Lane *lane, uint32_t slot, int value)
{
    const BcTile *t = &lane_top(lane)->f->tiles[slot];
    Rows r = rows_of_tile(t);
    ready(lane);
    for (int64_t i = 0; i < r.rows; i++)
        memset(lane->holes + t->at + i * r.pitch, value, (size_t)r.bytes);
}

void vm_holes_clear(Lane *lane, uint32_t slot)
{
    if (lane->holes && !lane->on_holes && !lane->carries)
        fill(lane, slot, 0);
}

void vm_holes_everywhere(Lane *lane, uint32_t slot)
{
    fill(lane, slot, TILE_ITSELF);
}

/* The first hole in the valid region, its byte; 0: there is none. */
static uint8_t find(const char *at, const int64_t *step, const int64_t *valid, uint32_t rank)
{
    if (rank == 1) {
        for (int64_t i = 0; i < valid[0] * step[0]; i++)
            if (at[i])
                return (uint8_t)at[i];
        return 0;
    }
    uint8_t found = 0;
    for (int64_t i = 0; i < valid[0] && !found; i++)
        found = find(at + i * step[0], step + 1, valid + 1, rank - 1);
    return found;
}

bool vm_holes_find(Lane *lane, uint32_t slot, uint64_t *load)
{
    if (!lane->holes || lane->on_holes)
        return false;
    const BcTile *t = &lane_top(lane)->f->tiles[slot];
    const TileState *s = &lane_top(lane)->tiles[slot];
    int64_t step[BC_MAX_RANK], bytes = t->pitch;
    ready(lane);
    step[t->rank - 1] = dtype_bytes(t->dtype);
    for (uint32_t i = t->rank - 1; i-- > 0; bytes *= t->shape[i])
        step[i] = bytes;
    uint8_t id = find(lane->holes + t->at, step, s->valid, t->rank);
    *load = id && id <= lane->hole_loads.len ? lane->hole_loads.at[id - 1] : 0;
    return id != 0;
}

/* ---- memory ---- */

typedef struct {
    Lane *lane;
    HoleRuns *runs;
    const RectPair *p;
    int value;
} Walk;

static void mark(const Walk *x, int64_t memory, char *tile)
{
    for (uint32_t i = 0; i < x->runs->list.len; i++) {
        int64_t lo = x->runs->list.at[i].offset, hi = lo + x->runs->list.at[i].bytes;
        lo = lo > memory ? lo : memory;
        hi = hi < memory + x->p->rect.run ? hi : memory + x->p->rect.run;
        if (lo < hi)
            memset(tile + (lo - memory), x->value, (size_t)(hi - lo));
    }
}

static void collect(const Walk *x, int64_t memory, const char *tile)
{
    for (int64_t i = 0, n; i < x->p->rect.run; i += n) {
        for (n = 1; i + n < x->p->rect.run && !tile[i + n] == !tile[i]; n++)
            continue;
        if (tile[i])
            vec_push(&x->runs->list, (HoleRun){memory + i, n});
    }
}

static void walk(const Walk *x, int64_t memory, char *tile, uint32_t dim)
{
    if (dim < x->p->rect.n) {
        for (int64_t i = 0; i < x->p->rect.count[dim]; i++)
            walk(x, memory + i * x->p->rect.stride[dim], tile + i * x->p->tile_stride[dim],
                 dim + 1);
    } else if (x->value) {
        mark(x, memory, tile);
    } else {
        collect(x, memory, tile);
    }
}

/* The byte that stands for a load, which the check knows by a number. */
static int load_id(Lane *lane, uint64_t load)
{
    for (uint32_t i = 0; i < lane->hole_loads.len; i++)
        if (lane->hole_loads.at[i] == load)
            return (int)i + 1;
    if (lane->hole_loads.len < MOST_LOADS)
        vec_push(&lane->hole_loads, load);
    return (int)lane->hole_loads.len;
}

void vm_holes_loaded(Lane *lane, const BcTile *t, const RectPair *p, HoleRuns *runs)
{
    if (!runs->list.len)
        return;
    ready(lane);
    Walk x = {lane, runs, p, load_id(lane, runs->load)};
    walk(&x, p->rect.at.offset, lane->holes + t->at, 0);
}

void vm_holes_stored(Lane *lane, const BcTile *t, const RectPair *p, HoleRuns *runs)
{
    ready(lane);
    Walk x = {lane, runs, p, 0};
    walk(&x, p->rect.at.offset, lane->holes + t->at, 0);
}

/* ---- what carries ---- */

static void swap(Lane *lane)
{
    char *at = lane->core_mem;
    lane->core_mem = lane->holes;
    lane->holes = at;
    lane->on_holes = !lane->on_holes;
}

bool vm_holes_carry(World *w, Lane *lane, const BcInsn *in, TileExecute *op)
{
    if (!lane->holes)
        return op(w, lane, in);
    ready(lane);
    TileState before = lane_top(lane)->tiles[in->a];
    swap(lane);
    bool ok = op(w, lane, in);
    swap(lane);
    if (!ok)
        return false;
    lane_top(lane)->tiles[in->a] = before;
    lane->carries = true;
    ok = op(w, lane, in);
    lane->carries = false;
    return ok;
}
