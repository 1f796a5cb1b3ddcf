/* What the builtin calls of a run must cost: each is described from its memory when it begins. */
#include "sim/machine/call_sites.h"
#include "sim/machine/world.h"

/* What a builtin call of the lane is about: false when its memory is not there. */
static bool describe_call(World *w, Lane *lane, uint32_t number, CostCall *c)
{
    const Frame *top = &vec_last(&lane->frames);
    const CallSite *site = &w->call_sites->at[number];
    const Platform *compiled = &platforms[w->program->platform];
    const MemRef *signal = site->signal == BC_NONE ? NULL : &top->mregs[site->signal];
    const MemRef *data = site->data == BC_NONE ? signal : &top->mregs[site->data];
    if (!signal || signal->kind != MEM_WINDOW || data->kind != MEM_WINDOW || data->rank == 0)
        return false;
    int64_t elements = 1;
    (void)shape_elements(data->rank, data->shape, &elements);
    *c = (CostCall){.op = site->builtin,
                    .ranks = window_domain(w, signal->object)->n,
                    .rank = window_rank(w, signal->object, lane->rank),
                    .rows = data->shape[0] > 0 ? data->shape[0] : 1,
                    .elem = dtype_bytes(data->dtype),
                    .grain = data->dtype == DT_FP16 ? 16 : 1,
                    .chunk = compiled->collective_chunk,
                    .lane = site->lanes ? lane->core : 0,
                    .lanes = site->lanes ? w->dispatches.at[lane->dispatch].cores : 1,
                    .root = site->root};
    c->cols = elements / c->rows;
    c->own_row = signal->rank == 2 && signal->shape[0] == 2 * c->ranks - 1;
    return true;
}

static void note_call(SiteCall *s, const CostCall *call)
{
    s->varies |= s->made && (s->call.rows != call->rows || s->call.cols != call->cols);
    s->call = *call;
    s->made = true;
}

void probe_loop(Probe *p, Lane *lane)
{
    CodePlace at = lane_place(lane);
    CostCall call;
    uint32_t site = call_site_of(p->world->call_sites, at.func, at.pc);
    if (site != UINT32_MAX && (call_flags(p->world->call_sites, at.func, at.pc) & CALL_BEGIN) &&
        describe_call(p->world, lane, site, &call)) {
        cost_expect(&call, probe_expected(p, lane->rank, site));
        note_call(&p->site_calls[site], &call);
    }
}

/* all_to_all_v tells its peers how many rows it moved: only then is known what it must have cost.
 */
void probe_rows(Probe *p, const Event *e)
{
    World *w = p->world;
    uint32_t number = call_site_of(w->call_sites, e->at.func, e->at.pc);
    if (number == UINT32_MAX || e->target == e->at.rank || e->value < 0)
        return;
    const Frame *top = &vec_last(&e->lane->frames);
    for (uint32_t pc = 0; pc < top->f->n_insns; pc++) {
        if (w->call_sites->site[e->at.func][pc] != number || top->f->insns[pc].op != BC_PUT)
            continue;
        const MemRef *target = &top->mregs[top->f->insns[pc].a];
        if (target->kind != MEM_WINDOW || target->rank == 0)
            return;
        uint64_t row = (uint64_t)target->shape[target->rank - 1] * dtype_bytes(target->dtype);
        CostCount *self = probe_expected(p, e->at.rank, number);
        self->data_steps += (uint64_t)e->value;
        self->bytes_sent += (uint64_t)e->value * row;
        probe_expected(p, e->target, number)->bytes_received += (uint64_t)e->value * row;
        return;
    }
}
