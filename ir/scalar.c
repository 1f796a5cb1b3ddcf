/* Scalar operators of the IR on known operands. */
#include "base/devarith.h"
#include "ir/ir.h"

Dtype scalar_dtype(const Expr *e)
{
    if (e->scalar < SC_EQ || e->scalar > SC_GE)
        return e->type->dtype;
    Dtype a = e->args[0]->type->dtype, b = e->args[1]->type->dtype;
    if (a == b)
        return a;
    return dtype_is_float(a) ? DT_FP32 : DT_INDEX;
}

bool scalar_apply(const Expr *e, const int64_t *args, int64_t *out)
{
    switch (e->scalar) {
    case SC_CAST: *out = dev_cast(e->args[0]->type->dtype, e->dtype, args[0]); return true;
    case SC_SELECT: *out = args[0] ? args[1] : args[2]; return true;
    default: break;
    }
    if (scalar_arity(e->scalar) == 2)
        return dev_binary(e->scalar, scalar_dtype(e), args[0], args[1], out) == ARITH_OK;
    *out = dev_unary(e->scalar, scalar_dtype(e), args[0]);
    return true;
}
