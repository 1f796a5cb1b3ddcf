/* The observers that judge a run: each reports what it finds as soon as it is certain. */
#ifndef PLD_SIM_CHECK_CHECKS_H
#define PLD_SIM_CHECK_CHECKS_H

#include "sim/machine/probe.h"

/* What certain order leaves open: races, waits and reads that depend on the schedule, credits that
 * nobody needs, and whether the run is a certificate. See order.h. */
Observer *check_order_new(World *w);
/* Is code at this place in a race of the run that has ended? */
bool check_order_raced(const Observer *order, CodePlace at);
/* How far the lane of a place is in the run under way, and whether every schedule comes so far: a
 * report about what some leave out would not be the same on all. */
uint32_t check_order_mark(const Observer *order, CodePlace at);
bool check_order_certain(const Observer *order, CodePlace at, uint32_t mark);
/* Reads of what nobody has written. Whether a read that is in a race finds something is a matter of
 * the schedule: with `order` (NULL: nobody looks), the race is told and nothing else. */
Observer *check_uninit_new(const World *w, const Observer *order);
/* Signal cells: builtins that leave one off zero, counters that wrap. */
Observer *check_signal_new(const World *w);

/* Iterations of a pl.parallel that touch the same bytes, one writing. */
Observer *check_parallel_new(void);
bool check_parallel_wanted(const BcProgram *p);
/* Dispatches that the order of the program alone puts in order: warnings. A program that says
 * nothing of tasks has no use for it. */
Observer *check_tasks_new(void);
bool check_tasks_wanted(const BcProgram *p);

/* Adds those that the run's configuration asks for. */
void checks_add(World *w);

#endif
