/* Jobs: kernels that run on lanes of their own while the orchestration function that made them
 * waits, or goes on. The blocks of a pl.spmd are one, each block on a lane that stands for a core.
 *
 * What comes before what: a token is posted by who makes it known and taken by who comes after it.
 * Observers hear of both (EV_POST, EV_TAKE). */
#ifndef PLD_SIM_MACHINE_JOB_H
#define PLD_SIM_MACHINE_JOB_H

#include "sim/machine/world.h"

/* Works out what jobs of the dispatches may need: World.max_cores, job_slots. */
void jobs_prepare(World *w);
/* May a dispatch of this orchestration function make jobs? */
bool job_made_by(const World *w, uint32_t func);

/* SPMD: runs a kernel as blocks; the lane waits until all have ended. False after a fault. */
bool job_blocks(World *w, Lane *lane, const BcInsn *in);
/* The lane of a job is at its end. */
void job_lane_exit(World *w, Lane *lane);
/* Does the lane, at its end, give its core to another run of a job? As far as the job's size says.
 */
bool job_hands_on(const World *w, const Lane *lane);
/* An atomic add of floating elements to device memory by a block: kept until all have ended, then
 * done in order of the blocks. False when it is done at once. */
bool job_keep_add(World *w, Lane *lane, const MemRef *m, const RectPair *p, const char *at);

/* A line for each job of a rank of which a part could not start. */
void jobs_waiting_text(const World *w, uint32_t rank, Buf *out);
/* Forgets those of a device. */
void jobs_clear(Rank *r);
bool jobs_any(const Rank *r);
/* Does one of them name this memory of a dispatch? */
bool jobs_name(const Rank *r, uint32_t dispatch, uint32_t object);

#endif
