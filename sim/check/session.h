/* A world that is ready to run: its fabric, the host's data, the checks that were asked for. */
#ifndef PLD_SIM_CHECK_SESSION_H
#define PLD_SIM_CHECK_SESSION_H

#include "sim/sched/sched.h"

/* Builds a world. On errors `result` has the report and its exit status is set; NULL then.
 * `config`, `program` must outlive it. Freed with world_free, run again after world_reset. */
World *session_new(const BcProgram *program, const RunConfig *config, RunResult *result);
/* Runs a fresh or reset world under a policy with its goldens compared; returns the exit status. */
int session_run(World *w, Policy *policy);
/* The same for a world in the middle of a run (world_load). */
int session_go_on(World *w, Policy *policy);

#endif
