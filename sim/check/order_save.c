/* The log in the middle of a run as bytes. What the end of a run made of it is not part of that. */
#include "sim/check/order.h"

static void save_thread(Buf *out, const OrderThread *t)
{
    save_value(out, t->first);
    save_value(out, t->last);
    save_value(out, t->n_events);
    save_value(out, t->puts);
    save_value(out, t->merge);
    save_value(out, t->last_sync);
    save_value(out, t->started);
    save_vec(out, &t->accesses);
    save_vec(out, &t->sources);
}

static void load_thread(SaveReader *in, OrderThread *t)
{
    load_value(in, t->first);
    load_value(in, t->last);
    load_value(in, t->n_events);
    load_value(in, t->puts);
    load_value(in, t->merge);
    load_value(in, t->last_sync);
    load_value(in, t->started);
    load_vec(in, &t->accesses);
    load_vec(in, &t->sources);
}

bool order_save(const OrderCheck *c, Buf *out)
{
    if (c->cut || c->sums || c->source_races.len || c->rounds.len)
        return false;
    save_value(out, c->n_events);
    for (uint32_t i = 1; i <= c->n_events; i++)
        save_value(out, *order_event(c, i));
    for (uint32_t u = 0; u < c->n_threads; u++)
        save_thread(out, &c->threads[u]);
    save_vec(out, &c->cells);
    save_vec(out, &c->slices);
    save_map(out, &c->slice_index);
    save_vec(out, &c->grids);
    save_value(out, c->n_accesses);
    save_value(out, c->shared_cores);
    save_value(out, c->tokens.len);
    return true;
}

void order_load(OrderCheck *c, SaveReader *in)
{
    load_value(in, c->n_events);
    for (uint32_t i = 1; i <= c->n_events; i++)
        load_value(in, *order_event(c, i));
    for (uint32_t u = 0; u < c->n_threads; u++)
        load_thread(in, &c->threads[u]);
    load_vec(in, &c->cells);
    order_cells_index(c);
    load_vec(in, &c->slices);
    load_map(in, &c->slice_index);
    load_vec(in, &c->grids);
    uint32_t n_tokens;
    load_value(in, c->n_accesses);
    load_value(in, c->shared_cores);
    load_value(in, n_tokens);
    while (c->tokens.len < n_tokens)
        vec_push(&c->tokens, (OrderToken){0});
}
