/* Sums of the counters, and the comparison with the closed forms. A builtin that costs what it must
 * not is an error of the compiler or the simulator: the run fails. */
#include "sim/report/cost.h"

#include "sim/machine/fault.h"

static void add(CostCount *to, const CostCount *c)
{
    to->bytes_received += c->bytes_received;
    to->bytes_sent += c->bytes_sent;
    to->data_steps += c->data_steps;
    to->notifies += c->notifies;
    to->self_notifies += c->self_notifies;
    to->waits += c->waits;
    to->barriers += c->barriers;
    to->compute_ps = clock_add(to->compute_ps, c->compute_ps);
    to->memory_ps = clock_add(to->memory_ps, c->memory_ps);
    to->link_ps = clock_add(to->link_ps, c->link_ps);
    to->waiting_ps = clock_add(to->waiting_ps, c->waiting_ps);
}

CostCount cost_rank(World *w, uint32_t rank)
{
    CostCount sum = {0};
    for (uint32_t i = 0; i < w->probe.n_slots; i++)
        add(&sum, probe_cost(&w->probe, rank, i));
    return sum;
}

bool cost_kernel(World *w, uint32_t rank, uint32_t func, CostCount *out)
{
    *out = *probe_cost(&w->probe, rank, func);
    if (w->program->funcs[func].kind == BCF_HOST || out->calls == 0)
        return false;
    for (uint32_t i = 0; i < w->call_sites->n; i++)
        if (w->call_sites->at[i].func == func)
            add(out, probe_site_cost(&w->probe, rank, i));
    return true;
}

int64_t cost_rank_time(const World *w, uint32_t rank)
{
    return rank_time(&w->ranks[rank]);
}

int64_t cost_time(const World *w)
{
    return world_time(w);
}

int64_t cost_core_peak(const World *w, uint32_t rank)
{
    int64_t peak = 0;
    for (uint32_t i = 0; i < w->ranks[rank].n_lanes; i++)
        if (w->ranks[rank].lanes[i].core_peak > peak)
            peak = w->ranks[rank].lanes[i].core_peak;
    return peak;
}

const char *cost_verdict(const RunResult *r)
{
    switch (r->status) {
    case EXIT_OK: return r->n_checked ? "OK" : "done (nothing checked)";
    case EXIT_GOLDEN: return "golden";
    case EXIT_USAGE: return "usage";
    case EXIT_DEADLOCK: return "deadlock";
    case EXIT_CHECK: return "check";
    case EXIT_FAULT: return "fault";
    case EXIT_STEPS: return "steps";
    case EXIT_INCOMPLETE: return "incomplete";
    default: return "internal";
    }
}

static void report_difference(World *w, uint32_t site, uint32_t rank, unsigned counter)
{
    const CallSite *s = &w->call_sites->at[site];
    const BuiltinInfo *info = builtin_info(s->builtin);
    Buf text = {0};
    place_text(w, &text, (CodePlace){.func = s->func, .pc = s->pc});
    buf_printf(&text, ": cost: rank %u: %s%s%s: %s %llu, the closed form says %llu", rank, info->op,
               *info->mode ? " mode=" : "", info->mode, cost_counter_name(counter),
               (unsigned long long)cost_counter(probe_site_cost(&w->probe, rank, site), counter),
               (unsigned long long)cost_counter(probe_expected(&w->probe, rank, site), counter));
    Report *r = report_add(w, REP_INTERNAL, "cost", NULL, text.at);
    r->rank = rank;
    buf_free(&text);
}

void cost_check(World *w)
{
    for (uint32_t site = 0; site < w->call_sites->n; site++)
        for (uint32_t rank = 0; rank < w->n_ranks; rank++)
            for (unsigned i = 0; i < COST_COUNTERS; i++)
                if (cost_counter(probe_site_cost(&w->probe, rank, site), i) !=
                    cost_counter(probe_expected(&w->probe, rank, site), i))
                    report_difference(w, site, rank, i);
}
