/* The recorded run in the trace event format that Perfetto and chrome://tracing open. */
#ifndef PLD_SIM_REPORT_TRACE_H
#define PLD_SIM_REPORT_TRACE_H

#include "sim/report/record.h"

void trace_print(const World *w, const Recorder *r, Buf *out);

#endif
