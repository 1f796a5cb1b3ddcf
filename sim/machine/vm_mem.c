/* Loads, stores and single elements. Every rectangle is checked against its view here, before the
 * fabric sees it, so that the message can speak in elements. */
#include "sim/machine/element_text.h"
#include "sim/machine/job.h"
#include "sim/machine/vm_check.h"
#include "sim/machine/vm_ops.h"
#include "sim/machine/window_names.h"

#include <string.h>

const MemRef *vm_mem(World *w, Lane *lane, uint32_t reg)
{
    const MemRef *m = &lane_top(lane)->mregs[reg];
    if (m->kind != MEM_EMPTY)
        return m;
    vm_fault(w, lane, "memory is used on a path where it was never set");
    return NULL;
}

/* All windows that one builtin call works on belong to the same devices; where they do not, its
 * ranks would mean different devices from one op to the next. */
bool vm_same_group(World *w, Lane *lane, const MemRef *m)
{
    const Frame *top = lane_top(lane);
    uint32_t site =
        w->domains.len > 1 ? call_site_of(w->call_sites, top->func, top->pc) : UINT32_MAX;
    if (site == UINT32_MAX)
        return true;
    if (lane->builtin != site + 1) {
        uint16_t reg = w->call_sites->at[site].data;
        const MemRef *data =
            reg != BC_NONE && top->mregs[reg].kind == MEM_WINDOW ? &top->mregs[reg] : m;
        lane->builtin = site + 1;
        lane->builtin_window = data->object;
    }
    const Window *a = &w->windows.at[lane->builtin_window], *b = &w->windows.at[m->object];
    return a->domain == b->domain ||
           vm_fault(w, lane, "%s: windows %s and %s belong to different devices",
                    place_builtin(w, lane_place(lane)), a->name, b->name);
}

static const char *mem_name(const World *w, const Lane *lane, const MemRef *m)
{
    if (m->kind == MEM_WINDOW) {
        const char *name = w->windows.at[m->object].name;
        const char *param = window_param(w, lane_place(lane), m->object);
        return param ? arena_printf(&w->result->arena, "%s (parameter %s)", name, param) : name;
    }
    if (m->kind == MEM_DEVICE)
        return region_tensor(w, &w->dispatches.at[lane->dispatch].regions[m->object])->name;
    return "memory";
}

/* "device 0", "devices 0, 2, 3". */
static void members_text(const World *w, const Domain *d, Buf *out)
{
    enum { SHOWN = 8 };
    buf_str(out, d->n == 1 ? "device " : "devices ");
    for (uint32_t i = 0; i < d->n && i < SHOWN; i++)
        buf_printf(out, "%s%u", i ? ", " : "", w->ranks[d->members[i]].device);
    buf_str(out, d->n > SHOWN ? ", ..." : "");
}

static bool bad_peer(World *w, Lane *lane, const MemRef *m, int64_t peer, const char *what)
{
    const Domain *d = window_domain(w, m->object);
    const char *name = mem_name(w, lane, m);
    Buf members = {0};
    if (peer < 0 || peer >= w->n_ranks)
        return vm_fault(w, lane, "%s: peer=%lld is outside 0..%u of window %s", what,
                        (long long)peer, d->n - 1, name);
    members_text(w, d, &members);
    vm_fault(w, lane,
             "%s: peer=%lld is outside: window %s is on %s only, no dispatch elsewhere takes it",
             what, (long long)peer, name, members.at);
    buf_free(&members);
    return false;
}

bool vm_peer(World *w, Lane *lane, const MemRef *m, int64_t peer, const char *what, uint32_t *rank)
{
    const Domain *d = window_domain(w, m->object);
    if (!vm_same_group(w, lane, m))
        return false;
    if (peer < 0 || peer >= d->n)
        return bad_peer(w, lane, m, peer, what);
    *rank = d->members[peer];
    return true;
}

static const char *op_text(const Lane *lane)
{
    const Frame *top = &lane->frames.at[lane->frames.len - 1];
    return elements_op(top->f->insns[top->pc].op);
}

bool vm_bounds(World *w, Lane *lane, const MemRef *m, const int64_t *off, const int64_t *ext)
{
    const int64_t *size = mem_limit(m);
    for (uint32_t i = 0; i < m->rank; i++) {
        if (off[i] >= 0 && ext[i] >= 0 && off[i] <= size[i] && ext[i] <= size[i] - off[i])
            continue;
        return vm_fault(w, lane,
                        "%s: offset %lld + extent %lld is outside axis %u of %s (extent %lld)",
                        op_text(lane), (long long)off[i], (long long)ext[i], i,
                        mem_name(w, lane, m), (long long)size[i]);
    }
    return true;
}

