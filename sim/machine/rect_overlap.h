/* Geometry of strided rectangles of bytes (FabRect, compacted): byte-exact, holes and all. The
 * addresses' ranks and windows are not looked at: callers compare within one slice. */
#ifndef PLD_SIM_MACHINE_RECT_OVERLAP_H
#define PLD_SIM_MACHINE_RECT_OVERLAP_H

#include "sim/machine/fabric.h"

/* Do they share a byte? */
bool rects_touch(const FabRect *a, const FabRect *b);
/* The first and one past the last byte they share; false when they share none. */
bool rects_common(const FabRect *a, const FabRect *b, int64_t *first, int64_t *end);
/* Is every byte of `part` known to lie in `whole`? May say no where the shapes differ. */
bool rects_cover(const FabRect *whole, const FabRect *part);
/* Makes `to` the union of both where that is a rectangle. */
bool rects_join(FabRect *to, const FabRect *more);

/* Calls `run` for each contiguous run, in order of address, until it returns false. */
typedef bool RunVisit(void *env, int64_t offset, int64_t bytes);
bool rects_each_run(const FabRect *r, RunVisit *run, void *env);

#endif
