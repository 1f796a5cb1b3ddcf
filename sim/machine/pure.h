/* Evaluator of init and golden functions: floats in double precision, integers in checked 64 bits.
 * Shares no arithmetic with the kernels. */
#ifndef PLD_SIM_MACHINE_PURE_H
#define PLD_SIM_MACHINE_PURE_H

#include "base/arena.h"
#include "sim/machine/tensor.h"

#define PURE_MAX_STEPS INT64_C(100000000)         /* nodes evaluated for one element */
#define PURE_MAX_TOTAL_STEPS INT64_C(20000000000) /* and for all elements of a PureMachine */

typedef struct {
    bool is_float;
    int64_t i; /* when not */
    double f;  /* when it is */
} PureValue;

/* What a pure function may look at. */
typedef struct {
    const BcProgram *program;
    const int64_t *extents;    /* value of each of the program's dynamic extents */
    uint32_t n_tensors;        /* tensor parameters of the host function, in order */
    const HostTensor *tensors; /* ELEMENT reads `initial`; NULL there: not known yet, an error */
    const PureValue *scalars;  /* per parameter of the host function; tensors' entries unused */
    uint64_t seed;             /* --seed: shifts randn and uniform */
} PureEnv;

typedef struct PureMachine PureMachine;

/* Prepares to evaluate `pure`; everything is in the arena. */
PureMachine *pure_new(Arena *arena, const PureEnv *env, const BcPure *pure);
/* Value at an index (n_index numbers). false and *why ("golden y (line 12): division by zero at [0,
 * 3]"): overflow, an index outside, no return, more than PURE_MAX_STEPS. */
bool pure_at(PureMachine *m, const int64_t *index, PureValue *out, const char **why);
/* Fills t->data with the value at every element, converted to its dtype (rounded once, integers and
 * BOOL exact: a value that does not fit is an error that names the element). */
bool pure_fill(PureMachine *m, HostTensor *t, const char **why);
/* -1, 0, 1 as a is below, equal to, above b, exactly; 2 when one is a NaN. */
int pure_compare(PureValue a, PureValue b);

#endif