bool vm_element(World *w, Lane *lane, const MemRef *m, const int64_t *index, int64_t *offset)
{
    int64_t at = 0, step[BC_MAX_RANK];
    const int64_t *size = mem_limit(m);
    mem_strides(m, step);
    for (uint32_t i = 0; i < m->rank; i++) {
        if (index[i] < 0 || index[i] >= size[i])
            return vm_fault(w, lane, "%s: offset %lld is outside axis %u of %s (extent %lld)",
                            op_text(lane), (long long)index[i], i, mem_name(w, lane, m),
                            (long long)size[i]);
        at += step[i] * index[i];
    }
    *offset = m->offset + at;
    return true;
}

bool vm_fabric_ok(World *w, Lane *lane, FabStatus status)
{
    return status == FAB_OK || vm_fault(w, lane, "%s: %s", op_text(lane), fab_status_text(status));
}

/* Bytes of a device tensor from `offset` on. */
static char *vm_device_bytes(World *w, Lane *lane, const MemRef *m, int64_t offset)
{
    return w->dispatches.at[lane->dispatch].regions[m->object].data + offset;
}

static FabLocal local_of(const RectPair *p, void *at)
{
    FabLocal l = {.at = at};
    memcpy(l.stride, p->tile_stride, sizeof l.stride);
    return l;
}

static bool device_access(World *w, Lane *lane, const MemRef *m, const RectPair *p, char *at,
                          EventKind how)
{
    bool write = how != EV_READ;
    char *mem = vm_device_bytes(w, lane, m, p->rect.at.offset);
    vm_check_region(&w->dispatches.at[lane->dispatch].regions[m->object], &p->rect);
    bool kept = how == EV_ATOMIC && job_keep_add(w, lane, m, p, at);
    if (how == EV_ATOMIC && !kept)
        fab_add_rect(&p->rect, m->dtype, mem, local_of(p, at), 0);
    else if (write && !kept)
        rect_copy(&p->rect, mem, p->rect.stride, at, p->tile_stride);
    else if (!write)
        rect_copy(&p->rect, at, p->tile_stride, mem, p->rect.stride);
    EventKind kind = write ? EV_TENSOR_WRITE : EV_TENSOR_READ;
    probe_touch(&w->probe, lane, kind, &p->rect, m->dtype, true);
    return true;
}

/* A rectangle in one piece, between a view and `at`, is moved later; false when it cannot be. */
static bool move_later(World *w, Lane *lane, const MemRef *m, EventKind kind, const RectPair *p,
                       char *at)
{
    bool write = kind != EV_READ && kind != EV_REMOTE_READ;
    if (kind == EV_ATOMIC || !vm_moves(w, m, p->rect.run))
        return false;
    char *mem = vm_direct(w, lane, m, &p->rect, write);
    if (!mem)
        return false;
    Move move = {.kind = write ? MOVE_COPY : MOVE_LOAD};
    move.ends = write ? vm_ends(w, lane) : 0;
    move.k =
        (KernelArgs){.to = write ? mem : at, .a = write ? at : mem, .rows = 1, .cols = p->rect.run};
    mover_do(w->mover, &move);
    vm_moved(w, lane, m, kind, p);
    return true;
}

bool vm_access(World *w, Lane *lane, const MemRef *m, EventKind kind, const RectPair *p, void *at)
{
    bool write = kind != EV_READ && kind != EV_REMOTE_READ;
    vm_check_local(lane, p, at);
    if (move_later(w, lane, m, kind, p, at))
        return true;
    vm_settle(w);
    if (m->kind == MEM_DEVICE)
        return device_access(w, lane, m, p, at, kind);
    FabLocal local = local_of(p, at);
    FabStatus s = write ? probe_write(&w->probe, lane, kind, &p->rect, local, m->dtype)
                        : probe_read(&w->probe, lane, kind, &p->rect, local, m->dtype);
    if (!vm_fabric_ok(w, lane, s))
        return false;
    if (write && w->windows.at[m->object].signal)
        world_recheck(w, p->rect.at.rank); /* a store into a cell opens a wait as a notify does */
    return true;
}

char *vm_direct(World *w, Lane *lane, const MemRef *m, const FabRect *r, bool write)
{
    if (r->n || !r->run)
        return NULL;
    if (m->kind == MEM_DEVICE)
        return vm_device_bytes(w, lane, m, r->at.offset);
    return w->fabric->ops->direct(w->fabric, lane->rank, r->at, r->run, write);
}

