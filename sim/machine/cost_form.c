/* Why closed forms at all: they are written from the algorithm, not from the code that lowers it,
 * so a barrier too many or a chunk fetched twice shows as a difference. */
#include "sim/machine/cost_form.h"

const CostForm *cost_form(Builtin builtin)
{
    static const CostForm forms[BUILTIN_COUNT] = {
#define PLD_COST(ENUM, received, steps, barriers, self)                                            \
    [BUILTIN_##ENUM] = {received, steps, barriers, self},
#include "sim/machine/cost.def"
    };
    return &forms[builtin];
}

uint64_t cost_counter(const CostCount *c, unsigned i)
{
    const uint64_t all[COST_COUNTERS] = {c->bytes_received, c->bytes_sent,    c->data_steps,
                                         c->notifies,       c->self_notifies, c->waits,
                                         c->barriers};
    return all[i];
}

const char *cost_counter_name(unsigned i)
{
    static const char *const names[COST_COUNTERS] = {
        "bytes_received", "bytes_sent", "data_steps", "notifies",
        "self_notifies",  "waits",      "barriers"};
    return names[i];
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static int64_t chunks_of(const CostCall *c, int64_t elements)
{
    int64_t most = c->chunk / c->elem;
    return ceil_div(elements, most < 1 ? 1 : most);
}

/* Where segment `i` of the ring begins. */
static int64_t boundary(const CostCall *c, int64_t i)
{
    int64_t n = c->rows * c->cols;
    return i == c->ranks ? n : i * n / c->ranks / c->grain * c->grain;
}

static int64_t segment(const CostCall *c, int64_t i)
{
    i = (i + 2 * c->ranks) % c->ranks;
    return boundary(c, i + 1) - boundary(c, i);
}

/* Elements a rank receives in a ring: every segment twice, but its own and its left neighbour's
 * once. */
static int64_t ring_received(const CostCall *c, int64_t rank)
{
    return 2 * c->rows * c->cols - segment(c, rank) - segment(c, rank - 1);
}

static int64_t ring_steps(const CostCall *c)
{
    int64_t steps = 0;
    for (int64_t i = 0; i < c->ranks; i++)
        steps += 2 * chunks_of(c, segment(c, i));
    return steps - chunks_of(c, segment(c, c->rank)) - chunks_of(c, segment(c, c->rank - 1));
}

/* Elements of the slice that a lane takes care of. */
static int64_t lane_share(const CostCall *c)
{
    int64_t n = c->rows * c->cols;
    return (c->lane + 1) * n / c->lanes - c->lane * n / c->lanes;
}

int64_t cost_chunks(const CostCall *c)
{
    int64_t most = 0;
    switch (c->op) {
    case BUILTIN_MESH: return chunks_of(c, lane_share(c));
    case BUILTIN_REDUCE_SCATTER: return chunks_of(c, c->cols);
    case BUILTIN_RING:
        for (int64_t i = 0; i < c->ranks; i++) {
            int64_t n = chunks_of(c, segment(c, i));
            most = n > most ? n : most;
        }
        return most;
    default: return 1;
    }
}

static int64_t barriers_of(const CostCall *c)
{
    switch (c->op) {
    case BUILTIN_BARRIER: return 1;
    case BUILTIN_MESH: return 1 + cost_chunks(c);
    case BUILTIN_RING: return 2 * (c->ranks - 1) + 1;
    default: return 2;
    }
}

/* Elements received and sent, and data steps. */
static void expected_data(const CostCall *c, int64_t *in, int64_t *out, int64_t *steps)
{
    int64_t peers = c->ranks - 1;
    *in = *out = *steps = 0;
    switch (c->op) {
    case BUILTIN_MESH:
        *in = *out = peers * lane_share(c);
        *steps = peers * cost_chunks(c);
        break;
    case BUILTIN_RING:
        *in = ring_received(c, c->rank);
        *out = ring_received(c, (c->rank + 1) % c->ranks);
        *steps = ring_steps(c);
        break;
    case BUILTIN_REDUCE_SCATTER:
    case BUILTIN_ALLGATHER:
    case BUILTIN_ALL_TO_ALL:
        *in = *out = peers * c->cols;
        *steps = peers * cost_chunks(c);
        break;
    case BUILTIN_BROADCAST:
        *in = *steps = c->rank != c->root;
        *in *= c->rows * c->cols;
        *out = c->rank == c->root ? peers * c->rows * c->cols : 0;
        break;
    default: break;
    }
}

void cost_expect(const CostCall *c, CostCount *out)
{
    int64_t in, sent, steps, peers = c->ranks - 1, barriers = barriers_of(c);
    out->calls++;
    if (c->op == BUILTIN_ALL_TO_ALL_V)
        out->self_notifies++; /* the own count */
    if (peers < 1)
        return;
    expected_data(c, &in, &sent, &steps);
    out->bytes_received += (uint64_t)in * c->elem;
    out->bytes_sent += (uint64_t)sent * c->elem;
    out->data_steps += (uint64_t)steps;
    out->barriers += (uint64_t)barriers;
    out->notifies += (uint64_t)(barriers * peers);
    out->waits += (uint64_t)(barriers * peers);
    int64_t rows = c->op != BUILTIN_RING ? 1 : 2 * peers + c->own_row;
    out->self_notifies += (uint64_t)(rows * peers);
    if (c->op == BUILTIN_ALL_TO_ALL_V)
        out->notifies += (uint64_t)peers;
}
