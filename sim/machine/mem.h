/* Memory as the bytecode sees it: references to host tensors, device tensors and window views. */
#ifndef PLD_SIM_MACHINE_MEM_H
#define PLD_SIM_MACHINE_MEM_H

#include "codegen/bytecode.h"
#include "sim/machine/fabric.h"

typedef enum {
    MEM_EMPTY,  /* register never set: using it is a fault */
    MEM_HOST,   /* (part of) a host tensor; host function only */
    MEM_DEVICE, /* a device tensor: the dispatch's copy of a host tensor */
    MEM_BUFFER, /* a window buffer without a view */
    MEM_WINDOW, /* a view of a window buffer */
} MemKind;

/* Row-major, and dense but where it is a part of a larger memory. */
typedef struct {
    uint8_t kind; /* MemKind */
    uint8_t dtype, rank;
    bool part;       /* `stride` and `limit` count */
    uint32_t object; /* HOST: host tensor; DEVICE: region of the dispatch; else window */
    int64_t offset;  /* bytes into the object */
    int64_t shape[BC_MAX_RANK];
    int64_t stride[BC_MAX_RANK]; /* PART: bytes from an index of a dimension to the next */
    int64_t limit[BC_MAX_RANK];  /* PART: extents that the larger memory has; <= shape */
} MemRef;

/* The byte stride of each dimension. */
void mem_strides(const MemRef *m, int64_t *out);
/* The extents that may be touched. */
static inline const int64_t *mem_limit(const MemRef *m)
{
    return m->part ? m->limit : m->shape;
}

/* Elements of a shape; false on overflow or a negative extent. */
bool shape_elements(uint32_t rank, const int64_t *shape, int64_t *out);

/* The rectangle `ext` at `off` of the slice of view `m` on world rank `rank`, with contiguous
 * dimensions merged, and the strides for the same bytes in a tile: rows of `tile_shape` that are
 * `pitch` bytes apart (0: dense). Offsets are in range (the caller has checked). */
typedef struct {
    FabRect rect;
    int64_t tile_stride[FAB_MAX_DIMS];
} RectPair;
RectPair rect_make(const MemRef *m, uint32_t rank, const int64_t *off, const int64_t *ext,
                   const int64_t *tile_shape, int64_t pitch);

/* Merges adjacent runs of the same bytes: what observers see. */
void rect_compact(FabRect *r);

/* Copies between two local layouts of one rectangle. */
void rect_copy(const FabRect *r, char *to, const int64_t *to_stride, const char *from,
               const int64_t *from_stride);

#endif
