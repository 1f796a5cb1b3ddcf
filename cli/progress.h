/* A line on the terminal that says how far a long run is. */
#ifndef PLD_CLI_PROGRESS_H
#define PLD_CLI_PROGRESS_H

#include "sim/host/run.h"

typedef struct {
    double start, last; /* seconds */
    bool shown;
} Progress;

/* Shows the progress of runs with this configuration when standard error is a terminal. */
void progress_begin(Progress *p, RunConfig *run);
/* Takes the line away. */
void progress_end(Progress *p);

#endif
