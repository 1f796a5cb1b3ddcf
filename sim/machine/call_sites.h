/* The call sites of builtin collectives in a program: where the code of each stands and what it
 * works on. Which instructions are whose is said by the bytecode (BcRegion), debug information or
 * not; the rest is read off the instructions, once. */
#ifndef PLD_SIM_MACHINE_CALL_SITES_H
#define PLD_SIM_MACHINE_CALL_SITES_H

#include "codegen/bytecode.h"

/* One call of a builtin in one function. */
typedef struct {
    uint32_t func, pc; /* its first instruction */
    Builtin builtin;
    uint16_t signal; /* memory register of its signal, or BC_NONE */
    uint16_t data; /* memory register of what it moves, set when the call begins; BC_NONE: it moves
                      no data */
    int64_t root;  /* broadcast; -1: not a constant */
    bool lanes;    /* the payload is shared by the lanes of a dispatch */
} CallSite;

enum {
    CALL_BEGIN = 1,   /* a loop that is entered once a call */
    CALL_BARRIER = 2, /* a notify of a barrier */
    CALL_ROWS = 4,    /* a notify that carries a row count (all_to_all_v) */
    CALL_EACH = 8 /* a notify or wait of a barrier, or the notify to oneself that ends a call: one
                     for each peer, most likely */
};

typedef struct {
    uint32_t n;
    CallSite *at;
    uint32_t **site; /* per function: per instruction the call site, or UINT32_MAX; NULL: none */
    uint8_t **flags; /* per function: per instruction CALL_ bits; NULL: none */
    uint8_t **phase; /* per function: per instruction of a call its Phase; NULL: none */
} CallSites;

CallSites *call_sites_find(Arena *arena, const BcProgram *p);

/* Call site of an instruction, or UINT32_MAX. */
static inline uint32_t call_site_of(const CallSites *s, uint32_t func, uint32_t pc)
{
    return s->site[func] ? s->site[func][pc] : UINT32_MAX;
}
static inline uint8_t call_flags(const CallSites *s, uint32_t func, uint32_t pc)
{
    return s->flags[func] ? s->flags[func][pc] : 0;
}

#endif
