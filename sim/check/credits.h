/* Credits of hand-written protocols that no wait needs. */
#ifndef PLD_SIM_CHECK_CREDITS_H
#define PLD_SIM_CHECK_CREDITS_H

#include "sim/check/order.h"

/* May some be left over in a cell without flags? */
bool credits_left(const OrderCell *cell);
/* Reports those of a run that finished: a warning, and an error where a wait for a value that an
 * earlier one had reached passed one by. */
void credits_judge(OrderCheck *c, const OrderCell *cell);

#endif
