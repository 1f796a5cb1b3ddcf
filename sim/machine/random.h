/* Random numbers that depend on a seed and a counter only, not on what was drawn before.
 * Philox4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2,
 * 3", SC 2011. */
#ifndef PLD_SIM_MACHINE_RANDOM_H
#define PLD_SIM_MACHINE_RANDOM_H

#include <stdint.h>

/* A number in [0, 1), a multiple of 2^-53. */
double random_uniform(uint64_t seed, uint64_t index);
/* A standard normal number. */
double random_normal(uint64_t seed, uint64_t index);

#endif
