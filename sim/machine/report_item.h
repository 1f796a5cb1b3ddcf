/* The places of a report, for programs that read it. */
#ifndef PLD_SIM_MACHINE_REPORT_ITEM_H
#define PLD_SIM_MACHINE_REPORT_ITEM_H

#include "sim/machine/world.h"

/* Adds a place to the last report; `role` is a literal. The item may be changed until the next
 * call. Of more than REPORT_ITEMS of a report the rest is left out: *spare takes it. */
ReportItem *report_item(World *w, const char *role, CodePlace at);
enum { REPORT_ITEMS = 4096 };
/* The bytes [first, end) of a window's slice, as elements of `dtype`. */
void report_item_window(World *w, ReportItem *item, FabAddr at, int64_t end, uint8_t dtype);
/* What a blocked lane waits for. */
void report_item_lane(World *w, const char *role, const Lane *lane);

#endif
