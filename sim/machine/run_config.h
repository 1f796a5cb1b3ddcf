/* What a run is given and what it leaves: settings, reports, exit statuses. */
#ifndef PLD_SIM_MACHINE_RUN_CONFIG_H
#define PLD_SIM_MACHINE_RUN_CONFIG_H

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

/* An array of the caller's memory for a host tensor. */
typedef struct {
    const char *name;
    bool golden;   /* what the tensor must be; else what it is at the start */
    uint8_t dtype; /* Dtype */
    uint8_t rank;
    int64_t shape[BC_MAX_RANK];
    int64_t bytes;
    const char *data; /* dense, row-major; read in place until the world is freed */
} HostArray;

/* What a sub-worker gets: memory that it reads or writes, dense and row-major, or a number. */
typedef struct {
    const char *name; /* of the parameter */
    uint8_t dtype, rank;
    bool writes;
    const int64_t *shape;
    void *data;
} OutsideArg;

/* The checks of a run as bits: checks.def. */
enum {
#define PLD_CHECK(ENUM, word, reports) CHECK_BIT_##ENUM,
#include "sim/machine/checks.def"
    N_CHECKS
};
enum {
#define PLD_CHECK(ENUM, word, reports) CHECK_##ENUM = 1 << CHECK_BIT_##ENUM,
#include "sim/machine/checks.def"
    CHECK_ALL = (1 << N_CHECKS) - 1
};

typedef struct World World;
typedef struct Observer Observer;
typedef struct Processes Processes;

/* Where the host's tensors come from and what becomes of them: set by whoever starts runs. */
typedef struct {
    /* Sets extents, tensors (shape and initial value) and scalars of a world that has its tables.
     * False after an error report. */
    bool (*load)(World *w);
    /* Over processes, `load` leaves the tensors' values to this, which sets the bytes that are
     * needed here (HostTensor.spans). */
    bool (*fill)(World *w);
    /* Compares outputs with their goldens after a run that ended well; false on a mismatch. */
    bool (*compare)(World *w);
} HostData;

typedef struct {
    const HostData *host;     /* see sim/host/run.h; never NULL */
    Processes *processes;     /* that the devices are spread over; NULL: this one */
    const Platform *platform; /* the program's own when NULL; a copy with --platform-set */
    uint32_t n_devices;
    const uint32_t *devices; /* ids of -d */
    const NamedText *inputs, *goldens, *outputs, *extents;
    uint32_t n_inputs, n_goldens, n_outputs, n_extents;
    const HostArray *arrays; /* before files of the same name */
    uint32_t n_arrays;
    double rtol, atol; /* negative: unsaid */
    uint64_t seed;
    unsigned checks;            /* CHECK_ bits */
    bool weak;                  /* --mem=weak */
    const char *schedule;       /* "clock" when NULL */
    const char *command;        /* how the run was asked for, without a schedule; NULL: not known */
    uint64_t max_steps;         /* 0: no limit */
    Observer *const *observers; /* more observers (trace); they stay the caller's */
    uint32_t n_observers;
    bool no_golden;   /* do not compare */
    uint32_t repeat;  /* queue every dispatch so many times, the whole queue in turn; 0: once */
    uint32_t without; /* leave this row of --explain-sync out, from 1; 0: none */
    void (*progress)(void *env, const World *w); /* called now and then, or NULL */
    void *progress_env;
    /* Asked now and then: why the run must end ("time limit", "interrupted"); NULL: it goes on. */
    const char *(*stop)(void *env);
    void *stop_env;
    /* Takes what pl.debug_print says, as it says it; NULL: it says nothing. */
    void (*print)(void *env, const char *text, size_t len);
    void *print_env;
    /* Does what a sub-worker does, by its name; false: the run is to end. NULL: nobody does. */
    bool (*outside)(void *env, const char *name, const OutsideArg *args, uint32_t n);
    void *outside_env;
    unsigned threads; /* of a run, whose result is the same with any number; 0: one */
    bool certify;     /* find out whether the run is a certificate, whatever is checked */
    bool cost;        /* hold what was counted against the closed forms of the builtins */
} RunConfig;

typedef enum {
#define PLD_REPORT(ENUM, word, severity, status) REP_##ENUM,
#include "sim/machine/reports.def"
} ReportKind;

/* A place that a report speaks of, and the memory that it is about there. */
typedef struct {
    const char *role; /* "blocked", "writes", "reads", "waits", ...: what was done there */
    const char *op;   /* in the source's words: "wait", "remote_store"; NULL: none */
    uint32_t rank, core;
    const char *file; /* NULL: no place */
    uint32_t line, col;
    const char *window, *parameter; /* names of the buffer and, where it is another, of the
                                       parameter; NULL: none */
    const char *tensor;             /* of the host, NULL: none */
    uint32_t owner;                 /* rank whose slice of the window it is */
    const char *elements;           /* "data_buf[2, 0:16]"; NULL: none */
    const char *cmp;                /* waits: ">=" or "=="; NULL: no wait */
    int32_t value, wanted;          /* of the cell, and what it waits for */
} ReportItem;

/* An output that is not what its golden says. */
typedef struct {
    const char *output;
    int64_t bad, elements; /* that differ, of how many */
    double largest;        /* difference */
    double rtol, atol;
    const char *index, *got, *golden; /* of the first one: "[0, 3]", "1.5", "2.0" */
} GoldenMismatch;

typedef struct {
    ReportKind kind;
    const char *check; /* "race", "uninit", "signal", "fence", "deadlock", "fault", ... */
    uint32_t rank;     /* UINT32_MAX: none */
    const char *file;  /* NULL: no place */
    uint32_t line, col;
    uint64_t key;     /* equal for reports at one place of the code, debug information or not */
    const char *text; /* one line or several, complete: begins with the place */
    const ReportItem *items;
    uint32_t n_items;
    const GoldenMismatch *mismatch; /* REP_GOLDEN */
} Report;

/* Is it no failure? */
static inline bool report_is_minor(const Report *r)
{
    return r->kind == REP_WARNING || r->kind == REP_NOTE;
}

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
    const char *token;     /* replays a failure; NULL: there is none */
    bool certified;        /* what was found holds for every schedule */
    const char *uncertain; /* why not; NULL: certified, or nobody asked */
} RunResult;

void run_result_free(RunResult *result);
/* The texts of all reports, one after another, each ending its line; in `arena`. */
const char *run_result_text(Arena *arena, const RunResult *result);
/* The worse of two exit statuses: fault, deadlock, check, golden, ok. */
int status_worse(int a, int b);

#endif
