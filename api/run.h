/* A run and its arguments: what api/run.c, api/start.c and api/search.c share. */
#ifndef PLD_API_RUN_H
#define PLD_API_RUN_H

#include "api/border.h"
#include "api/settings.h"
#include "sim/machine/world.h"
#include "sim/report/record.h"
#include "sim/report/watch.h"

/* What the caller gave for a tensor. */
typedef struct {
    const char *name;
    pld_tensor tensor;
    int64_t shape[BC_MAX_RANK], strides[BC_MAX_RANK];
} RunArray;

/* What does the work of a sub-worker. */
typedef struct {
    const char *name;
    int (*f)(void *user, const pld_tensor *args, size_t n);
    void *user;
} RunCallback;

typedef enum {
    OUT_COST,
    OUT_TRACE,
    OUT_SVG,
    OUT_HTML,
    OUT_PRINTS,
    OUT_REPORTS,
    OUT_JUNIT,
    OUT_DISPATCHES,
    OUT_COUNT
} Output;

struct pld_run {
    Heap heap; /* settings */
    pld_program *program;
    RunSettings settings;
    VEC(RunArray) tensors;
    VEC(HostArray) goldens;
    VEC(RunCallback) callbacks;
    bool cost, trace, timeline;
    bool no_print, quiet, json, junit, dispatches;
    Texts prints, watches; /* what to show after the run, and while it runs */
    int (*progress)(void *user, uint64_t steps, int64_t time_ps);
    void *user;
    double last_progress, end; /* seconds */
    atomic_int cancelled;
    bool settled;      /* nothing but arrays was set since the last start */
    HeapBudget budget; /* of `work` */
    Heap work;         /* of the last start or exploration: below */
    World *world;      /* that ran, or NULL */
    RunResult result;
    Recorder recorder;
    Watch watch;
    const char *text;
    Buf outputs[OUT_COUNT], search; /* search: pld_explore_json */
    const char *searched;           /* token of the first failure of an exploration, or NULL */
    const char *why;
    int broken;
};

/* PLD_USAGE, with its reason. */
int run_refuse(pld_run *r, const char *why);
/* Notes a status after which the handle is good for nothing; the status. */
int run_finish(pld_run *r, int status);
/* Empties what the last start left, and holds the settings against the program. */
int run_settle(pld_run *r);
/* An option about what a run shows: SETTING_UNKNOWN when `name` is none; a value that is refused is
 * SETTING_BAD, with r->why. `value` is NULL or lives as long as the settings. */
SettingResult run_shows(pld_run *r, const char *name, const char *value);
/* Texts of a run that ended; its status, or PLD_USAGE for a tensor to print that there is not. */
int run_show(pld_run *r, int status);
/* Calls back for a sub-worker; RunConfig.outside. */
bool run_outside(void *env, const char *name, const OutsideArg *args, uint32_t n);
/* Makes the configuration of a start; arrays that are not dense are copied into `arena`. */
RunConfig run_config(pld_run *r, Arena *arena);
/* Starts the clocks of progress and time limit. */
void run_clock(pld_run *r);
/* Asks the caller, at most 20 times a second, whether to go on: `done` steps or executions. */
void run_ask(pld_run *r, uint64_t done);

#endif
