/* Valid regions of tiles. A tile's valid region is a rectangle from its origin: as many elements of
 * each dimension. What an op makes of those of its operands is stated here once, for the machine,
 * which knows every extent, and for the compiler, which knows some. */
#ifndef PLD_BASE_REGION_H
#define PLD_BASE_REGION_H

#include <stdbool.h>
#include <stdint.h>

enum { REGION_RANK = 5, REGION_UNKNOWN = -1, REGION_TEXT = 160 };

typedef struct {
    uint32_t rank;
    int64_t shape[REGION_RANK];
    int64_t valid[REGION_RANK]; /* 0..shape, or REGION_UNKNOWN */
} TileRegion;

/* Each sets out->valid; out->rank and out->shape are the caller's but for `out` of
 * region_broadcast. False: there is no such region, and `why` (REGION_TEXT bytes) says so. With
 * extents unknown it may be that nothing can be said: true, and the extents that depend on them are
 * unknown. `out` may not be an operand. */

/* Operands of equal shape, or broadcast. One that is not repeated sets the region, and one that is
 * covers what it supplies. */
bool region_broadcast(const TileRegion *a, const TileRegion *b, TileRegion *out, char *why);
/* One element along `axis`, which must have a valid one. */
bool region_reduce(const TileRegion *a, uint32_t axis, TileRegion *out, char *why);
/* The same elements in row-major order. */
bool region_reshape(const TileRegion *a, TileRegion *out, char *why);
/* The part of `a` at `offset` (items REGION_UNKNOWN where not known). */
bool region_slice(const TileRegion *a, const int64_t *offset, TileRegion *out, char *why);
/* `target` with `source`, valid as a whole, at `offset`. */
bool region_assemble(const TileRegion *target, const TileRegion *source, const int64_t *offset,
                     TileRegion *out, char *why);
/* Both fully valid. */
bool region_concat(const TileRegion *a, const TileRegion *b, TileRegion *out, char *why);

#endif
