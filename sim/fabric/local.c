/* The fabric inside one process, sequentially consistent: an operation is complete and visible when
 * its call returns. Slices are allocated when first touched, so a thousand ranks with a large
 * symmetric heap cost what they use. */
#include "base/vec.h"
#include "sim/fabric/fabrics.h"
#include "sim/machine/kernels.h"
#include "sim/machine/mem.h"

#include <string.h>

#define MAX_WINDOW_BYTES (INT64_C(1) << 37)

typedef struct {
    int64_t bytes;
    char **slices; /* per rank; NULL until touched */
} LocalWindow;

typedef struct {
    Fabric base;
    VEC(LocalWindow) windows;
} Local;

static void local_reset(Fabric *f, bool keep)
{
    Local *l = (Local *)f;
    for (uint32_t i = 0; i < l->windows.len && !keep; i++)
        for (uint32_t r = 0; r < f->n_ranks; r++)
            if (l->windows.at[i].slices[r])
                memset(l->windows.at[i].slices[r], 0, (size_t)l->windows.at[i].bytes);
}

static void local_destroy(Fabric *f)
{
    Local *l = (Local *)f;
    for (uint32_t i = 0; i < l->windows.len; i++) {
        for (uint32_t r = 0; r < f->n_ranks; r++)
            xfree(l->windows.at[i].slices[r]);
        xfree(l->windows.at[i].slices);
    }
    vec_free(&l->windows);
    xfree(l);
}

static FabStatus local_window_create(Fabric *f, uint32_t window, int64_t bytes)
{
    Local *l = (Local *)f;
    if (window != l->windows.len)
        return FAB_RANGE;
    if (bytes < 0 || bytes > MAX_WINDOW_BYTES)
        return FAB_MEMORY;
    vec_push(&l->windows, (LocalWindow){bytes, xcalloc(f->n_ranks, sizeof(char *))});
    return FAB_OK;
}

/* Checks a range and returns its first byte; NULL with *status set. */
static char *place(Fabric *f, FabAddr at, int64_t end, FabStatus *status)
{
    Local *l = (Local *)f;
    *status = FAB_RANGE;
    if (at.window >= l->windows.len || at.rank >= f->n_ranks)
        return NULL;
    LocalWindow *w = &l->windows.at[at.window];
    if (at.offset < 0 || end < at.offset || end > w->bytes)
        return NULL;
    if (!w->slices[at.rank])
        w->slices[at.rank] = xcalloc((size_t)w->bytes + 1, 1);
    *status = FAB_OK;
    return w->slices[at.rank] + at.offset;
}

static FabStatus local_read(Fabric *f, uint32_t self, const FabRect *from, FabLocal to,
                            FabToken *token)
{
    (void)self;
    FabStatus status;
    const char *src = place(f, from->at, rect_end(from), &status);
    *token = 0;
    if (src)
        rect_copy(from, to.at, to.stride, src, from->stride);
    return status;
}

static FabStatus local_write(Fabric *f, uint32_t self, const FabRect *to, FabLocal from,
                             FabToken *token)
{
    (void)self;
    FabStatus status;
    char *dst = place(f, to->at, rect_end(to), &status);
    *token = 0;
    if (dst)
        rect_copy(to, dst, to->stride, from.at, from.stride);
    return status;
}

static FabStatus local_add(Fabric *f, uint32_t self, const FabRect *to, Dtype dtype, FabLocal from,
                           FabToken *token)
{
    (void)self;
    FabStatus status;
    char *dst = place(f, to->at, rect_end(to), &status);
    *token = 0;
    if (dst)
        fab_add_rect(to, dtype, dst, from, 0);
    return status;
}

static char *cell_place(Fabric *f, FabAddr cell, FabStatus *status)
{
    char *at = place(f, cell, cell.offset + 4, status);
    if (at && cell.offset % 4) {
        *status = FAB_ALIGN;
        return NULL;
    }
    return at;
}

