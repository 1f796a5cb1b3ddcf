/* The certificate: one run that decides for every schedule (pld-memory(7)). */
#ifndef PLD_SIM_EXPLORE_CERTIFY_H
#define PLD_SIM_EXPLORE_CERTIFY_H

#include "sim/explore/explore.h"

/* Makes one run by the clock. True when it is a certificate, or the program could not be started:
 * `result` is that of a whole exploration then, with `decides` set. */
bool explore_certified(const BcProgram *program, const RunConfig *config,
                       const ExploreOptions *options, ExploreResult *result);

#endif
