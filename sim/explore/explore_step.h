/* What an execution did, transition by transition: the raw material of partial-order reduction. */
#ifndef PLD_SIM_EXPLORE_EXPLORE_STEP_H
#define PLD_SIM_EXPLORE_EXPLORE_STEP_H

#include "sim/explore/explore_scope.h"
#include "sim/sched/sched.h"

/* ACC_SUM: an atomic add of integers, which commutes with its like. */
typedef enum { ACC_READ, ACC_WRITE, ACC_ADD, ACC_SUM } AccessKind;

typedef struct {
    uint8_t kind; /* AccessKind */
    FabRect rect;
} StepAccess;

/* In rect.at.window of an access to device memory that the cores of a dispatch share: with the
 * numbers of dispatch and region. */
#define DEVICE_BIT UINT32_C(0x80000000)

typedef enum {
    STEP_NOTIFY,
    STEP_WAIT,
    STEP_FENCE,
    STEP_DATA, /* atomic store, pl.read, or another access of a window */
    STEP_EXIT,
    STEP_JOIN,    /* jobs have ended, as the lane waited for */
    STEP_LAND,    /* a write of `rank` becomes visible */
    STEP_REFRESH, /* `rank` sees what has landed */
} StepKind;

typedef struct {
    uint32_t name; /* as in choice lists: of the lane, or of the landing */
    uint8_t kind;  /* StepKind */
    uint8_t op;    /* NotifyOp, WaitCmp, FenceKind */
    bool monotone; /* NOTIFY: adds without a wrap, and not below 0 */
    bool wraps;    /* NOTIFY */
    int32_t value;
    int32_t before; /* NOTIFY: of the cell */
    uint32_t rank;  /* that acts */
    uint32_t dispatch;
    FabRect rect;             /* cell (run 4), or what lands */
    bool ends;                /* EXIT: of the dispatch's last lane */
    uint32_t n_begun, *begun; /* dispatches that started with it */
    uint32_t n_access, cap_access;
    StepAccess *access; /* windows it touched; empty where that is no matter of order */
    uint32_t n_after;
    LaneStep *after; /* what others did that its lane had to wait for, not by cells */
    bool hands_on;   /* EXIT: the lane's core may be taken by what waits for one */
} Step;

/* A new step from a choice about to be taken. */
Step *step_new(const World *w, const Choice *c);
Step *step_copy(const Step *s);
void step_free(Step *s);
/* Sets what the lane had to wait for. */
void step_after(Step *s, const LaneStep *steps, uint32_t n);
void step_begin(Step *s, uint32_t dispatch);
void step_access(Step *s, AccessKind kind, const FabRect *rect);

/* Two ends of blocks, where others wait for a core: which of them gets it is told by their order.
 */
bool step_hand_on(const Step *a, const Step *b);
/* A release fence, or the end of a dispatch, which is one too. */
bool step_releases(const Step *s);
/* An acquire fence, or a refresh: the rank sees what has landed. */
bool step_sees(const Step *s);
static inline bool step_is_signal(const Step *s)
{
    return s->kind == STEP_NOTIFY || s->kind == STEP_WAIT;
}

/* Does the wait hold for a cell of this value? */
bool step_holds(const Step *wait, int32_t value);
static inline bool step_same_cell(const Step *a, const Step *b)
{
    return fab_addr_equal(&a->rect.at, &b->rect.at);
}

/* Two accesses of common bytes whose order can be seen. */
bool access_conflict(const StepAccess *a, const StepAccess *b);
/* Do the bytes that the step reads, a wait's cell among them, lie in what this rank must not be
 * assumed to see at a known moment? */
bool step_views(const Scope *scope, const Step *s);
/* Does the step write bytes of which it matters when they land? */
bool step_lands(const Scope *scope, const Step *s);
/* Weak memory: a landing against any step of another process. */
bool step_landing_matters(const Scope *scope, const Step *land, const Step *x);
/* Weak memory: writes of two lanes of one rank to one target, which land in the order in which they
 * were made, what they write and add being the same or not. */
bool step_queues_matter(const Scope *scope, const Step *a, const Step *b);
/* Two transitions of different lanes or landings that can both happen next: could their order
 * matter? Errs towards yes. */
bool step_dependent(const Scope *scope, const Step *a, const Step *b);

#endif
