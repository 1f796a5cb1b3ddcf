/* A world: a program, its devices and everything they own. Devices are data; sim/sched/ moves
 * them. */
#ifndef PLD_SIM_MACHINE_WORLD_H
#define PLD_SIM_MACHINE_WORLD_H

#include "base/call_how.h"
#include "base/map.h"
#include "base/platform.h"
#include "base/vec.h"
#include "sim/machine/call_sites.h"
#include "sim/machine/clock.h"
#include "sim/machine/evaluate.h"
#include "sim/machine/fabric.h"
#include "sim/machine/mem.h"
#include "sim/machine/omission.h"
#include "sim/machine/probe.h"
#include "sim/machine/processes.h"
#include "sim/machine/run_config.h"
#include "sim/machine/tensor.h"

/* ---- what the host function made: the same in every run of a world ---- */

/* The devices that share a window; all windows with equal members share one Domain. */
typedef struct {
    uint32_t n;
    const uint32_t *members; /* ranks in -d order; a rank of the domain is an index here */
    uint32_t *index;         /* per rank of the world: its rank in the domain, or UINT32_MAX */
} Domain;

typedef struct {
    uint32_t table; /* index of the program's window table: name and place */
    const char *name;
    int64_t bytes;                 /* per rank */
    int64_t heap;                  /* offset in the symmetric heap */
    uint32_t domain;               /* index into World.domains; UINT32_MAX: dispatched nowhere */
    uint8_t *users;                /* per rank: 1 when a view is dispatched to it */
    bool signal;                   /* some dispatch uses it as a signal */
    bool data;                     /* some dispatch uses it as data */
    uint8_t view_dtype, view_rank; /* first view dispatched, for the overlap check */
    int64_t view_shape[BC_MAX_RANK];
} Window;

/* A device tensor: bytes of a host tensor that a dispatch works on. Overlapping arguments share
 * one. */
typedef struct {
    uint32_t tensor;       /* host tensor */
    int64_t offset, bytes; /* of it */
    bool writes;           /* some parameter on it is Out or InOut: copied out at the end */
    bool shared;           /* `data` is the host tensor's: nobody writes it */
    char *data;            /* NULL while the dispatch is not running */
    HostTensor *own;       /* made by the dispatch itself: what it looks like; else NULL */
    uint64_t serial;       /* of what was made, as a region is used again */
} Region;

typedef struct {
    uint32_t dispatch;
    bool at_start; /* wait for its start only (it reads what this one writes) */
} DispatchDep;

typedef enum { DSP_QUEUED, DSP_RUNNING, DSP_DONE } DispatchState;

typedef struct {
    uint32_t func;  /* orchestration function */
    uint32_t rank;  /* device */
    uint32_t cores; /* lanes */
    bool shared;    /* several lanes touch its memory */
    bool rehearsal; /* repeated later: floating-point inputs have their signs changed */
    CodePlace from; /* host function: where it was queued */
    uint32_t n_mem, n_scalars, n_regions, n_deps;
    MemRef *mem; /* arguments: MEM_DEVICE (object: region) and MEM_WINDOW */
    int64_t *scalars;
    Region *regions; /* n_regions of host tensors, then n_made that it made itself */
    DispatchDep *deps;
    /* of this run */
    DispatchState state;
    uint32_t lanes_left;
    uint32_t n_made, cap_made;
    uint64_t n_serials;
    int64_t made_bytes; /* since unused ones were looked for */
    int64_t begin_ps, end_ps;
} Dispatch;

/* ---- lanes ---- */

typedef struct {
    int64_t valid[BC_MAX_RANK];
    bool written; /* false after TCREATE: elements are uninitialised */
} TileState;

typedef struct {
    uint32_t func, pc; /* pc: the instruction that runs, or runs next */
    const BcFunc *f;
    int64_t *regs;
    MemRef *mregs;
    TileState *tiles;
    uint16_t results; /* caller's registers for the results */
    uint16_t n_results;
    size_t mark; /* of the lane's stack */
} Frame;

typedef enum {
    LANE_IDLE,    /* no dispatch */
    LANE_READY,   /* stands before lane->pending, which is enabled; or has to run on */
    LANE_BLOCKED, /* pending is a wait that is not satisfied, or a transfer under way */
    LANE_EXITED,  /* its dispatches are done */
    LANE_FAULTED,
} LaneState;

/* What a lane does next. Everything that other lanes can notice at a defined moment is one of
 * these; plain data accesses happen between them. */
