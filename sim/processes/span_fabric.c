/* The fabric over processes. Each holds the slices of its own ranks, one behind another, in memory
 * that the other processes of its host map too. What is mapped is read and written in place.
 *
 * Where all processes are on one host, cells and atomic adds are the processor's atomic
 * instructions. Where they are not, every access that must be atomic goes through the transport,
 * local ones too, because its operations are atomic only against each other. Elements that it
 * cannot add are sent to the owner, who acknowledges.
 *
 * Order: an acquire or release fence, and a notify, first complete everything that this process
 * has under way, whichever of its ranks began it. That is more than pld-memory(7) asks. */
#include "sim/processes/span_fabric.h"

#include <string.h>

static PldRegion region(const FabRect *r, int64_t offset)
{
    PldRegion out = {.offset = offset, .run = r->run, .n = r->n};
    memcpy(out.count, r->count, sizeof out.count);
    memcpy(out.stride, r->stride, sizeof out.stride);
    return out;
}

void span_dense(const FabRect *r, int64_t *stride)
{
    int64_t size = r->run;
    for (int i = r->n; i-- > 0;) {
        stride[i] = size;
        size *= r->count[i];
    }
}

char *span_pack(const FabRect *r, FabLocal from)
{
    int64_t stride[FAB_MAX_DIMS];
    char *packed = xmalloc((size_t)rect_bytes(r) + 1);
    span_dense(r, stride);
    rect_copy(r, packed, stride, from.at, from.stride);
    return packed;
}

static void destroy(Fabric *f)
{
    SpanFabric *s = (SpanFabric *)f;
    span_windows_free(s);
    for (uint32_t i = 0; i < s->transfers.len; i++)
        xfree(s->transfers.at[i].packed);
    vec_free(&s->transfers);
    xfree(s->slot);
    xfree(s);
}

/* A world over processes runs once: its windows are zero as they were made. */
static void reset(Fabric *f, bool keep)
{
    (void)f, (void)keep;
}

/* ---- transfers ---- */

static void finish(Transfer *x)
{
    int64_t stride[FAB_MAX_DIMS];
    if (x->unpack) {
        span_dense(&x->rect, stride);
        rect_copy(&x->rect, x->to.at, x->to.stride, x->packed, stride);
    }
    xfree(x->packed);
}

/* Finishes what is complete, of one rank in order; true when none up to `token` is left. */
static bool complete(SpanFabric *s, uint32_t self, uint64_t token)
{
    uint32_t kept = 0;
    bool blocked = false, left = false;
    for (uint32_t i = 0; i < s->transfers.len; i++) {
        Transfer *x = &s->transfers.at[i];
        if (x->self == self && !blocked && s->team->t->done(x->request)) {
            finish(x);
            continue;
        }
        if (x->self == self) {
            blocked = true;
            left |= x->id <= token;
        }
        s->transfers.at[kept++] = *x;
    }
    s->transfers.len = kept;
    return !left;
}

static FabToken start_transfer(SpanFabric *s, Transfer x)
{
    x.id = ++s->last;
    vec_push(&s->transfers, x);
    return x.id;
}

static void mark(SpanFabric *s, FabAddr at, int64_t first, int64_t len)
{
    Dirty *d = &s->windows.at[at.window].dirty[span_home(s, at.rank)];
    if (d->first == d->end)
        *d = (Dirty){first, first + len};
    d->first = first < d->first ? first : d->first;
    d->end = first + len > d->end ? first + len : d->end;
}

static void flush_one(SpanFabric *s, uint32_t window, uint32_t process)
{
    Dirty *d = &s->windows.at[window].dirty[process];
    if (d->first != d->end)
        s->team->t->flush(window, process);
    *d = (Dirty){0};
}

/* What follows a write to the same bytes comes after it. */
static void keep_order(SpanFabric *s, FabAddr at, int64_t first, int64_t len)
{
    const Dirty *d = &s->windows.at[at.window].dirty[span_home(s, at.rank)];
    if (d->first < first + len && first < d->end)
        flush_one(s, at.window, span_home(s, at.rank));
}

/* Everything that this process has under way is there. */
static void flush_all(SpanFabric *s)
{
    for (uint32_t i = 0; i < s->windows.len; i++)
        for (uint32_t p = 0; p < s->team->base.n; p++)
            flush_one(s, i, p);
    while (s->unacknowledged)
        (void)team_receive(s->team);
}

