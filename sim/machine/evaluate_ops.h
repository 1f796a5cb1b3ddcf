/* What the files of sim/machine/evaluate.h share: failure, and operators with the words for what
 * they refuse. */
#ifndef PLD_SIM_MACHINE_EVALUATE_OPS_H
#define PLD_SIM_MACHINE_EVALUATE_OPS_H

#include "sim/machine/evaluate.h"

struct Evaluator {
    Arena *arena;
    const EvaluateEnv *env;
    const BcElementFunc *of;
    const HostTensor **memory; /* per memory register; NULL: a tensor without a value yet */
    Number *start, *regs;      /* registers as an element finds them, and now */
    Number *at;                /* the registers of the index, in `regs` */
    int64_t steps;             /* left for this element */
    int64_t total;             /* left for all */
    const int64_t *index;      /* of this element */
    uint64_t position;         /* the same as a number */
    uint32_t pc;               /* where it failed */
    const char *error;         /* first failure of this element, without the place */
};

/* Records the first failure; returns a NUM_NONE. */
Number evaluate_fail(Evaluator *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Operators of two and of one value, of any mixture of kinds. An operand that is NUM_NONE was never
 * set: a failure. */
Number evaluate_binary(Evaluator *m, ScalarOp op, Number a, Number b);
Number evaluate_unary(Evaluator *m, ScalarOp op, Number a);

#endif
