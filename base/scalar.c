#include "base/scalar.h"

const ScalarInfo scalar_info[SC_COUNT] = {
#define PLD_SCALAR_OP(ENUM, text, arity, form, prec, result, code, device)                         \
    [SC_##ENUM] = {text, code, arity, prec, SCALAR_##form, SCALAR_##device},
#include "base/scalar.def"
};