typedef enum {
    PEND_NONE, /* has to run on: budget used up, or just started */
    PEND_NOTIFY,
    PEND_WAIT,
    PEND_FENCE,
    PEND_ATOMIC,   /* remote_store or put with AtomicType.Add */
    PEND_READ,     /* pl.read of a window, when World.stop_at_reads */
    PEND_DATA,     /* any other access of shared memory, when World.stop_at_data */
    PEND_TRANSFER, /* a fabric operation that is not complete yet */
    PEND_JOIN,     /* the end of jobs */
    PEND_EXIT,     /* the lane's dispatch ends */
} PendKind;

typedef struct {
    PendKind kind;
    FabRect rect;   /* NOTIFY, WAIT: the cell; ATOMIC, READ: the bytes */
    int op;         /* NotifyOp, WaitCmp, FenceKind */
    int32_t value;  /* NOTIFY: operand; WAIT: expected */
    bool enabled;   /* WAIT, TRANSFER: may be committed now; others: true */
    FabToken token; /* TRANSFER */
    CodePlace at;
} Pending;

/* The count-th operation that a lane was chosen for. */
typedef struct {
    uint32_t lane, count;
} LaneStep;

/* A task of an orchestration function, in Lane.task_deps: the tasks that deps= listed, and from
 * first_job on the jobs that have to end before it. */
typedef struct {
    uint32_t first, n;
    uint32_t first_job, n_jobs;
    uint32_t job; /* 1 + the job that is part of it; 0: what is part of it has run by the way */
} Task;

/* A dispatch of an orchestration function, as what checks know of the lane that runs it. */
typedef struct {
    uint32_t lane;   /* index of the one that orchestrates */
    uint32_t number; /* counts its dispatches */
    uint32_t task;   /* that it is part of; 0: none */
    uint32_t how;    /* as in AS */
    bool queued;     /* it waits for others while the function goes on */
    uint32_t n_free;
    uint32_t free[CALL_NO_DEP_BITS]; /* regions of arguments in pl.no_dep */
    CodePlace at;                    /* of the call */
} DispatchRun;
static inline bool dispatch_run_frees(const DispatchRun *d, uint32_t region)
{
    bool yes = false;
    for (uint32_t i = 0; i < d->n_free; i++)
        yes |= d->free[i] == region;
    return yes;
}

struct Lane {
    uint32_t rank, core;
    uint32_t id;             /* rank * World.max_cores + core: stable name for schedules */
    uint32_t job;            /* 1 + the job of its rank that it runs; 0: none */
    uint32_t slot;           /* CodePlace.job */
    int64_t block, n_blocks; /* of the pl.spmd that it runs a block of; 0 outside */
    VEC(Task) tasks;         /* of the dispatch that it orchestrates, by id - 1 */
    VEC(uint32_t) task_deps; /* ids and jobs that tasks list */
    uint32_t as_task;        /* the task of the next call, or 0 */
    uint32_t as_how;         /* and what else AS says of it */
    DispatchRun run;         /* the dispatch under way, its own or, of a job's lane, the job's */
    uint32_t n_runs;         /* dispatches so far of the orchestration function */
    uint32_t n_queued;       /* its jobs that did not begin with their calls */
    VEC(uint32_t) joins;     /* PEND_JOIN: the jobs */
    uint32_t commits;        /* operations that it was chosen for */
    VEC(LaneStep) births;    /* what other lanes did before it, heard of since the last of them */
    LaneState state;
    uint32_t dispatch; /* running one */
    bool host;         /* runs the host function */
    bool committed;    /* the pending operation was chosen: execute it without stopping */
    VEC(Frame) frames;
    char *stack; /* registers of all frames */
    size_t stack_len, stack_cap;
    char *core_mem; /* on-core memory: the tiles */
    int64_t core_cap;
    char *holes; /* per byte of it: 0, or which load an uninitialised one came from; NULL: there was
                    none so far (vm_holes.c) */
    int64_t holes_cap;
    VEC(uint64_t) hole_loads; /* the check's numbers of them */
    bool on_holes, carries;   /* an instruction that moves holes is executed on them; behind that */
#ifdef PLD_VM_CHECK
    const BcTile *checked; /* that the next access may be in */
#endif
    int64_t core_peak; /* bytes */
    Pending pending;
    int64_t now;                  /* ps */
    uint64_t insns;               /* executed in this run */
    uint32_t n_notifies, n_waits; /* come to in this run */
    bool met;                     /* `last_met` is set: its last notify or wait that is done */
    CodePlace last_met;
    int64_t scalar_ps;        /* scalar work not yet on the clock */
    uint32_t builtin;         /* call site + 1 of the last builtin call executed, where there are
                                 several domains; 0: none */
    uint32_t builtin_window;  /* the window that it works on */
    uint32_t chunk, n_chunks; /* of the put or get under way */
    Phase barrier_phase;      /* for the barrier counter: that of the last notify */
};

