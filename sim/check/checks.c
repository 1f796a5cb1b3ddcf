#include "sim/check/checks.h"

#include "sim/machine/world.h"

void checks_add(World *w)
{
    unsigned checks = w->config->checks;
    Observer *order = NULL;
    if (checks & (CHECK_RACES | CHECK_SIGNALS) || w->config->certify)
        probe_add(&w->probe, order = check_order_new(w));
    if (checks & CHECK_UNINIT)
        probe_add(&w->probe, check_uninit_new(w, checks & CHECK_RACES ? order : NULL));
    if (checks & CHECK_SIGNALS)
        probe_add(&w->probe, check_signal_new(w));
    if (checks & CHECK_RACES && check_parallel_wanted(w->program))
        probe_add(&w->probe, check_parallel_new());
    if (checks & CHECK_TASKS && check_tasks_wanted(w->program))
        probe_add(&w->probe, check_tasks_new());
}
