/* The cost card for reading: a line a rank and kernel, then each builtin with its closed form.
 * Ranks with equal counters share a line. */
#include "sim/report/cost.h"

#include <string.h>

static void time_us(Buf *out, int width, int64_t ps)
{
    Buf text = {0};
    if (ps < 0) /* over processes nothing is modelled */
        buf_char(&text, '-');
    else
        buf_printf(&text, "%lld.%02lld", (long long)(ps / 1000000),
                   (long long)(ps % 1000000 / 10000));
    buf_printf(out, " %*s", width, text.at);
    buf_free(&text);
}

static void counters(Buf *out, const CostCount *c)
{
    static const int width[COST_COUNTERS] = {11, 11, 6, 8, 6, 7, 8};
    for (unsigned i = 0; i < COST_COUNTERS; i++)
        buf_printf(out, " %*llu", width[i], (unsigned long long)cost_counter(c, i));
}

static void heading(Buf *out, const char *first, int width, bool times)
{
    buf_printf(out, "%-*s %11s %11s %6s %8s %6s %7s %8s", width, first, "received", "sent", "steps",
               "notifies", "self", "waits", "barriers");
    if (times)
        buf_printf(out, " %8s %10s %9s %9s %9s %9s", "on-core", "time us", "compute", "memory",
                   "link", "waiting");
    buf_char(out, '\n');
}

static void times(Buf *out, const CostCount *c, int64_t core, int64_t time)
{
    buf_printf(out, " %8lld", (long long)core);
    time_us(out, 10, time);
    time_us(out, 9, c->compute_ps);
    time_us(out, 9, c->memory_ps);
    time_us(out, 9, c->link_ps);
    time_us(out, 9, c->waiting_ps);
    buf_char(out, '\n');
}

static void rank_lines(World *w, uint32_t rank, int width, Buf *out)
{
    CostCount c;
    for (uint32_t f = 0; f < w->program->n_funcs; f++) {
        if (w->program->funcs[f].kind != BCF_INCORE || !cost_kernel(w, rank, f, &c))
            continue;
        buf_printf(out, "%4u %-*s", rank, width - 5, world_string(w, w->program->funcs[f].name));
        counters(out, &c);
        times(out, &c, bc_core_bytes(&w->program->funcs[f]), c.end_ps - c.begin_ps);
    }
    c = cost_rank(w, rank);
    buf_printf(out, "%4u %-*s", rank, width - 5, "all");
    counters(out, &c);
    times(out, &c, cost_core_peak(w, rank), cost_rank_time(w, rank));
}

static int name_width(const World *w)
{
    size_t width = 8;
    for (uint32_t f = 0; f < w->program->n_funcs; f++)
        if (w->program->funcs[f].kind == BCF_INCORE) {
            size_t n = strlen(world_string(w, w->program->funcs[f].name));
            width = n > width ? n : width;
        }
    return (int)(width > 40 ? 40 : width) + 5;
}

static bool same(World *w, uint32_t site, uint32_t a, uint32_t b)
{
    for (unsigned i = 0; i < COST_COUNTERS; i++)
        if (cost_counter(probe_site_cost(&w->probe, a, site), i) !=
                cost_counter(probe_site_cost(&w->probe, b, site), i) ||
            cost_counter(probe_expected(&w->probe, a, site), i) !=
                cost_counter(probe_expected(&w->probe, b, site), i))
            return false;
    return true;
}

/* "rank 2", "ranks 0-3" and the two lines of counters. */
static void site_lines(World *w, uint32_t site, uint32_t first, uint32_t last, Buf *out)
{
    const CostCount *measured = probe_site_cost(&w->probe, first, site);
    const CostCount *form = probe_expected(&w->probe, first, site);
    Buf name = {0};
    buf_printf(&name, first == last ? "  rank %u" : "  ranks %u-%u", first, last);
    buf_printf(out, "%-14s measured   ", name.at);
    counters(out, measured);
    buf_printf(out, "\n%-14s closed form", "");
    counters(out, form);
    bool equal = true;
    for (unsigned i = 0; i < COST_COUNTERS; i++)
        equal &= cost_counter(measured, i) == cost_counter(form, i);
    buf_str(out, equal ? "  equal\n" : "  DIFFERENT\n");
    buf_free(&name);
}

static void formulas(const SiteCall *s, const CostForm *f, Buf *out)
{
    const CostCall *c = &s->call;
    buf_printf(out, "  P = %lld", (long long)c->ranks);
    if (c->op != BUILTIN_BARRIER && !s->varies)
        buf_printf(out, ", N = %lld bytes, c = %lld", (long long)(c->rows * c->cols * c->elem),
                   (long long)cost_chunks(c));
    if (c->lanes > 1)
        buf_printf(out, " a core, %lld cores", (long long)c->lanes);
    buf_printf(out,
               "; received %s, steps %s, barriers B = %s,\n"
               "  notifies = waits = B*(P-1)%s, self %s\n",
               f->received, f->steps, f->barriers, c->op == BUILTIN_ALL_TO_ALL_V ? " (+ P-1)" : "",
               f->self);
}

static void site_card(World *w, uint32_t site, Buf *out)
{
    const CallSite *s = &w->call_sites->at[site];
    const BuiltinInfo *info = builtin_info(s->builtin);
    uint64_t calls = 0;
    for (uint32_t i = 0; i < w->n_ranks; i++)
        calls += probe_expected(&w->probe, i, site)->calls;
    if (!w->probe.site_calls[site].made)
        return;
    buf_printf(out, "\n%s%s%s at ", info->op, *info->mode ? " mode=" : "", info->mode);
    place_text(w, out, (CodePlace){.func = s->func, .pc = s->pc});
    buf_printf(out, ", %llu call%s of all ranks%s\n", (unsigned long long)calls,
               calls == 1 ? "" : "s", s->lanes ? " and cores" : "");
    formulas(&w->probe.site_calls[site], cost_form(s->builtin), out);
    heading(out, "", 26, false);
    for (uint32_t i = 0, end; i < w->n_ranks; i = end + 1) {
        for (end = i; end + 1 < w->n_ranks && same(w, site, i, end + 1);)
            end++;
        site_lines(w, site, i, end, out);
    }
}

void cost_print(World *w, Buf *out)
{
    int64_t time = cost_rank_time(w, 0);
    int width = name_width(w);
    for (uint32_t i = 1; i < w->n_ranks; i++)
        if (cost_rank_time(w, i) > time)
            time = cost_rank_time(w, i);
    buf_printf(out, "cost of %s on %s, %u devices: modelled time",
               world_string(w, w->program->program_name), w->platform.name, w->n_ranks);
    time_us(out, 0, time);
    buf_str(out, " us\n");
    heading(out, "rank kernel", width, true);
    for (uint32_t i = 0; i < w->n_ranks; i++)
        rank_lines(w, i, width, out);
    for (uint32_t i = 0; i < w->call_sites->n; i++)
        site_card(w, i, out);
    buf_char(out, '\n');
}
