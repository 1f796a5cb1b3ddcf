/* Which synchronisation of a program is needed: each row of it is left out, and
 * what is left explored. */
#ifndef PLD_SIM_EXPLORE_EXPLAIN_H
#define PLD_SIM_EXPLORE_EXPLAIN_H

#include "sim/explore/explore.h"

/* What happened without the row. */
typedef struct {
    bool tried;
    bool complete;     /* all executions were seen, and none failed */
    const char *why;   /* "deadlock", "race", "wrong result", ...; NULL: nothing failed */
    const char *token; /* of the failure */
} ExplainRun;

typedef struct {
    const char *text; /* place and ops */
    bool reads_only;  /* see SyncRow */
    bool unreached;   /* no lane came to it: nothing was tried */
    /* The program as it is; then every dispatch twice on the same windows, so that they are staged
     * again: for builtins, whose synchronisation serves the next call. */
    ExplainRun runs[2];
} ExplainRow;

typedef struct {
    Arena arena;
    int status; /* EXIT_OK when every row was decided, EXIT_INCOMPLETE; the program's own failure
                   when it fails as it is */
    const char *text; /* its reports then */
    ExplainRow *rows;
    uint32_t n_rows;
} ExplainResult;

#define EXPLAIN_BOUND 1000 /* executions of each exploration, when nothing else is said */

/* Fences are tried under weak memory, the rest under sc. `bound` as for explore; 0: EXPLAIN_BOUND.
 */
int explain_sync(const BcProgram *program, const RunConfig *config, uint64_t bound,
                 ExplainResult *result);
void explain_free(ExplainResult *result);
/* "step.pld:12: wait: needed (race)". */
void explain_row_text(const ExplainRow *row, uint32_t n_devices, Buf *out);

#endif
