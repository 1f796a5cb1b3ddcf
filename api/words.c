/* The names of the language as constant texts: what other front ends know of it. */
#include "api/pld.h"

#define DIGITS(n) #n
#define NUMBER(n) DIGITS(n)

static const char *const words[] = {
#define PLD_DTYPE(ENUM, name, bytes, kind, npy) "dtype " name " " NUMBER(bytes),
#include "base/dtype.def"
#define PLD_ENUM(TYPE, module)
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value) "enum " #TYPE "." name " " NUMBER(value),
#define PLD_ENUM_ALIAS(TYPE, name) "alias " name " " #TYPE,
#include "base/enums.def"
#define PLD_ENUM(TYPE, module) "module " #TYPE " " module,
#define PLD_ENUM_VALUE(TYPE, ENUM, name, value)
#include "base/enums.def"
#define PLD_OP(ENUM, full, shorter, ...) "op " full, "op " shorter,
#define PLD_ALIAS(ENUM, name) "op " name,
#include "ir/ops.def"
#define PLD_CALL(name) "call " name,
#define PLD_WORD(name) "call " name,
#include "elab/comptime/calls.def"
#define PLD_PASS(number, ENUM, name, ...) "pass " #number "_" #name,
#include "ir/passes.def"
};

const char *pld_word(size_t index)
{
    return index < sizeof words / sizeof words[0] ? words[index] : NULL;
}
