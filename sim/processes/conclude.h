/* What processes make out together. Every process calls each of these at the same point. */
#ifndef PLD_SIM_PROCESSES_CONCLUDE_H
#define PLD_SIM_PROCESSES_CONCLUDE_H

#include "sim/processes/team.h"

/* Of Processes: see sim/machine/processes.h. */
bool team_agree(Processes *p, bool ok);
bool team_same(Processes *p, World *w);
void team_prepare(Processes *p, World *w);
bool team_combine(Processes *p, Mismatch *found, bool ok);

/* Process 0 has the lanes of all as they stand. */
void gather_lanes(Team *t, World *w);
/* What pl.debug_print says is kept from now on, and at the end said by process 0, by rank. */
void collect_prints(Team *t, RunConfig *config);
void gather_prints(Team *t);
/* The bytes of a tensor that Team.printed shows, in no order. */
void spans_printed(const Team *t, const World *w, uint32_t tensor, Spans *out);
/* Process 0 has what it shows. */
void gather_printed(Team *t, World *w);
/* Of Processes: look. */
const char *shown_cell(Processes *p, uint32_t window, uint32_t rank, int64_t at);
/* Every process has the counters of all. */
void gather_costs(Team *t, World *w);
/* Process 0 has the reports of all, those of several ranks about one thing once; the others have
 * none. `w` may be NULL. */
void gather_reports(Team *t, World *w, RunResult *result);
/* The worst of all exit statuses. */
int team_status(Team *t, int status);

#endif
