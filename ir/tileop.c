#include "ir/tileop.h"

/* Which dtypes a row has a kernel for, and what divides. */
#define FLOAT(e) true
#define ARITH(e) true
#define BITS(f, args) true
#define NO_FLOATS false
#define INT(e) true, -1
#define QUOTIENT(p, q) true, DIVISOR_##q
#define NO_INTS false, -1
#define BOOL(e) true
#define NO_BOOLS false
#define DIVISOR_a 0
#define DIVISOR_b 1

static const struct {
    const char *name;
    uint8_t arity;
    bool floats, ints;
    int8_t divisor;
    bool bools;
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
    return dtype_is_float(t) ? rows[op].floats : t == DT_BOOL ? rows[op].bools : rows[op].ints;
}

int tileop_divisor(TileOp op)
{
    return rows[op].divisor;
}
