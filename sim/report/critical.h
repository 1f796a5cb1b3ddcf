/* The critical path of a recorded run: what, had it been faster, would have ended the run earlier.
 */
#ifndef PLD_SIM_REPORT_CRITICAL_H
#define PLD_SIM_REPORT_CRITICAL_H

#include "sim/report/record.h"

/* What the time of the path went to: the kinds of operations, and what is between them. */
enum { PATH_FLIGHT = SHOW_COUNT, PATH_IDLE, PATH_KINDS };

/* A piece of time of the path, on a lane; a flight leads from one lane to another. */
typedef struct {
    uint8_t kind;
    uint32_t rank, core;
    uint32_t from_rank, from_core; /* FLIGHT: where it began; else as above */
    int64_t begin, end;            /* ps */
} PathStep;

typedef struct {
    VEC(PathStep) at;          /* from the end of the run to its start, without a hole */
    int64_t share[PATH_KINDS]; /* ps of each kind */
    int64_t total;
} CriticalPath;

/* Walks back from the lane that ended last. Empty for a run without operations. */
void critical_find(const World *w, const Recorder *r, CriticalPath *path);
void critical_free(CriticalPath *path);
/* Appends "62 % remote, 21 % signals under way, ...", the largest first; all of 1 % and more. */
void critical_text(const CriticalPath *path, Buf *out);

#endif
