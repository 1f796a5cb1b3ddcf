/* The one wrapper around the fabric: whatever a lane does to memory or signals goes through here.
 * It performs the operation, asks the clock what it costs, counts, and tells the observers (race
 * check, uninitialised reads, signal ledger, trace). Nothing else counts bytes or operations. */
#ifndef PLD_SIM_MACHINE_PROBE_H
#define PLD_SIM_MACHINE_PROBE_H

#include "base/save.h"
#include "base/vec.h"
#include "sim/machine/cost_form.h"
#include "sim/machine/mem.h"

typedef struct World World;
typedef struct Lane Lane;

typedef enum {
    EV_DISPATCH_BEGIN, /* tensors are copied in; func is the orchestration function */
    EV_DISPATCH_END,   /* tensors are copied out, once per dispatch: after its last lane's end */
    EV_LANE_BEGIN,     /* one lane of a dispatch starts; then its kernels */
    EV_LANE_END,
    EV_KERNEL_BEGIN, /* call of an InCore function; func is the callee */
    EV_KERNEL_END,
    EV_COMPUTE,      /* a tile op, or a run of scalar instructions before another event */
    EV_READ,         /* own slice of a window, by load or pl.read */
    EV_WRITE,        /* own slice of a window, by store, pl.write or the destination of a get */
    EV_REMOTE_READ,  /* a peer's slice (a get reads in chunks) */
    EV_REMOTE_WRITE, /* a peer's slice (a put writes in chunks) */
    EV_ATOMIC,       /* atomic adds of a remote_store or put */
    EV_PUT_SOURCE,   /* source of a put: counts as read until the rank's next notify or fence */
    EV_TENSOR_READ,  /* device tensor, including the source of a put (then a PUT_SOURCE follows) */
    EV_TENSOR_WRITE,
    EV_NOTIFY,     /* sent */
    EV_ARRIVE,     /* it has reached its cell; `lane` is NULL, rank the sender's */
    EV_WAIT_BLOCK, /* a wait found its predicate false; begin == end */
    EV_WAIT,       /* satisfied; begin is when the lane came to it, end when it went on */
    EV_FENCE,
    EV_LAND,         /* weak memory: a write became visible to `target`; `lane` is NULL */
    EV_TILE_UNINIT,  /* an operation read tile `tile`, which nobody has written */
    EV_NEGATIVE_MOD, /* a // or % with a negative dividend */
    EV_FAULT,
    EV_POST, /* what the lane has done so far comes before whoever takes the token `link`; of a
                job's beginning value is how many will */
    EV_TAKE, /* it comes after the lanes that posted the token `link`, value of them; value 0: it
                begins there and knows what that one lane knew */
    EV_ITERATION, /* of a pl.parallel: op is the IterationPart, link the index of NEXT */
    EV_COUNT
} EventKind;

typedef enum { ITERATION_FIRST, ITERATION_NEXT, ITERATION_LAST } IterationPart;

/* Where the code was: enough for a report. */
typedef struct {
    uint32_t rank, core;
    uint32_t dispatch; /* number of the dispatch in host order */
    uint32_t func, pc;
    uint32_t block; /* 1 + the number of the block of a pl.spmd; 0: none */
    uint32_t job;   /* of a lane of a job: 1 + a number that no other of its rank has then, the same
                       whichever core it is on; 0: none */
} CodePlace;

typedef struct {
    EventKind kind;
    Lane *lane;   /* NULL where the kind says so */
    uint64_t seq; /* counts events of the run: a total order */
    CodePlace at;
    FabRect rect;    /* memory events: the bytes; rect.at.rank is the target. NOTIFY, WAIT...: the
                        cell, run 4. TENSOR: rect.at.window is the region of the dispatch */
    uint32_t target; /* rect.at.rank where there is one */
    bool tensor;     /* rect.at.window is a region of the dispatch, not a window */
    uint8_t dtype;   /* of the elements */
    uint8_t op;      /* NotifyOp, WaitCmp, FenceKind, AtomicType; TileOp for COMPUTE (TOP_COUNT:
                        scalar work) */
    int32_t value;   /* NOTIFY, ARRIVE: operand. WAIT: expected */
    int32_t before, after;    /* ARRIVE: of the cell. WAIT, WAIT_BLOCK: after is the cell's value */
    uint16_t tile;            /* TILE_UNINIT: slot of the function */
    uint16_t insn;            /* BcOp of the instruction */
    uint32_t chunk, n_chunks; /* of a put or get, from 0; otherwise 0 and 1 */
    int64_t begin, end;       /* ps; for NOTIFY and writes end is when the lane goes on */
    int64_t arrive;     /* ps; NOTIFY, ARRIVE, remote writes: when it is there. WAIT: arrival of the
                           notify that satisfied it */
    uint64_t link;      /* ARRIVE: seq of its NOTIFY. WAIT: seq of the NOTIFY that satisfied it,
                           0: none (held from the start). TILE_UNINIT: what the load
                           came upon, 0: there was none */
    FabPayload payload; /* ARRIVE: what this observer attached to the NOTIFY */
    const FabRect *whole; /* ATOMIC: the rectangle as the instruction made it, */
    const FabLocal *data; /* and what is added, in its shape; NULL otherwise */
} Event;

