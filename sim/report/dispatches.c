#include "sim/report/dispatches.h"

#include "base/json.h"
#include "sim/machine/fault.h"

static void after(JsonWriter *j, uint32_t id, const char *why)
{
    json_open(j, '{');
    json_member_int(j, "id", id);
    json_member_str(j, "why", why);
    json_close(j);
}

/* Who stands before dispatch `id` in the queue of its device; UINT32_MAX: nobody. */
static uint32_t before(const World *w, uint32_t id)
{
    const Rank *r = &w->ranks[w->dispatches.at[id].rank];
    for (uint32_t i = 1; i < r->queue.len; i++)
        if (r->queue.at[i] == id)
            return r->queue.at[i - 1];
    return UINT32_MAX;
}

static void afters(JsonWriter *j, const World *w, uint32_t id)
{
    const Dispatch *d = &w->dispatches.at[id];
    uint32_t last = before(w, id);
    json_member_open(j, "after", '[');
    if (last != UINT32_MAX)
        after(j, last, "queue");
    for (uint32_t i = 0; i < d->n_deps; i++)
        after(j, d->deps[i].dispatch, d->deps[i].at_start ? "start" : "data");
    json_close(j);
}

static void tensors(JsonWriter *j, const World *w, const Dispatch *d)
{
    json_member_open(j, "tensors", '[');
    for (uint32_t i = 0; i < d->n_regions; i++) {
        const Region *r = &d->regions[i];
        json_open(j, '{');
        json_member_str(j, "tensor", w->tensors[r->tensor].name);
        json_member_int(j, "offset", r->offset);
        json_member_int(j, "bytes", r->bytes);
        json_member_bool(j, "writes", r->writes);
        json_close(j);
    }
    json_close(j);
}

static void place(JsonWriter *j, const World *w, CodePlace at)
{
    const BcLoc *loc = place_loc(w, at);
    if (!loc || !loc->line)
        return;
    json_member_str(j, "file", world_string(w, loc->file));
    json_member_int(j, "line", loc->line);
    json_member_int(j, "col", loc->col);
}

static void dispatch(JsonWriter *j, const World *w, uint32_t id)
{
    const Dispatch *d = &w->dispatches.at[id];
    const BcFunc *f = &w->program->funcs[d->func];
    json_newline(j);
    json_open(j, '{');
    json_member_int(j, "id", id);
    json_member_str(j, "function", world_string(w, f->name));
    json_member_int(j, "rank", d->rank);
    json_member_int(j, "device", w->ranks[d->rank].device);
    json_member_int(j, "cores", d->cores);
    json_member_bool(j, "subworker", bc_is_outside(f));
    place(j, w, d->from);
    json_member_int(j, "begin_ps", d->state == DSP_QUEUED ? -1 : d->begin_ps);
    json_member_int(j, "end_ps", d->state == DSP_DONE ? d->end_ps : -1);
    tensors(j, w, d);
    afters(j, w, id);
    json_close(j);
}

void dispatches_print(const World *w, Buf *out)
{
    JsonWriter j;
    json_init(&j, out);
    json_open(&j, '{');
    json_member_open(&j, "dispatches", '[');
    for (uint32_t i = 0; i < w->dispatches.len; i++)
        dispatch(&j, w, i);
    json_close(&j);
    json_close(&j);
    json_newline(&j);
}
