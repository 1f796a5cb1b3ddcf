/* A run whose devices are spread over processes. */
#ifndef PLD_SIM_PROCESSES_SPREAD_H
#define PLD_SIM_PROCESSES_SPREAD_H

#include "sim/processes/team.h"

/* As sim_run_keep of sim/host/run.h, by all processes together; each returns the same status.
 * Afterwards process 0 has the reports, the counters and the lanes of all. `config` names the team
 * and no schedule. */
int spread_run(const BcProgram *program, const RunConfig *config, RunResult *result, Team *team,
               World **keep);

#endif
