/* The element-wise operations on tiles, as the bytecode and the kernels number them. */
#ifndef PLD_IR_TILEOP_H
#define PLD_IR_TILEOP_H

#include "base/dtype.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum {
#define PLD_TILEOP(ENUM, ...) TOP_##ENUM,
#include "ir/tileop.def"
    TOP_COUNT,
    TOP_NONE = TOP_COUNT
} TileOp;

const char *tileop_name(TileOp op); /* "add" */
uint32_t tileop_arity(TileOp op);
/* Whether there is a kernel for elements of this dtype. */
bool tileop_takes(TileOp op, Dtype t);
/* The operand that divides, so that an integer 0 in it is a fault: 0 or 1, -1 when none does. */
int tileop_divisor(TileOp op);

#endif
