/* put and get: memory to memory through staging tiles, a chunk at a time. The staging tile is
 * [rows, columns] of one chunk; the rows of a chunk are a rectangle of the region's outer
 * dimensions.
 *
 * With two tiles the next chunk is fetched while the last one is sent: two clocks, one for each
 * side, held together by the tiles, which are one chunk ahead at most. */
#include "sim/machine/vm_ops.h"

#include <string.h>

enum { STREAMED = 4 << 20 }; /* bytes of a transfer that is copied past the caches */

typedef struct {
    World *w;
    Lane *lane;
    const BcXfer *x;
    const MemRef *dst, *src;
    const int64_t *dst_off, *src_off, *shape;
    uint32_t dst_rank, src_rank;
    EventKind read_kind, write_kind;
    bool put;
    bool streams;         /* more than STREAMED bytes */
    int64_t fetch, send;  /* ps: when the side is free */
    int64_t tile_free[2]; /* ps: when a staging tile has been emptied */
} Xfer;

/* Extents of a chunk: columns from the tile, its rows spread over the outer dimensions from the
 * last one outwards. */
static void chunk_shape(const Xfer *x, int64_t *chunk)
{
    const BcTile *t = &lane_top(x->lane)->f->tiles[x->x->stages[0]];
    uint32_t rank = x->x->rank;
    int64_t cols = t->shape[t->rank - 1], rows = 1;
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        rows *= t->shape[i];
    chunk[rank - 1] = x->shape[rank - 1] < cols ? x->shape[rank - 1] : cols;
    for (uint32_t i = rank - 1; i-- > 0;) {
        chunk[i] = x->shape[i] < rows ? x->shape[i] : rows;
        rows = chunk[i] == x->shape[i] && chunk[i] ? rows / chunk[i] : 1;
        if (rows < 1)
            rows = 1;
    }
    for (uint32_t i = 0; i < rank; i++)
        if (chunk[i] < 1)
            chunk[i] = 1;
}

