#include "ir/tileop.h"

/* Which dtypes a row has a kernel for, as bits, and what it asks of an operand. */
#define BIT(T) (1u << DT_##T)
#define ALL_INTS                                                                                   \
    (BIT(INT8) | BIT(UINT8) | BIT(INT16) | BIT(UINT16) | BIT(INT32) | BIT(UINT32) | BIT(INT64) |   \
     BIT(INDEX))
#define ALL_FLOATS (BIT(FP32) | BIT(FP16) | BIT(BF16))
_Static_assert((ALL_INTS | ALL_FLOATS | BIT(BOOL) | BIT(TASK_ID)) == (1u << DT_COUNT) - 1,
               "a dtype of no class");
#define FLOAT(e) ALL_FLOATS
#define ARITH(e) ALL_FLOATS
#define BITS(f, args) ALL_FLOATS
#define ONLY_FP32(e) BIT(FP32)
#define NOT_BF16(e) (BIT(FP32) | BIT(FP16))
#define NO_FLOATS 0
#define INT(e) ALL_INTS, ASKS_NOTHING
#define QUOTIENT(p, q) ALL_INTS, ASKS_DIVISOR_##q
#define DIVIDE(e) ALL_INTS, ASKS_DIVISOR_b
#define SHIFT(e) ALL_INTS, ASKS_SHIFT
#define ONLY_INT32(e) BIT(INT32), ASKS_NOTHING
#define NO_INTS 0, ASKS_NOTHING
#define BOOL(e) BIT(BOOL)
#define NO_BOOLS 0

enum { ASKS_NOTHING, ASKS_DIVISOR_a, ASKS_DIVISOR_b, ASKS_SHIFT };

static const struct {
    const char *name;
    uint32_t arity, floats, ints, asks, bools;
} rows[TOP_COUNT] = {
#define PLD_TILEOP(ENUM, name, arity, floats, integers, booleans)                                  \
    [TOP_##ENUM] = {name, arity, floats, integers, booleans},
#include "ir/tileop.def"
};

const char *tileop_name(TileOp op)
{
    return op < TOP_COUNT ? rows[op].name : "?";
}

uint32_t tileop_arity(TileOp op)
{
    return rows[op].arity;
}

bool tileop_takes(TileOp op, Dtype t)
{
    return ((rows[op].floats | rows[op].ints | rows[op].bools) >> t & 1) != 0;
}

int tileop_divisor(TileOp op)
{
    uint32_t asks = rows[op].asks;
    return asks == ASKS_DIVISOR_a ? 0 : asks == ASKS_DIVISOR_b ? 1 : -1;
}

bool tileop_shifts(TileOp op)
{
    return rows[op].asks == ASKS_SHIFT;
}

bool tileop_reads(TileOp op, uint32_t operand)
{
    return operand == 0 ? op != TOP_RIGHT : op != TOP_LEFT;
}

enum { ALONG_COL, ALONG_ROW };

static const struct {
    const char *name;
    int along;
    ReduceHow how;
} reductions[RED_COUNT] = {
#define PLD_REDUCE(ENUM, name, along, how) [RED_##ENUM] = {name, ALONG_##along, REDUCE_HOW_##how},
#include "ir/reduce.def"
};

const char *reduce_name(TileReduce r)
{
    return r < RED_COUNT ? reductions[r].name : "?";
}

bool reduce_along_rows(TileReduce r)
{
    return reductions[r].along == ALONG_ROW;
}

ReduceHow reduce_how(TileReduce r)
{
    return reductions[r].how;
}

Dtype reduce_result(TileReduce r, Dtype t)
{
    return reductions[r].how >= REDUCE_HOW_ARGMAX ? DT_INT32 : t;
}

bool reduce_takes(Dtype t)
{
    return t != DT_BOOL && t != DT_INDEX;
}
