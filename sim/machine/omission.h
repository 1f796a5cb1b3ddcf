/* A program without some of its synchronisation: instructions to leave out, and what later waits
 * and resets must expect less because of it. */
#ifndef PLD_SIM_MACHINE_OMISSION_H
#define PLD_SIM_MACHINE_OMISSION_H

#include "base/map.h"
#include "codegen/bytecode.h"

typedef struct {
    uint32_t n_funcs;
    uint8_t **skip; /* per function, NULL or per instruction: 1 when left out */
    Map less;       /* omission_key -> units of credits that are not there any more */
} Omission;

/* Names the nth notify or wait that a lane comes to in a run, from 0. */
static inline uint64_t omission_key(uint32_t lane, uint32_t nth, bool wait)
{
    return (uint64_t)lane << 32 | (uint64_t)(nth & 0x7fffffffu) << 1 | wait;
}

static inline bool omission_skips(const Omission *p, uint32_t func, uint32_t pc)
{
    return p->skip[func] && p->skip[func][pc];
}

Omission *omission_new(const BcProgram *program);
void omission_skip(Omission *p, const BcProgram *program, uint32_t func, uint32_t pc);
void omission_free(Omission *p);

#endif
