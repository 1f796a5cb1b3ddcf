#include "sim/check/checks.h"

#include "sim/machine/world.h"

static bool has_blocks(const BcProgram *p)
{
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t k = 0; k < p->funcs[i].n_insns; k++)
            if (p->funcs[i].insns[k].op == BC_SPMD)
                return true;
    return false;
}

void checks_add(World *w)
{
    unsigned checks = w->config->checks;
    Observer *order = NULL;
    if (checks & (CHECK_RACES | CHECK_SIGNALS) || w->config->certify)
        probe_add(&w->probe, order = check_order_new(w));
    if (checks & CHECK_RACES && has_blocks(w->program))
        probe_add(&w->probe, check_blocks_new());
    if (checks & CHECK_UNINIT)
        probe_add(&w->probe, check_uninit_new(w, checks & CHECK_RACES ? order : NULL));
    if (checks & CHECK_SIGNALS)
        probe_add(&w->probe, check_signal_new(w));
}
