/* Rectangles: bounds are the caller's business, layouts are settled here, once per access. */
#include "sim/machine/mem.h"

#include "base/checked.h"
#include <string.h>

bool shape_elements(uint32_t rank, const int64_t *shape, int64_t *out)
{
    return checked_size(1, rank, shape, out);
}

/* Byte stride of each dimension: dense, or with rows `pitch` bytes apart. */
static void strides(uint32_t rank, const int64_t *shape, uint32_t elem, int64_t pitch, int64_t *out)
{
    int64_t size = elem;
    for (uint32_t i = rank; i-- > 0;) {
        out[i] = size;
        size *= shape[i];
        if (pitch && i == rank - 1)
            size = pitch;
    }
}

void mem_strides(const MemRef *m, int64_t *out)
{
    if (m->part)
        memcpy(out, m->stride, m->rank * sizeof *out);
    else
        strides(m->rank, m->shape, dtype_bytes(m->dtype), 0, out);
}

static void reverse(int64_t *v, int n)
{
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        int64_t t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

RectPair rect_make(const MemRef *m, uint32_t rank, const int64_t *off, const int64_t *ext,
                   const int64_t *tile_shape, int64_t pitch)
{
    RectPair p = {.rect = {.at = {.rank = rank, .window = m->object, .offset = m->offset}}};
    FabRect *r = &p.rect;
    uint32_t elem = dtype_bytes(m->dtype);
    int64_t mem[BC_MAX_RANK], tile[BC_MAX_RANK];
    mem_strides(m, mem);
    strides(m->rank, tile_shape, elem, pitch, tile);
    r->run = elem;
    for (uint32_t i = m->rank; i-- > 0;) {
        r->at.offset += off[i] * mem[i];
        if (ext[i] == 0)
            r->run = 0;
    }
    if (r->run == 0)
        return p;
    for (uint32_t i = m->rank; i-- > 0;) {
        if (ext[i] == 1)
            continue;
        if (r->n == 0 && mem[i] == r->run && tile[i] == r->run) {
            r->run *= ext[i];
            continue;
        }
        r->count[r->n] = ext[i];
        r->stride[r->n] = mem[i];
        p.tile_stride[r->n++] = tile[i];
    }
    reverse(r->count, r->n);
    reverse(r->stride, r->n);
    reverse(p.tile_stride, r->n);
    return p;
}

void rect_compact(FabRect *r)
{
    while (r->n && r->stride[r->n - 1] == r->run) {
        r->n--;
        r->run *= r->count[r->n];
    }
}

typedef struct {
    const FabRect *r;
    const int64_t *to_stride, *from_stride;
} RectLayout;

static void copy_dim(const RectLayout *l, int dim, char *to, const char *from)
{
    if (dim == FAB_MAX_DIMS || dim == l->r->n) {
        memcpy(to, from, (size_t)l->r->run);
        return;
    }
    for (int64_t i = 0; i < l->r->count[dim]; i++)
        copy_dim(l, dim + 1, to + i * l->to_stride[dim], from + i * l->from_stride[dim]);
}

void rect_copy(const FabRect *r, char *to, const int64_t *to_stride, const char *from,
               const int64_t *from_stride)
{
    if (r->run)
        copy_dim(&(RectLayout){r, to_stride, from_stride}, 0, to, from);
}