typedef struct Job Job; /* sim/machine/job.h */

typedef struct {
    uint32_t device;     /* device id, as in -d */
    VEC(uint32_t) queue; /* its dispatches, in host order */
    uint32_t next;       /* queue[0 .. next-1] have been started */
    bool busy;           /* queue[next-1] is running */
    Lane *lanes;         /* n_lanes of them: World.host_cores for dispatches, then those of jobs */
    uint32_t n_lanes;
    VEC(Job *) jobs;
    Ports ports;
    int64_t free_ps; /* when its last dispatch ended */
} Rank;

/* Bytes of memory that a load reads and nobody has written: the check for uninitialised reads fills
 * them in, with a number of the load. A store of such bytes: they stay unwritten. */
typedef struct {
    int64_t offset, bytes;
} HoleRun;
typedef struct {
    VEC(HoleRun) list;
    uint64_t load;
} HoleRuns;

/* Arrivals at a signal cell, for the clock: when did the predicate become true. */
typedef struct {
    int32_t value; /* of the cell after it */
    int64_t at;    /* ps, not before any earlier one */
    uint64_t seq;  /* of the EV_NOTIFY */
} CellStep;
typedef struct CellLog CellLog;

struct World {
    Arena arena; /* what lives as long as the world */
    const BcProgram *program;
    const CallSites *call_sites;    /* of builtins in the program */
    const struct QuickCode **quick; /* per function: made when it is first run (quick.h) */
    Platform platform;
    const RunConfig *config;
    uint32_t n_ranks;
    uint32_t host_cores; /* most lanes of any dispatch, at least 1 */
    uint32_t max_cores;  /* and those of jobs: the most lanes of a device */
    uint32_t job_cores;  /* lanes of jobs that stand for cores: behind host_cores */
    uint32_t job_slots;  /* more than any CodePlace.job */
    Rank *ranks;
    /* host side */
    int64_t *extents;    /* value per dynamic extent of the program; -1: unknown */
    HostTensor *tensors; /* per tensor parameter of the host function */
    uint32_t n_tensors;
    struct Input *input;                 /* the host's tensors while they are loaded */
    const struct NpyArray *golden_files; /* per tensor; data NULL: none */
    Number *scalars;                     /* per parameter of the host function */
    int64_t *scalar_regs;                /* the same as registers hold them */
    VEC(Window) windows;
    VEC(Domain) domains;
    VEC(Dispatch) dispatches;
    int64_t *bind_extents; /* scratch of calls: per dynamic extent, -1 */
    Lane *host_lane;
    /* the run */
    Processes *processes; /* NULL: all ranks are of this one */
    Fabric *fabric;
    Probe probe;
    HoleRuns *holes;     /* of the load or store under way, or NULL */
    Omission *omission;  /* what is left out of the program; NULL: nothing */
    bool stop_at_reads;  /* vm_run stops before every pl.read of a window */
    bool stop_at_data;   /* and before every other access of memory that lanes share */
    bool record;         /* keep the choices of the scheduler in `choices` */
    struct Mover *mover; /* of bytes of large operations (mover.h); NULL: they move at once */
    bool in_one;         /* the run goes from its start to its end and is not saved on the way */
    VEC(uint32_t) choices;
    int64_t horizon;     /* smallest time of the other lanes that can run: a lane beyond it yields
                            before it uses a port; INT64_MAX: never */
    Map negative_sites;  /* func << 32 | pc of divisions already reported */
    uint64_t host_steps; /* of the host function */
    uint32_t patience;   /* instructions on tiles and memory until world_look */
    const char *stopped; /* from outside, and why; NULL: it goes on */
    uint64_t steps;      /* instructions of all lanes */
    uint32_t n_tokens;   /* made so far for what EV_POST and EV_TAKE tell */
    uint32_t dispatches_left;
    CellLog *cells;
    bool failed;                               /* a fault: the run ends */
    bool stand_still;                          /* a fault stops its lane only */
    uint32_t n_still;                          /* lanes stopped so */
    bool setup_failed;                         /* the host part failed: nothing to run */
    bool keep_windows;                         /* world_reset leaves windows as they are */
    uint32_t print_rank;                       /* that RunConfig.print hears of */
    RunResult *result;                         /* of the run under way: reports go there */
    void (*on_unblock)(void *env, Lane *lane); /* the scheduler's: a lane became READY */
    void (*on_block)(void *env, Lane *lane);   /* a READY lane's wait holds no more: BLOCKED */
    void *sched_env;
};