void vm_moved(World *w, Lane *lane, const MemRef *m, EventKind kind, const RectPair *p)
{
    bool write = kind != EV_READ && kind != EV_REMOTE_READ, device = m->kind == MEM_DEVICE;
    if (device) {
        vm_check_region(&w->dispatches.at[lane->dispatch].regions[m->object], &p->rect);
        kind = write ? EV_TENSOR_WRITE : EV_TENSOR_READ;
    }
    probe_touch(&w->probe, lane, kind, &p->rect, m->dtype, device);
    if (write && !device && w->windows.at[m->object].signal)
        world_recheck(w, p->rect.at.rank);
}

/* ---- elements ---- */

static RectPair element_rect(const Lane *lane, const MemRef *m, int64_t offset)
{
    RectPair p = {.rect = {.run = dtype_bytes(m->dtype)}};
    p.rect.at = (FabAddr){.rank = lane->rank, .window = m->object, .offset = offset};
    return p;
}

bool vm_read(World *w, Lane *lane, const BcInsn *in)
{
    int64_t *r = lane_top(lane)->regs, offset;
    const MemRef *m = vm_mem(w, lane, in->b);
    if (!m || !vm_element(w, lane, m, r + in->c, &offset))
        return false;
    char bytes[8] = {0};
    RectPair p = element_rect(lane, m, offset);
    if (!vm_access(w, lane, m, EV_READ, &p, bytes))
        return false;
    if (dtype_is_float(m->dtype)) {
        double v = dtype_load_double(m->dtype, bytes);
        memcpy(&r[in->a], &v, sizeof v);
    } else {
        r[in->a] = dtype_load_int(m->dtype, bytes);
    }
    return true;
}

bool vm_write(World *w, Lane *lane, const BcInsn *in)
{
    int64_t *r = lane_top(lane)->regs, offset;
    const MemRef *m = vm_mem(w, lane, in->a);
    if (!m || !vm_element(w, lane, m, r + in->b, &offset))
        return false;
    char bytes[8] = {0};
    if (dtype_is_float(in->e)) {
        double v;
        memcpy(&v, &r[in->d], sizeof v);
        if (dtype_is_float(m->dtype))
            dtype_store_double(m->dtype, bytes, v);
        else
            dtype_store_int(m->dtype, bytes, kernel_scalar(in->e, r[in->d], m->dtype).i);
    } else {
        dtype_store_int(m->dtype, bytes, r[in->d]);
    }
    RectPair p = element_rect(lane, m, offset);
    return vm_access(w, lane, m, EV_WRITE, &p, bytes);
}

/* ---- tiles ---- */

void vm_pad_leading(uint32_t rank, uint32_t to, const int64_t *extents, int64_t *out)
{
    for (uint32_t i = 0; i < to; i++)
        out[i] = i + rank < to ? 1 : extents[i + rank - to];
}

/* What a load or store of a tile is about: the view from register `off` on, on a world rank. */
typedef struct {
    uint16_t slot, off;
    const MemRef *m;
    uint32_t rank;
    EventKind kind;
} TileAccess;

/* A store to memory that the dispatch made: what is uninitialised stays so. */
static bool carries_holes(const World *w, const Lane *lane, const TileAccess *a)
{
    return lane->holes && a->kind == EV_WRITE && a->m->kind == MEM_DEVICE &&
           a->m->object >= w->dispatches.at[lane->dispatch].n_regions;
}

/* Moves the extents `ext` of the tile to or from the view. */
static bool move_tile(World *w, Lane *lane, const TileAccess *a, const BcTile *t,
                      const int64_t *ext)
{
    const int64_t *off = lane_top(lane)->regs + a->off;
    if (!vm_bounds(w, lane, a->m, off, ext))
        return false;
    RectPair p = rect_make(a->m, a->rank, off, ext, t->shape, t->pitch);
    HoleRuns runs = {0};
    bool load = a->kind == EV_READ || a->kind == EV_REMOTE_READ;
    if (!load && carries_holes(w, lane, a))
        vm_holes_stored(lane, t, &p, &runs);
    if (load ? probe_wants(&w->probe, EV_TILE_UNINIT) : runs.list.len != 0)
        w->holes = &runs;
    bool ok = vm_access(w, lane, a->m, a->kind, &p, vm_tile_at(lane, t));
    w->holes = NULL;
    if (load)
        vm_holes_loaded(lane, t, &p, &runs);
    vec_free(&runs.list);
    return ok;
}

