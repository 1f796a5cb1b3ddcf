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

/* Always dense and row-major: views are whole buffers, rows or flattened. */
typedef struct {
    uint8_t kind; /* MemKind */
    uint8_t dtype, rank;
    uint32_t object; /* HOST: host tensor; DEVICE: region of the dispatch; else window */
    int64_t offset;  /* bytes into the object */
    int64_t shape[BC_MAX_RANK];
} MemRef;

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
