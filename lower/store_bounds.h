/* Bounds of stores that are known when compiling. */
#ifndef PLD_LOWER_STORE_BOUNDS_H
#define PLD_LOWER_STORE_BOUNDS_H

#include "ir/ir.h"

/* Reports stores, also into peers, of tiles that are valid as a whole past the end of their memory,
 * where offsets and extents are constants; the function is flat. false after a report. */
bool low_store_bounds(Program *p, const Func *f);

#endif
