/* Where the lanes of a run that was stopped stand. */
#ifndef PLD_SIM_SCHED_STAND_H
#define PLD_SIM_SCHED_STAND_H

#include "sim/machine/world.h"

/* Appends a line for each lane that has not ended, 16 at most: its instructions, its place, and the
 * loop around it. */
void stand_text(const World *w, Buf *out);
/* Adds their places to the last report. */
void stand_items(World *w);
/* The line of one lane. */
void stand_lane_text(const World *w, const Lane *lane, Buf *out);

#endif
