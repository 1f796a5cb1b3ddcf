/* Addresses for tiles on the core. */
#ifndef PLD_LOWER_PLACE_H
#define PLD_LOWER_PLACE_H

#include "lower/live.h"

/* Tiles that share an address: one carried value under its names. */
typedef struct {
    const Type *type; /* of all its members */
    int64_t bytes;    /* on the core, rows padded */
    int64_t addr;
    Segments segments; /* when any member is alive */
    VarId first;       /* the member bound first */
    uint32_t order;    /* rank of that binding */
} Place;

typedef VEC(Place) Places;

/* Gives each place an address: in order of their beginnings, an operand's own address for the
 * element-wise result that follows it, else the lowest gap. False after reporting that the core's
 * memory is too small. */
bool place_tiles(Program *p, Func *f, const Live *live, Places *places);

#endif
