/* A verdict in the form that continuous integration reads: what --report=junit:FILE writes. */
#ifndef PLD_SIM_REPORT_JUNIT_H
#define PLD_SIM_REPORT_JUNIT_H

#include "sim/explore/explore.h"

/* Appends a test case for the run, for each of `checks` (CHECK_RACES, ...) and for each output; of
 * an exploration one for it and one for each kind of failure. `name` is the program's. */
void junit_run(Buf *out, const char *name, unsigned checks, const RunResult *r, int status);
void junit_explore(Buf *out, const char *name, const ExploreResult *r);

#endif
