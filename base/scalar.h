/* Scalar operators, those of kernels and those of compile time, init and golden functions: one
 * table for both, and how their arithmetic reports what it cannot do. */
#ifndef PLD_BASE_SCALAR_H
#define PLD_BASE_SCALAR_H

#include "base/dtype.h"

typedef enum {
#define PLD_SCALAR_OP(ENUM, text, arity, form, prec, result, code, device) SC_##ENUM,
#include "base/scalar.def"
    SC_COUNT
} ScalarOp;

typedef enum { SCALAR_INFIX, SCALAR_PREFIX, SCALAR_CALL, SCALAR_TERNARY } ScalarForm;
typedef enum { SCALAR_NONE = 0, SCALAR_INTS = 1, SCALAR_FLOATS = 2, SCALAR_ANY = 3 } ScalarDevice;

typedef struct {
    const char *text; /* as in the source: "+", "pl.min" */
    const char *code; /* as in listings of bytecode: "add", "min" */
    uint8_t arity;
    uint8_t prec; /* Python's precedence; higher binds tighter */
    ScalarForm form;
    ScalarDevice device; /* dtypes that kernels have it for; BOOL counts as INTS */
} ScalarInfo;

extern const ScalarInfo scalar_info[SC_COUNT];

static inline const char *scalar_text(ScalarOp op)
{
    return scalar_info[op].text;
}
static inline uint32_t scalar_arity(ScalarOp op)
{
    return scalar_info[op].arity;
}

/* Why an operator has no result. The arithmetic says what; who asked for it words it. */
typedef enum {
    ARITH_OK,
    ARITH_OVERFLOW, /* an integer that leaves 64 bits, a float that Python calls too large */
    ARITH_ZERO_DIVISION,
    ARITH_ZERO_POWER, /* zero to a negative power */
    ARITH_SHIFT,      /* a negative shift count; in kernels also one from the width up */
    ARITH_DOMAIN,     /* no real value: sqrt(-1), (-2.0) ** 0.5 */
    ARITH_TYPE,       /* the operator does not take such operands: ~1.5 */
} ArithStatus;

#endif
