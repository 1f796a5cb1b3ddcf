/* The element-wise operations on tiles, as the bytecode and the kernels number them. */
#ifndef PLD_IR_TILEOP_H
#define PLD_IR_TILEOP_H

typedef enum {
#define PLD_TILEOP(ENUM, name, arity) TOP_##ENUM,
#include "ir/tileop.def"
    TOP_COUNT,
    TOP_NONE = TOP_COUNT
} TileOp;

#endif
