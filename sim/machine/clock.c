/* Why LogGP: o, L, g and G are what separates a mesh of few large messages from a ring of many
 * small ones, and all four can be measured on a machine. Sums saturate, so that no platform setting
 * can overflow. */
#include "sim/machine/clock.h"

#define FOREVER (INT64_MAX / 4)

int64_t clock_add(int64_t a, int64_t b)
{
    return a > FOREVER - b ? FOREVER : a + b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Time for `bytes` at `ps_per_kib`, rounded up; saturates at INT64_MAX / 4. */
static int64_t clock_bytes(int64_t bytes, int64_t ps_per_kib)
{
    int64_t whole, rest = (bytes % 1024 * ps_per_kib + 1023) / 1024;
    if (__builtin_mul_overflow(bytes / 1024, ps_per_kib, &whole) || whole > FOREVER)
        return FOREVER;
    return clock_add(whole, rest);
}

int64_t clock_memory(const Platform *pf, int64_t now, int64_t bytes)
{
    return clock_add(now, clock_add(pf->mem_latency, clock_bytes(bytes, pf->mem_ps_per_kib)));
}

int64_t clock_compute(const Platform *pf, int64_t now, int64_t bytes)
{
    return clock_add(now, clock_add(pf->op_overhead, clock_bytes(bytes, pf->vec_ps_per_kib)));
}

int64_t clock_product(const Platform *pf, int64_t now, int64_t m, int64_t n, int64_t k)
{
    return clock_add(now,
                     clock_add(pf->op_overhead, clock_bytes(2 * m * n * k, pf->cube_ps_per_kop)));
}

/* Sends a message of `bytes` that is ready at `ready` from one port to another; the time when its
 * last byte has arrived. *sent: when the sending port has taken it. */
static int64_t message(const Platform *pf, Ports *from, Ports *to, int64_t ready, int64_t bytes,
                       int64_t *sent)
{
    int64_t time = clock_bytes(bytes, pf->link_ps_per_kib);
    int64_t busy = later(time, pf->link_gap);
    int64_t depart = later(ready, from->send_free);
    from->send_free = clock_add(depart, busy);
    *sent = clock_add(depart, time);
    int64_t first = later(clock_add(depart, pf->link_latency), to->recv_free);
    to->recv_free = clock_add(first, busy);
    return clock_add(first, time);
}

ClockStep clock_remote_read(const Platform *pf, Ports *self, Ports *peer, int64_t now,
                            int64_t bytes)
{
    int64_t sent, ready = clock_add(now, pf->link_overhead);
    int64_t arrive = message(pf, peer, self, ready, bytes, &sent);
    return (ClockStep){.issue = arrive, .arrive = arrive};
}

ClockStep clock_remote_write(const Platform *pf, Ports *self, Ports *peer, int64_t now,
                             int64_t bytes)
{
    int64_t sent, ready = clock_add(now, pf->link_overhead);
    int64_t arrive = message(pf, self, peer, ready, bytes, &sent);
    return (ClockStep){.issue = sent, .arrive = arrive};
}

ClockStep clock_notify(const Platform *pf, Ports *self, Ports *peer, int64_t now)
{
    int64_t sent, ready = clock_add(now, pf->notify_overhead);
    if (self == peer)
        return (ClockStep){.issue = ready, .arrive = ready};
    int64_t arrive = message(pf, self, peer, ready, 0, &sent);
    return (ClockStep){.issue = ready, .arrive = arrive};
}