/* The chunk at `at` of the source or of the destination, and where it lies in staging tile `t`. */
static RectPair chunk_rect(const Xfer *x, bool source, const int64_t *at, const int64_t *ext,
                           const BcTile *t)
{
    const MemRef *m = source ? x->src : x->dst;
    const int64_t *base = source ? x->src_off : x->dst_off;
    int64_t off[BC_MAX_RANK], tile[BC_MAX_RANK];
    for (uint32_t i = 0; i < m->rank; i++) {
        off[i] = base[i] + at[i];
        tile[i] = ext[i];
    }
    tile[m->rank - 1] = t->shape[t->rank - 1];
    return rect_make(m, source ? x->src_rank : x->dst_rank, off, ext, tile, t->pitch);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The copy of a chunk. What a transfer larger than the caches writes goes past them. */
static void copy_chunk(const Xfer *x, char *to, const char *from, int64_t bytes)
{
    if (vm_moves(x->w, x->dst, bytes) && vm_moves(x->w, x->src, bytes)) {
        Move move = {.kind = x->streams ? MOVE_STREAM : MOVE_COPY};
        move.k = (KernelArgs){.to = to, .a = from, .rows = 1, .cols = bytes};
        mover_do(x->w->mover, &move);
        return;
    }
    vm_settle(x->w);
    if (x->streams)
        move_past_caches(to, from, (size_t)bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

/* A chunk that lies in one piece on both sides, in memory that this process has: the same accesses
 * at the same times, the bytes once. */
static bool move_straight(Xfer *x, uint32_t stage, const RectPair *from, const RectPair *to)
{
    bool same = x->src->kind == x->dst->kind && x->src->object == x->dst->object &&
                x->src_rank == x->dst_rank;
    if (same || x->write_kind == EV_ATOMIC || from->rect.run != to->rect.run)
        return false;
    const char *in = vm_direct(x->w, x->lane, x->src, &from->rect, false);
    char *out = in ? vm_direct(x->w, x->lane, x->dst, &to->rect, true) : NULL;
    if (!out)
        return false;
    x->lane->now = later(x->fetch, x->tile_free[stage]);
    vm_moved(x->w, x->lane, x->src, x->read_kind, from);
    if (x->put)
        probe_touch(&x->w->probe, x->lane, EV_PUT_SOURCE, &from->rect, x->src->dtype,
                    x->src->kind == MEM_DEVICE);
    x->fetch = x->lane->now;
    x->lane->now = later(x->lane->now, x->send);
    copy_chunk(x, out, in, to->rect.run);
    vm_moved(x->w, x->lane, x->dst, x->write_kind, to);
    return true;
}

/* The staging tile is needed now: what is under way into it comes to its end first. Nobody waits
 * for this lane meanwhile, since a transfer needs no other lane. */
static void settle(const Xfer *x)
{
    Fabric *f = x->w->fabric;
    while (x->lane->pending.token && !f->ops->done(f, x->lane->pending.token))
        (void)f->ops->progress(f);
    x->lane->pending.token = 0;
}

/* One chunk at `at`, through staging tile `stage`. */
static bool move_chunk(Xfer *x, uint32_t stage, const int64_t *at, const int64_t *ext)
{
    Lane *lane = x->lane;
    const BcTile *t = &lane_top(lane)->f->tiles[x->x->stages[stage]];
    void *tile = vm_tile_at(lane, t);
    RectPair from = chunk_rect(x, true, at, ext, t);
    RectPair to = chunk_rect(x, false, at, ext, t);
    if (!move_straight(x, stage, &from, &to)) {
        lane->now = later(x->fetch, x->tile_free[stage]);
        if (!vm_access(x->w, lane, x->src, x->read_kind, &from, tile))
            return false;
        settle(x);
        if (x->put)
            probe_touch(&x->w->probe, lane, EV_PUT_SOURCE, &from.rect, x->src->dtype,
                        x->src->kind == MEM_DEVICE);
        x->fetch = lane->now;
        lane->now = later(lane->now, x->send);
        if (!vm_access(x->w, lane, x->dst, x->write_kind, &to, tile))
            return false;
    }
    x->send = lane->now;
    x->tile_free[stage] = lane->now;
    if (x->x->n_stages == 1)
        x->fetch = lane->now;
    return true;
}

static bool move_all(Xfer *x, const int64_t *chunk)
{
    uint32_t rank = x->x->rank, stage = 0;
    int64_t at[BC_MAX_RANK] = {0}, ext[BC_MAX_RANK];
    for (x->lane->chunk = 0;; x->lane->chunk++) {
        for (uint32_t i = 0; i < rank; i++)
            ext[i] = x->shape[i] - at[i] < chunk[i] ? x->shape[i] - at[i] : chunk[i];
        if (!move_chunk(x, stage, at, ext))
            return false;
        stage = (stage + 1) % x->x->n_stages;
        uint32_t i = rank;
        while (i > 0) {
            i--;
            at[i] += chunk[i];
            if (at[i] < x->shape[i])
                break;
            at[i] = 0;
            if (i == 0)
                return true;
        }
    }
}

static uint32_t chunk_count(const Xfer *x, const int64_t *chunk)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < x->x->rank; i++)
        n *= (uint64_t)((x->shape[i] + chunk[i] - 1) / chunk[i]);
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static bool run(Xfer *x)
{
    int64_t chunk[BC_MAX_RANK], elements;
    Lane *lane = x->lane;
    if (!shape_elements(x->x->rank, x->shape, &elements) || elements == 0)
        return true;
    chunk_shape(x, chunk);
    x->streams = elements * (int64_t)dtype_bytes(x->dst->dtype) >= STREAMED;
    lane->n_chunks = chunk_count(x, chunk);
    x->fetch = x->send = x->tile_free[0] = x->tile_free[1] = lane->now;
    bool ok = move_all(x, chunk);
    if (ok)
        lane->now = later(x->send, x->fetch);
    lane->chunk = lane->n_chunks = 0;
    return ok;
}

bool vm_xfer(World *w, Lane *lane, const BcInsn *in)
{
    Frame *top = lane_top(lane);
    const BcXfer *f = &top->f->xfers[in->d];
    const int64_t *run_regs = top->regs + f->run;
    Xfer x = {.w = w, .lane = lane, .x = f, .put = in->op == BC_PUT};
    x.dst = vm_mem(w, lane, in->a);
    x.src = x.dst ? vm_mem(w, lane, in->c) : NULL;
    if (!x.src)
        return false;
    x.dst_off = run_regs;
    x.src_off = run_regs + f->rank;
    x.shape = run_regs + 2 * f->rank;
    uint32_t peer = 0;
    if (!vm_peer(w, lane, x.put ? x.dst : x.src, top->regs[in->b], x.put ? "put" : "get", &peer) ||
        !vm_bounds(w, lane, x.dst, x.dst_off, x.shape) ||
        !vm_bounds(w, lane, x.src, x.src_off, x.shape))
        return false;
    x.dst_rank = x.put ? peer : lane->rank;
    x.src_rank = x.put ? lane->rank : peer;
    x.read_kind = x.src_rank == lane->rank ? EV_READ : EV_REMOTE_READ;
    x.write_kind = f->atomic == ATOMIC_ADD    ? EV_ATOMIC
                   : x.dst_rank == lane->rank ? EV_WRITE
                                              : EV_REMOTE_WRITE;
    return run(&x);
}
