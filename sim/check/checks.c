#include "sim/check/checks.h"

#include "sim/machine/world.h"

void checks_add(World *w)
{
    unsigned checks = w->config->checks;
    if (checks & CHECK_RACES)
        probe_add(&w->probe, check_race_new(w));
    if (checks & CHECK_UNINIT)
        probe_add(&w->probe, check_uninit_new(w));
    if (checks & CHECK_SIGNALS)
        probe_add(&w->probe, check_signal_new(w));
}
