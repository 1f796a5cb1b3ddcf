/* Evaluator of init and golden functions: floats in double precision, integers in checked 64 bits.
 * Shares no arithmetic with the kernels. */
#ifndef PLD_SIM_MACHINE_EVALUATE_H
#define PLD_SIM_MACHINE_EVALUATE_H

#include "base/arena.h"
#include "base/pyarith.h"
#include "sim/machine/tensor.h"

#define EVALUATE_MAX_STEPS INT64_C(100000000)         /* instructions for one element */
#define EVALUATE_MAX_TOTAL_STEPS INT64_C(20000000000) /* and for all elements of an Evaluator */

/* What a function may look at. */
typedef struct {
    const BcProgram *program;
    const int64_t *extents;    /* value of each of the program's dynamic extents */
    uint32_t n_tensors;        /* tensor parameters of the host function, in order */
    const HostTensor *tensors; /* `initial` is read; NULL there: not known yet, an error */
    /* An element of the initial value of a tensor that is held in parts, until the next call; NULL
     * and *why. May be NULL where none is. */
    const char *(*look)(void *env, uint32_t tensor, int64_t offset, const char **why);
    void *look_env;
    const Number *scalars; /* per parameter of the host function; tensors' entries unused */
    uint64_t seed;         /* --seed: shifts randn and uniform */
    const char *(*stop)(void *env); /* RunConfig.stop: evaluate_fill asks it; may be NULL */
    void *stop_env;
} EvaluateEnv;

typedef struct Evaluator Evaluator;

/* Prepares to evaluate `of`, verified; everything is in the arena. Scalars are read here. */
Evaluator *evaluator_new(Arena *arena, const EvaluateEnv *env, const BcElementFunc *of);
/* Value at an index (n_index numbers). false and *why ("golden y (y.pld:12:16): division by zero at
 * [0, 3]"): overflow, an index outside, more than EVALUATE_MAX_STEPS. */
bool evaluate_at(Evaluator *m, const int64_t *index, Number *out, const char **why);
/* Puts the values at elements of `t` to `to`: `part`, a range of its bytes, converted to its dtype
 * (rounded once, integers and BOOL exact: a value that does not fit is an error that names the
 * element). */
bool evaluate_fill(Evaluator *m, const HostTensor *t, TensorSpan part, char *to, const char **why);
/* All the steps of EVALUATE_MAX_TOTAL_STEPS again. */
void evaluator_renew(Evaluator *m);
/* The parameter of the host function that a parameter of `of` (not an index) is. */
uint32_t evaluate_host_param(const BcProgram *p, const BcElementFunc *of, uint32_t param);

#endif
