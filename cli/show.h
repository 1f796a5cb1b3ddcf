/* Files that show a run: --trace, --timeline and --report. */
#ifndef PLD_CLI_SHOW_H
#define PLD_CLI_SHOW_H

#include "cli/run_options.h"
#include "sim/explore/explore.h"
#include "sim/report/record.h"
#include "sim/report/watch.h"

typedef struct {
    Recorder recorder;
    Watch watch; /* its lines go where the caller says */
    Observer *observers[2];
} Show;

/* Makes the run record itself when a file is asked for. `v` lives as long as the run. */
void show_begin(Show *v, RunOptions *o);
/* Writes the files; false after a message when one could not be written. `w` NULL: nothing ran. */
bool show_write(const Show *v, const RunOptions *o, const World *w);
void show_free(Show *v);
/* Write o->junit, if there is one; false after a message. */
bool show_run_report(const RunOptions *o, const RunResult *r, int status);
bool show_explore_report(const RunOptions *o, const ExploreResult *r);

#endif
