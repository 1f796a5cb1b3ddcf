#include "sim/processes/team.h"

#include "sim/processes/conclude.h"

#include <string.h>

/* A block at the start for each process, the first ones one rank longer where it does not come out
 * even; or one rank after another. */
static uint32_t home_of(uint32_t rank, uint32_t n_ranks, uint32_t n, TeamMap map)
{
    uint32_t size = n_ranks / n, longer = n_ranks % n, edge = longer * (size + 1);
    if (map == MAP_CYCLIC)
        return rank % n;
    return rank < edge ? rank / (size + 1) : longer + (rank - edge) / size;
}

Team *team_new(const PldTransport *transport, uint32_t n_ranks, TeamMap map, bool shared)
{
    Team *t = xcalloc(1, sizeof *t);
    t->t = transport;
    t->map = map;
    t->shared = shared;
    t->base = (Processes){.self = transport->rank(),
                          .n = transport->size(),
                          .agree = team_agree,
                          .same = team_same,
                          .prepare = team_prepare,
                          .combine = team_combine,
                          .look = shown_cell,
                          .started = dispatch_started,
                          .ended = dispatch_ended,
                          .progress = quiet_progress,
                          .idle = quiet_idle};
    t->base.home = xcalloc(n_ranks + 1u, sizeof *t->base.home);
    for (uint32_t i = 0; i < n_ranks; i++)
        t->base.home[i] = home_of(i, n_ranks, t->base.n, map);
    t->crowded = team_is_crowded(t);
    t->base.fabric = span_fabric_new(t, n_ranks);
    return t;
}

void team_free(Team *t)
{
    dispatches_free(t);
    xfree(t->observers);
    xfree(t->base.home);
    buf_free(&t->gathered);
    buf_free(&t->prints);
    buf_free(&t->shown_cells);
    xfree(t);
}

void team_send(Team *t, uint32_t to, TeamTag tag, const void *bytes, size_t len)
{
    t->sent++;
    t->t->send(to, (int)tag, bytes, len);
}

static void fail_here(Team *t)
{
    if (t->world)
        t->world->n_still++;
}

static void take(Team *t, const PldMessage *m)
{
    switch ((TeamTag)m->tag) {
    case TAG_STARTED:
    case TAG_BYTES:
    case TAG_ENDED:
        dispatch_message(t, m);
        t->woken = true;
        break;
    case TAG_ADD:
    case TAG_ADDED: span_fabric_message(t->base.fabric, m); break;
    case TAG_FAILED: fail_here(t); break;
    case TAG_BLOCK:
        if (m->from == t->gathering)
            buf_bytes(&t->gathered, m->bytes, m->len);
        break;
    }
}

bool team_receive(Team *t)
{
    PldMessage m;
    while (t->t->receive(&m)) {
        t->received++;
        take(t, &m);
    }
    bool woken = t->woken;
    t->woken = false;
    return woken;
}

int64_t team_max(Team *t, int64_t value)
{
    t->t->reduce(&value, 1, PLD_MAX);
    return value;
}

int64_t team_sum(Team *t, int64_t value)
{
    t->t->reduce(&value, 1, PLD_SUM);
    return value;
}

uint32_t team_differs(Team *t, uint64_t hash)
{
    uint64_t *all = xcalloc(t->base.n, sizeof *all);
    t->t->gather(&hash, sizeof hash, all);
    uint32_t i = 0;
    while (i < t->base.n && all[i] == all[0])
        i++;
    xfree(all);
    return i == t->base.n ? UINT32_MAX : i;
}

/* One process after another, so that process 0 holds one's bytes at a time. */
void team_gather(Team *t, const Buf *mine, TeamEach *each, void *env)
{
    enum { PIECE = 1 << 24 };
    Team *x = t;
    for (uint32_t p = 0; p < t->base.n; p++) {
        int64_t len = p == t->base.self ? (int64_t)mine->len : 0;
        len = team_sum(t, len);
        if (t->base.self != 0 && p == t->base.self)
            for (size_t at = 0; at < mine->len; at += PIECE)
                team_send(t, 0, TAG_BLOCK, mine->at + at,
                          mine->len - at < PIECE ? mine->len - at : PIECE);
        if (t->base.self != 0)
            continue;
        x->gathering = p;
        buf_clear(&x->gathered);
        while (p != 0 && x->gathered.len < (size_t)len)
            (void)team_receive(t);
        const Buf *b = p == 0 ? mine : &x->gathered;
        each(env, p, b->at ? b->at : "", b->len);
    }
}
