/* Sparse vector clocks. A clock is a row of blocks of VC_BLOCK entries; a block that is all zero is
 * not there, and equal parts of different clocks are one block, so a thousand threads that met at
 * a barrier hold one copy of what they all know. */
#ifndef PLD_SIM_CHECK_VCLOCK_H
#define PLD_SIM_CHECK_VCLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define VC_BLOCK 16u

typedef struct VcBlock VcBlock;

/* A zeroed VClock is the clock of somebody who knows nothing. */
typedef struct {
    VcBlock **at; /* NULL: a block of zeros */
    uint32_t n;
} VClock;

uint32_t vclock_get(const VClock *c, uint32_t thread);
void vclock_set(VClock *c, uint32_t thread, uint32_t epoch);
/* The larger entries of both; true when `to` changed. */
bool vclock_join(VClock *to, const VClock *from);
/* The smaller entries of both. */
void vclock_meet(VClock *to, const VClock *from);
void vclock_copy(VClock *to, const VClock *from);
/* The same entries? */
bool vclock_equal(const VClock *a, const VClock *b);
void vclock_free(VClock *c);

#endif
