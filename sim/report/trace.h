/* The recorded run in the trace event format that Perfetto and chrome://tracing open. */
#ifndef PLD_SIM_REPORT_TRACE_H
#define PLD_SIM_REPORT_TRACE_H

#include "sim/report/record.h"

/* About 20 MB at most: returns the time, in ps, of the operations that are merged because they are
 * shorter; 0: none are. */
int64_t trace_print(const World *w, const Recorder *r, Buf *out);

#endif
