/* What sim/machine/job.c and job_task.c share. */
#ifndef PLD_SIM_MACHINE_JOB_PARTS_H
#define PLD_SIM_MACHINE_JOB_PARTS_H

#include "sim/machine/job.h"

/* A floating add that waits for the end of all blocks. */
typedef struct {
    int64_t block;
    uint32_t serial, object;
    uint8_t dtype;
    FabRect rect;
    char *data; /* dense */
} KeptAdd;

struct Job {
    bool used, done;
    bool queued;                          /* it did not begin with its call: see job_task.c */
    bool deferred;                        /* a wait that others wait for */
    bool taken;                           /* who made it knows that it has ended */
    bool cube;                            /* its cores are cube cores */
    bool sync;                            /* all blocks start at once */
    uint32_t lane, dispatch, func, n_mem; /* `lane`: index of who made it */
    int64_t n_blocks;                     /* of a pl.spmd; 0: it runs once */
    int64_t n, next, left;                /* runs: in all, to be started, not ended */
    MemRef *mem;
    int64_t *scalars;
    CodePlace at; /* of its call */
    DispatchRun run;
    uint32_t start, end; /* tokens */
    int64_t ready_ps, end_ps;
    VEC(LaneStep) births; /* what its lanes come after */
    VEC(LaneStep) ends;
    VEC(KeptAdd) adds;
    VEC(uint32_t) after; /* jobs that have to end before it */
    uint32_t n_scalars, n_waits, serial;
};

/* A job of the CALL or SPMD that the lane stands before, of n blocks or, with 0, a single run; it
 * is not started. NULL after a fault. */
Job *job_make(World *w, Lane *lane, const BcInsn *in, int64_t n);
/* Its number on its rank. */
uint32_t job_index(const Rank *r, const Job *job);
/* Starts all that can be started. */
void jobs_start(World *w, Rank *r);
/* The lane stands before the end of the jobs in its `joins`: have all ended? */
bool job_join(World *w, Lane *lane);
void job_tell(World *w, Lane *lane, EventKind kind, uint32_t token, int32_t posts);
/* "...: waits for the task at k.pld:3:4", where it does. */
bool job_behind_text(const World *w, const Job *job, Buf *out);
static inline Job *job_of(const World *w, const Lane *lane)
{
    return w->ranks[lane->rank].jobs.at[lane->job - 1];
}

#endif