static FabStatus local_notify(Fabric *f, uint32_t self, const FabNotify *n, FabToken *token)
{
    FabStatus status;
    char *at = cell_place(f, n->cell, &status);
    *token = 0;
    if (!at)
        return status;
    FabArrival a = {.cell = n->cell,
                    .from = self,
                    .op = (uint8_t)n->op,
                    .value = n->value,
                    .payload = n->payload};
    memcpy(&a.before, at, 4);
    a.after = n->op == NOTIFY_SET ? n->value : (int32_t)((uint32_t)a.before + (uint32_t)n->value);
    memcpy(at, &a.after, 4);
    if (f->deliver)
        f->deliver(f->deliver_env, &a);
    return FAB_OK;
}

static FabStatus local_cell(Fabric *f, FabAddr cell, int32_t *value)
{
    FabStatus status;
    const char *at = cell_place(f, cell, &status);
    if (at)
        memcpy(value, at, 4);
    return status;
}

static FabStatus local_test(Fabric *f, uint32_t self, FabAddr cell, int cmp, int32_t expected,
                            bool *yes)
{
    (void)self;
    int32_t value = 0;
    FabStatus status = local_cell(f, cell, &value);
    *yes = status == FAB_OK && (cmp == WAIT_GE ? value >= expected : value == expected);
    return status;
}

static FabStatus local_fence(Fabric *f, uint32_t self, int kind)
{
    (void)f, (void)self, (void)kind;
    return FAB_OK;
}

static bool local_done(Fabric *f, FabToken token)
{
    (void)f, (void)token;
    return true;
}

static uint32_t local_landings(Fabric *f, FabLanding *out, uint32_t max)
{
    (void)f, (void)out, (void)max;
    return 0;
}

static FabStatus local_land(Fabric *f, uint64_t id, uint32_t from, uint32_t reader)
{
    (void)f, (void)id, (void)from, (void)reader;
    return FAB_RANGE;
}

static bool local_progress(Fabric *f)
{
    (void)f;
    return false;
}

static void *local_direct(Fabric *f, uint32_t self, FabAddr at, int64_t bytes, bool write)
{
    (void)self, (void)write;
    FabStatus status;
    return bytes < 0 || bytes > INT64_MAX - at.offset ? NULL
                                                      : place(f, at, at.offset + bytes, &status);
}

static const void *local_memory(Fabric *f, uint32_t rank, uint32_t window)
{
    Local *l = (Local *)f;
    return window < l->windows.len && rank < f->n_ranks ? l->windows.at[window].slices[rank] : NULL;
}

static void local_save(const Fabric *f, Buf *out)
{
    const Local *l = (const Local *)f;
    for (uint32_t i = 0; i < l->windows.len; i++)
        for (uint32_t r = 0; r < f->n_ranks; r++) {
            const char *slice = l->windows.at[i].slices[r];
            save_value(out, slice);
            if (slice)
                save_bytes(out, slice, (size_t)l->windows.at[i].bytes);
        }
}

static void local_load(Fabric *f, SaveReader *in)
{
    Local *l = (Local *)f;
    for (uint32_t i = 0; i < l->windows.len; i++)
        for (uint32_t r = 0; r < f->n_ranks; r++) {
            char *slice = l->windows.at[i].slices[r], *then;
            load_value(in, then); /* a slice that there is stays where it is */
            if (then)
                load_bytes(in, slice, (size_t)l->windows.at[i].bytes);
            else if (slice)
                memset(slice, 0, (size_t)l->windows.at[i].bytes);
        }
}

static const FabricOps local_ops = {
    .name = "sc",
    .destroy = local_destroy,
    .reset = local_reset,
    .window_create = local_window_create,
    .read = local_read,
    .write = local_write,
    .add = local_add,
    .notify = local_notify,
    .test = local_test,
    .cell = local_cell,
    .fence = local_fence,
    .done = local_done,
    .landings = local_landings,
    .land = local_land,
    .progress = local_progress,
    .direct = local_direct,
    .memory = local_memory,
    .save = local_save,
    .load = local_load,
};

Fabric *fabric_local_new(uint32_t n_ranks)
{
    Local *l = xcalloc(1, sizeof *l);
    l->base = (Fabric){.ops = &local_ops, .n_ranks = n_ranks};
    return &l->base;
}
