/* What happens on all devices together, as counters of a trace. */
#ifndef PLD_SIM_REPORT_TRACE_COUNTERS_H
#define PLD_SIM_REPORT_TRACE_COUNTERS_H

#include "base/json.h"
#include "sim/report/record.h"

/* Writes the counters "bytes under way" and "waiting ranks" into the open array of events, of the
 * process behind those of the ranks. */
void trace_counters(const World *w, const Recorder *r, JsonWriter *j);

#endif