/* Reads into a tile: valid extents `valid`, or the whole tile. */
static bool load_tile(World *w, Lane *lane, const TileAccess *a, const int64_t *valid)
{
    Frame *top = lane_top(lane);
    const BcTile *t = &top->f->tiles[a->slot];
    const int64_t *ext = valid ? valid : t->shape;
    for (uint32_t i = 0; i < t->rank; i++)
        if (ext[i] < 0 || ext[i] > t->shape[i])
            return vm_fault(w, lane, "%s: valid extent %lld of axis %u is outside the tile (%lld)",
                            op_text(lane), (long long)ext[i], i, (long long)t->shape[i]);
    vm_holes_clear(lane, a->slot);
    if (!move_tile(w, lane, a, t, ext))
        return false;
    TileState *state = &top->tiles[a->slot];
    memcpy(state->valid, ext, t->rank * sizeof *ext);
    state->written = true;
    return true;
}

static bool store_tile(World *w, Lane *lane, const TileAccess *a)
{
    Frame *top = lane_top(lane);
    BcTile t = top->f->tiles[a->slot];
    int64_t ext[BC_MAX_RANK];
    if (carries_holes(w, lane, a))
        vm_tile_written(w, lane, a->slot);
    else
        vm_tile_used(w, lane, a->slot);
    vm_pad_leading(t.rank, a->m->rank, top->tiles[a->slot].valid, ext);
    vm_pad_leading(t.rank, a->m->rank, top->f->tiles[a->slot].shape, t.shape);
    return move_tile(w, lane, a, &t, ext);
}

/* Valid extents of a load that ends where the memory does; false when nothing is left. */
static bool cut_at_end(const Lane *lane, const MemRef *m, const BcInsn *in, int64_t *cut)
{
    const Frame *top = &vec_last(&lane->frames);
    const BcTile *t = &top->f->tiles[in->a];
    const int64_t *off = top->regs + in->c, *ext = in->e == BC_NONE ? t->shape : top->regs + in->e;
    bool some = true;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t size = mem_limit(m)[i];
        int64_t left = off[i] < 0 ? ext[i] : off[i] < size ? size - off[i] : 0;
        cut[i] = ext[i] < left ? ext[i] : left;
        some &= cut[i] != 0;
    }
    return some;
}

/* A tile without a valid element. */
static bool vm_tile_none(Lane *lane, uint32_t slot, const int64_t *valid)
{
    TileState *state = &lane_top(lane)->tiles[slot];
    const BcTile *t = &lane_top(lane)->f->tiles[slot];
    for (uint32_t i = 0; i < t->rank; i++)
        state->valid[i] = valid[i] > 0 && valid[i] <= t->shape[i] ? valid[i] : 0;
    state->written = true;
    return true;
}

bool vm_load(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    int64_t cut[BC_MAX_RANK];
    if (!m)
        return false;
    TileAccess a = {in->a, in->c, m, lane->rank, EV_READ};
    if (!in->imm)
        return load_tile(w, lane, &a, in->e == BC_NONE ? NULL : lane_top(lane)->regs + in->e);
    if (!cut_at_end(lane, m, in, cut))
        return vm_tile_none(lane, in->a, cut);
    return load_tile(w, lane, &a, cut);
}

bool vm_store(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    EventKind kind = in->imm == ATOMIC_ADD ? EV_ATOMIC : EV_WRITE;
    return m && store_tile(w, lane, &(TileAccess){in->a, in->c, m, lane->rank, kind});
}

/* A load or store on the own rank is local: no traffic. */
bool vm_rload(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    uint32_t rank = 0;
    if (!m || !vm_peer(w, lane, m, lane_top(lane)->regs[in->c], "remote_load", &rank))
        return false;
    TileAccess a = {in->a, in->d, m, rank, rank == lane->rank ? EV_READ : EV_REMOTE_READ};
    return load_tile(w, lane, &a, in->e == BC_NONE ? NULL : lane_top(lane)->regs + in->e);
}

bool vm_rstore(World *w, Lane *lane, const BcInsn *in)
{
    const MemRef *m = vm_mem(w, lane, in->b);
    uint32_t rank = 0;
    if (!m || !vm_peer(w, lane, m, lane_top(lane)->regs[in->c], "remote_store", &rank))
        return false;
    EventKind kind = in->imm == ATOMIC_ADD ? EV_ATOMIC
                     : rank == lane->rank  ? EV_WRITE
                                           : EV_REMOTE_WRITE;
    return store_tile(w, lane, &(TileAccess){in->a, in->d, m, rank, kind});
}