typedef struct Observer Observer;
struct Observer {
    const char *name;
    uint32_t mask; /* bit per EventKind it wants */
    void (*event)(Observer *o, World *w, const Event *e);
    /* Appends what shall travel with a notify; NULL: nothing. Called before its EV_NOTIFY. */
    void (*payload)(Observer *o, World *w, const Event *notify, Buf *out);
    /* After the last event of a run: reports what only the end shows. `ok`: every lane finished. */
    void (*finish)(Observer *o, World *w, bool ok);
    void (*reset)(Observer *o, World *w); /* before another run of the same world */
    /* Appends its state in the middle of a run, false when that cannot be done now, and goes back
     * to one that was saved, from wherever it is. Both NULL: never. */
    bool (*save)(const Observer *o, Buf *out);
    void (*load)(Observer *o, World *w, SaveReader *in);
    void (*destroy)(Observer *o);
};

#define EV_BIT(kind) (UINT32_C(1) << (kind))

/* The calls of a builtin: the last one, for its numbers. */
typedef struct {
    CostCall call;
    bool made, varies; /* varies: calls of different sizes */
} SiteCall;

typedef struct {
    World *world;
    VEC(Observer *) observers;
    uint32_t mask; /* union of the observers' */
    uint64_t seq;
    /* [rank * n_slots + slot]; slot func: an InCore function's own code, or an orchestration
     * function's between kernels; slot n_funcs + site: a builtin's */
    CostCount *cost;
    CostCount *expected;  /* [rank * n_sites + site]: what the closed forms say of the calls made */
    SiteCall *site_calls; /* [n_sites] */
    uint32_t n_slots;
    Buf payload; /* scratch */
} Probe;

void probe_init(Probe *p, World *w);
void probe_free(Probe *p);
void probe_reset(Probe *p);
/* The observers' state too: false when one of them cannot be saved. */
bool probe_save(const Probe *p, Buf *out);
void probe_load(Probe *p, SaveReader *in);
void probe_add(Probe *p, Observer *o);
/* True when somebody wants this kind: callers may leave making the event otherwise. */
static inline bool probe_wants(const Probe *p, EventKind kind)
{
    return p->mask & EV_BIT(kind);
}
/* Hands an event without memory access (KERNEL_BEGIN, COMPUTE, ...) to the observers; fills seq,
 * at, insn from its lane. */
void probe_emit(Probe *p, Event *e);

/* The accesses. `lane` acts at its current instruction; its clock moves. On an error status nothing
 * has been counted or reported. `kind` is the EventKind; rect.at.rank the target. */
FabStatus probe_read(Probe *p, Lane *lane, EventKind kind, const FabRect *from, FabLocal to,
                     uint8_t dtype);
FabStatus probe_write(Probe *p, Lane *lane, EventKind kind, const FabRect *to, FabLocal from,
                      uint8_t dtype);
/* An access whose bytes were moved through a direct pointer or lie in a device tensor: clock,
 * counters, observers only. */
void probe_touch(Probe *p, Lane *lane, EventKind kind, const FabRect *rect, uint8_t dtype,
                 bool tensor);
/* Counters of one rank in one function, builtins apart. */
CostCount *probe_cost(Probe *p, uint32_t rank, uint32_t func);
/* Counters of one rank in one builtin call: measured, and by its closed form. */
CostCount *probe_site_cost(Probe *p, uint32_t rank, uint32_t site);
CostCount *probe_expected(Probe *p, uint32_t rank, uint32_t site);
/* Adds time that no access took: compute. */
void probe_compute(Probe *p, const Lane *lane, int64_t time);
/* The lane enters a loop: where a builtin call begins with it, its cost is worked out. */
void probe_loop(Probe *p, Lane *lane);
/* After a notify with CALL_ROWS: all_to_all_v tells its peers how many rows it moved; only then is
 * known what it must have cost. */
void probe_rows(Probe *p, const Event *notify);
FabStatus probe_notify(Probe *p, Lane *lane, FabAddr cell, int op, int32_t value);
/* Completes a wait that `test` says is satisfied. */
FabStatus probe_wait(Probe *p, Lane *lane, FabAddr cell, int cmp, int32_t expected);
FabStatus probe_fence(Probe *p, Lane *lane, int kind);
FabStatus probe_land(Probe *p, const FabLanding *landing);
void probe_finish(Probe *p, bool ok);

#endif
