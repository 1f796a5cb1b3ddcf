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

/* Reductions, as the bytecode numbers them. */
typedef enum {
#define PLD_REDUCE(ENUM, ...) RED_##ENUM,
#include "ir/reduce.def"
    RED_COUNT
} TileReduce;

typedef enum {
    REDUCE_HOW_SUM,
    REDUCE_HOW_PROD,
    REDUCE_HOW_MAX,
    REDUCE_HOW_MIN,
    REDUCE_HOW_ARGMAX,
    REDUCE_HOW_ARGMIN,
    REDUCE_HOW_COUNT
} ReduceHow;

const char *reduce_name(TileReduce r); /* "row_sum" */
/* Does it run along the last dimension? Else along the one before. */
bool reduce_along_rows(TileReduce r);
ReduceHow reduce_how(TileReduce r);
/* Whether there is a kernel for elements of this dtype, and the dtype of the result. */
bool reduce_takes(Dtype t);
Dtype reduce_result(TileReduce r, Dtype t);

const char *tileop_name(TileOp op); /* "add" */
uint32_t tileop_arity(TileOp op);
/* Whether there is a kernel for elements of this dtype. */
bool tileop_takes(TileOp op, Dtype t);
/* The operand that divides, so that an integer 0 in it is a fault: 0 or 1, -1 when none does. */
int tileop_divisor(TileOp op);
/* Whether operand 1 counts places, so that one outside 0 to bits - 1 in it is a fault. */
bool tileop_shifts(TileOp op);
/* Whether the values of that operand matter, and not only its shape. */
bool tileop_reads(TileOp op, uint32_t operand);

#endif
