/* pldrun over the processes of an MPI launcher. Process 0 speaks; the others do what it does and
 * are silent, unless they alone meet an error. */
#ifndef PLD_CLI_OVER_H
#define PLD_CLI_OVER_H

#include "cli/run_options.h"
#include "sim/processes/team.h"

typedef struct {
    const PldTransport *transport; /* NULL: this is the only process */
    Team *team;
    int captured; /* what a silent process prints while it loads the program */
} Over;

/* Opens the transport and starts it, silences all processes but the first and hands them its
 * standard input where the program comes from there. STATUS_OK, or an exit status after a message.
 */
int over_begin(Over *over, RunOptions *o);
/* All have loaded the program, with `status`: do all have the same one? The status for all. */
int over_loaded(Over *over, RunOptions *o, const BcProgram *program, int status);
/* As sim_run_keep. */
int over_run(Over *over, const RunOptions *o, const BcProgram *program, RunResult *result,
             World **keep);
/* Does this process tell of the run? */
bool over_speaks(const Over *over);
/* After the world is freed. */
void over_end(Over *over);
/* The process ends with `status` before all have: so must the others. */
void over_abort(int status);

#endif
