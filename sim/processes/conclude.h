/* What processes make out together. Every process calls each of these at the same point. */
#ifndef PLD_SIM_PROCESSES_CONCLUDE_H
#define PLD_SIM_PROCESSES_CONCLUDE_H

#include "sim/processes/team.h"

/* Of Processes: see sim/machine/processes.h. */
bool team_agree(Processes *p, bool ok);
bool team_same(Processes *p, World *w);
void team_prepare(Processes *p, World *w);
bool team_combine(Processes *p, Mismatch *found, bool ok);

bool team_wants(const Team *t, const char *name);

/* Process 0 has the lanes of all as they stand. */
void gather_lanes(Team *t, World *w);
/* What pl.debug_print says is kept from now on, and at the end said by process 0, by rank. */
void collect_prints(Team *t, RunConfig *config);
void gather_prints(Team *t);
/* Process 0 has the whole of a tensor that Team.wanted names. */
void gather_tensor(Team *t, World *w, uint32_t tensor);
/* Every process has the counters of all. */
void gather_costs(Team *t, World *w);
/* Process 0 has the reports of all, those of several ranks about one thing once; the others have
 * none. `w` may be NULL. */
void gather_reports(Team *t, World *w, RunResult *result);
/* The worst of all exit statuses. */
int team_status(Team *t, int status);

#endif
