/* Running a program from start to verdict: what cli/ calls. */
#ifndef PLD_SIM_RUN_H
#define PLD_SIM_RUN_H

#include "codegen/bytecode.h"

/* Exit statuses of pldrun. */
enum {
    EXIT_OK = 0,
    EXIT_GOLDEN = 1,
    EXIT_USAGE = 2,
    EXIT_DEADLOCK = 3,
    EXIT_CHECK = 4,
    EXIT_FAULT = 5,
    EXIT_STEPS = 6,
    EXIT_INCOMPLETE = 7,
    EXIT_INTERNAL = 70
};

typedef struct {
    const char *name, *value; /* --input x=x.npy: "x", "x.npy"; -D NR=4: "NR", "4" */
} NamedText;

enum { CHECK_RACES = 1, CHECK_UNINIT = 2, CHECK_SIGNALS = 4, CHECK_FENCES = 8, CHECK_ALL = 15 };

struct World;
typedef struct Policy Policy;
typedef struct Observer Observer;

typedef struct {
    const Platform *platform; /* the program's own when NULL; a copy with --platform-set */
    uint32_t n_devices;
    const uint32_t *devices; /* ids of -d */
    const NamedText *inputs, *goldens, *outputs, *extents;
    uint32_t n_inputs, n_goldens, n_outputs, n_extents;
    double rtol, atol; /* negative: unsaid */
    uint64_t seed;
    unsigned checks;            /* CHECK_ bits */
    bool weak;                  /* --mem=weak */
    const char *schedule;       /* "clock" when NULL */
    uint64_t max_steps;         /* 0: no limit */
    Observer *const *observers; /* more observers (trace); they stay the caller's */
    uint32_t n_observers;
    bool no_golden;   /* do not compare */
    uint32_t repeat;  /* queue every dispatch so many times, the whole queue in turn; 0: once */
    uint32_t without; /* leave this row of --explain-sync out, from 1; 0: none */
    void (*progress)(void *env, const struct World *w); /* called now and then, or NULL */
    void *progress_env;
    bool cost; /* hold what was counted against the closed forms of the builtins */
} RunConfig;

typedef enum {
    REP_USAGE,
    REP_FAULT,
    REP_DEADLOCK,
    REP_CHECK,
    REP_WARNING,
    REP_GOLDEN,
    REP_STEPS,
    REP_INTERNAL, /* an error of ours */
    REP_NOTE
} ReportKind;

typedef struct {
    ReportKind kind;
    const char *check; /* "race", "uninit", "signal", "fence", "deadlock", "fault", ... */
    uint32_t rank;     /* UINT32_MAX: none */
    const char *file;  /* NULL: no place */
    uint32_t line, col;
    const char *text; /* one line or several, complete: begins with the place */
} Report;

typedef struct {
    Arena arena; /* owns everything below */
    int status;  /* exit status so far: the worst by fault, deadlock, check, golden */
    Report *reports;
    uint32_t n_reports, cap_reports;
    uint32_t n_checked;     /* outputs that had a golden */
    const char **unchecked; /* names of outputs without one */
    uint32_t n_unchecked;
    uint64_t steps;    /* instructions */
    int64_t time_ps;   /* modelled time of the whole run */
    uint32_t *choices; /* names of the scheduler's choices, when recorded */
    uint32_t n_choices;
} RunResult;

/* Builds a world, runs it under config->schedule, compares goldens, writes --output files, frees
 * it. Returns result->status. `result` starts zeroed and is freed with run_result_free. */
int sim_run(const BcProgram *program, const RunConfig *config, RunResult *result);
void run_result_free(RunResult *result);
/* The texts of all reports, one after another, each ending its line; in `arena`. */
const char *run_result_text(Arena *arena, const RunResult *result);

/* The parts, for those who run one world many times (world_new, world_reset): */
/* world_new, and what config->without names left out of the program. */
struct World *run_world_new(const BcProgram *program, const RunConfig *config, RunResult *result);
/* Runs a fresh or reset world under a policy with its goldens compared; returns the exit status. */
int run_world(struct World *w, Policy *policy);
/* The world of the last sim_run is kept for --print and --cost when `keep` is given. */
int sim_run_keep(const BcProgram *program, const RunConfig *config, RunResult *result,
                 struct World **keep);

/* The worse of two exit statuses: fault, deadlock, check, golden, ok. */
int status_worse(int a, int b);

#endif