static FabStatus read_rect(Fabric *f, uint32_t self, const FabRect *from, FabLocal to,
                           FabToken *token)
{
    SpanFabric *s = (SpanFabric *)f;
    int64_t at = span_offset(s, from->at, rect_end(from));
    *token = 0;
    if (at < 0)
        return FAB_RANGE;
    const char *here = span_mapped(s, from->at);
    if (here) {
        rect_copy(from, to.at, to.stride, here, from->stride);
        return FAB_OK;
    }
    if (from->run == 0)
        return FAB_OK;
    keep_order(s, from->at, at, rect_end(from) - from->at.offset);
    Transfer x = {.self = self, .unpack = true, .rect = *from, .to = to};
    PldRegion r = region(from, at);
    x.packed = xmalloc((size_t)rect_bytes(from) + 1);
    x.request = s->team->t->get(from->at.window, span_home(s, from->at.rank), &r, x.packed);
    *token = start_transfer(s, x);
    return FAB_OK;
}

static FabStatus write_rect(Fabric *f, uint32_t self, const FabRect *to, FabLocal from,
                            FabToken *token)
{
    SpanFabric *s = (SpanFabric *)f;
    int64_t at = span_offset(s, to->at, rect_end(to));
    *token = 0;
    if (at < 0)
        return FAB_RANGE;
    char *here = span_mapped(s, to->at);
    if (here) {
        rect_copy(to, here, to->stride, from.at, from.stride);
        return FAB_OK;
    }
    if (to->run == 0)
        return FAB_OK;
    int64_t len = rect_end(to) - to->at.offset;
    keep_order(s, to->at, at, len);
    Transfer x = {.self = self, .packed = span_pack(to, from)};
    PldRegion r = region(to, at);
    x.request = s->team->t->put(to->at.window, span_home(s, to->at.rank), &r, x.packed);
    mark(s, to->at, at, len);
    *token = start_transfer(s, x);
    return FAB_OK;
}

/* Does the transport add elements of this dtype? */
static bool adds_itself(Dtype dtype, PldAdd *type)
{
    *type = dtype == DT_FP32          ? PLD_ADD_FP32
            : dtype_bytes(dtype) == 8 ? PLD_ADD_INT64
                                      : PLD_ADD_INT32;
    return dtype == DT_FP32 || (!dtype_is_float(dtype) && dtype_bytes(dtype) >= 4);
}

static FabStatus add_rect(Fabric *f, uint32_t self, const FabRect *to, Dtype dtype, FabLocal from,
                          FabToken *token)
{
    SpanFabric *s = (SpanFabric *)f;
    int64_t at = span_offset(s, to->at, rect_end(to));
    PldAdd type;
    *token = 0;
    if (at < 0)
        return FAB_RANGE;
    if (to->run == 0)
        return FAB_OK;
    bool itself = adds_itself(dtype, &type), mine = team_is_mine(s->team, to->at.rank);
    if (span_all_near(s->team) || (!itself && mine)) {
        span_add(to, dtype, span_mapped(s, to->at), from);
        return FAB_OK;
    }
    if (!itself) {
        span_send_add(s, to, dtype, from);
        return FAB_OK;
    }
    int64_t len = rect_end(to) - to->at.offset;
    Transfer x = {.self = self, .packed = span_pack(to, from)};
    PldRegion r = region(to, at);
    x.request = s->team->t->add(to->at.window, span_home(s, to->at.rank), &r, x.packed, type);
    mark(s, to->at, at, len);
    *token = start_transfer(s, x);
    return FAB_OK;
}

/* ---- cells ---- */

static int32_t near_cell(char *at, PldCellOp op, int32_t value)
{
    int32_t *cell = (int32_t *)(void *)at;
    switch (op) {
    case PLD_CELL_ADD: return __atomic_fetch_add(cell, value, __ATOMIC_SEQ_CST);
    case PLD_CELL_SET: return __atomic_exchange_n(cell, value, __ATOMIC_SEQ_CST);
    case PLD_CELL_READ: break;
    }
    return __atomic_load_n(cell, __ATOMIC_SEQ_CST);
}

static FabStatus on_cell(SpanFabric *s, FabAddr cell, PldCellOp op, int32_t value, int32_t *before)
{
    int64_t at = span_offset(s, cell, cell.offset + 4);
    if (at < 0)
        return FAB_RANGE;
    if (cell.offset % 4)
        return FAB_ALIGN;
    *before = span_all_near(s->team)
                  ? near_cell(span_mapped(s, cell), op, value)
                  : s->team->t->cell(cell.window, span_home(s, cell.rank), at, op, value, s->sets);
    return FAB_OK;
}

