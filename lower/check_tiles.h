/* What is wrong with tiles whatever the run: reads of values that are gone, and valid regions that
 * do not fit. For functions in flat SSA form. */
#ifndef PLD_LOWER_CHECK_TILES_H
#define PLD_LOWER_CHECK_TILES_H

#include "ir/ir.h"

/* An operation in place gives the new value of a tile: reading the old one behind it, on any path,
 * is reported with both places. (check_gone.c) */
void check_gone(Program *p, Func *f);
/* Valid regions of tiles and tensor values as far as they are known; in front of a fault at run
 * time. (check_regions.c) */
void check_regions(Program *p, Func *f);

#endif
