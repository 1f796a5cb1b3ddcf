/* The cost card for programs. */
#include "sim/report/cost.h"

/* null where nothing was modelled. */
static void time(JsonWriter *j, const char *name, int64_t ps)
{
    json_key(j, name);
    if (ps < 0)
        json_number(j, "null");
    else
        json_int(j, ps);
}

static void counters(JsonWriter *j, const CostCount *c)
{
    for (unsigned i = 0; i < COST_COUNTERS; i++)
        json_member_int(j, cost_counter_name(i), (int64_t)cost_counter(c, i));
}

static void split(JsonWriter *j, const CostCount *c)
{
    time(j, "compute_ps", c->compute_ps);
    time(j, "memory_ps", c->memory_ps);
    time(j, "link_ps", c->link_ps);
    time(j, "waiting_ps", c->waiting_ps);
}

static void kernels(JsonWriter *j, World *w, uint32_t rank)
{
    CostCount c;
    json_member_open(j, "kernels", '[');
    for (uint32_t f = 0; f < w->program->n_funcs; f++) {
        if (!cost_kernel(w, rank, f, &c))
            continue;
        json_newline(j);
        json_open(j, '{');
        json_member_str(j, "name", world_string(w, w->program->funcs[f].name));
        json_member_int(j, "calls", (int64_t)c.calls);
        counters(j, &c);
        json_member_int(j, "core_peak_bytes", bc_core_bytes(&w->program->funcs[f]));
        split(j, &c);
        time(j, "begin_ps", c.begin_ps);
        time(j, "end_ps", c.end_ps);
        json_close(j);
    }
    json_close(j);
}

static void ranks(JsonWriter *j, World *w)
{
    json_member_open(j, "ranks", '[');
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        CostCount c = cost_rank(w, i);
        json_newline(j);
        json_open(j, '{');
        json_member_int(j, "rank", i);
        json_member_int(j, "device", w->ranks[i].device);
        counters(j, &c);
        json_member_int(j, "core_peak_bytes", cost_core_peak(w, i));
        time(j, "time_ps", cost_rank_time(w, i));
        split(j, &c);
        kernels(j, w, i);
        json_close(j);
    }
    json_close(j);
}

static void site_ranks(JsonWriter *j, World *w, const char *name, uint32_t site, bool measured)
{
    json_member_open(j, name, '[');
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        const CostCount *c =
            measured ? probe_site_cost(&w->probe, i, site) : probe_expected(&w->probe, i, site);
        json_newline(j);
        json_open(j, '{');
        json_member_int(j, "rank", i);
        counters(j, c);
        if (measured)
            split(j, c);
        json_close(j);
    }
    json_close(j);
}

/* Calls of a rank: the most that one made, by lanes of several cores once each. */
static int64_t calls_of(World *w, uint32_t site)
{
    uint64_t most = 0;
    const CostCall *call = &w->probe.site_calls[site].call;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        if (probe_expected(&w->probe, i, site)->calls > most)
            most = probe_expected(&w->probe, i, site)->calls;
    return (int64_t)most / (call->lanes > 1 ? call->lanes : 1);
}

static void call_numbers(JsonWriter *j, const SiteCall *s)
{
    json_member_int(j, "P", s->call.ranks);
    if (s->varies)
        return;
    json_member_int(j, "N",
                    s->call.op == BUILTIN_BARRIER ? 0 : s->call.rows * s->call.cols * s->call.elem);
    json_member_int(j, "chunks", cost_chunks(&s->call));
}

static void formula(JsonWriter *j, const CostForm *f)
{
    json_member_open(j, "formula", '{');
    json_member_str(j, "bytes_received", f->received);
    json_member_str(j, "data_steps", f->steps);
    json_member_str(j, "barriers", f->barriers);
    json_member_str(j, "self_notifies", f->self);
    json_close(j);
}

static bool differs(World *w, uint32_t site)
{
    for (uint32_t i = 0; i < w->n_ranks; i++)
        for (unsigned k = 0; k < COST_COUNTERS; k++)
            if (cost_counter(probe_site_cost(&w->probe, i, site), k) !=
                cost_counter(probe_expected(&w->probe, i, site), k))
                return true;
    return false;
}

/* Where the call stands in the source; a stripped program does not know. */
static void place(JsonWriter *j, const World *w, const CallSite *s)
{
    const BcLoc *loc = place_loc(w, (CodePlace){.func = s->func, .pc = s->pc});
    json_key(j, "file");
    if (loc)
        json_str(j, world_string(w, loc->file));
    else
        json_number(j, "null");
    json_member_int(j, "line", loc ? loc->line : 0);
    json_member_int(j, "col", loc ? loc->col : 0);
}

static void builtins(JsonWriter *j, World *w)
{
    json_member_open(j, "builtins", '[');
    for (uint32_t i = 0; i < w->call_sites->n; i++) {
        const CallSite *s = &w->call_sites->at[i];
        if (!w->probe.site_calls[i].made && !differs(w, i))
            continue;
        json_newline(j);
        json_open(j, '{');
        json_member_str(j, "op", builtin_info(s->builtin)->op);
        json_member_str(j, "mode", builtin_info(s->builtin)->mode);
        json_member_str(j, "kernel", world_string(w, w->program->funcs[s->func].name));
        place(j, w, s);
        json_member_int(j, "calls", calls_of(w, i));
        call_numbers(j, &w->probe.site_calls[i]);
        formula(j, cost_form(s->builtin));
        json_member_bool(j, "equal", !differs(w, i));
        site_ranks(j, w, "predicted", i, false);
        site_ranks(j, w, "measured", i, true);
        json_close(j);
    }
    json_close(j);
}

void cost_print_json(World *w, const RunResult *result, Buf *out)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    json_member_str(&j, "verdict", cost_verdict(result));
    json_member_int(&j, "status", result->status);
    json_member_int(&j, "steps", (int64_t)result->steps);
    time(&j, "time_ps", result->time_ps);
    if (w) {
        json_member_str(&j, "program", world_string(w, w->program->program_name));
        json_member_str(&j, "platform", w->platform.name);
        ranks(&j, w);
        builtins(&j, w);
    }
    json_close(&j);
    buf_char(out, '\n');
}
