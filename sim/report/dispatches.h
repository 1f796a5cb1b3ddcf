/* The graph of dispatches: what the host function queued, where, and what waits for what. */
#ifndef PLD_SIM_REPORT_DISPATCHES_H
#define PLD_SIM_REPORT_DISPATCHES_H

#include "base/buf.h"
#include "sim/machine/world.h"

/* Appends {"dispatches": [{"id", "function", "rank", "device", "cores", "subworker", "file",
 * "line", "col", "begin_ps", "end_ps", "tensors": [{"tensor", "offset", "bytes", "writes"}],
 * "after": [{"id", "why"}]}]}. `why`: "queue", the one before on the device; "data", bytes that it
 * writes; "start", bytes that it copies in before they are written. Times are -1 of what did not
 * run. */
void dispatches_print(const World *w, Buf *out);

#endif
