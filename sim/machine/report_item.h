/* The places of a report, for programs that read it. */
#ifndef PLD_SIM_MACHINE_REPORT_ITEM_H
#define PLD_SIM_MACHINE_REPORT_ITEM_H

#include "sim/machine/world.h"

enum { REPORT_ITEMS = 4096 };
/* Adds a place to the last report; `role` is a literal. The item may be changed until the next
 * call. Those beyond REPORT_ITEMS of a report are left out. */
ReportItem *report_item(World *w, const char *role, CodePlace at);
/* The bytes from `at` to `end` of a window's slice, as elements of `dtype`. */
void report_item_window(World *w, ReportItem *item, FabAddr at, int64_t end, uint8_t dtype);
/* Adds a place that is about a signal cell. */
void report_item_cell(World *w, const char *role, CodePlace at, FabAddr cell);
/* Adds where a lane stands and, of a blocked one, what it waits for. */
void report_item_lane(World *w, const char *role, const Lane *lane);

#endif
