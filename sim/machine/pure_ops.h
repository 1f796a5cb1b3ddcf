/* What the files of sim/machine/pure.h share: tagged values, failure, and the slower operators. */
#ifndef PLD_SIM_MACHINE_PURE_OPS_H
#define PLD_SIM_MACHINE_PURE_OPS_H

#include "base/pyarith.h"
#include "sim/machine/pure.h"

enum { VAL_NONE = NUM_NONE, VAL_INT = NUM_INT, VAL_FLOAT = NUM_FLOAT }; /* NONE: unset, failed */
typedef Number Value;

struct PureMachine {
    Arena *arena;
    const PureEnv *env;
    const BcPure *pure;
    const BcPureNode *nodes;
    Value *slots;
    int64_t steps;        /* left for this element */
    int64_t total;        /* left for all */
    const int64_t *index; /* of this element */
    uint64_t position;    /* the same as a number */
    const char *error;    /* first failure of this element, without the place */
};

static inline Value value_int(int64_t v)
{
    return num_int(v);
}

static inline Value value_float(double v)
{
    return num_float(v);
}

/* Records the first failure; returns a VAL_NONE. */
Value pure_fail(PureMachine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Operators of two and of one value, of any mixture of kinds; no short-circuit ones. A VAL_NONE
 * operand gives a VAL_NONE. */
Value pure_binary(PureMachine *m, PureKind kind, Value a, Value b);
Value pure_unary(PureMachine *m, PureKind kind, Value a);

static inline bool value_true(Value v)
{
    return v.tag == VAL_INT ? v.i != 0 : v.tag == VAL_FLOAT && v.f != 0;
}

static inline PureValue value_out(Value v)
{
    return (PureValue){.is_float = v.tag == VAL_FLOAT,
                       .i = v.tag == VAL_INT ? v.i : 0,
                       .f = v.tag == VAL_FLOAT ? v.f : 0};
}

#endif
