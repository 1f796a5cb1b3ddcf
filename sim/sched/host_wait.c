/* Dispatches that do not start because of host tensors. */
#include "sim/sched/host_wait.h"

#include "sim/sched/deadlock.h"

/* The host tensor whose bytes make `d` wait for `on`. */
static const HostTensor *shared_tensor(const World *w, const Dispatch *d, const Dispatch *on)
{
    for (uint32_t i = 0; i < d->n_regions; i++)
        for (uint32_t k = 0; k < on->n_regions; k++) {
            const Region *a = &d->regions[i], *b = &on->regions[k];
            if (a->tensor == b->tensor && a->offset < b->offset + b->bytes &&
                b->offset < a->offset + a->bytes && (a->writes || b->writes))
                return &w->tensors[a->tensor];
        }
    return NULL;
}

/* What they wait for, and the way out: slices of their own. */
static void host_wait_text(const World *w, Buf *out, const Dispatch *d, const Dispatch *on,
                           bool at_start)
{
    const HostTensor *t = shared_tensor(w, d, on);
    const char *name = t ? t->name : "a host tensor";
    buf_printf(out, ": rank %u: this dispatch waits for host tensor %s, which the one at ", d->rank,
               name);
    deadlock_line(w, out, on->from);
    buf_printf(out, " on rank %u %s too", on->rank, at_start ? "reads" : "writes");
    if (t && t->rank > 1)
        buf_printf(out, ": pass %s[r], so that each device has a slice of its own", name);
}

void host_waits_text(const World *w, Buf *out)
{
    for (uint32_t i = 0; i < w->n_ranks; i++) {
        const Rank *q = &w->ranks[i];
        if (q->busy || q->next == q->queue.len)
            continue;
        const Dispatch *d = &w->dispatches.at[q->queue.at[q->next]];
        for (uint32_t k = 0; k < d->n_deps; k++) {
            const Dispatch *on = &w->dispatches.at[d->deps[k].dispatch];
            if (d->deps[k].at_start ? on->state != DSP_QUEUED : on->state == DSP_DONE)
                continue;
            buf_str(out, "\n  ");
            place_text(w, out, d->from);
            host_wait_text(w, out, d, on, d->deps[k].at_start);
            break;
        }
    }
}
