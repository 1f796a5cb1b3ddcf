/* Outputs against what they should be. */
#ifndef PLD_SIM_HOST_OUTPUTS_H
#define PLD_SIM_HOST_OUTPUTS_H

#include "sim/machine/world.h"

/* Compares every Out and InOut tensor that has a golden; a report for each that differs. Notes
 * outputs without one in result->unchecked. False when a golden could not be evaluated. */
bool outputs_compare(World *w);

#endif
