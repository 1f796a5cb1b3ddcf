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

/* Tasks. TASK and AS. */
void job_task(Lane *lane, const BcInsn *in);
void job_as(Lane *lane, const BcInsn *in);
void job_forget_tasks(Lane *lane);
/* Before a call, as n blocks or 0: when it must wait for what a deferred wait holds up, or is such
 * a wait, it becomes a job of its own and the lane goes on behind it: *queued. False after a fault.
 */
bool job_queue(World *w, Lane *lane, const BcInsn *in, int64_t n, bool *queued);
/* Before any other instruction of a lane with such jobs: must they end before it? It then stands
 * still until they have. */
bool job_must_wait(World *w, Lane *lane, const BcInsn *in);
/* The lane of a job stands before a wait: a deferred one is of values from 0 on. False after a
 * fault. */
bool job_wait(World *w, Lane *lane);
/* Does the lane run a deferred wait? */
bool job_is_deferred(const World *w, const Lane *lane);

/* A job that has not begun, or not with all of its blocks: index *i or later; false: none. */
typedef struct {
    uint32_t func, n_mem, n_scalars;
    const MemRef *mem;
    const int64_t *scalars;
} JobCall;
bool job_waiting(const Rank *r, uint32_t *i, JobCall *out);

/* PEND_JOIN, all of whose jobs have ended: what they did comes before what the lane does next. */
void job_take_ends(World *w, Lane *lane);
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
