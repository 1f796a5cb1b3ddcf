/* The observers that judge a run: each reports what it finds as soon as it is certain. */
#ifndef PLD_SIM_CHECK_CHECKS_H
#define PLD_SIM_CHECK_CHECKS_H

#include "sim/machine/probe.h"

/* Unordered conflicting accesses of windows: vector clocks over live ranges. */
Observer *check_race_new(const World *w);
/* Reads of what nobody has written. */
Observer *check_uninit_new(const World *w);
/* Signal cells: builtins that leave one off zero, counters that wrap, waits that hold already,
 * credits that nobody acquires. */
Observer *check_signal_new(const World *w);

/* Adds those that the run's configuration asks for. */
void checks_add(World *w);

#endif
