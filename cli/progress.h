/* A line that says how far a long run is. */
#ifndef PLD_CLI_PROGRESS_H
#define PLD_CLI_PROGRESS_H

#include "sim/explore/explore.h"
#include "sim/host/run.h"

typedef struct {
    double start, last; /* seconds */
    bool terminal;      /* one line, written over and taken away; else a line a second */
    bool shown;
} Progress;

/* Shows the progress of runs with this configuration, and of explorations, on standard error:
 * when that is a terminal, or `always`. */
void progress_begin(Progress *p, RunConfig *run, ExploreOptions *explore, bool always);
/* Takes the line away. */
void progress_end(Progress *p);

#endif
