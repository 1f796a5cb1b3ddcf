/* Run-time faults and other reports. */
#ifndef PLD_SIM_MACHINE_FAULT_H
#define PLD_SIM_MACHINE_FAULT_H

#include "sim/machine/world.h"

/* Reports a fault at the lane's current instruction; the run ends. Always false. */
bool vm_fault(World *w, Lane *lane, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* An error before any code ran: bad input, a program that does not fit the devices. Exit status
 * `status`. Always false. */
bool world_error(World *w, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds a report; its text is copied. `place` may be NULL. */
Report *report_add(World *w, ReportKind kind, const char *check, const CodePlace *place,
                   const char *text);

/* A row of reports.def. */
typedef struct {
    const char *word, *severity;
    int status;
} ReportInfo;
const ReportInfo *report_info(ReportKind kind);

#endif
