/* --report=junit:FILE: the verdict in the form that continuous integration reads. */
#ifndef PLD_CLI_JUNIT_H
#define PLD_CLI_JUNIT_H

#include "cli/run_options.h"
#include "sim/explore/explore.h"

/* Write o->junit, if there is one: a test case for the run, for each check and for each output; of
 * an exploration one for it and one for each kind of failure. False after a message. */
bool junit_run(const RunOptions *o, const RunResult *r, int status);
bool junit_explore(const RunOptions *o, const ExploreResult *r);

#endif
