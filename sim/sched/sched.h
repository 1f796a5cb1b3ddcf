/* Which lane moves next. */
#ifndef PLD_SIM_SCHED_SCHED_H
#define PLD_SIM_SCHED_SCHED_H

#include "sim/machine/world.h"

/* A transition: a lane's pending operation, or (weak memory) the landing of a write. */
typedef struct {
    Lane *lane;                /* NULL: a landing */
    const FabLanding *landing; /* when lane is NULL; valid until the choice is made */
} Choice;

/* Names in choice lists and tokens: a lane is its id; a landing LANDING_BIT | from * n_ranks +
 * reader (the oldest one of that pair is meant). */
#define LANDING_BIT UINT32_C(0x80000000)
uint32_t choice_name(const World *w, const Choice *c);

typedef struct Policy Policy;
struct Policy {
    /* Returns the index of the choice to take, or UINT32_MAX to stop the run (result->stopped).
     * Lanes come in order of id, then landings in the fabric's order. n >= 1. */
    uint32_t (*choose)(Policy *p, World *w, const Choice *enabled, uint32_t n);
    bool stop_at_reads; /* a pl.read of a window is a transition of its own */
    bool stop_at_data;  /* so is any other access of memory that lanes share */
    bool landings;      /* offer landings while lanes can run; otherwise writes land as late as
                           the fabric allows, or when nothing else can move */
    bool stand_still;   /* a lane that faults, or runs for longer than --max-steps, stands still;
                           the others run on */
    uint64_t budget;    /* instructions a lane may run before others get a turn; 0: 10,000 */
    void (*destroy)(Policy *p);
};

/* "clock", "random:SEED", "pct:SEED:DEPTH"; NULL and *why (static text) for anything else. */
Policy *policy_parse(const char *text, const char **why);
/* Smallest modelled time first, ties by rank and core. Has a faster path than the others. */
Policy *policy_clock(void);
/* Takes the named choices in order, among them accesses of windows where `data` says so; a name
 * that is not enabled stops the run. After the last one: `then` (which it owns), or the first
 * enabled choice for NULL. */
Policy *policy_script(const uint32_t *names, uint32_t n, bool data, Policy *then);
void policy_free(Policy *p);

typedef enum { END_DONE, END_DEADLOCK, END_FAULT, END_STEPS, END_STOPPED } EndKind;

/* Runs a world (fresh or reset) to its end. Deadlocks are reported (deadlock.c), the observers
 * finished. Does not compare goldens. */
EndKind sched_run(World *w, Policy *p);
/* The same for a world that stands where a policy chooses: from there on. */
EndKind sched_go_on(World *w, Policy *p);

#endif
