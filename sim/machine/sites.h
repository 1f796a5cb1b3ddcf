/* Where the code of builtin collectives stands in a program: found once from the source map, for
 * the cost card. A stripped program has no sites. */
#ifndef PLD_SIM_MACHINE_SITES_H
#define PLD_SIM_MACHINE_SITES_H

#include "codegen/bytecode.h"
#include "sim/machine/cost_form.h"

/* One builtin call in the source, in one function. */
typedef struct {
    uint32_t func;
    const BcLoc *loc; /* of its first instruction */
    CostOp op;
    uint16_t signal; /* memory register of its signal, or BC_NONE */
    int64_t root;    /* broadcast; -1: not a constant */
    bool lanes;      /* the payload is shared by the lanes of a dispatch */
} Site;

enum {
    SITE_BEGIN = 1,   /* a loop that is entered once a call */
    SITE_BARRIER = 2, /* a notify of a barrier */
    SITE_COUNT = 4    /* a notify that carries a row count (all_to_all_v) */
};

typedef struct {
    uint32_t n;
    Site *at;
    uint32_t **site; /* per function: per instruction the site, or UINT32_MAX; NULL: no sites */
    uint8_t **flags; /* per function: per instruction SITE_ bits; NULL: none */
} Sites;

Sites *sites_find(Arena *arena, const BcProgram *p);

/* Site of an instruction, or UINT32_MAX. */
static inline uint32_t site_of(const Sites *s, uint32_t func, uint32_t pc)
{
    return s->site[func] ? s->site[func][pc] : UINT32_MAX;
}
static inline uint8_t site_flags(const Sites *s, uint32_t func, uint32_t pc)
{
    return s->flags[func] ? s->flags[func][pc] : 0;
}
/* The memory register of the data that the call which begins at `pc` works on: a register that is
 * set when the call begins. BC_NONE: it moves no data. */
uint16_t site_data(const Sites *s, const BcProgram *p, uint32_t func, uint32_t pc);

#endif
