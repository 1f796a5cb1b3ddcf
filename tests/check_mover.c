/* Moves that are done later against moves done at once: random loads, sums and stores between the
 * memories of some lanes and slices of windows, on one thread and on two. What both leave is the
 * same whenever it is settled, but for tiles that were said to be at their end. */
#include "base/arena.h"
#include "sim/machine/mover.h"
#include "tests/support.h"

#include <string.h>

enum { LANES = 3, TILES = 3, N = MOVE_LEAST / 4, SLICE = 4 * N, MOVES = 400 };

typedef struct {
    float tile[LANES][TILES * N];
    float slice[LANES][SLICE];
} Memory;

typedef struct {
    Memory now, later;
    bool ended[LANES][TILES]; /* nobody may look at it */
    Mover *mover;
    uint64_t state;
} Play;

static uint32_t pick(Play *p, uint32_t n)
{
    p->state = p->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->state >> 33) % n;
}

static void *other(const Play *p, const void *at)
{
    return (char *)&p->later + ((const char *)at - (const char *)&p->now);
}

/* The move as it is described, on the one memory, and through the mover on the other one. */
static void both(Play *p, Move m)
{
    if (m.kind == MOVE_BIN)
        (void)kernel_bin((TileOp)m.op, (Dtype)m.dtype, &m.k);
    else
        memmove(m.k.to, m.k.a, (size_t)m.k.cols);
    m.k.to = other(p, m.k.to);
    m.k.a = other(p, m.k.a);
    m.k.b = m.k.b ? other(p, m.k.b) : NULL;
    mover_do(p->mover, &m);
}

/* Anywhere in a slice, often where it was the last time. */
static float *part(Play *p)
{
    static const uint32_t at[] = {0, N, 2 * N, 3 * N};
    return p->now.slice[pick(p, LANES)] + (pick(p, 4) ? at[pick(p, 4)] : pick(p, SLICE - N + 1));
}

static float *tile(Play *p, uint32_t lane, uint32_t i)
{
    return p->now.tile[lane] + i * N;
}

static void random_move(Play *p)
{
    uint32_t lane = pick(p, LANES), x = pick(p, TILES), y = pick(p, TILES), to = pick(p, TILES);
    Move m = {.k = {.rows = 1, .cols = 4 * N}};
    bool *ended = p->ended[lane];
    switch (pick(p, 8)) {
    case 0:
    case 1:
    case 2:
        m.kind = MOVE_LOAD;
        m.k.to = tile(p, lane, to);
        m.k.a = part(p);
        ended[to] = false;
        break;
    case 3: /* slice to slice, also to a part of itself */
        m.kind = pick(p, 2) ? MOVE_STREAM : MOVE_COPY;
        m.k.to = part(p);
        m.k.a = part(p);
        break;
    case 4:
        if (ended[x])
            return;
        m.kind = MOVE_COPY;
        m.k.to = part(p);
        m.k.a = tile(p, lane, x);
        m.ends = pick(p, 2) ? TILE_ENDS_FIRST : 0;
        ended[x] = m.ends;
        break;
    default:
        if (ended[x] || ended[y])
            return;
        m.kind = MOVE_BIN;
        m.op = pick(p, 2) ? TOP_ADD : TOP_MAX;
        m.dtype = DT_FP32;
        m.k.cols = N;
        m.k.to = tile(p, lane, to);
        m.k.a = tile(p, lane, x);
        m.k.b = tile(p, lane, y);
        if (to != x && x != y && pick(p, 2)) {
            m.ends |= TILE_ENDS_FIRST;
            ended[x] = true;
        }
        if (to != y && x != y && pick(p, 2)) {
            m.ends |= TILE_ENDS_SECOND;
            ended[y] = true;
        }
        ended[to] = false;
    }
    both(p, m);
}

static void compare(Play *p, int seed)
{
    mover_settle(p->mover);
    ck_assert_msg(memcmp(p->now.slice, p->later.slice, sizeof p->now.slice) == 0, "seed %d", seed);
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t i = 0; i < TILES; i++)
            ck_assert_msg(p->ended[l][i] ||
                              memcmp(tile(p, l, i), other(p, tile(p, l, i)), 4 * N) == 0,
                          "seed %d: tile %u of lane %u", seed, i, l);
}

START_TEST(as_at_once)
{
    Play *p = xcalloc(1, sizeof *p);
    for (int seed = 0; seed < 20; seed++) {
        memset(p, 0, sizeof *p);
        p->state = (uint64_t)seed;
        p->mover = mover_new((unsigned)_i);
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t i = 0; i < SLICE; i++)
                p->now.slice[l][i] = (float)pick(p, 1000);
        memcpy(&p->later, &p->now, sizeof p->now);
        for (int i = 0; i < MOVES; i++) {
            random_move(p);
            if (pick(p, seed % 4 ? 60 : 2) == 0) /* as the thread starts, too */
                compare(p, seed);
        }
        compare(p, seed);
        mover_free(p->mover);
    }
    xfree(p);
}
END_TEST

/* More than the queue holds, and a thread that has gone to sleep in between. */
START_TEST(many_and_few)
{
    Play *p = xcalloc(1, sizeof *p);
    p->mover = mover_new(2);
    for (int round = 0; round < 30; round++) {
        for (int i = 0; i < (round % 3 ? 5 : 700); i++) {
            if (round % 3) { /* of the other memory nothing is touched before it settles */
                p->now.slice[0][0] = (float)i;
                mover_settle(p->mover);
                p->later.slice[0][0] = (float)i;
            }
            Move m = {.kind = MOVE_COPY, .k = {.rows = 1, .cols = 4 * N}};
            m.k.to = p->now.slice[1 + i % 2];
            m.k.a = p->now.slice[i % 2 ? 1 : 0];
            both(p, m);
        }
        compare(p, round);
    }
    mover_free(p->mover);
    xfree(p);
}
END_TEST

/* Copies past the caches, which both threads do where they have nothing in common. */
START_TEST(streams)
{
    Play *p = xcalloc(1, sizeof *p);
    p->state = 5;
    p->mover = mover_new(2);
    for (uint32_t i = 0; i < SLICE; i++)
        p->now.slice[1][i] = p->later.slice[1][i] = (float)i;
    for (int i = 0; i < 6000; i++) {
        Move m = {.kind = pick(p, 8) ? MOVE_STREAM : MOVE_COPY, .k = {.rows = 1, .cols = 4 * N}};
        m.k.to = part(p);
        m.k.a = part(p);
        both(p, m);
        if (pick(p, 500) == 0)
            compare(p, i);
    }
    compare(p, 0);
    mover_free(p->mover);
    xfree(p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mover");
    TCase *c = tcase_create("mover");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, as_at_once, 1, 3);
    tcase_add_test(c, many_and_few);
    tcase_add_test(c, streams);
    suite_add_tcase(s, c);
    return run_suite(s);
}