static FabStatus notify(Fabric *f, uint32_t self, const FabNotify *n, FabToken *token)
{
    SpanFabric *s = (SpanFabric *)f;
    *token = 0;
    flush_all(s);
    if (!span_all_near(s->team))
        s->team->t->sync();
    FabArrival a = {.cell = n->cell,
                    .from = self,
                    .op = (uint8_t)n->op,
                    .value = n->value,
                    .payload = n->payload};
    PldCellOp op = n->op == NOTIFY_SET ? PLD_CELL_SET : PLD_CELL_ADD;
    FabStatus status = on_cell(s, n->cell, op, n->value, &a.before);
    return status;
}

static FabStatus cell_value(Fabric *f, FabAddr cell, int32_t *value)
{
    return on_cell((SpanFabric *)f, cell, PLD_CELL_READ, 0, value);
}

static FabStatus test(Fabric *f, uint32_t self, FabAddr cell, int cmp, int32_t expected, bool *yes)
{
    (void)self;
    SpanFabric *s = (SpanFabric *)f;
    int32_t value = 0;
    FabStatus status = cell_value(f, cell, &value);
    *yes = status == FAB_OK && (cmp == WAIT_GE ? value >= expected : value == expected);
    if (*yes && !span_all_near(s->team))
        s->team->t->sync();
    return status;
}

static FabStatus fence(Fabric *f, uint32_t self, int kind)
{
    (void)self, (void)kind;
    SpanFabric *s = (SpanFabric *)f;
    flush_all(s);
    if (span_all_near(s->team))
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else
        s->team->t->sync();
    return FAB_OK;
}

/* ---- the rest ---- */

static bool done(Fabric *f, FabToken token)
{
    SpanFabric *s = (SpanFabric *)f;
    for (uint32_t i = 0; i < s->transfers.len; i++)
        if (s->transfers.at[i].id == token)
            return complete(s, s->transfers.at[i].self, token);
    return true;
}

static uint32_t landings(Fabric *f, FabLanding *out, uint32_t max)
{
    (void)f, (void)out, (void)max;
    return 0;
}

static FabStatus land(Fabric *f, uint64_t id, uint32_t from, uint32_t reader)
{
    (void)f, (void)id, (void)from, (void)reader;
    return FAB_RANGE;
}

static bool progress(Fabric *f)
{
    return team_receive(((SpanFabric *)f)->team);
}

static void *direct(Fabric *f, uint32_t self, FabAddr at, int64_t bytes, bool write)
{
    (void)self, (void)write;
    SpanFabric *s = (SpanFabric *)f;
    if (bytes < 0 || bytes > INT64_MAX - at.offset || span_offset(s, at, at.offset + bytes) < 0)
        return NULL;
    return span_mapped(s, at);
}

static const void *memory(Fabric *f, uint32_t rank, uint32_t window)
{
    SpanFabric *s = (SpanFabric *)f;
    FabAddr at = {.rank = rank, .window = window};
    return span_offset(s, at, 0) < 0 ? NULL : span_mapped(s, at);
}

static const FabricOps span_ops = {
    .name = "mpi",
    .destroy = destroy,
    .reset = reset,
    .window_create = span_window_create,
    .read = read_rect,
    .write = write_rect,
    .add = add_rect,
    .notify = notify,
    .test = test,
    .cell = cell_value,
    .fence = fence,
    .done = done,
    .landings = landings,
    .land = land,
    .progress = progress,
    .direct = direct,
    .memory = memory,
};

void span_fabric_sets(Fabric *f, bool sets)
{
    ((SpanFabric *)f)->sets = sets;
}

Fabric *span_fabric_new(Team *t, uint32_t n_ranks)
{
    SpanFabric *s = xcalloc(1, sizeof *s);
    s->base = (Fabric){.ops = &span_ops, .n_ranks = n_ranks};
    s->team = t;
    s->slot = xcalloc(n_ranks + 1u, sizeof *s->slot);
    uint32_t *next = xcalloc(t->base.n, sizeof *next);
    for (uint32_t i = 0; i < n_ranks; i++)
        s->slot[i] = next[t->base.home[i]]++;
    xfree(next);
    return &s->base;
}
