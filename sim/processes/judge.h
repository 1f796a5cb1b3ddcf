/* Checks that need what other processes did: races, windows read before they are written, signals.
 * Each process writes its accesses and notifies down; process 0 judges them after the run. */
#ifndef PLD_SIM_PROCESSES_JUDGE_H
#define PLD_SIM_PROCESSES_JUDGE_H

#include "sim/processes/conclude.h"

/* Replaces the checks of a configuration by what a process can do by itself, and by the log where
 * Team.judge asks for it. */
void judge_checks(Team *t, RunConfig *config);
/* Process 0 judges; `ok`: every lane has finished. All processes call it, after gather_lanes. */
void judge_run(Team *t, World *w, bool ok);

#endif
