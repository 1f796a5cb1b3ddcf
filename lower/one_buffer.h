/* Collectives whose source and target are one buffer. */
#ifndef PLD_LOWER_ONE_BUFFER_H
#define PLD_LOWER_ONE_BUFFER_H

#include "ir/ir.h"

/* Reports a collective that pushes (allgather, all_to_all, all_to_all_v) out of the buffer that it
 * writes into, in a host function or at the call that passes both; functions are flat, collectives
 * not yet expanded. false after a report. */
bool low_one_buffer(Program *p);

#endif
