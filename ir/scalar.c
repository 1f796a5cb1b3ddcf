/* Scalar operators: their table and their device semantics on constants. */
#include "ir/ir.h"

typedef struct {
    const char *text;
    uint8_t arity;
} Row;

static const Row rows[SC_COUNT] = {
#define PLD_SCALAR_OP(ENUM, text, arity, form, prec, result) [SC_##ENUM] = {text, arity},
#include "ir/scalar.def"
};

const char *scalar_text(ScalarOp op)
{
    return rows[op].text;
}

uint32_t scalar_arity(ScalarOp op)
{
    return rows[op].arity;
}

/* Wrapping arithmetic goes through unsigned, where overflow is defined. */
static int64_t wrapping(ScalarOp op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return (int64_t)(op == SC_ADD ? x + y : op == SC_SUB ? x - y : x * y);
}

static bool divide(ScalarOp op, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return false;
    if (b == -1) /* also the most negative dividend, whose quotient wraps */
        *out = op == SC_MOD ? 0 : wrapping(SC_SUB, 0, a);
    else
        *out = op == SC_MOD ? a % b : a / b;
    return true;
}

/* Unsigned operands are never negative as int64_t, so >> is right for both kinds. */
static bool shift(ScalarOp op, Dtype dtype, int64_t a, int64_t count, int64_t *out)
{
    if (count < 0 || count >= 8 * (int64_t)dtype_bytes(dtype))
        return false;
    *out = op == SC_SHL ? (int64_t)((uint64_t)a << count) : a >> count;
    return true;
}

static int64_t saturate(Dtype dtype, int64_t v)
{
    if (dtype == DT_BOOL)
        return v != 0;
    return v < dtype_min(dtype) ? dtype_min(dtype) : v > dtype_max(dtype) ? dtype_max(dtype) : v;
}

/* The result before it is wrapped to the dtype. */
static bool eval(ScalarOp op, Dtype dtype, const int64_t *args, int64_t *out)
{
    int64_t a = args[0], b = scalar_arity(op) > 1 ? args[1] : 0;
    switch (op) {
    case SC_ADD:
    case SC_SUB:
    case SC_MUL: *out = wrapping(op, a, b); return true;
    case SC_FLOORDIV:
    case SC_MOD: return divide(op, a, b, out);
    case SC_SHL:
    case SC_SHR: return shift(op, dtype, a, b, out);
    case SC_BITAND: *out = a & b; return true;
    case SC_BITXOR: *out = a ^ b; return true;
    case SC_BITOR: *out = a | b; return true;
    case SC_EQ: *out = a == b; return true;
    case SC_NE: *out = a != b; return true;
    case SC_LT: *out = a < b; return true;
    case SC_LE: *out = a <= b; return true;
    case SC_GT: *out = a > b; return true;
    case SC_GE: *out = a >= b; return true;
    case SC_AND: *out = a && b; return true;
    case SC_OR: *out = a || b; return true;
    case SC_NOT: *out = !a; return true;
    case SC_NEG: *out = wrapping(SC_SUB, 0, a); return true;
    case SC_INVERT: *out = dtype == DT_BOOL ? !a : ~a; return true;
    case SC_MIN: *out = a < b ? a : b; return true;
    case SC_MAX: *out = a > b ? a : b; return true;
    case SC_CAST: *out = saturate(dtype, a); return true;
    case SC_SELECT: *out = a ? b : args[2]; return true;
    case SC_COUNT: break;
    }
    return false;
}

bool scalar_eval(ScalarOp op, Dtype dtype, const int64_t *args, int64_t *out)
{
    if (!eval(op, dtype, args, out))
        return false;
    *out = dtype_wrap(dtype, *out);
    return true;
}
