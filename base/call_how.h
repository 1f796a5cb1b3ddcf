/* How a dispatch of an orchestration function is ordered: in Expr.how, and in the instruction AS.
 */
#ifndef PLD_BASE_CALL_HOW_H
#define PLD_BASE_CALL_HOW_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CALL_MANUAL = 1,   /* inside of pl.manual_scope: its order is what deps= say */
    CALL_DEFERRED = 2, /* a scope of pld.system.defer_wait: over at once, its task when all hold */
    CALL_HOW_BITS = 2,
    CALL_NO_DEP_BITS = 28 /* arguments behind these have none */
};

/* Is argument i of a call that is ordered like this in pl.no_dep? */
static inline bool call_frees(uint32_t how, uint32_t i)
{
    return i < CALL_NO_DEP_BITS && (how >> CALL_HOW_BITS >> i & 1);
}

#endif
