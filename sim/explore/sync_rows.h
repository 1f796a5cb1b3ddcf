/* The synchronisation of a program, row by row: what --explain-sync leaves out and tries. */
#ifndef PLD_SIM_EXPLORE_SYNC_ROWS_H
#define PLD_SIM_EXPLORE_SYNC_ROWS_H

#include "sim/check/session.h"
#include "sim/machine/omission.h"

typedef enum {
    ROW_WAIT,   /* a wait alone */
    ROW_SET,    /* notifies and the waits that take their credits */
    ROW_NOTIFY, /* a notify whose credits no wait takes: a reset */
    ROW_FENCE,
    ROW_UNREACHED /* a notify or wait that never ran */
} SyncRowKind;

typedef struct {
    uint8_t kind;  /* SyncRowKind */
    uint8_t fence; /* FenceKind */
    uint32_t site; /* the first of its sites */
    bool builtin;
    bool reads_only;  /* FENCE: lands or shows nothing, it only orders writes after reads */
    const char *text; /* "step.pld:12: wait", complete */
} SyncRow;

typedef struct SyncRows SyncRows;

/* Runs the program once and looks. NULL when it could not be started or did not end well; `result`
 * has the report. */
SyncRows *sync_rows_new(const BcProgram *program, const RunConfig *config, RunResult *result);
uint32_t sync_rows_count(const SyncRows *rows);
const SyncRow *sync_rows_at(const SyncRows *rows, uint32_t i);
/* The row of the same instructions in another run's rows; UINT32_MAX: none. */
uint32_t sync_rows_same(const SyncRows *rows, const SyncRows *in, uint32_t i);
void sync_rows_free(SyncRows *rows);

/* session_new, and what config->without names left out of the program. */
World *session_without(const BcProgram *program, const RunConfig *config, RunResult *result);

#endif