/* A world with its tables and nothing in them; owns `fabric`. `config`, `program`, `result` must
 * outlive it. See sim/check/session.h for one that is ready to run. */
World *world_make(const BcProgram *program, const RunConfig *config, Fabric *fabric,
                  RunResult *result);
/* Loads the host's tensors, then runs the host function, which leaves windows, domains and
 * dispatches. On errors World.result has the report and its exit status is set; false then. */
bool world_build(World *w);
/* Back to the state after world_build, for another run; the reports go to `result`. */
void world_reset(World *w, RunResult *result);
void world_free(World *w);

/* Starts every dispatch that can start now (its device is idle, its dependencies hold): copies
 * tensors in, makes lanes READY. Called by the scheduler at the start and after each LANE_EXITED.
 */
void world_start_dispatches(World *w);
/* Are the lanes of a rank moved by this process? */
static inline bool world_is_mine(const World *w, uint32_t rank)
{
    return !w->processes || w->processes->home[rank] == w->processes->self;
}
/* The tensor that a region is part of. */
static inline const HostTensor *region_tensor(const World *w, const Region *r)
{
    return r->own ? r->own : &w->tensors[r->tensor];
}
/* Shows progress and asks whether to go on; false, with World.stopped set, when not. */
bool world_look(World *w);
/* Modelled time at which a rank was done, or where it stands; and the latest of all ranks. */
int64_t rank_time(const Rank *r);
int64_t world_time(const World *w);
/* A lane's orchestration function has returned, or its job's kernel. */
void world_lane_exit(World *w, Lane *lane);
/* The lane can run on from where it stands. */
void lane_ready(World *w, Lane *lane);
/* Its code has ended: it is in no function, waits for nothing and knows of no tiles. */
void lane_leave(Lane *lane);
/* Tests the waits of a rank again: after something landed there. Those that hold become READY, and
 * those that held until now and were not chosen (Eq, or a Set) BLOCKED. */
void world_recheck(World *w, uint32_t rank);

static inline CodePlace lane_place(const Lane *lane)
{
    CodePlace at = {.rank = lane->rank, .core = lane->core, .dispatch = lane->dispatch};
    at.job = lane->slot;
    at.block = lane->n_blocks ? (uint32_t)lane->block + 1 : 0;
    if (lane->frames.len) {
        at.func = vec_last(&lane->frames).func;
        at.pc = vec_last(&lane->frames).pc;
    }
    return at;
}
/* Rank in the domain of `window`; UINT32_MAX when the rank is not in it. */
uint32_t window_rank(const World *w, uint32_t window, uint32_t rank);
static inline const Domain *window_domain(const World *w, uint32_t window)
{
    return &w->domains.at[w->windows.at[window].domain];
}
/* Source position of code: NULL when stripped or unknown. */
const BcLoc *place_loc(const World *w, CodePlace at);
/* The builtin call and its step that code belongs to; NULL: it is written by hand. */
const BcRegion *place_region(const World *w, CodePlace at);
/* "pld.tensor.allreduce", for the code of a builtin call; else NULL. */
const char *place_builtin(const World *w, CodePlace at);
/* A number for what a report is about: the builtin call, or else the instruction. Of lines of the
 * source nothing is made, so that a stripped program is judged alike. */
uint64_t place_key(const World *w, CodePlace at);
/* Appends "file:line:col", or "function+pc" when there is no source map. */
void place_text(const World *w, Buf *out, CodePlace at);
const char *world_string(const World *w, uint32_t string);

/* Sets by other ranks that took the place of a value. */
typedef struct {
    uint64_t key; /* of the cell */
    uint32_t count;
    int32_t value;  /* that the last one replaced */
    CodePlace last; /* who did */
} CellReplaced;
void cell_log_set(World *w, FabAddr cell, int32_t before, CodePlace by);
/* NULL: there was none. */
const CellReplaced *cell_log_replaced(const World *w, FabAddr cell);
/* The clock's memory of cells. */
void cell_log_arrive(World *w, FabAddr cell, CellStep step);
/* First arrival from which on `cmp expected` holds without a break, or {0} when it held before all.
 */
CellStep cell_log_satisfied(World *w, FabAddr cell, int cmp, int32_t expected);
void cell_log_reset(World *w);
void cell_log_save(const World *w, Buf *out);
void cell_log_load(World *w, SaveReader *in);

#endif
