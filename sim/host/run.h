/* Running a program from start to verdict: what cli/ calls. */
#ifndef PLD_SIM_HOST_RUN_H
#define PLD_SIM_HOST_RUN_H

#include "sim/machine/run_config.h"

/* Tensors from .npy files and init functions, goldens from files and golden functions. */
extern const HostData host_files;

/* Builds a world, runs it under config->schedule, compares goldens, writes --output files, frees
 * it. Returns result->status. `result` starts zeroed and is freed with run_result_free. */
int sim_run(const BcProgram *program, const RunConfig *config, RunResult *result);
/* The world of the last sim_run is kept for --print and --cost when `keep` is given. */
int sim_run_keep(const BcProgram *program, const RunConfig *config, RunResult *result,
                 World **keep);
/* Runs a kept world again: config->arrays may be other memory now, of the same shapes, and all else
 * is as it was. Windows start zeroed, or, `keep_windows`, as the last run left them. False, and
 * nothing has happened, when the host function or an init function would have to run again. */
bool sim_run_again(World *w, const RunConfig *config, RunResult *result, bool keep_windows);

#endif
