/* Tiles as rows for the kernels: operands of different shapes walk together. */
#ifndef PLD_SIM_MACHINE_VM_ROWS_H
#define PLD_SIM_MACHINE_VM_ROWS_H

#include "base/region.h"
#include "sim/machine/kernels.h"
#include "sim/machine/vm_ops.h"

/* An operand of an op whose result has the extents of a Grid. */
typedef struct {
    char *at;
    int64_t step[BC_MAX_RANK]; /* bytes between neighbours along each dimension but the last */
    bool repeated;             /* one element along the last dimension, for every column */
} RowOperand;

/* What is walked: extents with leading ones. */
typedef struct {
    int64_t ext[BC_MAX_RANK];
} Grid;

/* Shape and valid extents of a tile slot. */
TileRegion tile_region(const Lane *lane, uint32_t slot);
Grid grid_of(const TileRegion *r);
int64_t grid_elements(const Grid *g);
/* The tile as an operand of an op over a grid whose shape is that of `whole`: what has extent 1
 * there and not in `whole` is repeated. */
RowOperand row_operand(Lane *lane, const BcTile *t, const BcTile *whole);

/* Called for groups of rows: k->a and k->b are of `operands` 1 and 2, and NULL without them. */
typedef bool RowsFn(void *env, const KernelArgs *k);
/* Operand 0 is the result. False as soon as fn says so. */
bool rows_walk(const Grid *g, const RowOperand *operands, uint32_t n, RowsFn *fn, void *env);

#endif
