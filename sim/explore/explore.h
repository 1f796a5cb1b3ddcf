/* Every interleaving of a program's communication operations, up to equivalence: stateless search
 * with dynamic partial-order reduction (source sets and sleep sets: Abdulla, Aronsson, Jonsson,
 * Sagonas, "Optimal dynamic partial order reduction", POPL 2014).
 *
 * A transition is one communication operation of a lane (notify, wait, fence, atomic store, pl.read
 * of a window, the end of its dispatch) with the local work behind it; under weak memory also the
 * landing of a write, the refresh of a stale reader and every access of a window. What plain
 * accesses see is judged in each interleaving by the race check. */
#ifndef PLD_SIM_EXPLORE_EXPLORE_H
#define PLD_SIM_EXPLORE_EXPLORE_H

#include "sim/machine/run_config.h"

typedef struct {
    uint64_t bound;     /* executions at most; 0: EXPLORE_BOUND */
    bool outcomes;      /* collect the final outputs; accesses of windows are transitions */
    bool search;        /* do not look for a certificate first: see certify.h */
    bool brute;         /* no reduction: every sequence of transitions */
    bool anew;          /* every execution from the start: snapshots change nothing but time */
    bool first_failure; /* stop at the first one */
    uint32_t jobs;      /* threads; 0: one. Whatever the number, the result is the same;
                           RunConfig.stop is called from all of them */
    /* After each execution, or NULL: how many there were, and the transitions of this one. */
    void (*progress)(void *env, uint64_t executions, uint64_t transitions);
    void *progress_env;
} ExploreOptions;

#define EXPLORE_BOUND 200000u
#define EXPLORE_DEPTH 20000u /* transitions of an execution; a longer one is cut */

/* One kind of failure: the first execution that showed it. */
typedef struct {
    int status;
    const char *check; /* "race" when a report is one, else that of the first report */
    const char *text;  /* its reports, each on lines of its own */
    const char *token;
    uint64_t count; /* executions that ended so */
} ExploreFailure;

typedef struct {
    Arena arena;         /* owns the texts */
    int status;          /* worst of all executions; EXIT_INCOMPLETE when nothing failed but not all
                            were seen; EXIT_USAGE with `text` when the program could not be
                            started */
    const char *text;    /* reports of a program that could not be started */
    const char *decides; /* one run decided, and what; NULL: the search did */
    uint64_t executions; /* run to their end */
    uint64_t blocked;    /* given up half-way: equivalent to others */
    uint64_t orders;     /* different happens-before orders among the executions */
    uint64_t orders_hash; /* of the set of them */
    uint64_t most_steps;  /* transitions of the longest */
    bool complete;
    const char *stopped; /* by RunConfig.stop, and why */
    uint32_t n_failures, n_outcomes;
    ExploreFailure *failures;
    const char **outcomes; /* sorted lines */
} ExploreResult;

/* Returns result->status. `result` starts zeroed, is freed with explore_free. */
int explore(const BcProgram *program, const RunConfig *config, const ExploreOptions *options,
            ExploreResult *result);
void explore_free(ExploreResult *result);

#endif
